// A glTF file onto the disk, together with what it refers to.
#include <filesystem>
#include <list>
#include <set>

#include "sinew/io/file_error.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/buffers.h"
#include "sinew/io/json/json.h"
#include "sinew/io/referenced_file.h"
#include "sinew/io/whole_file.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

struct SideFile {
    std::string relative, bytes;
};

// All that has to go along, read before anything is written. Buffers have been read already; pictures may
// be missing, since nothing here needs them.
std::vector<SideFile> sideFiles(const GltfFile& original, std::vector<Diagnostic>& notes)
{
    std::vector<SideFile> out;
    std::set<std::string> known;
    for (const gltf::Buffer& buffer : original.document.buffers)
        if (!buffer.file.empty() && known.insert(buffer.file).second)
            out.push_back({buffer.file, buffer.bytes});
    for (const std::string& uri : original.document.images) {
        const std::string relative = gltf::percentDecoded(uri);
        if (!known.insert(relative).second) continue;
        const Result<std::string> found = referencedFile(original.name, relative);
        Result<std::string> bytes = found ? json::readFile(found.value(), maxGltfSize) : found;
        if (bytes)
            out.push_back({relative, std::move(bytes.value())});
        else
            notes.push_back(
                fileError(original.name, "a picture was not copied along: " + bytes.error().message));
    }
    return out;
}

bool sameFolder(const std::string& a, const std::string& b)
{
    std::error_code problem;
    const fs::path first = fs::path(a).parent_path(), second = fs::path(b).parent_path();
    return fs::equivalent(first.empty() ? "." : first, second.empty() ? "." : second, problem);
}

}  // namespace

Result<std::vector<Diagnostic>> writeGltf(const GltfFile& original, const std::string& bytes,
                                          const std::string& path)
{
    std::vector<Diagnostic> notes;
    std::list<WholeFile> files;  // the last is the file itself
    std::vector<std::string> targets;
    const auto write = [&](const std::string& target, const std::string& content) {
        files.emplace_back(target).write(content);
        targets.push_back(target);
        return files.back().close();
    };
    if (!sameFolder(original.name, path)) {
        for (const SideFile& file : sideFiles(original, notes)) {
            const std::string target = (fs::path(path).parent_path() / file.relative).string();
            std::error_code problem;
            if (fs::exists(target, problem)) {
                const Result<std::string> there = json::readFile(target, maxGltfSize);
                if (there && there.value() == file.bytes) continue;
                return fileError("", target + ": another file lies where one that " + original.name +
                                         " refers to has to go; choose another folder");
            }
            fs::create_directories(fs::path(target).parent_path(), problem);
            const std::string fault = write(target, file.bytes);
            if (!fault.empty()) return fileError("", fault);
        }
    }
    if (const std::string fault = write(path, bytes); !fault.empty()) return fileError("", fault);
    std::size_t moved = 0;
    for (WholeFile& file : files) {
        const std::string fault = file.finish();
        if (fault.empty()) {
            ++moved;
            continue;
        }
        std::error_code ignored;
        for (std::size_t i = 0; i < moved; ++i) fs::remove(targets[i], ignored);  // none was there before
        return fileError("", fault);
    }
    return notes;
}

}  // namespace sinew
