#include "sinew/control/support.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/trigonometry.h"

namespace sinew {

double Heading::angleFrom(const Balance& balance) const
{
    return angleOf(balance.up.dot(balance.forward.cross(forward)), balance.forward.dot(forward));
}

Quat Heading::turnFrom(const Balance& balance) const
{
    return expRotation(angleFrom(balance) * balance.up);
}

Sole soleOf(const BalanceLeg& leg, const State& state)
{
    const BodyState& foot = state.bodies[leg.foot];
    return {foot.position + foot.orientation * leg.sole, foot.position + foot.orientation * leg.ankle,
            foot.orientation * leg.forward, foot.orientation * leg.sideways};
}

Heading headingOfFeet(const Balance& balance, const State& state)
{
    Vec3 ahead = Vec3::Zero();
    for (const BalanceLeg& leg : balance.legs) ahead += soleOf(leg, state).forward;
    ahead -= ahead.dot(balance.up) * balance.up;
    // Feet that look up or away from each other say nothing.
    return {ahead.norm() > 0.1 ? ahead : balance.forward, balance.up};
}

bool footTouches(const Model& model, const Balance& balance, const BalanceLeg& leg, const State& state,
                 double h)
{
    constexpr double least = 1e-3;  // of the weight: less is rounding
    const auto isOf = [&](int body) {
        return std::find(leg.bodies.begin(), leg.bodies.end(), body) != leg.bodies.end();
    };
    const auto isOther = [&](int body) { return body < 0 || model.skeletonOf[body] != balance.skeleton; };
    double impulse = 0;
    for (const Contact& contact : state.contacts)
        if ((isOf(contact.bodyA) && isOther(contact.bodyB)) ||
            (isOf(contact.bodyB) && isOther(contact.bodyA)))
            impulse += contact.impulse[0] + contact.blow[0];
    return impulse > least * balance.mass * balance.gravity * h;
}

namespace {

double crossOf(const Vec2& a, const Vec2& b)
{
    return a[0] * b[1] - a[1] * b[0];
}

}  // namespace

SupportPolygon::SupportPolygon(const Balance& balance, const State& state, const Heading& heading,
                               const Vec3& origin, double part, int which)
{
    for (int i = 0; i < static_cast<int>(balance.legs.size()); ++i) {
        if (which >= 0 && i != which) continue;
        const BalanceLeg& leg = balance.legs[i];
        const Sole sole = soleOf(leg, state);
        for (const double along : {-part, part})
            for (const double across : {-part, part}) {
                const Vec3 corner = heading.in(sole.middle + along * leg.halfLength * sole.forward +
                                               across * leg.halfWidth * sole.sideways - origin);
                add(Vec2(corner[0], corner[1]));
            }
    }
    makeHull();
}

// Andrew's monotone chain.
void SupportPolygon::makeHull()
{
    std::sort(points_.begin(), points_.begin() + count_,
              [](const Vec2& a, const Vec2& b) { return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]); });
    std::array<Vec2, 17> chain;
    int n = 0;
    const auto take = [&](const Vec2& p, int least) {
        while (n >= least && crossOf(chain[n - 1] - chain[n - 2], p - chain[n - 1]) <= 0) --n;
        chain[n++] = p;
    };
    for (int i = 0; i < count_; ++i) take(points_[i], 2);
    const int lower = n + 1;
    for (int i = count_ - 2; i >= 0; --i) take(points_[i], lower);
    corners_ = std::min(std::max(n - 1, 1), 8);
    for (int i = 0; i < corners_; ++i) hull_[i] = chain[i];
}

Vec2 SupportPolygon::nearest(const Vec2& p) const
{
    bool inside = corners_ > 2;
    Vec2 best = hull_[0];
    double least = HUGE_VAL;
    for (int i = 0; i < corners_; ++i) {
        const Vec2 &a = hull_[i], &b = hull_[(i + 1) % corners_];
        const Vec2 way = b - a;
        if (crossOf(way, p - a) < 0) inside = false;
        const double length = way.squaredNorm();
        const double s = length > 0 ? std::clamp((p - a).dot(way) / length, 0., 1.) : 0;
        const Vec2 on = a + s * way;
        const double distance = (p - on).squaredNorm();
        if (distance >= least) continue;
        least = distance;
        best = on;
    }
    return inside ? p : best;
}

double SupportPolygon::outside(const Vec2& p) const
{
    double least = HUGE_VAL;
    bool inside = corners_ > 2;
    for (int i = 0; i < corners_; ++i) {
        const Vec2 &a = hull_[i], &b = hull_[(i + 1) % corners_];
        const Vec2 way = b - a;
        if (crossOf(way, p - a) < 0) inside = false;
        const double length = way.squaredNorm();
        const double s = length > 0 ? std::clamp((p - a).dot(way) / length, 0., 1.) : 0;
        least = std::min(least, (p - a - s * way).norm());
    }
    return inside ? -least : least;
}

}  // namespace sinew
