#include "sinew/io/motion_onto.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "sinew/base/words.h"
#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"

namespace sinew {
namespace {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r";
    const std::size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

Diagnostic wrongLine(const std::string& file, int line, std::string message)
{
    Diagnostic wrong = fileError(file, std::move(message));
    wrong.line = line;
    return wrong;
}

std::string shortNumber(double number, int digits)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    return text;
}

// "3 bones: a, b, c", and not more of them than a line holds.
std::string named(const std::vector<std::string>& bones)
{
    constexpr std::size_t most = 12;
    std::string text = std::to_string(bones.size()) + (bones.size() == 1 ? " bone: " : " bones: ");
    for (std::size_t i = 0; i < std::min(bones.size(), most); ++i) text += (i > 0 ? ", " : "") + bones[i];
    return bones.size() > most ? text + ", …" : text;
}

std::string ownName(std::string name, const Rig& rig)
{
    const auto isTaken = [&](const std::string& text) {
        return std::any_of(rig.clips.begin(), rig.clips.end(),
                           [&](const Clip& clip) { return clip.name == text; });
    };
    if (name.empty()) name = "motion";
    std::string own = name;
    for (int n = 2; isTaken(own); ++n) own = name + " " + std::to_string(n);
    return own;
}

}  // namespace

Result<std::vector<BonePair>> parseBoneMap(std::string_view text, const std::string& fileName)
{
    std::vector<BonePair> pairs;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (int line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view here = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        here = trimmed(here.substr(0, here.find('#')));
        if (here.empty()) continue;
        const std::size_t sign = here.find('=');
        if (sign == std::string_view::npos)
            return wrongLine(
                fileName, line,
                words::quoted(here) + " is no pair; write BONE OF THE MOTION = BONE OF THE CHARACTER");
        const BonePair pair{std::string(trimmed(here.substr(0, sign))),
                            std::string(trimmed(here.substr(sign + 1))), line};
        if (pair.source.empty())
            return wrongLine(fileName, line, "names no bone of the motion before the =");
        const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const BonePair& other) {
            return pair.target.empty() || other.target.empty() ? other.source == pair.source
                                                               : other.target == pair.target;
        });
        if (same != pairs.end())
            return wrongLine(fileName, line,
                             "bone " +
                                 words::quoted(same->source == pair.source ? pair.source : pair.target) +
                                 " stands in line " + std::to_string(same->line) + " already");
        pairs.push_back(pair);
    }
    return pairs;
}

std::vector<std::string> MotionOnto::notes() const
{
    const auto led =
        std::count_if(match.sourceOf.begin(), match.sourceOf.end(), [](int s) { return s >= 0; });
    const std::string feet = made.legs > 0 ? "the feet of " + std::to_string(made.legs) +
                                                 (made.legs == 1 ? " leg" : " legs") + " kept on the ground"
                                           : "no legs were found whose feet could be kept on the ground";
    std::vector<std::string> lines{"motion '" + made.clip.name + "': " + std::to_string(led) +
                                   (led == 1 ? " bone is" : " bones are") + " led, lengths times " +
                                   shortNumber(made.scale, 4) + ", " + feet};
    if (!match.idle.empty()) lines.push_back("of the motion no partner was found for " + named(match.idle));
    if (!match.left.empty()) lines.push_back("of the character nothing leads " + named(match.left));
    if (made.legs > 0 && made.shortfall > 0)
        lines.push_back("feet are out of reach by up to " + shortNumber(made.shortfall, 2) + " units");
    return lines;
}

Result<MotionOnto> motionOnto(const MotionChoice& choice, const Rig& target)
{
    const Result<CharacterFile> read = readCharacter(choice.file);
    if (!read) return read.error();
    const Rig& source = read.value().rig;
    const auto clip = std::find_if(source.clips.begin(), source.clips.end(), [&](const Clip& one) {
        return choice.clip.empty() || one.name == choice.clip;
    });
    if (clip == source.clips.end()) {
        if (choice.clip.empty()) return fileError(choice.file, "has no motion");
        return settingFault("clip",
                            "there is no clip " + words::quoted(choice.clip) + " in " + choice.file);
    }
    std::vector<BonePair> pairs;
    if (!choice.map.empty()) {
        const Result<std::string> text = json::readFile(choice.map);
        if (!text) return text.error();
        Result<std::vector<BonePair>> parsed = parseBoneMap(text.value(), choice.map);
        if (!parsed) return parsed.error();
        pairs = std::move(parsed.value());
    }
    Result<BoneMatch> match = matchBones(source, target, pairs);
    if (!match) {
        Diagnostic wrong = match.error();
        wrong.file = choice.map;
        return wrong;
    }
    const auto& sourceOf = match.value().sourceOf;
    if (std::all_of(sourceOf.begin(), sourceOf.end(), [](int s) { return s < 0; }))
        return settingFault(
            "map", "no bone of " + choice.file +
                       " is called as one of the character; write a map that says which leads which");
    RetargetOptions options;
    options.fps = choice.fps;
    options.name = ownName(clip->name, target);
    return MotionOnto{retarget(source, *clip, target, match.value(), options), std::move(match.value())};
}

}  // namespace sinew
