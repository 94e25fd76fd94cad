// What a medium does to bodies: Stokes' law and the quadratic one (field/medium.h) against the velocity of
// the centre of mass relative to the air there, and 8π η r³ ω against turning. A body is a sphere to it.
#include "sinew/field/medium.h"

#include "sinew/field/air.h"
#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"

namespace sinew {
namespace medium {
namespace {

bool isIn(const Model& model)
{
    return !model.drags.empty();
}

// Air that moves may give energy.
bool isPassive(const Model& model)
{
    return !hasAir(model.fields);
}

bool isHeldBack(const Drag& drag)
{
    return drag.radius > 0 || drag.area > 0;
}

void markDriven(const Model& model, const MarkBody& mark)
{
    if (!hasAir(model.fields)) return;
    for (int i = 0; i < model.size(); ++i)
        if (isHeldBack(model.drags[i])) mark(i);
}

double turnResistance(const Model& model, const Drag& drag)
{
    return 8 * pi * model.medium.viscosity * drag.radius * drag.radius * drag.radius;
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    for (int i = 0; i < model.size(); ++i) {
        const Drag& drag = model.drags[i];
        if (!isHeldBack(drag)) continue;
        const BodyState& body = state.bodies[i];
        const Vec3 air = airVelocity(model.fields, state.time, body.position);
        forces.body[i] += {resist(resistanceOf(model.medium, drag), body.velocity - air),
                           -turnResistance(model, drag) * body.angularVelocityWorld()};
    }
}

void addTangents(const Model& model, const State& state, const Forces&, std::vector<BodyTangent>& tangents)
{
    for (int i = 0; i < model.size(); ++i) {
        const Drag& drag = model.drags[i];
        if (!isHeldBack(drag)) continue;
        const BodyState& body = state.bodies[i];
        Mat3 gradient, D;
        const Vec3 air = airVelocity(model.fields, state.time, body.position, &gradient);
        resist(resistanceOf(model.medium, drag), body.velocity - air, &D);
        BodyTangent& tangent = appendTangent(i, tangents);
        tangent.damping.topLeftCorner<3, 3>() = D;
        tangent.damping.bottomRightCorner<3, 3>() = turnResistance(model, drag) * Mat3::Identity();
        tangent.stiffness.topLeftCorner<3, 3>() = -D * gradient;
    }
}

std::size_t mostTangents(const Model& model)
{
    return model.bodies.size();
}

}  // namespace
}  // namespace medium

const ForceLawInfo mediumLaw = {
    .name = "medium",
    .noun = "a medium",
    .kind = ForceKind::body,
    .isIn = medium::isIn,
    .isPassive = medium::isPassive,
    .markDriven = medium::markDriven,
    .addForces = medium::addForces,
    .addTangents = medium::addTangents,
    .mostTangents = medium::mostTangents,
};

}  // namespace sinew
