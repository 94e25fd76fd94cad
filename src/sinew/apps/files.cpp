#include "sinew/apps/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

namespace sinew {

std::string writeWhole(const std::string& path, std::string_view bytes)
{
    // A device or a pipe has no place beside it: it is written directly.
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    const std::string temporary = special ? path : path + ".part";

    errno = 0;
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    bool good = file != nullptr;
    if (file) {
        good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0 &&
               (::fsync(::fileno(file)) == 0 || errno == EINVAL || errno == EROFS);
        const int fault = errno;
        good = std::fclose(file) == 0 && good;
        if (!good && fault != 0) errno = fault;
    }
    if (good && !special) good = std::rename(temporary.c_str(), path.c_str()) == 0;
    if (good) return {};
    const std::string line = path + ": cannot be written: " + std::strerror(errno);
    if (file && !special) std::remove(temporary.c_str());
    return line;
}

Result<SceneFile> loadScene(const std::string& path)
{
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    Result<Description> description = parseScene(text.value(), path);
    if (!description) return description.error();
    return SceneFile{path, std::move(text.value()), std::move(description.value())};
}

Diagnostic inScene(Diagnostic error, const std::string& path)
{
    if (error.file.empty() && !error.pointer.starts_with("--")) error.file = path;
    return error;
}

}  // namespace sinew
