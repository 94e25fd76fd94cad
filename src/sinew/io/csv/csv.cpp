#include "sinew/io/csv/csv.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "sinew/io/file_error.h"

namespace sinew {

std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

void appendNumber(std::string& text, double number)
{
    char buffer[32];  // the longest double takes 24
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    text.append(buffer, end);
}

Result<CsvFile> CsvFile::create(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return fileError(path, std::string("cannot be written: ") + std::strerror(errno));
    return CsvFile(path, file, 0);
}

std::optional<Diagnostic> CsvFile::tooShort(const std::string& path, std::uint64_t size)
{
    std::error_code code;
    const auto present = std::filesystem::file_size(path, code);
    if (code) return fileError(path, "cannot go on: " + code.message());
    if (present >= size) return {};
    return fileError(path, "cannot go on: it has " + std::to_string(present) +
                               " bytes, the checkpoint was made when it had " + std::to_string(size));
}

Result<CsvFile> CsvFile::reopen(const std::string& path, std::uint64_t size)
{
    if (const auto fault = tooShort(path, size)) return *fault;
    std::FILE* file = std::fopen(path.c_str(), "ab");
    if (!file) return fileError(path, std::string("cannot be written: ") + std::strerror(errno));
    return CsvFile(path, file, size);
}

std::string CsvFile::cut()
{
    if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(size_)) != 0) return fault("cannot be cut");
    return {};
}

std::string CsvFile::write(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
        return fault("cannot be written");
    size_ += text.size();
    return {};
}

std::string CsvFile::sync()
{
    if (std::fflush(file_.get()) != 0) return fault("cannot be written");
    // Pipes and devices cannot be synced (EINVAL); that is no fault of the data.
    if (::fsync(::fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS)
        return fault("cannot be written");
    return {};
}

std::string CsvFile::fault(const char* what) const
{
    return path_ + ": " + what + ": " + std::strerror(errno);
}

}  // namespace sinew
