// Spoilt scenes by the thousand: read or refused, never a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "sinew/base/random.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/state.h"

namespace sinew {
namespace {

// Bytes and words that are likely to get past the first check.
std::string mutated(std::string text, Random& random)
{
    static const char* const words[] = {
        "{",     "}",     "[",      "]",         ",",      ":",        "\"",    "null", "true",  "1e999",
        "-1",    "1e30",  "0",      "\\u00",     "/*",     "//",       "\xff",  "é",    "world", "[0]",
        "{}",    "0.5",   "-0.0",   "NaN",       "1e-300", "\n",       "hinge", "mesh", "3",     "1e15",
        "slide", "plane", "sphere", "spherical", "false",  "\"axis\"", "weld"};
    for (int edits = 1 + random.below(4); edits > 0; --edits) {
        const std::size_t at = random.bits() % (text.size() + 1);
        const std::size_t length = std::min<std::size_t>(random.bits() % 12, text.size() - at);
        switch (random.below(5)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, words[random.below(static_cast<int>(std::size(words)))]);
                break;
            case 2:
                text.replace(at, length, words[random.below(static_cast<int>(std::size(words)))]);
                break;
            case 3:
                if (at < text.size()) text[at] = static_cast<char>(random.bits());
                break;
            default:
                text.insert(random.bits() % (text.size() + 1), text.substr(at, length * 8));
                break;
        }
    }
    return text;
}

// Replaces whole numbers or words, so that the text stays JSON and reaches compile().
std::string mutatedValue(std::string text, Random& random)
{
    static const char* const numbers[] = {"0",    "-1", "1e-300", "1e300", "-0.0",
                                          "1e-7", "3",  "1e15",   "0.5",   "-1e200"};
    for (int edits = 1 + random.below(3); edits > 0; --edits) {
        const std::size_t at = text.find_first_of("0123456789", random.bits() % text.size());
        if (at == std::string::npos) continue;
        const std::size_t end = text.find_first_not_of("0123456789.-e+", at);
        text.replace(at, end - at, numbers[random.below(static_cast<int>(std::size(numbers)))]);
    }
    return text;
}

class Mutations : public testing::TestWithParam<const char*> {};

// One scene of bodies and joints alone, one with obstacles, targets and switches, one of a figure, one with
// contact.
INSTANTIATE_TEST_SUITE_P(Scene, Mutations, testing::Values("hakenberg", "throw_ball", "standing", "stairs"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Mutations, are_read_or_refused_in_one_line_but_never_crash)
{
    const Result<std::string> text =
        json::readFile(std::string(SINEW_SCENE_DIR "/") + GetParam() + ".json");
    ASSERT_TRUE(text) << text.error().text();
    Random random(2024);
    int accepted = 0, compiled = 0, started = 0;
    // Test fuzz.scene tries as many with sanitizers; `make long` tries more.
    const char* const asked = std::getenv("SINEW_MUTATIONS");
    const int count = asked ? std::atoi(asked) : 3000;
    for (int i = 0; i < count; ++i) {
        const std::string input =
            i % 2 == 0 ? mutated(text.value(), random) : mutatedValue(text.value(), random);
        const Result<Description> scene = parseScene(input, "f");
        if (!scene) {
            ASSERT_FALSE(scene.error().message.empty()) << input;
            ASSERT_EQ(scene.error().text().find('\n'), std::string::npos) << scene.error().text();
            continue;
        }
        ++accepted;
        const Result<Model> model = compile(scene.value());
        if (!model) {
            ASSERT_FALSE(model.error().message.empty()) << input;
            ASSERT_EQ(model.error().text().find('\n'), std::string::npos) << model.error().text();
            continue;
        }
        ++compiled;
        if (initialState(model.value(), scene.value())) ++started;
    }
    // The loop is worth something only if it gets to every stage.
    EXPECT_GT(accepted, count / 10);
    EXPECT_LT(accepted, count - count / 10);
    EXPECT_GT(compiled, count / 20);
    EXPECT_GT(started, count / 40);
}

}  // namespace
}  // namespace sinew
