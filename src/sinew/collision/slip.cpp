#include "sinew/collision/follow.h"
#include "sinew/math/turn.h"

namespace sinew {
namespace {

Vec3 turningOf(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Vec3::Zero() : bodies[body].angularVelocityWorld();
}

// As seen from A, or from B: the other one moves, and all is told in axes that stay with the first.
Vec3 slipSeenFrom(bool fromA, const Contact& contact, double h, const LargeVector<BodyState>& from,
                  const LargeVector<BodyState>& to)
{
    const int still = fromA ? contact.bodyA : contact.bodyB, moving = fromA ? contact.bodyB : contact.bodyA;
    const Vec3& point = fromA ? contact.pointB : contact.pointA;
    const double round = fromA ? contact.roundB : contact.roundA;
    const Pose before = poseIn(from, still).inverse() * poseIn(from, moving);
    const Pose frame = poseIn(to, still), now = poseIn(to, moving);
    const Pose after = frame.inverse() * now;
    const Vec3 turning = now.orientation.conjugate() * (turningOf(to, moving) - turningOf(to, still));
    const Vec3 turn =
        now.orientation * turnNear(h * turning, before.orientation.conjugate() * after.orientation);
    const Vec3 arm = now.orientation * point + (fromA ? -round : round) * contact.normal;
    const Vec3 way = frame.orientation * (after.position - before.position);
    const Vec3 moved = way + 0.5 * turn.cross(way) + turn.cross(arm);
    return fromA ? moved : Vec3(-moved);
}

}  // namespace

Vec3 slipBetween(const Contact& contact, double h, const LargeVector<BodyState>& from,
                 const LargeVector<BodyState>& to)
{
    // Seen from the one with the face, or the world. Of two bodies without, neither comes first.
    if (contact.bodyA < 0) return slipSeenFrom(true, contact, h, from, to);
    if (contact.bodyB < 0) return slipSeenFrom(false, contact, h, from, to);
    if (contact.face != Contact::Face::none)
        return slipSeenFrom(contact.face == Contact::Face::ofA, contact, h, from, to);
    return 0.5 * (slipSeenFrom(true, contact, h, from, to) + slipSeenFrom(false, contact, h, from, to));
}

}  // namespace sinew
