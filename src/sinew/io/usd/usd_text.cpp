#include "sinew/io/usd/usd_text.h"

#include <charconv>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

#include "sinew/base/assert.h"

namespace sinew {
namespace {

template <class T>
std::string shortest(T x)
{
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

}  // namespace

UsdText::UsdText(const std::string& path, const Stage& stage) : file_(path)
{
    line("#usda 1.0");
    line("(");
    line("    defaultPrim = " + quoted(stage.defaultPrim));
    line("    endTimeCode = " + number(stage.lastCode));
    line("    framesPerSecond = " + number(stage.fps));
    line("    metersPerUnit = " + number(stage.metersPerUnit));
    line("    startTimeCode = 0");
    line("    timeCodesPerSecond = " + number(stage.fps));
    line("    upAxis = \"Y\"");
    line(")");
    isFirst_ = false;
}

void UsdText::line(std::string_view text)
{
    constexpr std::size_t enough = 1 << 16;
    waiting_.append(static_cast<std::size_t>(4 * depth_), ' ');
    waiting_ += text;
    waiting_ += '\n';
    isFirst_ = false;
    if (waiting_.size() < enough) return;
    file_.write(waiting_);
    waiting_.clear();
}

void UsdText::open(std::string_view type, std::string_view name, const std::vector<std::string>& metadata)
{
    if (!isFirst_) waiting_ += '\n';
    const std::string head = "def " + std::string(type) + " " + quoted(name);
    if (metadata.empty()) {
        line(head);
    } else {
        line(head + " (");
        for (const std::string& entry : metadata) line("    " + entry);
        line(")");
    }
    line("{");
    ++depth_;
    isFirst_ = true;
}

void UsdText::close()
{
    SINEW_ASSERT(depth_ > 0);
    --depth_;
    line("}");
}

std::string UsdText::finish()
{
    SINEW_ASSERT(depth_ == 0);
    file_.write(waiting_);
    waiting_.clear();
    return file_.finish();
}

std::string UsdText::number(double x)
{
    return shortest(x == 0 ? 0.0 : x);  // no −0
}

std::string UsdText::single(double x)
{
    const float y = static_cast<float>(x);
    return shortest(y == 0 ? 0.0f : y);
}

std::string UsdText::tuple(const Vec3& v)
{
    return "(" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + ")";
}

std::string UsdText::singles(const Vec3& v)
{
    return "(" + single(v.x()) + ", " + single(v.y()) + ", " + single(v.z()) + ")";
}

std::string UsdText::singles(const Quat& q)
{
    return "(" + single(q.w()) + ", " + single(q.x()) + ", " + single(q.y()) + ", " + single(q.z()) + ")";
}

std::string UsdText::quoted(std::string_view text)
{
    std::string out = "\"";
    for (char c : text) {
        char code[8];
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(c));
            out += code;
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::vector<std::string> usdNames(const std::vector<std::string>& names)
{
    std::vector<std::string> out;
    std::unordered_set<std::string> used;
    std::unordered_map<std::string, int> next;
    for (const std::string& name : names) {
        std::string base;
        for (char c : name) base += isLetter(c) || isDigit(c) ? c : '_';
        if (base.empty() || isDigit(base.front())) base.insert(base.begin(), '_');
        std::string own = base;
        int& n = next[base];
        while (!used.insert(own).second) own = base + "_" + std::to_string(++n);
        out.push_back(own);
    }
    return out;
}

}  // namespace sinew
