#include "sinew/io/referenced_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/file_name.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

constexpr int mostFoldersUp = 2;
constexpr std::string_view outOfFolder = "leads out of this file's folder; only files below it are read";
constexpr std::string_view endingsOfParts[] = {"xml", "obj", "stl", "dae", "png", "bin"};

std::string plainFault(std::string_view reference)
{
    if (reference.empty() || reference.size() > 1000) return "has no name that a file can have";
    for (char c : reference)
        if (c == '\\' || c == ':' || static_cast<unsigned char>(c) < 0x20)
            return "is not a plain relative path, such as meshes/arm.stl";
    if (fs::path(reference).is_absolute())
        return "is an absolute path; only files below this one's folder are read";
    return {};
}

// Below the folder that the first `up` parts of the reference lead to.
Result<std::string> below(const std::string& from, std::string_view reference, int up)
{
    const auto refuse = [&](const std::string& why) {
        return fileError(from, "the file " + words::quoted(reference) + " " + why);
    };
    std::error_code problem;
    fs::path folder = fs::path(from).parent_path();
    if (folder.empty()) folder = ".";
    fs::path top = folder;
    for (int i = 0; i < up; ++i) top /= "..";
    const fs::path root = fs::canonical(top, problem);
    if (problem) return refuse("cannot be looked for");
    const fs::path target = fs::canonical(folder / reference, problem);
    if (problem) return refuse("is not there");
    const auto [end, inside] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
    if (end != root.end())
        return refuse("is a link out of this file's folder; only files below it are read");
    return (folder / reference).string();
}

}  // namespace

std::string referenceFault(std::string_view reference)
{
    if (const std::string fault = plainFault(reference); !fault.empty()) return fault;
    for (const fs::path& part : fs::path(reference))
        if (part == "..") return std::string(outOfFolder);
    return {};
}

Result<std::string> referencedFile(const std::string& from, std::string_view reference)
{
    if (const std::string fault = referenceFault(reference); !fault.empty())
        return fileError(from, "the file " + words::quoted(reference) + " " + fault);
    return below(from, reference, 0);
}

namespace {

int foldersUp(std::string_view reference)
{
    int up = 0;
    for (const fs::path& part : fs::path(reference)) up += part == "..";
    return up;
}

}  // namespace

std::string partReferenceFault(std::string_view reference)
{
    if (const std::string fault = plainFault(reference); !fault.empty()) return fault;
    const int up = foldersUp(reference);
    if (up == 0) return {};
    if (up > mostFoldersUp) return "leads more than two folders up; what is nearer is read";
    bool isBelow = false;
    for (const fs::path& part : fs::path(reference)) {
        const std::string name = part.string();
        if (name == ".." && isBelow) return std::string(outOfFolder);
        isBelow = isBelow || name != "..";
        if (name != ".." && name.starts_with('.')) return "is hidden, and not in this file's folder";
    }
    const std::string ending = fileEnding(reference);
    if (std::find(std::begin(endingsOfParts), std::end(endingsOfParts), ending) == std::end(endingsOfParts))
        return "is not named like a part of a model, and not in this file's folder";
    return {};
}

Result<std::string> referencedPart(const std::string& from, std::string_view reference)
{
    if (const std::string fault = partReferenceFault(reference); !fault.empty())
        return fileError(from, "the file " + words::quoted(reference) + " " + fault);
    return below(from, reference, foldersUp(reference));
}

}  // namespace sinew
