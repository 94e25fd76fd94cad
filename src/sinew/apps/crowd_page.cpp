#include "sinew/apps/crowd_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/apps/base64.h"
#include "sinew/apps/page_template.h"
#include "sinew/apps/page_text.h"
#include "sinew/io/binary/little_endian.h"
#include "sinew/io/json/scene.h"

namespace sinew {
namespace {

constexpr double mostCrowdText = 18e6;  // characters of base64

// Rows and columns around the first one, which stands in the middle: 0, 1, −1, 2, −2 …
int outward(int index)
{
    return index % 2 ? (index + 1) / 2 : -index / 2;
}

// The place of a character in the grid, in cells.
std::array<int, 2> cellOf(int character, int columns)
{
    return {outward(character % columns), outward(character / columns)};
}

// Sixteen bits from low to high.
void appendPart(std::string& bytes, double x, double low, double high)
{
    const double part = high > low ? (x - low) / (high - low) : 0;
    appendUnsigned(bytes, static_cast<std::uint16_t>(std::clamp(part, 0., 1.) * 65535 + 0.5));
}

void writeBase64(WholeFile& page, std::string& bytes, bool isLast)
{
    const std::size_t whole = isLast ? bytes.size() : bytes.size() / 3 * 3;
    page.write(base64Text(std::string_view(bytes).substr(0, whole)));
    bytes.erase(0, whole);
}

}  // namespace

CrowdPage::CrowdPage(std::size_t bodies, int characters, std::uint64_t frames, int show)
    : bodies_(bodies), characters_(characters), shown_(std::min(characters, show))
{
    const double text = static_cast<double>(frames) * static_cast<double>(width()) * 2 * 4 / 3;
    if (text > mostCrowdText) every_ = static_cast<std::uint64_t>(std::ceil(text / mostCrowdText));
}

void CrowdPage::add(double time, const std::vector<float>& poses)
{
    if (seen_++ % every_ != 0) return;
    const std::size_t from = poses_.size();
    times_.push_back(time);
    poses_.insert(poses_.end(), poses.begin(), poses.begin() + static_cast<std::ptrdiff_t>(width()));
    // What diverged stays where it was last.
    for (std::size_t k = from; k < poses_.size(); ++k)
        if (!std::isfinite(poses_[k])) poses_[k] = from >= width() ? poses_[k - width()] : 0;
}

// So that they hardly reach into each other: what one of them takes up, in the mean, but not more than
// twice its width at the start, for some may fly far.
double CrowdPage::spacing(const Model& model) const
{
    double reach = 0;
    for (const Skeleton& skeleton : model.skeletons) reach = std::max(reach, skeleton.length);
    // Of one character along x or z.
    const auto widthOf = [&](int character, std::size_t axis, std::size_t frames) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (std::size_t k = 0; k < frames; ++k)
            for (std::size_t i = 0; i < bodies_; ++i) {
                const std::size_t body = static_cast<std::size_t>(character) * bodies_ + i;
                const double x = poses_[k * width() + 7 * body + axis];
                low = std::min(low, x);
                high = std::max(high, x);
            }
        return high - low;
    };
    const auto mean = [&](std::size_t frames) {
        double sum = 0;
        for (int c = 0; c < shown_; ++c) sum += std::max(widthOf(c, 0, frames), widthOf(c, 2, frames));
        return sum / shown_ + 2 * reach;
    };
    return std::min(mean(times_.size()), 2 * mean(1));
}

// Of all that are shown, the first one too, so that the numbers are easy to find.
void CrowdPage::writeOthers(WholeFile& page, const Model& model) const
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (std::size_t k = 0; k < poses_.size(); k += 7)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min<double>(low[axis], poses_[k + axis]);
            high[axis] = std::max<double>(high[axis], poses_[k + axis]);
        }
    const int columns = static_cast<int>(std::ceil(std::sqrt(shown_)));
    const double cell = spacing(model);
    std::string places;
    for (int c = 0; c < shown_; ++c) {
        const auto [x, z] = cellOf(c, columns);
        places += fmt::format("{}[{}, {}]", c > 0 ? "," : "", json::numberText(x * cell),
                              json::numberText(z * cell));
    }
    const auto three = [](const double* x) {
        return fmt::format("[{}, {}, {}]", json::numberText(x[0]), json::numberText(x[1]),
                           json::numberText(x[2]));
    };
    page.write(fmt::format(
        ",\n\"crowd\": {{\"of\": {}, \"places\": [{}], \"low\": {}, \"high\": {}, \"values\": \"",
        characters_, places, three(low), three(high)));
    std::string bytes;
    for (std::size_t k = 0; k < poses_.size(); ++k) {
        const std::size_t part = k % 7;
        if (part < 3)
            appendPart(bytes, poses_[k], low[part], high[part]);
        else
            appendPart(bytes, poses_[k], -1, 1);
        if (bytes.size() > 1 << 16) writeBase64(page, bytes, false);
    }
    writeBase64(page, bytes, true);
    page.write("\"}");
}

void CrowdPage::write(WholeFile& page, const Description& description, const Model& model,
                      const std::string& summary, double fps) const
{
    page.write(pageTemplate().head);
    page.write("{\"version\": 1,\n\"scene\": " + inScript(writeScene(description)));
    page.write(",\"masses\": " + json::write(massesOf(model)));
    page.write(fmt::format(",\"frames\": {{\"fps\": {}, \"count\": {}, \"every\": {}, \"times\": [",
                           json::numberText(fps), times_.size(), every_));
    for (std::size_t k = 0; k < times_.size(); ++k)
        page.write((k > 0 ? "," : "") + json::numberText(times_[k]));
    page.write("], \"poses\": \"");
    Base64Writer packed(page);
    for (std::size_t k = 0; k < times_.size(); ++k)
        for (std::size_t i = 0; i < 7 * bodies_; ++i) packed.add(poses_[k * width() + i]);
    packed.finish();
    page.write("\"}");
    writeOthers(page, model);
    page.write(",\n\"summary\": " + inScript(summary) + "}");
    page.write(pageTemplate().afterData);
    page.write(pageTemplate().afterCharacter);
    page.write(packedEngine());
    page.write(pageTemplate().tail);
}

std::string CrowdPage::left() const
{
    std::vector<std::string> parts;
    if (shown_ < characters_) parts.push_back(fmt::format("the first {} characters", shown_));
    if (every_ > 1) parts.push_back(fmt::format("one frame in {}", every_));
    if (parts.empty()) return {};
    return fmt::format("to stay small the page has {}; crowd.sinewc has all", fmt::join(parts, " and "));
}

}  // namespace sinew
