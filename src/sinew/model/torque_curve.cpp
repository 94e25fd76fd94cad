#include "sinew/model/torque_curve.h"

#include <algorithm>
#include <cmath>

namespace sinew {

TorqueCurve::TorqueCurve(std::vector<Point> points, double slopeBefore, double slopeAfter)
    : points_(std::move(points)), slopeBefore_(slopeBefore), slopeAfter_(slopeAfter)
{
    double reference = 0;
    for (const Point& point : points_)
        if (point.torque == 0) reference = point.angle;
    integralAtZero_ = integral(reference);
}

TorqueCurve TorqueCurve::freePlay(double lower, double upper, double slopeBelow, double slopeAbove,
                                  double mostBelow, double mostAbove)
{
    std::vector<Point> points;
    double before = -slopeBelow, after = -slopeAbove;
    if (slopeBelow > 0 && std::isfinite(mostBelow)) {
        points.push_back({lower - mostBelow / slopeBelow, mostBelow});
        before = 0;
    }
    points.push_back({lower, 0});
    if (upper > lower) points.push_back({upper, 0});
    if (slopeAbove > 0 && std::isfinite(mostAbove)) {
        points.push_back({upper + mostAbove / slopeAbove, -mostAbove});
        after = 0;
    }
    return {std::move(points), before, after};
}

std::size_t TorqueCurve::piece(double angle) const
{
    std::size_t next = 0;
    while (next < points_.size() && points_[next].angle <= angle) ++next;
    return next;
}

double TorqueCurve::slope(double angle) const
{
    const std::size_t next = piece(angle);
    if (next == 0) return slopeBefore_;
    if (next == points_.size()) return slopeAfter_;
    const Point &a = points_[next - 1], &b = points_[next];
    return (b.torque - a.torque) / (b.angle - a.angle);
}

double TorqueCurve::torque(double angle) const
{
    if (points_.empty()) return 0;
    const Point& from = points_[std::max<std::size_t>(piece(angle), 1) - 1];
    return from.torque + slope(angle) * (angle - from.angle);
}

double TorqueCurve::integral(double angle) const
{
    if (points_.empty()) return 0;
    double sum = 0;
    const std::size_t next = std::max<std::size_t>(piece(angle), 1);
    for (std::size_t i = 1; i < next; ++i)
        sum +=
            0.5 * (points_[i].torque + points_[i - 1].torque) * (points_[i].angle - points_[i - 1].angle);
    const Point& from = points_[next - 1];
    return sum + 0.5 * (from.torque + torque(angle)) * (angle - from.angle);
}

double TorqueCurve::energy(double angle) const
{
    return integralAtZero_ - integral(angle);
}

}  // namespace sinew
