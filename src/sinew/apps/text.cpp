#include "sinew/apps/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "sinew/apps/exit_code.h"
#include "sinew/base/words.h"

namespace sinew {

namespace {

// Columns on a terminal, close enough: code points, so that UTF-8 names stay aligned.
std::size_t width(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// What the library calls a setting, as an option: slow_band is --slow-band.
std::string optionOf(const std::string& setting)
{
    if (setting.empty() || !std::islower(static_cast<unsigned char>(setting.front()))) return setting;
    if (setting == "seamless") return "--loop";
    std::string option = "--" + setting;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

}  // namespace

int fail(const Diagnostic& error)
{
    Diagnostic shown = error;
    shown.setting = optionOf(error.setting);
    return fail(shown.text());
}

Diagnostic optionError(std::string option, std::string message)
{
    return settingFault(std::move(option), std::move(message));
}

int fail(const std::string& line)
{
    std::fputs((printable(line) + '\n').c_str(), stderr);
    return exitBadInput;
}

std::string unknownName(std::string_view kind, std::string_view name,
                        std::span<const std::string_view> known)
{
    const std::string_view near = words::nearestWord(name, known);
    return fmt::format("unknown {} {}{} known: {}", kind, words::quoted(name),
                       near.empty() ? ";" : fmt::format("; did you mean {}?", quotedName(near)),
                       words::joined(known));
}

std::string counted(long long count, std::string_view one, std::string_view many)
{
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void Table::row(std::vector<std::string> cells)
{
    cells.resize(columns_.size());
    for (std::string& cell : cells) cell = printable(cell);
    rows_.push_back(std::move(cells));
}

std::string Table::text(std::string_view indent) const
{
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> titles;
    bool titled = false;
    for (const Column& column : columns_) {
        titles.push_back(column.title);
        titled = titled || !column.title.empty();
    }
    if (titled) lines.push_back(titles);
    lines.insert(lines.end(), rows_.begin(), rows_.end());

    std::vector<std::size_t> widths(columns_.size(), 0);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
    }
    std::string out;
    for (const auto& line : lines) {
        std::string textLine(indent);
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string pad(widths[i] - width(line[i]), ' ');
            if (i > 0) textLine += "  ";
            textLine += columns_[i].align == Align::left ? line[i] + pad : pad + line[i];
        }
        textLine.erase(textLine.find_last_not_of(' ') + 1);
        out += textLine + '\n';
    }
    return out;
}

}  // namespace sinew
