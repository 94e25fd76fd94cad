#include "cli/page.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace sinew::testing {

json::Value pageData(const fs::path& directory)
{
    const std::string text = readText(directory / "index.html");
    const std::string start = "id=\"sinew-data\">";
    const std::size_t first = text.find(start);
    EXPECT_NE(first, std::string::npos) << directory;
    if (first == std::string::npos) return json::Value::object();
    const std::size_t begin = first + start.size(), end = text.find('<', begin);
    EXPECT_EQ(text.compare(end, 9, "</script>"), 0) << text.substr(end, 80);
    EXPECT_TRUE(text.ends_with("</html>\n")) << directory;
    for (const char* marker : {"@SINEW_DATA@", "@SINEW_CHARACTER@", "@SINEW_ENGINE@"})
        EXPECT_EQ(text.find(marker), std::string::npos) << marker;
    return parsed(text.substr(begin, end - begin));
}

std::vector<float> floats(const std::string& base64)
{
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (char c : base64) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
        count += 6;
        if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
    }
    EXPECT_EQ(base64.size() % 4, 0u);
    EXPECT_EQ(bytes.size() % 4, 0u);
    std::vector<float> numbers(bytes.size() / 4);
    std::memcpy(numbers.data(), bytes.data(), 4 * numbers.size());
    return numbers;
}

CsvNumbers readNumbers(const fs::path& path)
{
    CsvNumbers rows;
    const std::vector<std::string> text = lines(readText(path));
    for (std::size_t i = 1; i < text.size(); ++i) {
        std::istringstream fields(text[i]);
        std::vector<double>& row = rows.emplace_back();
        for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
    }
    return rows;
}

void expectColumns(const std::string& base64, const CsvNumbers& table, std::size_t width)
{
    const std::vector<float> numbers = floats(base64);
    ASSERT_EQ(numbers.size(), table.size() * width);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        wrong += numbers[i] != static_cast<float>(table[i / width].at(1 + i % width));
    EXPECT_EQ(wrong, 0u);
}

}  // namespace sinew::testing
