#include "sinew/io/csv/open_regular.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sinew/io/file_error.h"

namespace sinew {

Result<std::FILE*> openRegular(const std::string& path)
{
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (!std::filesystem::exists(status)) return fileError(path, "there is no such file");
    if (!std::filesystem::is_regular_file(status))
        return fileError(path, "is not a regular file and cannot be read back");
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) return fileError(path, std::string("cannot be read: ") + std::strerror(errno));
    return file;
}

}  // namespace sinew
