#include "sinew/io/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace sinew {

bool isSpecialFile(const std::string& path)
{
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

WholeFile::WholeFile(const std::string& path) : path_(path)
{
    if (isSpecialFile(path)) {
        file_ = std::fopen(path.c_str(), "wb");
    } else {
        const int descriptor = temporary_.emplace(path).takeDescriptor();
        if (descriptor >= 0) file_ = ::fdopen(descriptor, "wb");
    }
    check(file_ != nullptr);
}

WholeFile::~WholeFile()
{
    if (file_) std::fclose(file_);
}

void WholeFile::check(bool good)
{
    if (!good && fault_ == 0) fault_ = errno != 0 ? errno : EIO;
}

std::string WholeFile::line() const
{
    return fault_ == 0 ? std::string() : path_ + ": cannot be written: " + std::strerror(fault_);
}

void WholeFile::write(std::string_view bytes)
{
    if (fault_ != 0 || bytes.empty()) return;  // an empty view may point nowhere, which fwrite minds
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
    size_ += bytes.size();
}

std::string WholeFile::close()
{
    if (file_) {
        check(std::fflush(file_) == 0);
        check(::fsync(::fileno(file_)) == 0 || errno == EINVAL || errno == EROFS);
        check(std::fclose(std::exchange(file_, nullptr)) == 0);
    }
    return line();
}

std::string WholeFile::finish()
{
    if (!close().empty()) return line();
    if (temporary_) check(temporary_->moveTo(path_));
    temporary_.reset();
    return line();
}

std::string writeWhole(const std::string& path, std::string_view bytes)
{
    WholeFile file(path);
    file.write(bytes);
    return file.finish();
}

}  // namespace sinew
