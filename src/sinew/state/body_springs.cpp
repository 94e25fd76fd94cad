#include "sinew/state/body_springs.h"

#include <algorithm>

#include "sinew/math/rotation.h"

namespace sinew {

bool findTouch(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body, Touch& touch)
{
    touch.arm = body.orientation * point.point;
    const Vec3 offset = body.position + touch.arm - obstacle.position;
    if (obstacle.type == ObstacleDescription::Type::plane) {
        touch.distance = 0;
        touch.normal = obstacle.normal;
        touch.depth = point.radius - obstacle.normal.dot(offset);
    } else {
        touch.distance = offset.norm();
        touch.depth = point.radius + obstacle.radius - touch.distance;
        touch.normal = touch.distance > 0 ? Vec3(offset / touch.distance) : Vec3(0, 1, 0);
    }
    if (!(touch.depth > 0)) return false;
    const double approach = -touch.normal.dot(body.velocity + body.angularVelocityWorld().cross(touch.arm));
    touch.force = std::max(obstacle.stiffness * touch.depth + obstacle.damping * approach, 0.);
    return true;
}

TargetNow targetAt(const Target& target, double time)
{
    const std::vector<Target::Key>& path = target.path;
    std::size_t next = 0;
    while (next < path.size() && path[next].time <= time) ++next;
    const Target::Key& from = path[next == 0 ? 0 : next - 1];
    TargetNow now{from.position, from.orientation};
    if (next == 0 || next == path.size()) return now;
    const Target::Key& to = path[next];
    const double span = to.time - from.time, part = (time - from.time) / span;
    const Vec3 turn = logRotation(to.orientation * from.orientation.conjugate());
    now.velocity = (to.position - from.position) / span;
    now.position += part * (to.position - from.position);
    now.spin = turn / span;
    now.orientation = expRotation(part * turn) * from.orientation;
    return now;
}

TargetStretch targetStretch(const Target& target, const BodyState& body, double time)
{
    const TargetNow now = targetAt(target, time);
    const Vec3 spin = body.angularVelocityWorld();
    TargetStretch s;
    s.arm = body.orientation * target.point;
    s.offset = body.position + s.arm - now.position;
    s.offsetRate = body.velocity + spin.cross(s.arm) - now.velocity;
    s.turn = logRotation(body.orientation * now.orientation.conjugate());
    s.turnRate = spin - now.spin;
    return s;
}

double bodyElasticEnergy(const Model& model, const State& state)
{
    double sum = 0;
    forEachTouch(model, state, [&](const ContactPoint&, const Obstacle& obstacle, const Touch& touch) {
        sum += 0.5 * obstacle.stiffness * touch.depth * touch.depth;
    });
    for (const Target& target : model.targets) {
        const TargetStretch s = targetStretch(target, state.bodies[target.body], state.time);
        sum += 0.5 * target.stiffness * s.offset.squaredNorm() +
               0.5 * target.turnStiffness * s.turn.squaredNorm();
    }
    return sum;
}

}  // namespace sinew
