#include "sinew/io/relative_path.h"

#include <filesystem>

namespace sinew {

std::string whyNotBelow(std::string_view path)
{
    if (path.empty()) return "the path is empty";
    for (char c : path)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return "control characters are not allowed in a path";
    if (path.find('\\') != std::string_view::npos) return "write '/' instead of '\\' in a path";
    if (path.find(':') != std::string_view::npos)
        return "only files are read, not URLs or other drives; give a path relative to this file";
    if (path.front() == '/') return "absolute paths are not allowed; give a path relative to this file";
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        if (path.substr(start, end - start) == "..")
            return "\"..\" is not allowed; the file has to lie in the folder of this one or below";
        start = end + 1;
    }
    return "";
}

std::string besideFile(const std::string& file, const std::string& relative)
{
    return (std::filesystem::path(file).parent_path() / relative).string();
}

}  // namespace sinew
