// What is inside a page.
#pragma once

#include "cli/command.h"

namespace sinew::testing {

// The data of DIR/index.html, which must be complete and free of `<`.
json::Value pageData(const fs::path& directory);

// Little-endian float32 in base64.
std::vector<float> floats(const std::string& base64);

using CsvNumbers = std::vector<std::vector<double>>;
CsvNumbers readNumbers(const fs::path& path);

// The page must hold the first columns after the time as they are in the table, rounded to float32.
void expectColumns(const std::string& base64, const CsvNumbers& table, std::size_t width);

}  // namespace sinew::testing
