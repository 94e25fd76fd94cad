#include "sinew/force/laws/obstacles.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"

namespace sinew {
namespace obstacles {
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

bool isIn(const Model& model)
{
    return !model.obstacles.empty();
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    forEachTouch(model, state, forces.span,
                 [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
                     const Vec3 f = touch.force * touch.normal;
                     forces.body[point.body] += {f, touch.arm.cross(f)};
                 });
}

void addTangents(const Model& model, const State& state, const Forces& forces,
                 std::vector<BodyTangent>& tangents)
{
    forEachTouch(
        model, state, forces.span, [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
            if (touch.force == 0) return;
            const Mat3 along = touch.normal * touch.normal.transpose();
            Mat3 K = touch.stiffness * along;
            const Vec3 spin = state.bodies[point.body].angularVelocityWorld();
            // A sphere's normal turns as the body slides over it.
            if (touch.distance > 0) {
                const Mat3 turning = (Mat3::Identity() - along) / touch.distance;
                const Vec3 v = state.bodies[point.body].velocity + spin.cross(touch.arm);
                K += touch.damping * touch.normal * (turning * v).transpose() - touch.force * turning;
            }
            addPointTangent(touch.arm, spin, touch.force * touch.normal, K, touch.damping * along,
                            appendTangent(point.body, tangents));
        });
}

std::size_t mostTangents(const Model& model)
{
    return model.contactPoints.size() * model.obstacles.size();
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    forEachTouch(model, state, {}, [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
        of(point.body).elastic += 0.5 * touch.stiffness * touch.depth * touch.depth;
    });
}

}  // namespace
}  // namespace obstacles

const ForceLawInfo obstacleLaw = {
    .name = "obstacle",
    .noun = "obstacles and targets",
    .kind = ForceKind::body,
    .isIn = obstacles::isIn,
    .isPassive = laws::always,
    .addForces = obstacles::addForces,
    .addTangents = obstacles::addTangents,
    .mostTangents = obstacles::mostTangents,
    .addEnergies = obstacles::addEnergies,
};

bool findTouch(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body,
               const BodyState* start, double step, Touch& touch)
{
    double approach = 0;
    if (start) approach = -std::max(obstacles::findDepth(obstacle, point, *start, touch), 0.) / step;
    touch.depth = obstacles::findDepth(obstacle, point, body, touch);
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

}  // namespace sinew
