// A glTF file onto the disk, together with what it refers to.
#include <algorithm>
#include <filesystem>
#include <set>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/file_name.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/buffers.h"
#include "sinew/io/gltf/picture.h"
#include "sinew/io/json/json.h"
#include "sinew/io/referenced_file.h"
#include "sinew/io/whole_file.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct SideFile {
    fs::path relative;
    std::string bytes;
};

fs::path folderOf(const std::string& path)
{
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? "." : folder;
}

bool sameFile(const fs::path& a, const fs::path& b)
{
    std::error_code problem;
    return fs::equivalent(a, b, problem);
}

// ./a//b is a/b.
fs::path plain(std::string_view relative)
{
    return fs::path(relative).lexically_normal();
}

bool isHidden(const fs::path& relative)
{
    return std::any_of(relative.begin(), relative.end(),
                       [](const fs::path& part) { return part.native().starts_with('.'); });
}

// Why a file that the original names does not go along, or nothing.
std::string bufferFault(const fs::path& relative)
{
    if (isHidden(relative)) return "has a hidden name";
    if (fileEnding(relative.native()) != "bin") return "is a buffer, but not called *.bin";
    return {};
}

std::string pictureFault(const fs::path& relative, std::string_view bytes)
{
    if (isHidden(relative)) return "has a hidden name";
    if (!gltf::hasPictureName(relative.native())) return "is not called as a picture is, such as *.png";
    if (!gltf::isPicture(bytes)) return "is not a picture";
    return {};
}

// All that has to go along, read before anything is written. Buffers have been read already; pictures may
// be missing, since nothing here needs them.
Result<std::vector<SideFile>> sideFiles(const GltfFile& original, std::vector<Diagnostic>& notes)
{
    std::vector<SideFile> out;
    std::set<fs::path> known;
    const auto about = [&](std::string_view name, const std::string& what) {
        return fileError(original.name, "the file " + words::quoted(name) + " " + what);
    };
    for (const gltf::Buffer& buffer : original.document.buffers) {
        const fs::path relative = plain(buffer.file);
        if (buffer.file.empty() || !known.insert(relative).second) continue;
        if (const std::string fault = bufferFault(relative); !fault.empty())
            return about(buffer.file, fault + "; it is not copied to another folder");
        out.push_back({relative, buffer.bytes});
    }
    std::size_t left = maxGltfSize;  // for all pictures together
    for (const std::string& uri : original.document.images) {
        const std::string name = gltf::percentDecoded(uri);
        if (!known.insert(plain(name)).second) continue;
        const Result<std::string> found = referencedFile(original.name, name);
        Result<std::string> bytes = found ? json::readFile(found.value(), left) : found;
        const std::string fault = bytes ? pictureFault(plain(name), bytes.value()) : std::string();
        if (!bytes) {
            notes.push_back(
                fileError(original.name, "a picture was not copied along: " + bytes.error().message));
        } else if (!fault.empty()) {
            notes.push_back(about(name, fault + "; it was not copied along"));
        } else {
            left -= bytes.value().size();
            out.push_back({plain(name), std::move(bytes.value())});
        }
    }
    return out;
}

// Files put below a folder one after the other, or none of them: what was made is taken back unless all of
// it is kept.
class Copies {
public:
    explicit Copies(fs::path folder) : folder_(std::move(folder)) {}
    ~Copies()
    {
        std::error_code ignored;
        for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, ignored);
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    void keep() { made_.clear(); }
    const std::vector<std::string>& names() const { return names_; }

    // Gives an empty string, or the line that says why not.
    std::string add(const SideFile& file, const std::string& original)
    {
        const fs::path target = folder_ / file.relative;
        const auto refuse = [&](const char* why) {
            return target.string() + ": " + why + " one that " + original +
                   " refers to has to go; choose another folder";
        };
        if (!makeFolders(file.relative.parent_path())) return refuse("no folder of its own lies where");
        std::error_code problem;
        if (fs::exists(fs::symlink_status(target, problem))) {
            const Result<std::string> there = json::readFile(target.string(), maxGltfSize);
            return there && there.value() == file.bytes ? "" : refuse("another file lies where");
        }
        const std::string fault = writeWhole(target.string(), file.bytes);
        if (!fault.empty()) return fault;
        made_.push_back(target);
        names_.push_back(file.relative.string());
        return {};
    }

private:
    // Every part a folder, and none of them a link, which could lead elsewhere.
    bool makeFolders(const fs::path& relative)
    {
        fs::path folder = folder_;
        for (const fs::path& part : relative) {
            folder /= part;
            std::error_code problem;
            if (fs::create_directory(folder, problem)) made_.push_back(folder);
            if (!fs::is_directory(fs::symlink_status(folder, problem))) return false;
        }
        return true;
    }

    fs::path folder_;
    std::vector<fs::path> made_;
    std::vector<std::string> names_;
};

}  // namespace

bool isFileOf(const GltfFile& original, const std::string& path)
{
    if (sameFile(original.name, path)) return true;
    const fs::path folder = folderOf(original.name);
    const auto isThis = [&](const std::string& relative) {
        return !relative.empty() && sameFile(folder / relative, path);
    };
    for (const gltf::Buffer& buffer : original.document.buffers)
        if (isThis(buffer.file)) return true;
    for (const std::string& uri : original.document.images)
        if (isThis(gltf::percentDecoded(uri))) return true;
    return false;
}

Result<GltfWritten> writeGltf(const GltfFile& original, const std::string& bytes, const std::string& path)
{
    if (isFileOf(original, path))
        return fileError(path, "is a file of " + original.name + " itself; choose another name");
    GltfWritten written;
    Copies copies(folderOf(path));
    if (!sameFile(folderOf(original.name), folderOf(path))) {
        const Result<std::vector<SideFile>> files = sideFiles(original, written.notes);
        if (!files) return files.error();
        const std::string own = lowercase(fs::path(path).filename().native());
        for (const SideFile& file : files.value()) {
            // Where case does not count, they would be one file.
            if (lowercase(file.relative.native()) == own)
                return fileError(path, "is also what " + original.name +
                                           " calls a file that goes along; choose another name");
            if (const std::string fault = copies.add(file, original.name); !fault.empty())
                return Diagnostic{fault};
        }
    }
    const std::string fault = writeWhole(path, bytes);
    if (!fault.empty()) return Diagnostic{fault};
    written.copied = copies.names();
    copies.keep();
    return written;
}

}  // namespace sinew
