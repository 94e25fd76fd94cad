#include "sinew/apps/page_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "sinew/apps/base64.h"
#include "sinew/apps/page_text.h"
#include "sinew/io/csv/text_reader.h"

namespace sinew {
namespace {

constexpr double mostPlan = 4e6;  // characters of base64

// Rows of one table, one in so many where they would be too much, but always the last.
struct PackedTable {
    std::vector<std::string> names;
    std::vector<double> numbers;
    std::size_t rows() const { return numbers.size() / names.size(); }
};

Result<PackedTable> readTable(const std::string& path)
{
    Result<TextReader> opened = TextReader::openAny(path);
    if (!opened) return opened.error();
    TextReader& reader = opened.value();
    PackedTable table;
    table.names = reader.fields();
    while (reader.readRow())
        for (std::size_t i = 0; i < table.names.size(); ++i) table.numbers.push_back(reader.number(i));
    if (!reader.fault().empty()) return Diagnostic{reader.fault()};
    return table;
}

void writeTable(WholeFile& page, const PackedTable& table)
{
    const std::size_t width = table.names.size(), rows = table.rows();
    const auto size = base64Size(static_cast<double>(table.numbers.size()));
    const auto every = static_cast<std::size_t>(std::max(1., std::ceil(size / mostPlan)));
    const auto isKept = [&](std::size_t row) { return row % every == 0 || row + 1 == rows; };
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows; ++row) kept += isKept(row);
    std::string names;
    for (const std::string& name : table.names) names += (names.empty() ? "" : ", ") + scriptText(name);
    page.write(fmt::format("{{\"names\": [{}], \"rows\": {}, \"values\": \"", names, kept));
    Base64Writer packed(page);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < width && isKept(row); ++i) packed.add(table.numbers[row * width + i]);
    packed.finish();
    page.write("\"}");
}

}  // namespace

std::string writePlan(WholeFile& page, const RunFiles& files)
{
    const struct {
        const char* key;
        const std::string& path;
    } tables[] = {{"forces", files.plan}, {"search", files.iterations}};
    std::string before = ",\n\"plan\": {";
    std::error_code code;
    for (const auto& [key, path] : tables) {
        if (!std::filesystem::exists(path, code)) continue;
        const Result<PackedTable> table = readTable(path);
        if (!table) return table.error().text();
        if (table.value().rows() == 0) continue;
        page.write(before + fmt::format("\"{}\": ", key));
        writeTable(page, table.value());
        before = ", ";
    }
    if (before == ", ") page.write("}");
    return {};
}

}  // namespace sinew
