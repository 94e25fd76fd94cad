#include "sinew/force/laws/penalty.h"

#include <algorithm>

#include "sinew/force/laws/types.h"

namespace sinew {
namespace penalty {
namespace {

// Where a point of a body is, or of the world.
Vec3 placeOf(const State& state, int body, const Vec3& point)
{
    return body < 0 ? point : Vec3(state.bodies[body].position + state.bodies[body].orientation * point);
}

// From the centre of mass to a place, and how the body moves there.
struct Anchor {
    Vec3 arm = Vec3::Zero(), velocity = Vec3::Zero();
};
Anchor anchorOf(const State& state, int body, const Vec3& place)
{
    if (body < 0) return {};
    const BodyState& s = state.bodies[body];
    const Vec3 arm = place - s.position;
    return {arm, s.velocity + s.angularVelocityWorld().cross(arm)};
}

struct Push {
    Vec3 force = Vec3::Zero(), armA = Vec3::Zero(), armB = Vec3::Zero();
};
// Both feel it at one place, midway between the two surfaces: at two, friction would make angular momentum
// out of nothing.
Push pushOf(const Model& model, const Contact& contact, const State& state)
{
    const double k = model.contact->stiffness, c = model.contact->damping;
    const Vec3& n = contact.normal;
    const Vec3 placeA = placeOf(state, contact.bodyA, contact.pointA),
               placeB = placeOf(state, contact.bodyB, contact.pointB);
    const double gap = n.dot(placeB - placeA) - contact.roundA - contact.roundB;
    if (gap >= 0) return {};
    const Vec3 place = 0.5 * (placeA + placeB + (contact.roundA - contact.roundB) * n);
    const Anchor a = anchorOf(state, contact.bodyA, place), b = anchorOf(state, contact.bodyB, place);
    Push push{Vec3::Zero(), a.arm, b.arm};
    const Vec3 v = b.velocity - a.velocity;
    const double normal = std::max(0.0, -k * gap - c * n.dot(v));
    const Vec3 slip = v - n.dot(v) * n;
    const double speed = slip.norm();
    push.force = normal * n;
    // The damper holds up to static friction, beyond it the contact slides.
    const double held =
        c * speed <= contact.staticFriction * normal ? c * speed : contact.friction * normal;
    if (speed > 0) push.force -= held / speed * slip;
    return push;
}

bool isIn(const Model& model)
{
    return model.contact && model.contact->response == ContactDescription::Response::penalty;
}

// Contacts whose impulse is known already are left out.
void addForces(const Model& model, const State& state, Forces& forces)
{
    for (const Contact& contact : state.contacts) {
        if (!contact.impulse.isZero(0)) continue;
        const Push push = pushOf(model, contact, state);
        if (contact.bodyB >= 0) forces.body[contact.bodyB] += {push.force, push.armB.cross(push.force)};
        if (contact.bodyA >= 0) forces.body[contact.bodyA] += {-push.force, -push.armA.cross(push.force)};
    }
}

}  // namespace
}  // namespace penalty

// Its own derivatives are those of the contacts in a step (integrate/constraints.h).
const ForceLawInfo penaltyLaw = {
    .name = "penalty",
    .noun = "springs at contacts",
    .kind = ForceKind::plain,
    .isIn = penalty::isIn,
    .addForces = penalty::addForces,
};

Vec3 penaltyForce(const Model& model, const Contact& contact, const State& state)
{
    return penalty::pushOf(model, contact, state).force;
}

}  // namespace sinew
