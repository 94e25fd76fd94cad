#include "sinew/apps/character_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sinew/apps/commands.h"
#include "sinew/apps/page_template.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/gltf/pack.h"
#include "sinew/io/json/json.h"
#include "sinew/io/referenced_file.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// What a browser still takes in from one page.
constexpr std::size_t mostBytes = std::size_t{128} << 20;

// A page of ours says so in its head; others are not to be overwritten.
bool isSomebodysOwn(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) return false;
    std::string head(1024, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find("<title>Sinew</title>") == std::string::npos;
}

// A character as a page takes it.
struct Packed {
    std::string glb;
    std::vector<std::string> clips;  // their names
};

bool isBvh(const std::string& path)
{
    return formatOf(path) == &bvhFormat;
}

Result<Packed> pack(const std::string& path)
{
    if (isBvh(path)) {  // as a figure of capsules
        Result<TemporaryFolder> folder = TemporaryFolder::make();
        if (!folder) return folder.error();
        const std::string figure = folder.value().path() + "/" + fs::path(path).stem().string() + ".glb";
        if (const std::optional<Diagnostic> fault = writeFigure(path, {}, figure)) return *fault;
        return pack(figure);
    }
    Result<std::string> bytes = json::readFile(path, mostBytes);
    if (!bytes) return bytes.error();
    const ReadBeside readBeside = [&](const std::string& relative, std::size_t limit) {
        const Result<std::string> found = referencedFile(path, relative);
        return found ? json::readFile(found.value(), std::min(limit, mostBytes)) : found;
    };
    const Result<GltfFile> file = parseGltf(bytes.value(), path, readBeside);
    if (!file) return file.error();
    Packed packed;
    for (const gltf::Animation& clip : file.value().document.animations)
        packed.clips.push_back(clip.name.empty() ? fmt::format("clip_{}", packed.clips.size()) : clip.name);
    Result<std::string> glb =
        isSelfContained(file.value()) ? std::move(bytes) : packedGlb(file.value(), readBeside);
    if (!glb) return glb.error();
    packed.glb = std::move(glb.value());
    return packed;
}

// Told by the command, and not first by the page.
std::optional<Diagnostic> wrongClip(const Packed& packed, const std::string& clip, const std::string& file)
{
    const std::vector<std::string_view> known(packed.clips.begin(), packed.clips.end());
    if (clip.empty() || std::find(known.begin(), known.end(), clip) != known.end()) return {};
    if (known.empty()) return optionError("--clip", file + " has no clips; leave it out");
    return optionError("--clip", unknownName("clip", clip, known));
}

}  // namespace

bool isCharacterName(const std::string& path)
{
    std::string ending = fs::path(path).extension();
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return ending == ".glb" || ending == ".gltf" || ending == ".bvh";
}

Result<std::string> readCharacterForPage(const std::string& path)
{
    Result<Packed> packed = pack(path);
    if (!packed) return packed.error();
    return std::move(packed.value().glb);
}

Result<Page> writeCharacterPage(const std::string& path, const PageCharacter& character)
{
    WholeFile page(path);
    page.write(pageTemplate().head);
    page.write("{\"version\": 1, " + characterEntry(character) + "}");
    page.write(pageTemplate().afterData);
    writeCharacterBytes(page, character);
    page.write(pageTemplate().afterCharacter);
    page.write(pageTemplate().tail);
    const std::string fault = page.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return Page{path, page.size(), ""};
}

Result<Page> writeCharacterPage(const std::string& directory, const std::string& file,
                                const std::string& clip)
{
    Result<Packed> packed = pack(file);
    if (!packed) return packed.error();
    if (const auto fault = wrongClip(packed.value(), clip, file)) return *fault;
    const RunFiles files(directory);
    std::error_code code;
    fs::create_directories(directory, code);
    if (code) return fileError(directory, "this folder cannot be made: " + code.message());
    Result<FolderLock> lock = lockRun(directory);
    if (!lock) return lock.error();
    if (isSomebodysOwn(files.page))
        return fileError(files.page, "is not a page of Sinew and would be lost; choose another folder");
    return writeCharacterPage(files.page, {packed.value().glb, fs::path(file).stem(), clip});
}

}  // namespace sinew
