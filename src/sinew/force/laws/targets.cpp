#include "sinew/force/laws/targets.h"

#include <cmath>

#include "sinew/force/guides.h"
#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace targets {
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

// The linear part of a target's force.
SpringForce pull(const Target& target, const TargetStretch& s)
{
    const double k = s.weight * target.stiffness, c = s.weight * target.damping;
    SpringForce force{-k * s.offset - c * s.offsetRate, k * Mat3::Identity(), c * Mat3::Identity()};
    force.limit(target.limit);
    return force;
}

bool isIn(const Model& model)
{
    return !model.targets.empty();
}

bool isPassive(const Model& model)
{
    for (const Target& target : model.targets)
        if (target.path.keys.size() > 1 || target.motion >= 0 || target.weight ||
            std::isfinite(target.limit))
            return false;
    return true;
}

void markDriven(const Model& model, const MarkBody& mark)
{
    for (const Target& target : model.targets) mark(target.body);
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    placeGuides(model, state.time, forces.guides);
    for (const Target& target : model.targets)
        forces.body[target.body] += targetForce(target, targetStretch(target, state, forces.guides));
}

void addTangents(const Model& model, const State& state, const Forces& forces,
                 std::vector<BodyTangent>& tangents)
{
    for (const Target& target : model.targets) {
        const TargetStretch s = targetStretch(target, state, forces.guides);
        const SpringForce force = pull(target, s);
        BodyTangent& tangent = appendTangent(target.body, tangents);
        addPointTangent(s.arm, state.bodies[target.body].angularVelocityWorld(), force.force,
                        force.stiffness, force.damping, tangent);
        tangent.stiffness.bottomRightCorner<3, 3>() +=
            s.weight * target.turnStiffness * leftJacobianInverse(s.turn);
        tangent.damping.bottomRightCorner<3, 3>() += s.weight * target.turnDamping * Mat3::Identity();
    }
}

std::size_t mostTangents(const Model& model)
{
    return model.targets.size();
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    Guides guides;
    if (!model.motions.empty()) placeGuides(model, state.time, guides);
    for (const Target& target : model.targets) {
        const TargetStretch s = targetStretch(target, state, guides);
        of(target.body).elastic += 0.5 * s.weight * target.stiffness * s.offset.squaredNorm() +
                                   0.5 * s.weight * target.turnStiffness * s.turn.squaredNorm();
    }
}

}  // namespace
}  // namespace targets

const ForceLawInfo targetLaw = {
    .name = "target",
    .noun = "obstacles and targets",
    .kind = ForceKind::body,
    .isIn = targets::isIn,
    .isPassive = targets::isPassive,
    .markDriven = targets::markDriven,
    .addForces = targets::addForces,
    .addTangents = targets::addTangents,
    .mostTangents = targets::mostTangents,
    .addEnergies = targets::addEnergies,
};

PathPoint targetAt(const Target& target, const Guides& guides, double time)
{
    return target.motion >= 0 ? targets::onGuide(target, guides) : target.path.at(time);
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

Force targetForce(const Target& target, const TargetStretch& s)
{
    const Vec3 force = targets::pull(target, s).force;
    return {force, s.arm.cross(force) -
                       s.weight * (target.turnStiffness * s.turn + target.turnDamping * s.turnRate)};
}

}  // namespace sinew
