#include "sinew/collision/follow.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

Pose poseOf(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Pose{} : Pose{bodies[body].position, bodies[body].orientation};
}

}  // namespace

Vec3 slipBetween(const Contact& contact, const LargeVector<BodyState>& from,
                 const LargeVector<BodyState>& to)
{
    // Seen from one of the two: the one with the face, or the world.
    const bool fromA = contact.bodyA < 0 || (contact.face == Contact::Face::ofA && contact.bodyB >= 0);
    const int still = fromA ? contact.bodyA : contact.bodyB, moving = fromA ? contact.bodyB : contact.bodyA;
    const Vec3& point = fromA ? contact.pointB : contact.pointA;
    const double round = fromA ? contact.roundB : contact.roundA;
    const Pose before = poseOf(from, still).inverse() * poseOf(from, moving);
    const Pose frame = poseOf(to, still), now = poseOf(to, moving);
    const Pose after = frame.inverse() * now;
    const Vec3 turn = now.orientation * logRotation(before.orientation.conjugate() * after.orientation);
    const Vec3 arm = now.orientation * point + (fromA ? -round : round) * contact.normal;
    const Vec3 way = frame.orientation * (after.position - before.position);
    const Vec3 moved = way + 0.5 * turn.cross(way) + turn.cross(arm);
    return fromA ? moved : Vec3(-moved);
}

}  // namespace sinew
