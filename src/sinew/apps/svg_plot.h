// A plot as inline SVG: axes with ticks, lines, points, arrows and words, in colours of the page around it.
#pragma once

#include <string>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

class SvgPlot {
public:
    struct Range {
        double low, high, tick;
    };
    // Pixels, and what is shown of the plane.
    SvgPlot(int width, int height, Range x, Range y);

    // `look`: classes of the page's style sheet. What lies outside is cut; after a point that is not finite
    // nothing is drawn.
    void line(const std::vector<Vec2>& points, const std::string& look);
    void dots(const std::vector<Vec2>& points, double radius, const std::string& look);
    // A short stroke with a head, about a place.
    void arrow(const Vec2& at, const Vec2& direction, double pixels, const std::string& look);
    // Words in the plot, at a place in pixels from its upper left corner.
    void words(double x, double y, const std::string& text, const std::string& look);
    // What the axes are: below at the right, and above at the left.
    void label(const std::string& x, const std::string& y);

    // `title` is for those who do not see it.
    std::string text(const std::string& title) const;

private:
    Vec2 pixel(const Vec2& point) const;
    void addAxes();

    int width_, height_;
    Range x_, y_;
    std::string axes_, inside_, words_;
};

}  // namespace sinew
