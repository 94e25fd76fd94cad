// Document → text.
#include <charconv>
#include <cmath>

#include "sinew/io/bvh/bvh.h"

namespace sinew::bvh {
namespace {

constexpr const char* writtenChannelNames[] = {"Xposition", "Yposition", "Zposition",
                                               "Xrotation", "Yrotation", "Zrotation"};

// The shortest text that reads back as the same bits, without an exponent as long as that is not absurdly
// long: there are readers that do not know exponents.
void append(std::string& text, double number)
{
    constexpr double smallest = 1e-9, largest = 1e15;
    char digits[64];
    const bool plain = number == 0 || (std::abs(number) >= smallest && std::abs(number) <= largest);
    const auto end = plain ? std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed)
                           : std::to_chars(digits, digits + sizeof digits, number);
    text.append(digits, end.ptr);
}

void appendOffset(std::string& text, int depth, const Vec3& offset)
{
    text.append(static_cast<std::size_t>(depth), '\t') += "OFFSET";
    for (double coordinate : offset) append(text += ' ', coordinate);
    text += '\n';
}

void appendBlockStart(std::string& text, int depth, const std::string& head)
{
    const std::string tabs(static_cast<std::size_t>(depth), '\t');
    text += tabs + head + '\n' + tabs + "{\n";
}
void appendBlockEnd(std::string& text, int depth)
{
    text.append(static_cast<std::size_t>(depth), '\t') += "}\n";
}

void appendJoint(std::string& text, int depth, const Joint& joint)
{
    appendBlockStart(text, depth, (joint.parent < 0 ? "ROOT " : "JOINT ") + joint.name);
    appendOffset(text, depth + 1, joint.offset);
    text.append(static_cast<std::size_t>(depth + 1), '\t') +=
        "CHANNELS " + std::to_string(joint.channels.size());
    for (Channel channel : joint.channels)
        text.append(" ") += writtenChannelNames[static_cast<int>(channel)];
    text += '\n';
    for (const Vec3& end : joint.ends) {
        appendBlockStart(text, depth + 1, "End Site");
        appendOffset(text, depth + 2, end);
        appendBlockEnd(text, depth + 1);
    }
}

}  // namespace

std::string write(const Document& document)
{
    std::string text = "HIERARCHY\n";
    std::vector<int> open;  // joints whose brace is not closed yet, from the root on
    const auto closeUpTo = [&](int joint) {
        while (!open.empty() && open.back() != joint) {
            open.pop_back();
            appendBlockEnd(text, static_cast<int>(open.size()));
        }
    };
    for (std::size_t j = 0; j < document.joints.size(); ++j) {
        const Joint& joint = document.joints[j];
        closeUpTo(joint.parent);
        SINEW_ASSERT(joint.parent < 0 || !open.empty());  // depth first
        appendJoint(text, static_cast<int>(open.size()), joint);
        open.push_back(static_cast<int>(j));
    }
    closeUpTo(-1);

    const std::size_t width = document.channelCount();
    SINEW_ASSERT(document.values.size() == width * static_cast<std::size_t>(document.frames));
    text += "MOTION\nFrames: " + std::to_string(document.frames) + "\nFrame Time: ";
    append(text, document.frameTime);
    text += '\n';
    for (std::size_t i = 0; i < document.values.size(); ++i) {
        append(text, document.values[i]);
        text += (i + 1) % width == 0 ? '\n' : ' ';
    }
    return text;
}

}  // namespace sinew::bvh
