// The soles of a figure on the ground: where they are, and the convex hull of those that bear.
#pragma once

#include <array>

#include "sinew/model/balance.h"
#include "sinew/state/state.h"

namespace sinew {

// Axes of a figure that looks somewhere: forward, sideways = up × forward, up.
struct Heading {
    Vec3 forward, sideways, up;

    Heading(const Vec3& ahead, const Vec3& itsUp) : up(itsUp)
    {
        forward = (ahead - ahead.dot(up) * up).normalized();
        sideways = up.cross(forward);
    }
    // A vector in these axes, and back.
    Vec3 in(const Vec3& v) const { return {v.dot(forward), v.dot(sideways), v.dot(up)}; }
    Vec3 out(const Vec3& v) const { return v[0] * forward + v[1] * sideways + v[2] * up; }
    // From how the figure looked at rest.
    Quat turnFrom(const Balance& balance) const;
    double angleFrom(const Balance& balance) const;
};

// Where a sole is, world.
struct Sole {
    Vec3 middle, ankle;
    Vec3 forward, sideways;  // its own
};
Sole soleOf(const BalanceLeg& leg, const State& state);

// Where both feet look, on average.
Heading headingOfFeet(const Balance& balance, const State& state);

// Whether the foot bore on something that is not of the figure in the last step, of length h.
bool footTouches(const Model& model, const Balance& balance, const BalanceLeg& leg, const State& state,
                 double h);

// The convex hull of at most eight points in a plane.
class SupportPolygon {
public:
    // Of the corners of soles, in the plane across up from `origin`, of which only a part around their
    // middles counts. `which`: of one leg; −1: of all.
    SupportPolygon(const Balance& balance, const State& state, const Heading& heading, const Vec3& origin,
                   double part, int which = -1);

    // The point of it that is nearest to p, and how far p is outside (inside: minus the way to the edge).
    Vec2 nearest(const Vec2& p) const;
    double outside(const Vec2& p) const;

private:
    void add(const Vec2& point) { points_[count_++] = point; }
    void makeHull();

    std::array<Vec2, 8> points_;
    int count_ = 0;
    std::array<Vec2, 9> hull_;  // counter-clockwise
    int corners_ = 0;
};

}  // namespace sinew
