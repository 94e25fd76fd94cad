// Assertions, results, the hash and the random numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>

#include "sinew/base/assert.h"
#include "sinew/base/hash.h"
#include "sinew/base/random.h"
#include "sinew/base/result.h"
#include "sinew/base/text.h"

namespace sinew {
namespace {

void shoutingHook(const char* expression, const char*, int)
{
    std::fprintf(stderr, "HOOK SAW %s\n", expression);
}

TEST(Assert, does_nothing_where_the_condition_holds)
{
    int evaluated = 0;
    SINEW_ASSERT(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);  // once, and also in release builds
}

TEST(AssertDeathTest, stops_the_program_and_names_the_expression_and_the_place)
{
    EXPECT_DEATH(SINEW_ASSERT(2 + 2 == 5), "base_test.cpp:[0-9]+: assertion failed: 2 \\+ 2 == 5");
}

TEST(AssertDeathTest, asks_the_installed_hook_and_stops_all_the_same)
{
    const auto failWithHook = [] {
        setAssertHook(shoutingHook);
        SINEW_ASSERT(1 > 2);
    };
    EXPECT_DEATH(failWithHook(), "HOOK SAW 1 > 2");
}

TEST(Assert, gives_back_the_hook_that_was_installed_before)
{
    const AssertHook original = setAssertHook(shoutingHook);
    EXPECT_EQ(setAssertHook(nullptr), shoutingHook);  // null means the default one
    EXPECT_EQ(setAssertHook(original), original);
}

TEST(Text, printable_leaves_nothing_that_a_terminal_obeys)
{
    EXPECT_EQ(printable("plain äé漢😀"), "plain äé漢😀");
    EXPECT_EQ(printable("a\x1b[2Jb\n\r\t\x7f"), "a\\u001b[2Jb\\u000a\\u000d\\u0009\\u007f");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J\xc2\x85\xc2\xa0"),
              "\\u009b2J\\u0085\xc2\xa0");                               // C1, but not the blank after it
    EXPECT_EQ(printable("\xe2\x80\xae\xe2\x81\xa6"), "\\u202e\\u2066");  // written backwards
    // Bytes that are not UTF-8: alone, cut off, overlong, a surrogate. C1 as single bytes among them.
    EXPECT_EQ(printable("\x9b"
                        "2J\xff\xe2\x82"),
              "\\x9b2J\\xff\\xe2\\x82");
    EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80");
    EXPECT_EQ(printable(printable("\x1b\xff")), printable("\x1b\xff"));
}

TEST(Text, names_in_messages_are_short)
{
    const std::string fits(80, 'x'), wide = [] {
        std::string text;
        for (int i = 0; i < 81; ++i) text += "é";
        return text;
    }();
    EXPECT_EQ(shownName(fits), fits);
    EXPECT_EQ(shownName(fits + "y"), fits + "…");
    EXPECT_EQ(shownName(wide), wide.substr(0, 160) + "…");  // counted in characters
    EXPECT_EQ(quotedName(std::string(5'000'000, 'x')), "'" + fits + "…'");
    EXPECT_EQ(quotedName("a\nb"), "'a\\u000ab'");
}

TEST(Diagnostic, of_syntax_reads_file_line_column_message)
{
    const Diagnostic d{"a comma is missing", "", "a.json", 3, 14};
    EXPECT_EQ(d.text(), "a.json:3:14: a comma is missing");
}

TEST(Diagnostic, of_meaning_reads_file_pointer_message)
{
    const Diagnostic d{"mass is 0, it must be positive", "/bodies/2/mass", "a.json"};
    EXPECT_EQ(d.text(), "a.json: /bodies/2/mass: mass is 0, it must be positive");
}

TEST(Diagnostic, of_a_setting_reads_its_name_and_the_message)
{
    EXPECT_EQ(settingFault("slow_band", "is 0").text(), "slow_band: is 0");
    EXPECT_EQ(settingFault("slow_band", "is 0").pointer, "") << "it points into no input";
}

TEST(Diagnostic, leaves_out_what_is_unknown)
{
    EXPECT_EQ((Diagnostic{"wrong", "", ""}).text(), "wrong");
    EXPECT_EQ((Diagnostic{"wrong", "/a", ""}).text(), "/a: wrong");
    EXPECT_EQ((Diagnostic{"wrong", "", "f"}).text(), "f: wrong");
    EXPECT_EQ((Diagnostic{"wrong", "/a", "f", 1, 2}).text(), "f:1:2: /a: wrong");
}

Result<int> half(int number)
{
    if (number % 2) return Diagnostic{"is odd", "/number", ""};
    return number / 2;
}

TEST(Result, holds_a_value_or_an_error)
{
    const Result<int> good = half(6), bad = half(7);
    ASSERT_TRUE(good);
    EXPECT_EQ(good.value(), 3);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().text(), "/number: is odd");
}

TEST(Result, carries_what_can_only_be_moved)
{
    Result<std::unique_ptr<int>> r = std::make_unique<int>(5);
    const std::unique_ptr<int> out = std::move(r.value());
    EXPECT_EQ(*out, 5);
}

TEST(ResultDeathTest, reading_the_wrong_side_is_a_mistake_of_the_program)
{
    EXPECT_DEATH(half(7).value(), "assertion failed");
    EXPECT_DEATH(half(6).error(), "assertion failed");
}

std::uint64_t hashOf(const std::string& text)
{
    Hash hash;
    hash.add(text.data(), text.size());
    return hash.value();
}

TEST(Hash, is_fnv_1a)
{
    EXPECT_EQ(hashOf(""), 0xcbf29ce484222325ull);
    EXPECT_EQ(hashOf("a"), 0xaf63dc4c8601ec8cull);
    EXPECT_EQ(hashOf("foobar"), 0x85944171f73967e8ull);
}

std::uint64_t hashOf(double number)
{
    Hash hash;
    hash.add(number);
    return hash.value();
}

TEST(Hash, sees_the_last_bit_but_not_the_sign_of_zero)
{
    EXPECT_NE(hashOf(1.0), hashOf(std::nextafter(1.0, 2.0)));
    EXPECT_NE(hashOf(1.0), hashOf(-1.0));
    EXPECT_EQ(hashOf(0.0), hashOf(-0.0));
}

TEST(Hash, depends_on_the_order)
{
    Hash ab, ba;
    ab.add(1.0);
    ab.add(2.0);
    ba.add(2.0);
    ba.add(1.0);
    EXPECT_NE(ab.value(), ba.value());
}

// Published test vectors of splitmix64. Scenes made from a seed depend on them: they never change.
TEST(Random, gives_the_published_numbers_of_splitmix64)
{
    Random zero(0);
    EXPECT_EQ(zero.bits(), 0xe220a8397b1dcdafull);
    EXPECT_EQ(zero.bits(), 0x6e789e6aa1b965f4ull);
    EXPECT_EQ(zero.bits(), 0x06c45d188009454full);
    Random other(1234567);
    EXPECT_EQ(other.bits(), 6457827717110365317ull);
    EXPECT_EQ(other.bits(), 3203168211198807973ull);
}

TEST(Random, draws_never_change_from_version_to_version)
{
    EXPECT_EQ(Random(0).unit(), 0x1.c4415072f63b9p-1);  // the upper 53 bits of the first number
    EXPECT_EQ(Random(0).uniform(-2, 6), -2 + 8 * 0x1.c4415072f63b9p-1);
    EXPECT_EQ(Random(0).below(10), static_cast<int>(0xe220a8397b1dcdafull % 10));
    // cos and log come from the system's library: the last digit is not ours.
    const double u = 1 - 0x1.c4415072f63b9p-1,
                 v = static_cast<double>(0x6e789e6aa1b965f4ull >> 11) * 0x1p-53;
    EXPECT_NEAR(Random(0).normal(), std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v),
                1e-15);
}

constexpr int sampleCount = 100000;
// Five standard errors of a mean over that many numbers: of variance 1/12, and of variance 2, which is
// that of squared normal numbers.
constexpr double uniformTolerance = 0.0046;
constexpr double normalTolerance = 0.0225;

TEST(Random, uniform_numbers_stay_in_range_and_fill_it_evenly)
{
    Random random(7);
    double sum = 0, squares = 0;
    for (int i = 0; i < sampleCount; ++i) {
        const double x = random.uniform(-1, 3);
        ASSERT_GE(x, -1);
        ASSERT_LT(x, 3);
        const double unit = (x + 1) / 4;
        sum += unit;
        squares += unit * unit;
    }
    const double mean = sum / sampleCount;
    EXPECT_NEAR(mean, 0.5, uniformTolerance);
    EXPECT_NEAR(squares / sampleCount - mean * mean, 1.0 / 12, uniformTolerance);
}

TEST(Random, normal_numbers_have_mean_0_variance_1_and_the_right_tails)
{
    Random random(8);
    double sum = 0, squares = 0;
    int beyondTwo = 0;
    for (int i = 0; i < sampleCount; ++i) {
        const double x = random.normal();
        ASSERT_TRUE(std::isfinite(x));
        sum += x;
        squares += x * x;
        beyondTwo += std::abs(x) > 2;
    }
    EXPECT_NEAR(sum / sampleCount, 0, normalTolerance);
    EXPECT_NEAR(squares / sampleCount, 1, normalTolerance);
    EXPECT_NEAR(static_cast<double>(beyondTwo) / sampleCount, 0.0455, 0.005);
}

TEST(Random, below_reaches_every_number_and_none_beyond)
{
    Random random(9);
    int seen[7] = {};
    for (int i = 0; i < 7000; ++i) {
        const int n = random.below(7);
        ASSERT_GE(n, 0);
        ASSERT_LT(n, 7);
        ++seen[n];
    }
    for (int count : seen) EXPECT_NEAR(count, 1000, 200);
}

}  // namespace
}  // namespace sinew
