#include "sinew/io/picture/png.h"

#include <cstdint>
#include <cstdlib>

#include "sinew/io/file_error.h"
#include "sinew/io/picture/inflate.h"

namespace sinew {
namespace {

unsigned byteAt(std::string_view bytes, std::size_t at)
{
    return static_cast<unsigned char>(bytes[at]);
}
std::uint32_t wordAt(std::string_view bytes, std::size_t at)
{
    return byteAt(bytes, at) << 24 | byteAt(bytes, at + 1) << 16 | byteAt(bytes, at + 2) << 8 |
           byteAt(bytes, at + 3);
}

struct Parts {
    std::uint32_t width = 0, height = 0;
    unsigned depth = 0, kind = 0, interlace = 0;
    std::string_view palette;
    std::string data;
};

// What is wrong, or nothing.
std::string split(std::string_view bytes, Parts& parts)
{
    constexpr std::string_view mark = "\x89PNG\r\n\x1a\n";
    if (!bytes.starts_with(mark)) return "is no PNG file";
    for (std::size_t at = mark.size(); at + 12 <= bytes.size();) {
        const std::size_t length = wordAt(bytes, at);
        const std::string_view name = bytes.substr(at + 4, 4);
        if (length > bytes.size() - at - 12) break;
        const std::string_view body = bytes.substr(at + 8, length);
        if (name == "IHDR") {
            if (length != 13) return "has a header of the wrong length";
            parts.width = wordAt(body, 0);
            parts.height = wordAt(body, 4);
            parts.depth = byteAt(body, 8);
            parts.kind = byteAt(body, 9);
            parts.interlace = byteAt(body, 12);
        }
        if (name == "PLTE") parts.palette = body;
        if (name == "IDAT") parts.data += body;
        if (name == "IEND") return {};
        at += length + 12;
    }
    return "is cut short";
}

int paeth(int left, int above, int corner)
{
    const int guess = left + above - corner;
    const int a = std::abs(guess - left), b = std::abs(guess - above), c = std::abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

// Undoes the filter of one line, whose first byte says which. `before`: the line above, or zeros.
bool unfilter(std::string& line, const std::string& before, std::size_t step)
{
    const auto at = [](const std::string& row, std::size_t i) {
        return static_cast<int>(static_cast<unsigned char>(row[i]));
    };
    const int filter = at(line, 0);
    if (filter > 4) return false;
    for (std::size_t i = 1; i < line.size(); ++i) {
        const bool isFirst = i <= step;
        const int left = isFirst ? 0 : at(line, i - step), above = at(before, i);
        const int corner = isFirst ? 0 : at(before, i - step);
        const int add = filter == 1   ? left
                        : filter == 2 ? above
                        : filter == 3 ? (left + above) / 2
                        : filter == 4 ? paeth(left, above, corner)
                                      : 0;
        line[i] = static_cast<char>((at(line, i) + add) & 255);
    }
    return true;
}

}  // namespace

Result<GreyPicture> parsePng(std::string_view bytes, const std::string& fileName)
{
    Parts parts;
    if (const std::string fault = split(bytes, parts); !fault.empty()) return fileError(fileName, fault);
    if (parts.width == 0 || parts.height == 0) return fileError(fileName, "has no pixels");
    if (parts.width > maxHeightPixels || parts.height > maxHeightPixels ||
        std::uint64_t{parts.width} * parts.height > maxHeightPixels)
        return fileError(fileName, "has more than 2 million pixels; make it smaller");
    if (parts.depth != 8 && parts.depth != 16)
        return fileError(fileName,
                         "has " + std::to_string(parts.depth) + " bits a colour; 8 and 16 are read");
    if (parts.interlace != 0) return fileError(fileName, "is interlaced; save it without");
    constexpr std::size_t channelsOf[7] = {1, 0, 3, 1, 2, 0, 4};
    if (parts.kind > 6 || channelsOf[parts.kind] == 0 || (parts.kind == 3 && parts.depth != 8))
        return fileError(fileName, "has colours of no kind that PNG has");
    const std::size_t channels = channelsOf[parts.kind], wide = parts.depth / 8, step = channels * wide;
    const std::size_t lineSize = 1 + parts.width * step;
    const std::optional<std::string> data = inflated(parts.data, lineSize * parts.height);
    if (!data) return fileError(fileName, "does not unpack to what its header says");

    GreyPicture picture{static_cast<int>(parts.width), static_cast<int>(parts.height), {}};
    picture.grey.reserve(std::size_t{parts.width} * parts.height);
    const std::size_t colours = channels >= 3 ? 3 : 1;
    const double most = wide == 2 ? 65535 : 255;
    std::string before(lineSize, '\0');
    for (std::size_t row = 0; row < parts.height; ++row) {
        std::string line = data->substr(row * lineSize, lineSize);
        if (!unfilter(line, before, step)) return fileError(fileName, "has a line of no known filter");
        for (std::size_t x = 0; x < parts.width; ++x) {
            double sum = 0;
            for (std::size_t c = 0; c < colours; ++c) {
                const std::size_t at = 1 + x * step + c * wide;
                sum += wide == 2 ? byteAt(line, at) * 256.0 + byteAt(line, at + 1) : byteAt(line, at);
            }
            if (parts.kind == 3) {
                const std::size_t colour = 3 * byteAt(line, 1 + x);
                if (colour + 3 > parts.palette.size())
                    return fileError(fileName, "names a colour that its palette does not have");
                sum = (byteAt(parts.palette, colour) + byteAt(parts.palette, colour + 1) +
                       byteAt(parts.palette, colour + 2)) /
                      3.0;
            }
            picture.grey.push_back(sum / static_cast<double>(colours) / most);
        }
        before = std::move(line);
    }
    return picture;
}

}  // namespace sinew
