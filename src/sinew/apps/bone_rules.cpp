#include "sinew/apps/bone_rules.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "sinew/apps/text.h"

namespace sinew {
namespace {

std::optional<double> numberIn(std::string_view text)
{
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

// One KEY=VALUE; empty if it was understood.
std::string applyPart(std::string_view part, BoneRule& rule)
{
    struct Number {
        std::string_view key;
        std::optional<double> BoneRule::*member;
        double unit;
        bool positive;
    };
    static constexpr Number numbers[] = {
        {"stiffness", &BoneRule::stiffness, 1, false}, {"damping", &BoneRule::damping, 1, false},
        {"density", &BoneRule::density, 1, true},      {"mass", &BoneRule::mass, 1, true},
        {"radius", &BoneRule::radius, 1, true},        {"swing", &BoneRule::swing, pi / 180, true},
        {"twist", &BoneRule::twist, pi / 180, false},  {"lag", &BoneRule::lag, pi / 180, true},
        {"weight", &BoneRule::weight, 1, false},       {"drag", &BoneRule::drag, 1, false}};
    static constexpr std::string_view keys[] = {"stiffness", "damping", "density", "mass",     "radius",
                                                "swing",     "twist",   "bends",   "collides", "lag",
                                                "weight",    "drag",    "link"};
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return fmt::format("'{}' has no value; write KEY=VALUE", part);
    const std::string_view key = part.substr(0, equals), value = part.substr(equals + 1);
    for (const Number& number : numbers) {
        if (key != number.key) continue;
        const std::optional<double> read = numberIn(value);
        if (!read || *read < 0 || (number.positive && *read == 0))
            return fmt::format("{} must be a {} number, not '{}'", key,
                               number.positive ? "positive" : "non-negative", value);
        if (key == "weight" && *read > 1) return fmt::format("weight must be from 0 to 1, not '{}'", value);
        rule.*number.member = *read * number.unit;
        return {};
    }
    if (key == "bends" && (value == "hinge" || value == "freely")) {
        rule.bends = value == "hinge" ? BoneRule::Bends::asHinge : BoneRule::Bends::freely;
        return {};
    }
    if (key == "bends") return fmt::format("bends must be hinge or freely, not '{}'", value);
    if (key == "collides" && (value == "yes" || value == "no")) {
        rule.collides = value == "yes";
        return {};
    }
    if (key == "collides") return fmt::format("collides must be yes or no, not '{}'", value);
    if (key == "link" && (value == "yes" || value == "no")) {
        rule.link = value == "yes";
        return {};
    }
    if (key == "link") return fmt::format("link must be yes or no, not '{}'", value);
    return unknownName("key", key, keys);
}

}  // namespace

Result<BoneRule> parseBoneRule(const std::string& text)
{
    // Names of bones have colons too (mixamorig:Hips); keys and values have none.
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        return optionError(
            "--set",
            fmt::format("must be PATTERN:KEY=VALUE,… such as '*Ear*:stiffness=5', not '{}'", text));
    BoneRule rule;
    rule.pattern = text.substr(0, colon);
    std::string_view rest = std::string_view(text).substr(colon + 1);
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        if (std::string fault = applyPart(rest.substr(0, comma), rule); !fault.empty())
            return optionError("--set", fault);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return rule;
}

Result<BakeWeight> parseWeight(const std::string& text)
{
    BakeWeight weight;
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos) weight.pattern = text.substr(0, colon);
    std::string_view rest = text;
    if (colon != std::string::npos) rest.remove_prefix(colon + 1);
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const std::size_t equals = part.find('=');
        const auto time = numberIn(part.substr(0, equals));
        const auto value =
            equals == std::string_view::npos ? std::nullopt : numberIn(part.substr(equals + 1));
        if (!time || !value)
            return optionError("--weight",
                               fmt::format("must be TIME=WEIGHT,… such as 1=0,1.5=1,3=0, not '{}'", text));
        weight.keys.push_back({*time, *value});
        if (comma == std::string_view::npos) return weight;
        rest.remove_prefix(comma + 1);
    }
}

Result<BakeHit> parseHit(const std::string& text)
{
    // Names of bones may have commas; the four numbers have none.
    BakeHit hit;
    double numbers[4] = {};
    std::string_view rest = text;
    for (int i = 3; i >= 0; --i) {
        const std::size_t comma = rest.rfind(',');
        const auto read = comma == std::string_view::npos ? std::nullopt : numberIn(rest.substr(comma + 1));
        if (!read || comma == 0)
            return optionError(
                "--hit", fmt::format("must be BONE,TIME,X,Y,Z such as Chest,1.2,0,0,40, not '{}'", text));
        numbers[i] = *read;
        rest = rest.substr(0, comma);
    }
    hit.bone = std::string(rest);
    hit.time = numbers[0];
    hit.impulse = Vec3(numbers[1], numbers[2], numbers[3]);
    return hit;
}

Result<BakeNext> parseNext(const std::string& text)
{
    const auto wrong = [&] {
        return optionError(
            "--then",
            fmt::format("must be CLIP,TIME or CLIP,TIME,BLEND such as GetUp,3,1, not '{}'", text));
    };
    BakeNext next;
    const std::size_t last = text.rfind(',');
    if (last == std::string::npos || last == 0) return wrong();
    const std::size_t first = text.rfind(',', last - 1);
    const auto end = numberIn(std::string_view(text).substr(last + 1));
    if (!end) return wrong();
    const auto middle = first == std::string::npos || first == 0
                            ? std::nullopt
                            : numberIn(std::string_view(text).substr(first + 1, last - first - 1));
    next.clip = text.substr(0, middle ? first : last);
    next.time = middle ? *middle : *end;
    if (middle) next.blend = *end;
    return next;
}

Result<double> parseUnit(const std::string& text)
{
    struct Unit {
        std::string_view name;
        double metres;
    };
    static constexpr Unit units[] = {{"m", 1},         {"cm", 0.01},     {"mm", 0.001},
                                     {"inch", 0.0254}, {"foot", 0.3048}, {"cmu", 0.0254 / 0.45}};
    for (const Unit& unit : units)
        if (unit.name == text) return unit.metres;
    if (const std::optional<double> metres = numberIn(text); metres && *metres > 0) return *metres;
    return optionError(
        "--unit",
        fmt::format("must be m, cm, mm, inch, foot, cmu or a positive number of metres, not '{}'", text));
}

Result<EmbodyOptions> embodyOptions(const BodyChoice& choice, const Rig& rig, std::string& note)
{
    EmbodyOptions options;
    const double height = rigExtent(rig).y();
    if (choice.height && !choice.unit.empty())
        return optionError("--height", "does not go with --unit; choose one");
    if (choice.height) {
        if (!(*choice.height > 0 && std::isfinite(*choice.height)))
            return optionError("--height",
                               fmt::format("must be a positive number of metres, not {}", *choice.height));
        if (!(height > 0))
            return optionError("--height", "the character has no height to measure; use --unit");
        options.unit = *choice.height / height;
    } else if (!choice.unit.empty()) {
        Result<double> unit = parseUnit(choice.unit);
        if (!unit) return unit.error();
        options.unit = unit.value();
    } else {
        const UnitGuess guess = guessUnit(height);
        options.unit = guess.metres;
        if (!guess.sure)
            note = fmt::format(
                "the character is {:.4g} units high, which is taken for metres; --height or --unit says "
                "otherwise",
                height);
        else if (guess.metres != 1)
            note = fmt::format(
                "the character is {:.4g} units high: a unit is taken for {}, so that it is {:.3g} m high "
                "(--unit, --height)",
                height, guess.name, height * guess.metres);
    }
    if (choice.mass && !(*choice.mass > 0 && std::isfinite(*choice.mass)))
        return optionError("--mass",
                           fmt::format("must be a positive number of kilograms, not {}", *choice.mass));
    if (choice.density && !(*choice.density > 0 && std::isfinite(*choice.density)))
        return optionError("--density",
                           fmt::format("must be a positive number of kg/m³, not {}", *choice.density));
    options.mass = choice.mass;
    if (choice.density) options.density = *choice.density;
    if (!choice.table.empty()) {
        options.table = findSegmentTable(choice.table);
        if (!options.table) {
            std::vector<std::string_view> known;
            for (const SegmentTable& table : segmentTables()) known.push_back(table.name);
            return optionError("--table", unknownName("table", choice.table, known));
        }
        if (!choice.mass) return optionError("--table", "needs --mass, which it shares out");
    }
    for (const std::string& text : choice.rules) {
        Result<BoneRule> rule = parseBoneRule(text);
        if (!rule) return rule.error();
        options.rules.push_back(rule.value());
    }
    return options;
}

}  // namespace sinew
