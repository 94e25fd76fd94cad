// What the command says: error lines, tables, names that were nearly right.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/base/text.h"

namespace sinew {

// Prints one line on stderr and returns the exit code for bad input.
int fail(const Diagnostic& error);
int fail(const std::string& line);

// What is wrong with an option, or with a word that has no option (SCENE), as users write them.
Diagnostic optionError(std::string option, std::string message);

// "unknown solver 'x'; did you mean 'y'? Known: …". The suggestion is made only if it is near.
std::string unknownName(std::string_view kind, std::string_view name,
                        std::span<const std::string_view> known);

// "1 body", "2 bodies".
std::string counted(long long count, std::string_view one, std::string_view many);

// A table with aligned columns: words to the left, numbers to the right.
class Table {
public:
    enum class Align { left, right };
    struct Column {
        std::string title;  // no title in any column: no title row
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void row(std::vector<std::string> cells);
    std::string text(std::string_view indent = "  ") const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace sinew
