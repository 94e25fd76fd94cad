// What parts of characters are usually like.
#include <algorithm>

#include "sinew/base/words.h"
#include "sinew/character/planner.h"

namespace sinew {
namespace {

struct Preset {
    std::string_view name;
    std::vector<std::string> patterns;  // of bones, by their names
    std::string except;                 // what one of these has in it that is something else
    std::optional<double> stiffness, damping, lag, swing, twist, drag, hold;  // Hz, 1, degrees, 1
    bool link = false;
    BakeRoot root = BakeRoot::automatic;
};

const std::vector<Preset>& presets()
{
    static const std::vector<Preset> all = [] {
        std::vector<Preset> list;
        const auto add = [&](std::string_view name, std::vector<std::string> patterns) -> Preset& {
            Preset preset;
            preset.name = name;
            preset.patterns = std::move(patterns);
            list.push_back(std::move(preset));
            return list.back();
        };
        Preset* p = &add("tail", {"*tail*"});
        p->except = "*ponytail*";
        p->lag = 8;
        p = &add("ear", {"*ear*"});
        p->except = "*forearm*";
        p->lag = 5, p->damping = 0.3, p->swing = 40;
        p = &add("hair", {"*hair*", "*braid*", "*bangs*", "*ponytail*"});
        p->lag = 8, p->damping = 0.35, p->drag = 2;
        p = &add("cape", {"*cape*", "*cloak*", "*scarf*"});
        p->lag = 9, p->damping = 0.4, p->drag = 4, p->link = true;
        p = &add("skirt", {"*skirt*", "*dress*", "*robe*"});
        p->lag = 7, p->damping = 0.45, p->drag = 4, p->swing = 70, p->link = true;
        p = &add("breast", {"*breast*", "*bust*", "*boob*"});
        p->lag = 4, p->damping = 0.25, p->swing = 20, p->twist = 10;
        p = &add("antenna", {"*antenna*", "*feeler*"});
        p->lag = 6, p->damping = 0.08;
        p = &add("ragdoll", {"*"});
        p->stiffness = 4, p->damping = 0.7, p->hold = 1;
        p = &add("limp", {"*"});
        p->stiffness = 0, p->damping = 0.25, p->hold = 0, p->root = BakeRoot::free;
        return list;
    }();
    return all;
}

BoneRule ruleOf(const Preset& preset, const std::string& pattern)
{
    BoneRule rule;
    rule.pattern = pattern;
    rule.stiffness = preset.stiffness;
    rule.damping = preset.damping;
    rule.drag = preset.drag;
    constexpr double degree = pi / 180;
    if (preset.lag) rule.lag = *preset.lag * degree;
    if (preset.swing) rule.swing = *preset.swing * degree;
    if (preset.twist) rule.twist = *preset.twist * degree;
    if (preset.link) rule.link = true;
    return rule;
}

}  // namespace

std::vector<std::string_view> bakePresets()
{
    std::vector<std::string_view> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    return names;
}

Result<BakeOptions> withPresets(const Rig& rig, const BakeOptions& asked)
{
    BakeOptions options = asked;
    std::vector<BoneRule> rules;
    std::vector<std::string> found;
    for (const std::string& text : asked.presets) {
        const std::size_t colon = text.rfind(':');
        const std::string name = colon == std::string::npos ? text : text.substr(colon + 1);
        const auto& all = presets();
        const auto preset =
            std::find_if(all.begin(), all.end(), [&](const Preset& p) { return p.name == name; });
        if (preset == all.end())
            return settingFault("preset", "there is no preset " + quotedName(name) + "; there are " +
                                              words::joined(bakePresets()));
        std::vector<std::string> patterns = preset->patterns;
        // Said outright which bones it is for, or all that are dynamic.
        if (colon != std::string::npos)
            patterns = {text.substr(0, colon)};
        else if (!asked.dynamic.empty() && asked.presets.size() == 1)
            patterns = {"*"};
        std::vector<std::string> matching;
        for (const Bone& bone : rig.bones)
            if (bone.joint && matchesAny(patterns, bone.name) &&
                (colon != std::string::npos || preset->except.empty() ||
                 !matchesPattern(preset->except, bone.name)))
                matching.push_back(bone.name);
        if (matching.empty()) {
            std::vector<std::string> known;
            for (const Bone& bone : rig.bones)
                if (bone.joint) known.push_back(bone.name);
            return settingFault("preset", quotedName(name) + " finds no bone by its name (" +
                                              listedNames(patterns, shownNames) +
                                              "); say which, such as PATTERN:" + name + "; bones are " +
                                              listedNames(known, shownNames));
        }
        // By their names, since patterns cannot say what they leave out.
        const bool isWhole = patterns == std::vector<std::string>{"*"};
        for (const std::string& bone : isWhole ? patterns : matching) {
            rules.push_back(ruleOf(*preset, bone));
            found.push_back(bone);
        }
        if (preset->hold && !options.hold) options.hold = preset->hold;
        if (preset->root != BakeRoot::automatic && options.root == BakeRoot::automatic)
            options.root = preset->root;
    }
    if (options.dynamic.empty()) options.dynamic = found;
    // Options of the whole bake are said on purpose: they come before a preset's.
    for (BoneRule& rule : rules) {
        if (options.stiffness) rule.stiffness.reset();
        if (options.damping) rule.damping.reset();
        if (options.lag) rule.lag.reset();
    }
    rules.insert(rules.end(), options.body.rules.begin(), options.body.rules.end());
    options.body.rules = std::move(rules);
    return options;
}

}  // namespace sinew
