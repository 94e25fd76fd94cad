#include "sinew/rig/bone_match.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "sinew/base/words.h"

namespace sinew {
namespace {

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}
bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
char small(char c)
{
    return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

// "mixamorig:LeftUpLeg01" → left, up, leg, 01. What stands before the last colon is the name of the rig.
std::vector<std::string> wordsOf(const std::string& name)
{
    const std::size_t colon = name.rfind(':');
    const std::string text =
        colon == std::string::npos || colon + 1 == name.size() ? name : name.substr(colon + 1);
    std::vector<std::string> words;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) words.push_back(std::move(word));
        word.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i > 0 ? text[i - 1] : ' ';
        const char after = i + 1 < text.size() ? text[i + 1] : ' ';
        if (!isUpper(c) && !isLower(c) && !isDigit(c)) {
            flush();
            continue;
        }
        // LeftArm, and LThumb, but not in capitals alone.
        const bool begins = (isUpper(c) && (isLower(before) || (isUpper(before) && isLower(after)))) ||
                            (isDigit(c) != isDigit(before));
        if (begins) flush();
        word += small(c);
    }
    flush();
    return words;
}

bool isOneOf(const std::string& word, std::initializer_list<const char*> all)
{
    return std::any_of(all.begin(), all.end(), [&](const char* each) { return word == each; });
}

// Some names say side and part in one word: "lefthand", "rforearm" are tried after all others.
std::optional<BoneSide> sideOf(const std::string& word)
{
    if (isOneOf(word, {"l", "left", "lft"})) return BoneSide::left;
    if (isOneOf(word, {"r", "right", "rgt"})) return BoneSide::right;
    return {};
}

std::optional<BonePart> partOf(const std::string& name, bool sided, bool hasThighs)
{
    using enum BonePart;
    if (!sided) {
        if (isOneOf(name, {"hips", "hip", "pelvis"})) return hips;
        if (isOneOf(name, {"spine", "chest", "upperchest", "abdomen", "torso", "lowerback", "upperback",
                           "waist", "thorax", "lowerspine", "upperspine"}))
            return spine;
        if (isOneOf(name, {"neck", "lowerneck", "upperneck"})) return neck;
        if (name == "head") return head;
        return {};
    }
    if (isOneOf(name, {"shoulder", "clavicle", "collar", "collarbone"})) return clavicle;
    if (isOneOf(name, {"arm", "upperarm", "uparm", "armupper", "shldr"})) return upperArm;
    if (isOneOf(name, {"forearm", "lowerarm", "lowarm", "armlower", "elbow"})) return forearm;
    if (isOneOf(name, {"hand", "wrist"})) return hand;
    if (isOneOf(name, {"upleg", "upperleg", "thigh", "legupper", "hip"})) return thigh;
    if (isOneOf(name, {"lowerleg", "lowleg", "shin", "calf", "knee", "leglower"})) return shin;
    if (name == "leg") return hasThighs ? shin : thigh;
    if (isOneOf(name, {"foot", "ankle"})) return foot;
    if (isOneOf(name, {"toe", "toes", "toebase", "ball"})) return toe;
    if (isOneOf(name, {"thumb", "handthumb", "index", "handindex", "middle", "handmiddle", "ring",
                       "handring", "pinky", "handpinky", "little", "fingerindex", "fingermiddle",
                       "fingerring", "fingerpinky", "fingerthumb"}))
        return finger;
    return {};
}

bool saysNothing(const std::string& word)
{
    return isOneOf(word, {"joint", "jnt", "bone", "skeleton", "bip", "biped", "armature", "rig", "def",
                          "org", "mixamorig", "character", "b", "j"});
}

struct Parsed {
    BoneSide side = BoneSide::none;
    std::string name, number;
};

// Words that many bones of a rig share, such as Bip01 or DEF, say nothing.
Parsed parsed(const std::vector<std::string>& words, const std::set<std::string>& common)
{
    Parsed found;
    for (const std::string& word : words) {
        const auto side = sideOf(word);
        if (side && found.side == BoneSide::none)
            found.side = *side;
        else if (isDigit(word[0]))
            found.number = word;
        else if (!common.contains(word) && !saysNothing(word))
            found.name += word;
    }
    const std::size_t digit = found.number.find_first_not_of('0');
    found.number = digit == std::string::npos ? std::string() : found.number.substr(digit);
    // lShldr is taken apart at its capital; "lefthand" and "rforearm" have none.
    for (const auto& [head, side] : {std::pair{"left", BoneSide::left},
                                     {"right", BoneSide::right},
                                     {"l", BoneSide::left},
                                     {"r", BoneSide::right}}) {
        const std::string_view begin = head;
        if (found.side != BoneSide::none || !found.name.starts_with(begin)) continue;
        if (const std::string rest = found.name.substr(begin.size()); partOf(rest, true, true)) {
            found.side = side;
            found.name = rest;
        }
    }
    return found;
}

std::set<std::string> sharedWords(const std::vector<std::vector<std::string>>& names)
{
    std::map<std::string, std::size_t> count;
    for (const auto& words : names)
        for (const std::string& word : std::set<std::string>(words.begin(), words.end())) ++count[word];
    std::set<std::string> common;
    for (const auto& [word, times] : count)
        if (names.size() > 4 && 5 * times > 3 * names.size() && !sideOf(word)) common.insert(word);
    return common;
}

Diagnostic wrongLine(const BonePair& pair, const std::string& message)
{
    Diagnostic wrong;
    wrong.message = message;
    wrong.line = pair.line;
    return wrong;
}

Diagnostic noBone(const BonePair& pair, const char* whose, const std::string& name, const Rig& rig)
{
    std::vector<std::string_view> names;
    for (const Bone& bone : rig.bones) names.push_back(bone.name);
    const std::string_view near = words::nearestWord(name, names);
    return wrongLine(pair, std::string("the ") + whose + " has no bone " + words::quoted(name) +
                               (near.empty() ? std::string() : "; perhaps " + words::quoted(near)));
}

// Bones of one part in their order from the root, shared out: the first follows the first, the last the
// last.
void shareOut(const std::vector<int>& sources, const std::vector<int>& targets, std::vector<int>& sourceOf)
{
    if (sources.empty()) return;
    const double last = static_cast<double>(sources.size() - 1);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        // One bone alone is bent as the top of a spine is.
        const double part =
            targets.size() > 1 ? static_cast<double>(i) / static_cast<double>(targets.size() - 1) : 1;
        sourceOf[static_cast<std::size_t>(targets[i])] =
            sources[static_cast<std::size_t>(std::lround(part * last))];
    }
}

using Roles = std::vector<std::optional<BoneRole>>;

// What the names of the others say about a name that may mean two things.
void settle(const Rig& rig, const std::vector<Parsed>& bones, Roles& roles)
{
    using enum BonePart;
    const auto has = [&](BonePart part, BoneSide side) {
        return std::any_of(roles.begin(), roles.end(), [&](const auto& role) {
            return role && role->part == part && role->side == side;
        });
    };
    const auto below = [&](std::size_t b, std::size_t above) {
        int at = rig.bones[b].parent;
        while (at >= 0 && at != static_cast<int>(above))
            at = rig.bones[static_cast<std::size_t>(at)].parent;
        return at >= 0;
    };
    for (std::size_t b = 0; b < roles.size(); ++b) {
        if (!roles[b]) continue;
        // A LeftHip is a thigh, unless there is one below it.
        for (std::size_t d = 0; d < roles.size() && roles[b] && bones[b].name == "hip"; ++d)
            if (roles[d] == roles[b] && bones[d].name != "hip" && below(d, b)) roles[b].reset();
        // Of a LeftCollar and a LeftShoulder above an elbow the second is the upper arm.
        if (!roles[b] || roles[b]->part != clavicle || has(upperArm, roles[b]->side)) continue;
        std::size_t last = b;
        for (std::size_t d = b + 1; d < roles.size(); ++d)
            if (roles[d] == roles[b] && below(d, last)) last = d;
        if (has(forearm, roles[b]->side)) roles[last]->part = upperArm;
    }
    // Where nothing is called hips, they are what the legs hang from.
    for (std::size_t b = 0; b < roles.size() && !has(hips, BoneSide::none); ++b) {
        const int above = rig.bones[b].parent;
        if (!roles[b] || roles[b]->part != thigh || above < 0) continue;
        auto& role = roles[static_cast<std::size_t>(above)];
        if (role && role->part == spine) role->part = hips;
    }
    // Where nothing is called head, it is the last of several bones of the neck.
    std::vector<std::size_t> necks;
    for (std::size_t b = 0; b < roles.size(); ++b)
        if (roles[b] && roles[b]->part == neck) necks.push_back(b);
    if (necks.size() > 1 && !has(head, BoneSide::none)) roles[necks.back()]->part = head;
}

}  // namespace

std::vector<std::optional<BoneRole>> boneRoles(const Rig& rig)
{
    std::vector<std::vector<std::string>> names;
    for (const Bone& bone : rig.bones) names.push_back(wordsOf(bone.name));
    const std::set<std::string> common = sharedWords(names);
    std::vector<Parsed> bones;
    for (const auto& words : names) bones.push_back(parsed(words, common));
    // In many files a LeftLeg is the shin below a LeftUpLeg; in few it is all there is of a leg.
    const bool hasThighs = std::any_of(bones.begin(), bones.end(), [](const Parsed& bone) {
        return bone.side != BoneSide::none && partOf(bone.name, true, true) == BonePart::thigh;
    });
    const bool hasForearms = std::any_of(bones.begin(), bones.end(), [](const Parsed& bone) {
        return bone.side != BoneSide::none && partOf(bone.name, true, true) == BonePart::forearm;
    });
    // How many bones above have the same name and side: of limbs whose bones are only counted.
    const auto depth = [&](std::size_t b) {
        std::size_t count = 0;
        for (int above = rig.bones[b].parent; above >= 0;
             above = rig.bones[static_cast<std::size_t>(above)].parent) {
            const Parsed& one = bones[static_cast<std::size_t>(above)];
            count += one.name == bones[b].name && one.side == bones[b].side;
        }
        return count;
    };
    std::vector<std::optional<BoneRole>> roles(rig.bones.size());
    for (std::size_t b = 0; b < bones.size(); ++b) {
        const BoneSide side = bones[b].side;
        constexpr std::array leg{BonePart::thigh, BonePart::shin, BonePart::foot, BonePart::toe};
        constexpr std::array arm{BonePart::upperArm, BonePart::forearm, BonePart::hand};
        if (side != BoneSide::none && bones[b].name == "leg" && !hasThighs) {
            if (const std::size_t n = depth(b); n < leg.size()) roles[b] = BoneRole{leg[n], side, {}};
            continue;
        }
        if (side != BoneSide::none && bones[b].name == "arm" && !hasForearms) {
            if (const std::size_t n = depth(b); n < arm.size()) roles[b] = BoneRole{arm[n], side, {}};
            continue;
        }
        const auto part = partOf(bones[b].name, bones[b].side != BoneSide::none, hasThighs);
        if (!part) continue;
        roles[b] = BoneRole{*part, bones[b].side, {}};
        if (*part == BonePart::finger) {
            std::string name = bones[b].name;
            for (const char* head : {"hand", "finger"})
                if (name.starts_with(head)) name.erase(0, std::string_view(head).size());
            roles[b]->finger = (name == "little" ? "pinky" : name) + bones[b].number;
        }
    }
    settle(rig, bones, roles);
    return roles;
}

Result<BoneMatch> matchBones(const Rig& source, const Rig& target, const std::vector<BonePair>& map)
{
    BoneMatch match;
    match.sourceOf.assign(target.bones.size(), -1);
    std::vector<char> spoken(source.bones.size(), 0), settled(target.bones.size(), 0);
    for (const BonePair& pair : map) {
        const int from = source.find(pair.source);
        if (from < 0) return noBone(pair, "motion", pair.source, source);
        spoken[static_cast<std::size_t>(from)] = 1;
        if (pair.target.empty()) continue;
        const int to = target.find(pair.target);
        if (to < 0) return noBone(pair, "character", pair.target, target);
        if (settled[static_cast<std::size_t>(to)])
            return wrongLine(pair,
                             "bone " + words::quoted(pair.target) + " is led already, by a line before");
        settled[static_cast<std::size_t>(to)] = 1;
        match.sourceOf[static_cast<std::size_t>(to)] = from;
    }

    const auto isFree = [&](const Rig& rig, const std::vector<char>& taken, std::size_t b) {
        return rig.bones[b].joint && !taken[b];
    };
    // Equal names.
    for (std::size_t t = 0; t < target.bones.size(); ++t) {
        if (!isFree(target, settled, t)) continue;
        const int s = source.find(target.bones[t].name);
        if (s < 0 || !isFree(source, spoken, static_cast<std::size_t>(s))) continue;
        match.sourceOf[t] = s;
        settled[t] = spoken[static_cast<std::size_t>(s)] = 1;
    }
    // What names say. A part that is there once is the same on both sides; the chains are shared out.
    const auto sourceRoles = boneRoles(source), targetRoles = boneRoles(target);
    for (std::size_t t = 0; t < target.bones.size(); ++t) {
        if (!isFree(target, settled, t) || !targetRoles[t]) continue;
        if (targetRoles[t]->part == BonePart::spine || targetRoles[t]->part == BonePart::neck) continue;
        for (std::size_t s = 0; s < source.bones.size(); ++s) {
            if (!isFree(source, spoken, s) || sourceRoles[s] != targetRoles[t]) continue;
            match.sourceOf[t] = static_cast<int>(s);
            settled[t] = spoken[s] = 1;
            break;
        }
    }
    for (const BonePart part : {BonePart::spine, BonePart::neck}) {
        const auto free = [&](const Rig& rig, const std::vector<char>& taken, const auto& roles) {
            std::vector<int> bones;
            for (std::size_t b = 0; b < rig.bones.size(); ++b)
                if (isFree(rig, taken, b) && roles[b] && roles[b]->part == part)
                    bones.push_back(static_cast<int>(b));
            return bones;
        };
        shareOut(free(source, spoken, sourceRoles), free(target, settled, targetRoles), match.sourceOf);
    }

    std::vector<char> leads(source.bones.size(), 0);
    for (const int s : match.sourceOf)
        if (s >= 0) leads[static_cast<std::size_t>(s)] = 1;
    for (std::size_t s = 0; s < source.bones.size(); ++s)
        if (source.bones[s].joint && !leads[s]) match.idle.push_back(source.bones[s].name);
    for (std::size_t t = 0; t < target.bones.size(); ++t)
        if (target.bones[t].joint && match.sourceOf[t] < 0) match.left.push_back(target.bones[t].name);
    return match;
}

}  // namespace sinew
