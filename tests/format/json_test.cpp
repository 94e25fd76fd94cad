// The JSON reader and writer: what they accept, what they refuse and where they say it is.
#include "sinew/io/json/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "sinew/base/random.h"

namespace sinew::json::json_test {
namespace {

Value parsed(const std::string& text)
{
    const Result<Value> result = parse(text, "f");
    EXPECT_TRUE(result) << text << "\n" << (result ? "" : result.error().text());
    return result ? result.value() : Value();
}

std::string refusal(const std::string& text)
{
    const Result<Value> result = parse(text, "f");
    return result ? "accepted" : result.error().text();
}

struct Malformed {
    const char* text;
    const char* place;  // "line:column"
    const char* says;   // part of the message
};

// Kept apart from the code so that a new way to go wrong is one more line.
const Malformed malformed[] = {
    {"", "1:1", "empty"},
    {" \n // nothing\n", "3:1", "empty"},
    {"[1, 2", "1:6", "the file ends inside the list that starts at 1:1"},
    {"[1, 2,", "1:7", "the file ends inside the list that starts at 1:1"},
    {"[", "1:2", "the file ends inside the list that starts at 1:1"},
    {"{\n \"a\": {\n  \"b\": 1", "3:9", "the file ends inside the object that starts at 2:7"},
    {"{\"a\"", "1:5", "the file ends inside the object that starts at 1:1"},
    {"{\"a\":", "1:6", "the file ends inside the object that starts at 1:1"},
    {"{\"a\": \"bc", "1:10", "the file ends inside the string that starts at 1:7"},
    {"\"a\\", "1:4", "the file ends inside the string that starts at 1:1"},
    {"[1 /* one", "1:10", "the file ends inside the comment that starts at 1:4"},
    {"[1, 2,]", "1:6", "trailing comma before ']'"},
    {"{\"a\": 1,\n}", "1:8", "trailing comma before '}'"},
    {"[1,,2]", "1:4", "a value is expected inside the list that starts at 1:1, found ','"},
    {"[,1]", "1:2", "a value is expected"},
    {"[1 2]", "1:4", "',' or ']' is expected inside the list that starts at 1:1, found '2'"},
    {"{\"a\" 1}", "1:6", "':' after the key"},
    {"{a: 1}", "1:2", "a key in double quotes"},
    {"{'a': 1}", "1:2", "a key in double quotes"},
    {"['a']", "1:2", "double quotes, not in single ones"},
    {"[hello]", "1:2", "\"hello\" is not a value"},
    {"[True]", "1:2", "\"True\" is not a value"},
    {"[truefalse]", "1:2", "\"truefalse\" is not a value"},
    {"{} x", "1:4", "goes on after its value"},
    {"[1]]", "1:4", "goes on after its value"},
    {"]", "1:1", "a value is expected, found ']'"},
    {"[1}", "1:3", "',' or ']'"},
    {"[NaN]", "1:2", "\"NaN\" is not allowed; every number must be finite"},
    {"[ nan]", "1:3", "must be finite"},
    {"[Infinity]", "1:2", "must be finite"},
    {"[-Infinity]", "1:2", "must be finite"},
    {"[-inf]", "1:2", "must be finite"},
    {"[1e999]", "1:2", "too large"},
    {"[-1e309]", "1:2", "too large"},
    {"[1e-400]", "1:2", "too close to zero"},
    {"[01]", "1:2", "not a number"},
    {"[+1]", "1:2", "not a number"},
    {"[.5]", "1:2", "not a number"},
    {"[5.]", "1:2", "not a number"},
    {"[1e]", "1:2", "not a number"},
    {"[-]", "1:2", "not a number"},
    {"[0x10]", "1:2", "not a number"},
    {"[1.2.3]", "1:2", "not a number"},
    {"{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", "3:2", "the key \"a\" is here twice; the first is at 1:2"},
    {"{\"a\": 1, \"\\u0061\": 3}", "1:10", "is here twice"},
    {"[\"a\nb\"]", "1:4", "the line ends inside the string that starts at 1:2"},
    {"[\"a\tb\"]", "1:4", "control character"},
    {"[\"\\q\"]", "1:3", "unknown escape"},
    {"[\"\\u12\"]", "1:3", "four hexadecimal digits"},
    {"[\"\\u12", "1:3", "four hexadecimal digits"},
    {"[\"\\u+123\"]", "1:3", "four hexadecimal digits"},
    {"[\"\\ud800\"]", "1:3", "surrogate"},
    {"[\"\\udc00\"]", "1:3", "surrogate"},
    {"[\"\\ud800\\u0041\"]", "1:3", "surrogate"},
    {"[\"\xff\"]", "1:3", "not valid UTF-8: found byte 0xff"},
    {"[\"\xc0\x80\"]", "1:3", "not valid UTF-8"},          // overlong
    {"[\"\xed\xa0\x80\"]", "1:3", "not valid UTF-8"},      // a surrogate
    {"[\"\xf4\x90\x80\x80\"]", "1:3", "not valid UTF-8"},  // past U+10FFFF
    {"[\"\xe2\x82", "1:3", "not valid UTF-8"},             // cut
    {"// \xff\n1", "1:4", "not valid UTF-8"},
    {"[/ 1]", "1:2", "a lone '/'"},
    {"[\x01]", "1:2", "found byte 0x01"},
    {"[\"äöü\", x]", "1:9", "\"x\" is not a value"},  // columns count characters, not bytes
    {"/* ä\n ö */ x", "2:7", "\"x\" is not a value"},
};

TEST(Json, malformed_text_is_refused_at_its_line_and_column)
{
    for (const Malformed& c : malformed) {
        const std::string text = refusal(c.text);
        EXPECT_EQ(text.rfind("f:" + std::string(c.place) + ": ", 0), 0u) << c.text << "\n" << text;
        EXPECT_NE(text.find(c.says), std::string::npos) << c.text << "\n" << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << "more than one line: " << text;
    }
}

TEST(Json, every_prefix_of_an_object_is_refused)
{
    const std::string whole = R"({"a": [1, -2.5e3, "x\u00e9\n"], "b": {"c": true, "d": null}} )";
    parsed(whole);
    for (std::size_t n = 0; n + 1 < whole.size(); ++n)
        EXPECT_NE(refusal(whole.substr(0, n)), "accepted") << whole.substr(0, n);
}

TEST(Json, values_keep_their_kind_and_place)
{
    const Value v = parsed("{\"n\": 1.5,\n  \"s\": \"x\", \"t\": true, \"z\": null,\n\t\"l\": [1, {}]}");
    EXPECT_EQ(v.find("n")->number(), 1.5);
    EXPECT_EQ(v.find("s")->string(), "x");
    EXPECT_TRUE(v.find("t")->boolean());
    EXPECT_EQ(v.find("z")->kind(), Kind::null);
    EXPECT_EQ(v.find("l")->items().size(), 2u);
    EXPECT_EQ(v.find("absent"), nullptr);
    EXPECT_EQ(v.find("s")->line, 2);
    EXPECT_EQ(v.find("s")->column, 8);
    EXPECT_EQ(v.find("l")->items()[1].line, 3);
    EXPECT_EQ(v.find("l")->items()[1].column, 11);
}

TEST(Json, comments_count_as_blanks)
{
    const Value v = parsed("// one\n{/* two */\"a\"/**/:// three\n1/***/, \"//\": \"/* no */\"}// end");
    EXPECT_EQ(v.find("a")->number(), 1);
    EXPECT_EQ(v.find("//")->string(), "/* no */");
}

TEST(Json, escapes_become_utf8)
{
    EXPECT_EQ(parsed(R"("\"\\\/\b\f\n\r\t")").string(), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(parsed(R"("\u0041\u00e9\u20AC\ud83d\ude00")").string(), "Aé€😀");
    EXPECT_EQ(parsed("\"é€😀\"").string(), "é€😀");
    EXPECT_EQ(parsed(R"("a\u0000b")").string(), std::string("a\0b", 3));
}

TEST(Json, a_byte_order_mark_and_windows_line_ends_are_fine)
{
    const Value v = parsed("\xEF\xBB\xBF{\r\n\"a\":\r\n 1}");
    EXPECT_EQ(v.find("a")->line, 3);
    EXPECT_EQ(v.find("a")->column, 2);
    EXPECT_EQ(v.column, 1);
}

TEST(Json, nesting_is_limited_without_touching_the_stack)
{
    const std::string limit(maxDepth, '['), closing(maxDepth, ']');
    parsed(limit + closing);
    EXPECT_EQ(refusal("[" + limit + closing + "]").rfind("f:1:65: brackets are nested deeper than 64", 0),
              0u);
    const std::string deep(100'000, '[');
    EXPECT_EQ(refusal(deep).rfind("f:1:65: brackets are nested deeper", 0), 0u);
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":\n";
    EXPECT_EQ(refusal(objects).rfind("f:65:1: brackets are nested deeper", 0), 0u);
}

TEST(Json, the_number_of_values_is_limited)
{
    std::string zeros = "[0";
    zeros.reserve(2 * maxValues + 8);
    for (int i = 0; i < maxValues; ++i) zeros += ",0";
    EXPECT_NE(refusal(zeros + "]").find("more than 4000000 values"), std::string::npos);
}

TEST(Json, duplicate_keys_are_found_in_large_objects_fast)
{
    std::string text = "{";
    for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i) + "\":0,\n";
    parsed(text + "\"last\": 0}");
    EXPECT_EQ(refusal(text + "\"k777\": 0}"),
              "f:200001:1: the key \"k777\" is here twice; the first is at 778:1");
}

TEST(Json, numbers_read_back_to_the_same_bits)
{
    Random random(7);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t bits = random.bits();
        double number = 0;
        std::memcpy(&number, &bits, sizeof number);
        if (!std::isfinite(number)) continue;
        EXPECT_EQ(parsed(numberText(number)).number(), number) << numberText(number);
    }
    using Limits = std::numeric_limits<double>;
    for (double number :
         {0.0, 0.1, -1e-3, 1e300, Limits::max(), Limits::min(), Limits::denorm_min(), 1.0 / 3})
        EXPECT_EQ(parsed(numberText(number)).number(), number);
    EXPECT_EQ(numberText(0.1), "0.1");
    EXPECT_EQ(numberText(5), "5");
    EXPECT_TRUE(std::signbit(parsed("-0").number()));
}

TEST(Json, a_number_that_is_not_finite_is_written_as_null)
{
    EXPECT_EQ(numberText(std::nan("")), "null");
    EXPECT_EQ(numberText(std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, strings_read_back_to_the_same_bytes)
{
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "é€😀";
    EXPECT_EQ(parsed(stringText(all)).string(), all);
}

TEST(Json, small_lists_and_objects_stand_on_one_line)
{
    Value root = Value::object();
    root.add("list", Value::array({1, 2.5, -3e-7}));
    root.add("empty", Value::array());
    Value inner = Value::object();
    inner.add("a", true);
    inner.add("b", "x");
    root.add("objects", Value::array({inner}));
    root.add("long", Value::array(std::vector<Value>(60, Value(0.5))));
    const std::string text = write(root);
    EXPECT_NE(text.find("\n  \"list\": [1, 2.5, -3e-07],\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  \"empty\": [],\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n    {\"a\": true, \"b\": \"x\"}\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n    0.5,\n"), std::string::npos) << text;
    EXPECT_EQ(write(parsed(text)), text);
}

TEST(Json, a_missing_file_and_a_folder_are_refused)
{
    const Result<std::string> missing = readFile("no/such/file.json");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().text(), "no/such/file.json: there is no such file");
    const Result<std::string> folder = readFile(std::filesystem::temp_directory_path().string());
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().text().find("this is a folder"), std::string::npos);
    const Result<std::string> device = readFile("/dev/null");
    ASSERT_FALSE(device);
    EXPECT_NE(device.error().text().find("not a regular file"), std::string::npos);
}

TEST(Json, a_file_beyond_the_limit_is_refused_before_it_is_read)
{
    const auto path = std::filesystem::path(SINEW_TEST_OUTPUT_DIR) / "large.json";
    std::ofstream(path) << "{}";
    EXPECT_EQ(readFile(path.string()).value(), "{}");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 30);  // sparse: takes no disk
    const Result<std::string> large = readFile(path.string());
    std::filesystem::remove(path);
    ASSERT_FALSE(large);
    EXPECT_NE(large.error().text().find("1073741824 bytes (1024.0 MiB); the limit is 64.0 MiB"),
              std::string::npos)
        << large.error().text();
}

}  // namespace
}  // namespace sinew::json::json_test
