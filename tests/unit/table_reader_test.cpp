// Tables come back as they were written, also where they are longer than any buffer.
#include "sinew/io/csv/table_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/io/csv/csv.h"

namespace sinew::testing {

namespace {

class Table : public ::testing::Test {
protected:
    void write(const std::string& text) const
    {
        Result<CsvFile> file = CsvFile::create(path);
        ASSERT_TRUE(file);
        EXPECT_EQ(file.value().write(text), "");
    }
    void TearDown() override { std::filesystem::remove(path); }

    const std::string path = std::string(SINEW_TEST_OUTPUT_DIR) + "/" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                             std::string(".csv");
};

TEST_F(Table, every_number_comes_back_bit_for_bit)
{
    constexpr std::size_t width = 7, rows = 20'000;  // 2.7 MB: ends of buffers fall anywhere in a number
    const auto number = [](std::size_t row, std::size_t column) {
        const double x = std::sin(static_cast<double>(row * width + column));
        return column == 3 ? x * 1e-200 : column == 4 ? std::round(9 * x) : x;
    };
    std::string text = "a,b,c,d,e,f,g\n";
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
            appendNumber(text, number(i, j));
            text += j + 1 < width ? ',' : '\n';
        }
    }
    write(text);
    Result<TableReader> reader = TableReader::open(path, "a,b,c,d,e,f,g\n");
    ASSERT_TRUE(reader);
    std::vector<double> row(width);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (i % 3 == 0) {
            ASSERT_TRUE(reader.value().skipRow());
        } else if (i % 3 == 1) {
            ASSERT_TRUE(reader.value().readFirst(row[0]));
            wrong += row[0] != number(i, 0);
        } else {
            ASSERT_TRUE(reader.value().readRow(row)) << reader.value().fault();
            for (std::size_t j = 0; j < width; ++j) wrong += row[j] != number(i, j);
        }
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_FALSE(reader.value().readRow(row));
    EXPECT_FALSE(reader.value().skipRow());
    EXPECT_EQ(reader.value().fault(), "");
}

TEST_F(Table, numbers_that_are_not_finite_come_back_too)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::string text = "a,b\n";
    appendNumber(text, std::nan(""));
    text += ',';
    appendNumber(text, -infinity);
    write(text + '\n');
    Result<TableReader> reader = TableReader::open(path, "a,b\n");
    ASSERT_TRUE(reader);
    std::vector<double> row(2);
    ASSERT_TRUE(reader.value().readRow(row));
    EXPECT_TRUE(std::isnan(row[0]));
    EXPECT_EQ(row[1], -infinity);
}

TEST_F(Table, a_row_that_is_wrong_is_named_and_nothing_more_is_read)
{
    for (const char* bad :
         {"3\n", "3,4,5\n", "3,\n", "3,x\n", "3;4\n", "\n", "3,4", "3,4\r\n", "3,1e999\n"}) {
        write("a,b\n1,2\n" + std::string(bad) + (std::string(bad).ends_with('\n') ? "5,6\n" : ""));
        Result<TableReader> reader = TableReader::open(path, "a,b\n");
        ASSERT_TRUE(reader);
        std::vector<double> row(2);
        EXPECT_TRUE(reader.value().readRow(row));
        EXPECT_FALSE(reader.value().readRow(row)) << bad;
        EXPECT_NE(reader.value().fault().find("row 2 "), std::string::npos) << reader.value().fault();
        EXPECT_FALSE(reader.value().readRow(row));
        EXPECT_FALSE(reader.value().skipRow());
    }
}

TEST_F(Table, another_header_is_refused)
{
    write("a,b\n1,2\n");
    EXPECT_TRUE(TableReader::open(path, "a,b\n"));
    EXPECT_FALSE(TableReader::open(path, "a,b,c\n"));
    EXPECT_FALSE(TableReader::open(path, "a\n"));
    EXPECT_FALSE(TableReader::open(path + ".none", "a,b\n"));
    EXPECT_FALSE(TableReader::open("/dev/zero", "a,b\n"));
}

}  // namespace

}  // namespace sinew::testing
