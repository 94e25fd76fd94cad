#include "sinew/io/gltf/picture.h"

#include <algorithm>
#include <array>

#include "sinew/io/file_name.h"

namespace sinew::gltf {

using namespace std::string_view_literals;

bool hasPictureName(std::string_view path)
{
    constexpr std::array endings = {"png"sv,  "jpg"sv, "jpeg"sv,  "webp"sv, "avif"sv,
                                    "ktx2"sv, "ktx"sv, "basis"sv, "dds"sv,  "gif"sv};
    return std::find(endings.begin(), endings.end(), fileEnding(path)) != endings.end();
}

bool isPicture(std::string_view bytes)
{
    constexpr std::array marks = {"\x89PNG\r\n\x1a\n"sv,
                                  "\xff\xd8\xff"sv,
                                  "\xabKTX 20\xbb\r\n\x1a\n"sv,
                                  "\xabKTX 11\xbb\r\n\x1a\n"sv,
                                  "DDS |\0\0\0"sv,
                                  "GIF87a"sv,
                                  "GIF89a"sv};
    const auto begins = [&](std::string_view mark) { return bytes.starts_with(mark); };
    if (std::any_of(marks.begin(), marks.end(), begins)) return true;
    const auto standsAt = [&](std::size_t place, std::string_view mark) {
        return bytes.size() >= place && bytes.substr(place).starts_with(mark);
    };
    return (begins("RIFF") && standsAt(8, "WEBP")) || standsAt(4, "ftypavif") ||
           (begins("sB") && standsAt(4, "\x4d\0"sv));  // .basis: its header has 77 bytes
}

}  // namespace sinew::gltf
