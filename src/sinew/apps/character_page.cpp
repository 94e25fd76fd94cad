#include "sinew/apps/character_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sinew/apps/page_template.h"
#include "sinew/apps/run_files.h"
#include "sinew/apps/text.h"
#include "sinew/io/file_error.h"
#include "sinew/io/gltf/glb.h"
#include "sinew/io/json/json.h"

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

// The clip by its name, so that a wrong one is told by the command and not by the page.
std::optional<Diagnostic> wrongClip(const json::Value& gltf, const std::string& clip,
                                    const std::string& file)
{
    if (clip.empty()) return {};
    std::vector<std::string> names;
    if (const json::Value* animations = gltf.find("animations"); animations && animations->isArray()) {
        for (const json::Value& animation : animations->items()) {
            const json::Value* name = animation.isObject() ? animation.find("name") : nullptr;
            if (name && name->isString()) names.push_back(name->string());
        }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), clip) != known.end()) return {};
    if (known.empty())
        return fileError("--clip", fmt::format("{} has no clips with names; leave it out", file));
    return fileError("--clip", unknownName("clip", clip, known));
}

Result<json::Value> jsonOf(const std::string& glb, const std::string& file)
{
    Result<Glb> container = parseGlb(glb, file);
    if (!container) return container.error();
    Result<json::Value> gltf = json::parse(container.value().json, file);
    if (gltf && !gltf.value().isObject()) return fileError(file, "its JSON chunk must hold an object");
    return gltf;
}

}  // namespace

bool isCharacterName(const std::string& path)
{
    std::string ending = fs::path(path).extension();
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return ending == ".glb" || ending == ".gltf";
}

Result<std::string> readCharacterForPage(const std::string& path)
{
    Result<std::string> bytes = json::readFile(path, mostBytes);
    if (!bytes) return bytes;
    if (Result<json::Value> gltf = jsonOf(bytes.value(), path); !gltf) return gltf.error();
    return bytes;
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
    if (!fault.empty()) return fileError("", fault);
    return Page{path, page.size(), ""};
}

Result<Page> writeCharacterPage(const std::string& directory, const std::string& file,
                                const std::string& clip)
{
    Result<std::string> glb = readCharacterForPage(file);
    if (!glb) return glb.error();
    Result<json::Value> gltf = jsonOf(glb.value(), file);
    if (!gltf) return gltf.error();
    if (const auto fault = wrongClip(gltf.value(), clip, file)) return *fault;
    const RunFiles files(directory);
    if (isSomebodysOwn(files.page))
        return fileError(files.page, "is not a page of Sinew and would be lost; choose another folder");
    std::error_code code;
    fs::create_directories(directory, code);
    if (code) return fileError(directory, "this folder cannot be made: " + code.message());
    return writeCharacterPage(files.page, {glb.value(), fs::path(file).stem(), clip});
}

}  // namespace sinew
