// Text → Document, with a stack of open braces of its own, so that depth costs no stack of the machine.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/bvh/bvh.h"
#include "sinew/io/json/json.h"

namespace sinew::bvh {
namespace {

bool isBreak(char c)
{
    return c == '\n' || c == '\r';
}
bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool same(std::string_view word, std::string_view keyword)
{
    if (word.size() != keyword.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (lower(word[i]) != keyword[i]) return false;
    return true;
}

constexpr std::string_view channelNames[] = {"xposition", "yposition", "zposition",
                                             "xrotation", "yrotation", "zrotation"};

class Parser {
public:
    Parser(std::string_view text, const std::string& file) : text_(text) { error_.file = file; }

    Result<Document> run()
    {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // byte order mark
        skipBlank();
        if (atEnd()) return fail(at_, "the file is empty; a BVH file begins with HIERARCHY"), error_;
        if (!keyword("hierarchy", "HIERARCHY") || !hierarchy() || !motion()) return error_;
        return std::move(document_);
    }

private:
    // What a brace has opened: a joint, or an End Site of it.
    struct Open {
        int joint;
        bool end = false;
        bool hasOffset = false;
        bool hasChannels = false;
        std::size_t start;
    };

    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }
    bool atLineEnd() const { return atEnd() || isBreak(text_[at_]); }
    void skipSpaces()
    {
        while (!atEnd() && isSpace(text_[at_])) ++at_;
    }
    void skipBlank()
    {
        while (!atEnd() && (isSpace(text_[at_]) || isBreak(text_[at_]))) ++at_;
    }

    // Lines and columns are counted only when somebody asks for them.
    struct Place {
        int line = 1, column = 1;
    };
    Place place(std::size_t where) const
    {
        Place result;
        for (std::size_t i = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; i < where; ++i) {
            const bool last = text_[i] == '\n' || (text_[i] == '\r' && text_.substr(i + 1, 1) != "\n");
            if (last)
                result = {result.line + 1, 1};
            else if ((static_cast<unsigned char>(text_[i]) & 0xc0) !=
                     0x80)  // not the middle of a character
                ++result.column;
        }
        return result;
    }
    bool fail(std::size_t where, std::string message)
    {
        const Place found = place(where);
        error_.line = found.line;
        error_.column = found.column;
        error_.message = std::move(message);
        return false;
    }

    // All up to the next blank, brace or colon.
    std::string_view wordHere() const
    {
        std::size_t end = at_;
        while (end < text_.size() && !isSpace(text_[end]) && !isBreak(text_[end]) && text_[end] != '{' &&
               text_[end] != '}' && text_[end] != ':')
            ++end;
        return text_.substr(at_, end - at_);
    }
    // What stands here, for messages.
    std::string found() const
    {
        if (atEnd()) return "the end of the file";
        const std::string_view word = wordHere();
        return words::quoted(word.empty() ? text_.substr(at_, 1) : word);
    }
    bool keyword(std::string_view wanted, const char* shown)
    {
        skipBlank();
        const std::string_view word = wordHere();
        if (!same(word, wanted))
            return fail(at_, std::string(shown) + " is expected here, found " + found());
        at_ += word.size();
        return true;
    }

    bool number(double& value, const char* what)
    {
        const char* const first = text_.data() + at_;
        const char* const last = text_.data() + text_.size();
        // from_chars knows no plus sign.
        const char* const digits =
            first != last && *first == '+' && first + 1 != last && first[1] != '-' ? first + 1 : first;
        const auto [end, problem] = std::from_chars(digits, last, value);
        // Out of range it does not say which way; what is too small to be kept is zero.
        if (problem == std::errc::result_out_of_range)
            value = std::strtod(std::string(digits, end).c_str(), nullptr);
        if (problem == std::errc::invalid_argument ||
            (end != last && !isSpace(*end) && !isBreak(*end) && *end != '}'))
            return fail(at_, std::string(what) + " is expected here, found " + foundNumber());
        if (!(std::abs(value) <= maxNumber))
            return fail(at_, foundNumber() + " is not a number that can be meant; they reach up to 1e12");
        at_ = static_cast<std::size_t>(end - text_.data());
        return true;
    }
    std::string foundNumber() const
    {
        std::size_t end = at_;
        while (end < text_.size() && !isSpace(text_[end]) && !isBreak(text_[end])) ++end;
        return end == at_ ? found() : words::quoted(text_.substr(at_, end - at_));
    }
    bool count(int& value, int limit, const std::string& what)
    {
        skipBlank();
        const std::string_view word = wordHere();
        long long wide = -1;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), wide);
        if (word.empty() || problem == std::errc::invalid_argument || end != word.data() + word.size() ||
            wide < 0)
            return fail(at_, what + " is expected here, a whole number, found " + foundNumber());
        if (problem != std::errc() || wide > limit)
            return fail(at_, what + " is " + std::string(word.substr(0, 24)) + "; at most " +
                                 std::to_string(limit) + " can be read");
        value = static_cast<int>(wide);
        at_ += word.size();
        return true;
    }

    bool hierarchy()
    {
        while (true) {
            skipBlank();
            if (atEnd()) return endsEarly();
            if (peek() == '}') {
                if (!close()) return false;
                continue;
            }
            const std::string_view word = wordHere();
            const std::size_t start = at_;
            at_ += word.size();
            if (same(word, "root") || same(word, "joint")) {
                if (!openJoint(start, same(word, "root"))) return false;
            } else if (same(word, "end")) {
                if (!openEnd(start)) return false;
            } else if (same(word, "offset")) {
                if (!offset(start)) return false;
            } else if (same(word, "channels")) {
                if (!channels(start)) return false;
            } else if (same(word, "motion") && open_.empty() && !document_.joints.empty()) {
                return true;
            } else {
                at_ = start;
                return fail(at_,
                            std::string(open_.empty()      ? "ROOT or MOTION"
                                        : open_.back().end ? "OFFSET or '}'"
                                                           : "OFFSET, CHANNELS, JOINT, End Site or '}'") +
                                " is expected " + within() + ", found " + found());
            }
        }
    }
    bool endsEarly()
    {
        if (open_.empty()) return fail(at_, "the file ends before MOTION");
        return fail(at_, "the file ends " + within());
    }
    // Where in the tree we are.
    std::string within() const
    {
        if (open_.empty()) return "here";
        const Open& last = open_.back();
        return std::string("inside ") + (last.end ? "the End Site of " : "joint ") +
               words::quoted(document_.joints[last.joint].name) + ", which starts at line " +
               std::to_string(place(last.start).line);
    }

    bool brace()
    {
        skipBlank();
        if (peek() != '{') return fail(at_, "'{' is expected here, found " + found());
        ++at_;
        return true;
    }
    // The rest of the line, up to an opening brace on it.
    std::string_view restOfLine()
    {
        skipSpaces();
        const std::size_t start = at_;
        while (!atLineEnd() && peek() != '{') ++at_;
        std::size_t end = at_;
        while (end > start && isSpace(text_[end - 1])) --end;
        return text_.substr(start, end - start);
    }

    bool openJoint(std::size_t start, bool root)
    {
        if (root && !open_.empty()) return fail(start, "a ROOT cannot stand " + within() + "; write JOINT");
        if (!root && (open_.empty() || open_.back().end))
            return fail(start, "a JOINT must stand inside a ROOT or another JOINT");
        if (static_cast<int>(document_.joints.size()) >= maxJoints)
            return fail(start, "the file has more than " + std::to_string(maxJoints) + " joints");
        if (static_cast<int>(open_.size()) >= maxDepth)
            return fail(start, "joints are nested deeper than " + std::to_string(maxDepth) + " levels");
        skipSpaces();
        const std::size_t nameStart = at_;
        const std::string_view name = restOfLine();
        if (!goodName(name, nameStart)) return false;
        Joint joint;
        joint.name = name;
        joint.parent = open_.empty() ? -1 : open_.back().joint;
        const int index = static_cast<int>(document_.joints.size());
        document_.joints.push_back(std::move(joint));
        open_.push_back({.joint = index, .start = start});
        return brace();
    }
    bool goodName(std::string_view name, std::size_t start)
    {
        if (name.empty()) return fail(start, "a name is expected here");
        for (std::size_t i = 0; i < name.size();) {
            const int length = utf8Length(name.substr(i));
            if (length == 0 || static_cast<unsigned char>(name[i]) < 0x20)
                return fail(start + i,
                            "the name of a joint holds a byte that is no text; save the file as UTF-8");
            i += static_cast<std::size_t>(length);
        }
        const auto [first, isNew] = names_.emplace(name, start);
        return isNew || fail(start, "the name " + words::quoted(name) + " is given twice, first at line " +
                                        std::to_string(place(first->second).line) + "; names must differ");
    }
    bool openEnd(std::size_t start)
    {
        if (open_.empty() || open_.back().end) return fail(start, "an End Site must stand inside a joint");
        restOfLine();  // "Site", sometimes with a name, which nobody uses
        Open end{.joint = open_.back().joint, .start = start};
        end.end = true;
        open_.push_back(end);
        return brace();
    }
    bool close()
    {
        if (open_.empty()) return fail(at_, "'}' closes nothing");
        if (!open_.back().hasOffset) return fail(at_, "an OFFSET is missing " + within());
        open_.pop_back();
        ++at_;
        return true;
    }
    bool offset(std::size_t start)
    {
        if (open_.empty()) return fail(start, "an OFFSET must stand inside a joint");
        Open& here = open_.back();
        if (here.hasOffset) return fail(start, "there is a second OFFSET " + within());
        here.hasOffset = true;
        Vec3 value;
        for (double& coordinate : value) {
            skipBlank();
            if (!number(coordinate, "one of the three numbers of OFFSET")) return false;
        }
        Joint& joint = document_.joints[here.joint];
        if (here.end)
            joint.ends.push_back(value);
        else
            joint.offset = value;
        return true;
    }
    bool channels(std::size_t start)
    {
        if (open_.empty() || open_.back().end) return fail(start, "CHANNELS must stand inside a joint");
        Open& here = open_.back();
        if (here.hasChannels) return fail(start, "there are second CHANNELS " + within());
        here.hasChannels = true;
        int announced = 0;
        if (!count(announced, 6, "the number of channels")) return false;
        std::vector<Channel>& list = document_.joints[here.joint].channels;
        while (true) {
            const std::size_t before = at_;
            skipBlank();
            const std::string_view word = wordHere();
            const int channel = channelOf(word);
            const bool full = static_cast<int>(list.size()) == announced;
            if (channel < 0 && full) return at_ = before, true;
            if (channel < 0)
                return fail(
                    at_,
                    "a channel, such as Xposition or Zrotation, is expected here (CHANNELS announces " +
                        std::to_string(announced) + "), found " + found());
            if (full)
                return fail(at_, "there are more channels than the " + std::to_string(announced) +
                                     " that CHANNELS announces");
            for (Channel other : list)
                if (other == static_cast<Channel>(channel))
                    return fail(at_, "the channel " + found() + " stands twice");
            list.push_back(static_cast<Channel>(channel));
            at_ += word.size();
        }
    }
    static int channelOf(std::string_view word)
    {
        for (int i = 0; i < 6; ++i)
            if (same(word, channelNames[i])) return i;
        return -1;
    }

    void skipColon()
    {
        skipSpaces();
        if (peek() == ':') ++at_;
    }
    bool motion()
    {
        int announced = 0;
        skipColon();
        if (!keyword("frames", "Frames:")) return false;
        skipColon();
        const std::size_t countAt = (skipBlank(), at_);
        if (!count(announced, maxFrames, "the number of frames")) return false;
        skipBlank();
        if (same(wordHere(), "frametime"))
            at_ += wordHere().size();
        else if (!keyword("frame", "Frame Time:") || !keyword("time", "Frame Time:"))
            return false;
        skipColon();
        skipBlank();
        const std::size_t timeAt = at_;
        double& time = document_.frameTime;
        if (!number(time, "the time of a frame in seconds")) return false;
        // One frame needs no time, and files of a single pose often give none.
        if (!(time >= 0) || time > maxFrameTime || (time == 0 && announced > 1))
            return fail(timeAt, "the time of a frame must be more than 0 and at most 1e6 seconds");
        const std::size_t width = document_.channelCount();
        if (width > 0 && static_cast<std::size_t>(announced) > maxValues / width)
            return fail(countAt, std::to_string(announced) + " frames of " + std::to_string(width) +
                                     " numbers are more than the " + std::to_string(maxValues) +
                                     " numbers that can be read");
        skipSpaces();
        if (!atLineEnd()) return fail(at_, "the end of the line is expected here, found " + found());
        return frames(announced, width);
    }
    // One line each.
    bool frames(int announced, std::size_t width)
    {
        // A number takes two bytes at least, so that memory is bounded by the file, not by what it
        // announces.
        std::vector<double>& values = document_.values;
        values.reserve(std::min(static_cast<std::size_t>(announced) * width, (text_.size() - at_) / 2 + 1));
        int frame = 0;
        for (skipBlank(); !atEnd(); skipBlank(), ++frame) {
            if (frame == announced || width == 0)
                return fail(at_, "the file goes on after the " + std::to_string(announced) +
                                     " frames that it announces");
            for (std::size_t i = 0; i < width; ++i) {
                skipSpaces();
                if (atLineEnd()) return wrongWidth(frame, std::to_string(i), width);
                double value = 0;
                if (!number(value, "a number")) return false;
                values.push_back(value);
            }
            skipSpaces();
            if (!atLineEnd()) return wrongWidth(frame, "more", width);
        }
        if (frame < announced && width > 0)
            return fail(at_, "the file ends after " + std::to_string(frame) + " frames, but announces " +
                                 std::to_string(announced));
        document_.frames = announced;
        return true;
    }
    bool wrongWidth(int frame, const std::string& numbers, std::size_t width)
    {
        return fail(at_, "frame " + std::to_string(frame + 1) + " has " + numbers +
                             (numbers == "more" ? " numbers than the " : " numbers, but the joints have ") +
                             std::to_string(width) +
                             (numbers == "more" ? " channels of the joints" : " channels"));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Open> open_;
    std::unordered_map<std::string_view, std::size_t> names_;  // and where they stand
    Document document_;
    Diagnostic error_;
};

}  // namespace

std::size_t Document::channelCount() const
{
    std::size_t sum = 0;
    for (const Joint& joint : joints) sum += joint.channels.size();
    return sum;
}

Result<Document> parse(std::string_view text, const std::string& fileName)
{
    return Parser(text, fileName).run();
}

Result<Document> read(const std::string& path)
{
    const Result<std::string> text = json::readFile(path, maxFileSize);
    if (!text) return text.error();
    return parse(text.value(), path);
}

}  // namespace sinew::bvh
