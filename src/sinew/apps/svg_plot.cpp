#include "sinew/apps/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sinew {
namespace {

constexpr double marginLeft = 44, marginRight = 12, marginTop = 22, marginBottom = 26;

}  // namespace

SvgPlot::SvgPlot(int width, int height, Range x, Range y) : width_(width), height_(height), x_(x), y_(y)
{
    addAxes();
}

// Far outside is as good as at the edge of a larger sheet: renderers dislike huge numbers.
Vec2 SvgPlot::pixel(const Vec2& point) const
{
    const double across = (point.x() - x_.low) / (x_.high - x_.low);
    const double up = (point.y() - y_.low) / (y_.high - y_.low);
    return {marginLeft + std::clamp(across, -5., 6.) * (width_ - marginLeft - marginRight),
            height_ - marginBottom - std::clamp(up, -5., 6.) * (height_ - marginTop - marginBottom)};
}

void SvgPlot::addAxes()
{
    const auto ticks = [](const Range& range) {
        std::vector<double> places;
        const double first = std::ceil(range.low / range.tick - 1e-9);
        for (double n = first; n * range.tick <= range.high + 1e-9 * range.tick; ++n)
            places.push_back(n * range.tick + 0.);  // no minus before zero
        return places;
    };
    for (const double at : ticks(x_)) {
        const Vec2 low = pixel({at, y_.low}), high = pixel({at, y_.high});
        axes_ += fmt::format(
            "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>"
            "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>",
            low.x(), low.y(), high.x(), high.y(), low.x(), low.y() + 15, at);
    }
    for (const double at : ticks(y_)) {
        const Vec2 low = pixel({x_.low, at}), high = pixel({x_.high, at});
        axes_ += fmt::format(
            "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>"
            "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>",
            at == 0 ? "axis" : "grid", low.x(), low.y(), high.x(), high.y(), low.x() - 6, low.y() + 4, at);
    }
}

void SvgPlot::line(const std::vector<Vec2>& points, const std::string& look)
{
    std::string path;
    for (const Vec2& point : points) {
        if (!std::isfinite(point.x()) || !std::isfinite(point.y())) break;
        const Vec2 at = pixel(point);
        fmt::format_to(std::back_inserter(path), "{}{:.1f},{:.1f}", path.empty() ? "" : " ", at.x(),
                       at.y());
    }
    inside_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>", look, path);
}

void SvgPlot::dots(const std::vector<Vec2>& points, double radius, const std::string& look)
{
    for (const Vec2& point : points) {
        if (!std::isfinite(point.x()) || !std::isfinite(point.y())) break;
        const Vec2 at = pixel(point);
        inside_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"/>", look,
                               at.x(), at.y(), radius);
    }
}

void SvgPlot::arrow(const Vec2& at, const Vec2& direction, double pixels, const std::string& look)
{
    const Vec2 from = pixel(at), to = pixel(at + direction);
    Vec2 way = to - from;
    const double length = std::hypot(way.x(), way.y());
    if (!(length > 0)) return;
    way *= 0.5 * pixels / length;
    const Vec2 tail = from - way, head = from + way, side(-0.35 * way.y(), 0.35 * way.x());
    const Vec2 back = head - 0.7 * way, left = back + side, right = back - side;
    inside_ += fmt::format(
        "<polyline class=\"{0}\" points=\"{1:.1f},{2:.1f} {3:.1f},{4:.1f}\"/>"
        "<polyline class=\"{0}\" points=\"{5:.1f},{6:.1f} {3:.1f},{4:.1f} {7:.1f},{8:.1f}\"/>",
        look, tail.x(), tail.y(), head.x(), head.y(), left.x(), left.y(), right.x(), right.y());
}

void SvgPlot::words(double x, double y, const std::string& text, const std::string& look)
{
    words_ += fmt::format("<text class=\"words {}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", look,
                          marginLeft + x, marginTop + y, text);
}

void SvgPlot::label(const std::string& x, const std::string& y)
{
    words_ += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                          width_ - marginRight, height_ - marginBottom - 5, x);
    words_ += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", marginLeft + 4,
                          marginTop - 8, y);
}

std::string SvgPlot::text(const std::string& title) const
{
    const double across = width_ - marginLeft - marginRight, up = height_ - marginTop - marginBottom;
    return fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\"><title>{2}</title>{3}"
        "<svg x=\"{4}\" y=\"{5}\" width=\"{6}\" height=\"{7}\" viewBox=\"{4} {5} {6} "
        "{7}\">{8}</svg>{9}</svg>",
        width_, height_, title, axes_, marginLeft, marginTop, across, up, inside_, words_);
}

}  // namespace sinew
