#include "sinew/io/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace sinew {

WholeFile::WholeFile(const std::string& path) : path_(path)
{
    // A device or a pipe has no place beside it: it is written directly.
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    temporary_ = special ? path : path + ".part";
    file_ = std::fopen(temporary_.c_str(), "wb");
    check(file_ != nullptr);
}

WholeFile::~WholeFile()
{
    if (!file_) return;
    std::fclose(file_);
    if (temporary_ != path_) std::remove(temporary_.c_str());
}

void WholeFile::check(bool good)
{
    if (!good && fault_ == 0) fault_ = errno != 0 ? errno : EIO;
}

void WholeFile::write(std::string_view bytes)
{
    if (fault_ != 0 || bytes.empty()) return;  // an empty view may point nowhere, which fwrite minds
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
    size_ += bytes.size();
}

std::string WholeFile::finish()
{
    if (file_) {
        check(std::fflush(file_) == 0);
        check(::fsync(::fileno(file_)) == 0 || errno == EINVAL || errno == EROFS);
        check(std::fclose(std::exchange(file_, nullptr)) == 0);
        if (temporary_ != path_) {
            if (fault_ == 0) check(std::rename(temporary_.c_str(), path_.c_str()) == 0);
            if (fault_ != 0) std::remove(temporary_.c_str());
        }
    }
    return fault_ == 0 ? std::string() : path_ + ": cannot be written: " + std::strerror(fault_);
}

std::string writeWhole(const std::string& path, std::string_view bytes)
{
    WholeFile file(path);
    file.write(bytes);
    return file.finish();
}

}  // namespace sinew
