// <hfield> of <asset>: heights over a grid, out of the text (`elevation`), a file of MuJoCo's own format or
// a picture. A geom of it is ground.
//
// MuJoCo scales heights so that they go from 0 to 1 and puts the largest at size[2]. Between −size[0] and
// size[0] along x, −size[1] and size[1] along y; what it is made of goes down to −size[3], which is of no
// matter here: all below is solid.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "sinew/base/text.h"
#include "sinew/io/file_name.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/io/picture/png.h"

namespace sinew::mjcf {
namespace {

constexpr int mostNodes = 2'000'000;

// Rows and columns as whole numbers of 32 bits, then the heights as floats, all little-endian.
std::optional<HeightGrid> parseHeights(std::string_view bytes)
{
    const auto whole = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i)
            value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
        return value;
    };
    if (bytes.size() < 8) return {};
    const std::uint64_t rows = whole(0), columns = whole(4);
    if (rows > mostNodes || columns > mostNodes || rows * columns > mostNodes ||
        bytes.size() != 8 + 4 * rows * columns)
        return {};
    HeightGrid grid{static_cast<int>(rows), static_cast<int>(columns), {}};
    for (std::size_t at = 8; at < bytes.size(); at += 4) {
        const std::uint32_t bits = whole(at);
        float height = 0;
        std::memcpy(&height, &bits, sizeof(height));
        if (!std::isfinite(height)) return {};
        grid.heights.push_back(height);
    }
    return grid;
}

std::optional<HeightGrid> readFile(Context& context, const Element& element, const std::string& file)
{
    const std::string path = assetPath(*context.model, file);
    const auto leaveOut = [&](const std::string& why) {
        context.notes.add(element, quotedName(path) + " is left out: " + why);
        return std::nullopt;
    };
    const Result<std::string> bytes = (*context.open)(path);
    if (!bytes) return leaveOut(bytes.error().message);
    if (fileEnding(path) != "png") {
        std::optional<HeightGrid> grid = parseHeights(bytes.value());
        if (!grid) return leaveOut("it is no file of heights");
        return grid;
    }
    const Result<GreyPicture> picture = parsePng(bytes.value(), path);
    if (!picture) return leaveOut(picture.error().message);
    // The first line of a picture is the far one.
    const GreyPicture& p = picture.value();
    HeightGrid grid{p.height, p.width, {}};
    for (int row = 0; row < p.height; ++row)
        for (int column = 0; column < p.width; ++column)
            grid.heights.push_back(
                p.grey[static_cast<std::size_t>(p.height - 1 - row) * static_cast<std::size_t>(p.width) +
                       static_cast<std::size_t>(column)]);
    return grid;
}

std::optional<HeightGrid> readGrid(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    if (const auto file = reader.name(element, "file"); file && !file->empty())
        return readFile(context, element, *file);
    const int rows = reader.integer(element, "nrow").value_or(0);
    const int columns = reader.integer(element, "ncol").value_or(0);
    if (rows < 1 || columns < 1 || 1.0 * rows * columns > mostNodes)
        reader.fail(element, "needs a file, or nrow and ncol from 1 with at most 2000000 heights");
    if (reader.failed()) return {};
    const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    HeightGrid grid{rows, columns, reader.numbers(element, "elevation", count, count)};
    if (grid.heights.empty()) grid.heights.assign(count, 0);
    // Written as a picture is: the first line is the far one.
    HeightGrid turned = grid;
    for (int row = 0; row < rows; ++row)
        std::copy_n(grid.heights.begin() + static_cast<std::ptrdiff_t>(rows - 1 - row) * columns, columns,
                    turned.heights.begin() + static_cast<std::ptrdiff_t>(row) * columns);
    return turned;
}

// With heights from 0 to 1, at least two each way.
void normalize(HeightGrid& grid)
{
    const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
    const double least = *low, range = *high - *low;
    for (double& height : grid.heights) height = range > 0 ? (height - least) / range : 0;
}

}  // namespace

std::optional<TriangleMesh> heightFieldMesh(Context& context, const std::string& name, const Element& user)
{
    xml::Reader& reader = context.reader;
    const auto found = context.model->heightFields.find(name);
    if (found == context.model->heightFields.end()) {
        reader.fail(user, "hfield", "is not an <hfield> in the <asset> of this file");
        return {};
    }
    const Element& element = found->second;
    noteUnread(context, element, {"file", "nrow", "ncol", "elevation", "size", "content_type"});
    const std::vector<double> size = reader.numbers(element, "size", 4, 4);
    if (!reader.failed() && (size.empty() || !(*std::min_element(size.begin(), size.end()) > 0)))
        reader.fail(element, "size", "must be four positive numbers");
    if (reader.failed()) return {};
    std::optional<HeightGrid> grid = readGrid(context, element);
    if (!grid || reader.failed()) return {};
    if (grid->rows < 2 || grid->columns < 2) {
        context.notes.add(element, "of a single row or column is left out");
        return {};
    }
    normalize(*grid);
    TriangleMesh mesh;
    for (int row = 0; row < grid->rows; ++row)
        for (int column = 0; column < grid->columns; ++column)
            mesh.vertices.push_back(
                {size[0] * (2.0 * column / (grid->columns - 1) - 1),
                 size[1] * (2.0 * row / (grid->rows - 1) - 1),
                 size[2] *
                     grid->heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid->columns) +
                                   static_cast<std::size_t>(column)]});
    for (int row = 0; row + 1 < grid->rows; ++row)
        for (int column = 0; column + 1 < grid->columns; ++column) {
            const int a = row * grid->columns + column, b = a + 1, d = a + grid->columns, c = d + 1;
            mesh.faces.push_back({a, b, c});
            mesh.faces.push_back({a, c, d});
        }
    return mesh;
}

void listHeightFields(Context& context, const Element& root)
{
    for (const Element& section : root.children)
        for (const Element& child : section.children) {
            if (section.name != "asset" || child.name != "hfield" || context.reader.failed()) continue;
            const std::string file = context.reader.name(child, "file").value_or(std::string());
            const std::string name =
                context.reader.name(child, "name").value_or(std::filesystem::path(file).stem().string());
            if (name.empty()) return context.reader.fail(child, "has neither a name nor a file");
            if (!context.model->heightFields.emplace(name, child).second)
                context.reader.fail(child, "name", "is the name of another hfield; names must differ");
        }
}

}  // namespace sinew::mjcf
