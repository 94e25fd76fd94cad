#include "sinew/io/referenced_file.h"

#include <algorithm>
#include <filesystem>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace fs = std::filesystem;

std::string referenceFault(std::string_view reference)
{
    if (reference.empty() || reference.size() > 1000) return "has no name that a file can have";
    for (char c : reference)
        if (c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20)
            return "is not a plain relative path, such as meshes/arm.stl";
    const fs::path relative(reference);
    if (relative.is_absolute()) return "is an absolute path; only files below this one's folder are read";
    for (const fs::path& part : relative)
        if (part == "..") return "leads out of this file's folder; only files below it are read";
    return {};
}

Result<std::string> referencedFile(const std::string& from, std::string_view reference)
{
    const auto refuse = [&](const std::string& why) {
        return fileError(from, "the file " + words::quoted(reference) + " " + why);
    };
    if (const std::string fault = referenceFault(reference); !fault.empty()) return refuse(fault);
    std::error_code problem;
    fs::path folder = fs::path(from).parent_path();
    if (folder.empty()) folder = ".";
    const fs::path root = fs::canonical(folder, problem);
    if (problem) return refuse("cannot be looked for");
    const fs::path target = fs::canonical(folder / reference, problem);
    if (problem) return refuse("is not there");
    const auto [end, inside] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
    if (end != root.end())
        return refuse("is a link out of this file's folder; only files below it are read");
    return (folder / reference).string();
}

}  // namespace sinew
