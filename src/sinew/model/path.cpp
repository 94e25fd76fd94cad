#include "sinew/model/path.h"

#include <algorithm>

#include "sinew/math/rotation.h"
#include "sinew/model/signal.h"

namespace sinew {
namespace {

// The slope at the middle of three points: of the parabola through them, but no longer than twice the
// slower side's, so that the path does not swing out where it comes to a halt.
Vec3 middleSlope(const Vec3& leftWay, double left, const Vec3& rightWay, double right)
{
    const Vec3 slope = (right / left * leftWay + left / right * rightWay) / (left + right);
    const double longest = 2 * std::min(leftWay.norm() / left, rightWay.norm() / right);
    const double length = slope.norm();
    return length > longest ? Vec3(slope * (longest / length)) : slope;
}

Vec3 turnBetween(const Path::Key& from, const Path::Key& to)
{
    return logRotation(from.orientation.conjugate() * to.orientation);
}

}  // namespace

Vec3 Path::velocityAt(std::size_t i) const
{
    if (!smooth || i == 0 || i + 1 == keys.size()) return Vec3::Zero();
    return middleSlope(keys[i].position - keys[i - 1].position, keys[i].time - keys[i - 1].time,
                       keys[i + 1].position - keys[i].position, keys[i + 1].time - keys[i].time);
}

Vec3 Path::spinAt(std::size_t i) const
{
    if (!smooth || i == 0 || i + 1 == keys.size()) return Vec3::Zero();
    return middleSlope(turnBetween(keys[i - 1], keys[i]), keys[i].time - keys[i - 1].time,
                       turnBetween(keys[i], keys[i + 1]), keys[i + 1].time - keys[i].time);
}

PathPoint Path::at(double time) const
{
    std::size_t next = 0;
    while (next < keys.size() && keys[next].time <= time) ++next;
    const Key& from = keys[next == 0 ? 0 : next - 1];
    PathPoint point;
    point.position = from.position;
    point.orientation = from.orientation;
    if (next == 0 || next == keys.size()) return point;

    const Key& to = keys[next];
    const double span = to.time - from.time, since = time - from.time;
    const Vec3 turn = turnBetween(from, to);
    CubicValue<Vec3> phi{turn * (since / span), turn / span, Vec3::Zero()};
    if (smooth) {
        const CubicValue<Vec3> x =
            cubicAt<Vec3>(from.position, velocityAt(next - 1), to.position, velocityAt(next), span, since);
        point.position = x.value;
        point.velocity = x.rate;
        point.acceleration = x.rate2;
        phi = cubicAt<Vec3>(Vec3::Zero(), spinAt(next - 1), turn, rightJacobianInverse(turn) * spinAt(next),
                            span, since);
    } else {
        point.velocity = (to.position - from.position) / span;
        point.position += since * point.velocity;
    }
    const RotationMotion motion = movingRotation(phi.value, phi.rate, phi.rate2);
    point.orientation = (from.orientation * motion.rotation).normalized();
    point.spin = point.orientation * motion.velocity;
    point.spinRate = point.orientation * motion.acceleration;
    return point;
}

}  // namespace sinew
