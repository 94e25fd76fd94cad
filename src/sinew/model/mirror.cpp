#include "sinew/model/mirror.h"

#include <utility>

namespace sinew {
namespace {

// 0 − x and not −x: no negative zeros in files.
double negative(double x)
{
    return 0 - x;
}

void mirrorShape(ShapeDescription& part, int axis)
{
    part.pose = mirrored(part.pose, axis);
    // All shapes but meshes look the same in a mirror along their axes.
    if (auto* mesh = std::get_if<ConvexMesh>(&part.shape)) {
        for (Vec3& vertex : mesh->vertices) vertex = mirrored(vertex, axis);
        for (auto& face : mesh->faces) std::swap(face[1], face[2]);  // counter-clockwise again
    }
}

}  // namespace

Vec3 mirrored(const Vec3& place, int axis)
{
    Vec3 out = place;
    out[axis] = negative(place[axis]);
    return out;
}

Vec3 mirroredTurn(const Vec3& turn, int axis)
{
    Vec3 out = turn;
    for (int i = 0; i < 3; ++i)
        if (i != axis) out[i] = negative(turn[i]);
    return out;
}

Pose mirrored(const Pose& pose, int axis)
{
    const Vec3 turn = mirroredTurn(pose.orientation.vec(), axis);
    return {mirrored(pose.position, axis), Quat(pose.orientation.w(), turn.x(), turn.y(), turn.z())};
}

BodyDescription mirrored(BodyDescription body, int axis)
{
    body.pose = mirrored(body.pose, axis);
    if (body.inertia)
        for (int i = 0; i < 3; ++i)
            if (i != axis) {
                (*body.inertia)(axis, i) = negative((*body.inertia)(axis, i));
                (*body.inertia)(i, axis) = negative((*body.inertia)(i, axis));
            }
    if (body.center) body.center = mirrored(*body.center, axis);
    for (ShapeDescription& part : body.shapes) mirrorShape(part, axis);
    if (body.velocity) body.velocity = mirrored(*body.velocity, axis);
    if (body.angularVelocity) body.angularVelocity = mirroredTurn(*body.angularVelocity, axis);
    return body;
}

JointDescription mirrored(JointDescription joint, int axis)
{
    joint.position = mirrored(joint.position, axis);
    const JointTypeInfo& info = jointTypeInfo(joint.type);
    if (info.mirror) info.mirror(joint, axis);
    return joint;
}

}  // namespace sinew
