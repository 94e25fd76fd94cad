#include "sinew/force/penalty.h"

#include <algorithm>

namespace sinew {
namespace {

// Where a body's anchor is, and how the surface there moves.
struct Anchor {
    Vec3 place, arm = Vec3::Zero(), velocity = Vec3::Zero();
};
Anchor anchorOf(const State& state, int body, const Vec3& point, const Vec3& toSurface)
{
    if (body < 0) return {point};
    const BodyState& s = state.bodies[body];
    const Vec3 arm = s.orientation * point;
    return {s.position + arm, arm + toSurface,
            s.velocity + s.angularVelocityWorld().cross(arm + toSurface)};
}

}  // namespace

void addPenaltyForces(const Model& model, const State& state, Forces& forces)
{
    if (!model.contact || model.contact->response != ContactDescription::Response::penalty) return;
    const double k = model.contact->stiffness, c = model.contact->damping;
    for (const Contact& contact : state.contacts) {
        const Vec3& n = contact.normal;
        const Anchor a = anchorOf(state, contact.bodyA, contact.pointA, contact.roundA * n);
        const Anchor b = anchorOf(state, contact.bodyB, contact.pointB, -contact.roundB * n);
        const double gap = n.dot(b.place - a.place) - contact.roundA - contact.roundB;
        if (gap >= 0) continue;
        const Vec3 v = b.velocity - a.velocity;
        const double normal = std::max(0.0, -k * gap - c * n.dot(v));
        const Vec3 slip = v - n.dot(v) * n;
        const double speed = slip.norm();
        Vec3 f = normal * n;
        if (speed > 0) f -= std::min(c * speed, contact.friction * normal) / speed * slip;
        if (contact.bodyB >= 0) {
            forces.body[contact.bodyB].force += f;
            forces.body[contact.bodyB].torque += b.arm.cross(f);
        }
        if (contact.bodyA >= 0) {
            forces.body[contact.bodyA].force -= f;
            forces.body[contact.bodyA].torque -= a.arm.cross(f);
        }
    }
}

}  // namespace sinew
