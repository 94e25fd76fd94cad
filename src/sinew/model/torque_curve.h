// A torque as a function of an angle, after fig. 2 of Armstrong & Green 1985: nothing in a zone of free
// play, then growing with the angle, perhaps up to a most. Straight between its points.
#pragma once

#include <vector>

namespace sinew {

class TorqueCurve {
public:
    struct Point {
        double angle = 0, torque = 0;
    };

    TorqueCurve() = default;
    // Through the points, whose angles rise; beyond the ends with these slopes.
    TorqueCurve(std::vector<Point> points, double slopeBefore, double slopeAfter);
    // Free play from `lower` to `upper`; outside, back toward it with slopes (≥ 0) up to most torques.
    static TorqueCurve freePlay(double lower, double upper, double slopeBelow, double slopeAbove,
                                double mostBelow, double mostAbove);

    double torque(double angle) const;
    double slope(double angle) const;   // of the torque
    double energy(double angle) const;  // zero in the zone of free play
    const std::vector<Point>& points() const { return points_; }

private:
    std::size_t piece(double angle) const;  // 0: before the first point
    double integral(double angle) const;    // of the torque, from the first point

    std::vector<Point> points_;
    double slopeBefore_ = 0, slopeAfter_ = 0;
    double integralAtZero_ = 0;
};

}  // namespace sinew
