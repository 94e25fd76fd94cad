// The table of file formats.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "sinew/base/text.h"
#include "sinew/io/format.h"

namespace sinew {
namespace {

constexpr const FileFormat* formats[] = {
    &sceneFormat,       //
    &gltfFormat,        //
    &bvhFormat,         //
    &usdFormat,         //
    &csvFormat,         //
    &urdfFormat,        //
    &mjcfFormat,        //
    &meshFormat,        //
    &trajectoryFormat,  //
    &pointsFormat,      //
    &springMeshFormat,  //
};

std::string ending(const std::string& path)
{
    std::string text = std::filesystem::path(path).extension().string();
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

}  // namespace

bool isFolder(const std::string& path)
{
    std::error_code fault;
    return std::filesystem::is_directory(path, fault);
}

std::span<const FileFormat* const> fileFormats()
{
    return formats;
}

const FileFormat* formatOf(const std::string& path)
{
    if (isFolder(path)) return nullptr;
    const std::string end = ending(path);
    std::vector<const FileFormat*> found;
    for (const FileFormat* format : formats)
        if (std::find(format->endings.begin(), format->endings.end(), end) != format->endings.end())
            found.push_back(format);
    if (found.empty()) return nullptr;
    for (const FileFormat* format : found)
        if (found.size() == 1 || !format->isMeant || format->isMeant(path)) return format;
    return found.back();
}

const char* fileKindName(const std::string& path)
{
    if (isFolder(path)) return "the folder of a run";
    const FileFormat* format = formatOf(path);
    return format ? format->name : "of an unknown kind";
}

std::string endingsOf(bool (*isOne)(const FileFormat&), Endings which, std::string_view lastWord)
{
    std::vector<std::string_view> found;
    for (const FileFormat* format : formats) {
        if (!isOne(*format)) continue;
        const auto count = which == Endings::all ? format->endings.size() : 1;
        for (const std::string_view each : format->endings.first(count))
            if (std::find(found.begin(), found.end(), each) == found.end()) found.push_back(each);
    }
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i > 0) text += i + 1 < found.size() ? ", " : " " + std::string(lastWord) + " ";
        text += found[i];
    }
    return text;
}

}  // namespace sinew
