#include "sinew/state/body_springs.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/state/guides.h"
#include "sinew/state/joint_drives.h"

namespace sinew {

namespace {

// Of a place of a body; sets normal, arm and distance.
double findDepth(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body, Touch& touch)
{
    touch.arm = body.orientation * point.point;
    const Vec3 offset = body.position + touch.arm - obstacle.position;
    if (obstacle.type == ObstacleDescription::Type::plane) {
        touch.distance = 0;
        touch.normal = obstacle.normal;
        return point.radius - obstacle.normal.dot(offset);
    }
    touch.distance = offset.norm();
    touch.normal = touch.distance > 0 ? Vec3(offset / touch.distance) : Vec3(0, 1, 0);
    return point.radius + obstacle.radius - touch.distance;
}

}  // namespace

bool findTouch(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body,
               const BodyState* start, double step, Touch& touch)
{
    double approach = 0;
    if (start) approach = -std::max(findDepth(obstacle, point, *start, touch), 0.) / step;
    touch.depth = findDepth(obstacle, point, body, touch);
    if (!(touch.depth > 0)) return false;
    if (start)
        approach += touch.depth / step;
    else
        approach = -touch.normal.dot(body.velocity + body.angularVelocityWorld().cross(touch.arm));
    const double k = obstacle.stiffness.value_or(point.stiffness);
    const double c = obstacle.damping ? *obstacle.damping : 2 * std::sqrt(k * point.mass);
    touch.force = std::max(k * touch.depth + c * approach, 0.);
    touch.stiffness = k + (start ? c / step : 0);
    touch.damping = start ? 0 : c;
    return true;
}

namespace {

// Where a tracked motion has the point of a body.
PathPoint onGuide(const Target& target, const Guides& guides)
{
    const BodyState& body = guides.figures[target.motion].bodies[target.body];
    const Vec3 arm = body.orientation * target.point;
    PathPoint point;
    point.spin = body.angularVelocityWorld();
    point.position = body.position + arm;
    point.velocity = body.velocity + point.spin.cross(arm);
    point.orientation = body.orientation;
    return point;
}

}  // namespace

PathPoint targetAt(const Target& target, const Guides& guides, double time)
{
    return target.motion >= 0 ? onGuide(target, guides) : target.path.at(time);
}

TargetStretch targetStretch(const Target& target, const State& state, const Guides& guides)
{
    const BodyState& body = state.bodies[target.body];
    const PathPoint now = targetAt(target, guides, state.time);
    const Vec3 spin = body.angularVelocityWorld();
    TargetStretch s;
    s.arm = body.orientation * target.point;
    s.offset = body.position + s.arm - now.position;
    s.offsetRate = body.velocity + spin.cross(s.arm) - now.velocity;
    s.turn = logRotation(body.orientation * now.orientation.conjugate());
    s.turnRate = spin - now.spin;
    s.weight = weightAt(target.weight, state.time);
    return s;
}

void addBodyElasticEnergies(const Model& model, const State& state,
                            const std::function<void(int, double)>& add)
{
    forEachTouch(model, state, {}, [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
        add(point.body, 0.5 * touch.stiffness * touch.depth * touch.depth);
    });
    Guides guides;
    if (!model.motions.empty() && !model.targets.empty()) placeGuides(model, state.time, guides);
    for (const Target& target : model.targets) {
        const TargetStretch s = targetStretch(target, state, guides);
        add(target.body, 0.5 * s.weight * target.stiffness * s.offset.squaredNorm() +
                             0.5 * s.weight * target.turnStiffness * s.turn.squaredNorm());
    }
}

}  // namespace sinew
