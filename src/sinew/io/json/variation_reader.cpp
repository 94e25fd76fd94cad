#include "sinew/io/json/variation.h"

#include <cmath>

#include "sinew/io/json/reader.h"

namespace sinew {
namespace {

using reading::Keys;
using reading::Reader;

constexpr std::string_view variedThings[] = {"mass",  "stiffness", "damping", "target",   "pose",
                                             "speed", "place",     "turn",    "velocity", "spin"};
constexpr const char* rangeForms = "a pair [low, high], or {\"mean\": …, \"deviation\": …}";

const Keys<VariedNumber>& normalKeys()
{
    using N = VariedNumber;
    static const Keys<N> keys = {reading::key<N, &N::first>("mean", true),
                                 reading::key<N, &N::second>("deviation", true)};
    return keys;
}

bool readNumber(Reader& reader, const json::Value& value, VariedNumber& out)
{
    if (value.isObject()) {
        out.isNormal = true;
        if (!reader.object(value, normalKeys(), out, "a normal distribution")) return false;
        return out.second >= 0 ||
               reader.within("deviation", [&] { return reader.fail("must not be negative"); });
    }
    if (!value.isArray()) return reader.failKind(rangeForms, value);
    std::array<double, 2> ends{};
    if (!reader.read(value, ends)) return false;
    out.first = ends[0];
    out.second = ends[1];
    return out.first <= out.second || reader.fail("the first number must not be above the second");
}

template <std::size_t axis>
bool readAxis(Reader& reader, const json::Value& value, VariationRule& out)
{
    return readNumber(reader, value, out.axes[axis].emplace());
}

const Keys<VariationRule>& ruleKeys()
{
    using R = VariationRule;
    static const Keys<R> keys = {{"what",
                                  [](Reader& reader, const json::Value& value, R& out) {
                                      return reader.word(value, "a thing to vary", variedThings, out.what);
                                  },
                                  true},
                                 reading::key<R, &R::joints>("joints"),
                                 {"by", [](Reader& reader, const json::Value& value,
                                           R& out) { return readNumber(reader, value, out.by); }},
                                 {"x", readAxis<0>},
                                 {"y", readAxis<1>},
                                 {"z", readAxis<2>},
                                 reading::key<R, &R::together>("together")};
    return keys;
}

// Which keys go with what is varied.
bool checkRule(Reader& reader, const json::Value& value, const VariationRule& rule)
{
    const std::string what(variedThings[static_cast<std::size_t>(rule.what)]);
    const auto refuse = [&](std::string_view key, const std::string& message) {
        return reader.within(key, [&] { return reader.fail(message); });
    };
    const bool isOfRoots = rule.isOfRoots();
    for (const char* key : {"x", "y", "z"})
        if (!isOfRoots && value.find(key)) return refuse(key, what + " has no axes; give it by");
    if (isOfRoots && value.find("by")) return refuse("by", what + " is given by x, y and z");
    if (isOfRoots && !rule.axes[0] && !rule.axes[1] && !rule.axes[2])
        return reader.fail("give " + what + " at least one of x, y and z");
    if (!isOfRoots && !value.find("by")) return reader.fail("key by is missing");
    if (rule.isOfJoints() && rule.joints.empty())
        return reader.fail("key joints is missing; \"*\" is all of them");
    for (const char* key : {"joints", "together"})
        if (!rule.isOfJoints() && value.find(key)) return refuse(key, what + " is not of joints");
    if (!rule.isFactor()) return true;
    if (rule.by.isNormal) return refuse("by", what + " is multiplied; give it a pair [low, high]");
    if (!(rule.by.first > 0)) return refuse("by", what + " is multiplied; both numbers must be positive");
    return true;
}

const Keys<Variation>& variationKeys()
{
    using V = Variation;
    static const Keys<V> keys = {
        {"seed",
         [](Reader& reader, const json::Value& value, V& out) {
             constexpr double most = 9007199254740992.;  // up to here a number of JSON is exact
             double seed = 0;
             if (!reader.read(value, seed)) return false;
             if (!(seed >= 0 && seed <= most && std::floor(seed) == seed))
                 return reader.fail("must be a whole number from 0 to 9007199254740992");
             out.seed = static_cast<std::uint64_t>(seed);
             return true;
         }},
        {"vary",
         [](Reader& reader, const json::Value& value, V& out) {
             if (!value.isArray()) return reader.failKind("a list", value);
             for (std::size_t i = 0; i < value.items().size(); ++i)
                 if (!reader.within(i, [&] {
                         VariationRule& rule = out.rules.emplace_back();
                         const json::Value& item = value.items()[i];
                         return reader.object(item, ruleKeys(), rule, "a variation") &&
                                checkRule(reader, item, rule);
                     }))
                     return false;
             return true;
         },
         true}};
    return keys;
}

}  // namespace

Result<Variation> parseVariation(std::string_view text, const std::string& fileName)
{
    const Result<json::Value> value = json::parse(text, fileName);
    if (!value) return value.error();
    Reader reader(fileName);
    Variation variation;
    if (!reader.object(value.value(), variationKeys(), variation, "a variation file"))
        return reader.error();
    return variation;
}

}  // namespace sinew
