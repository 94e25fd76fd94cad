#include "sinew/model/mirror.h"

#include <type_traits>
#include <utility>

#include "sinew/model/fields.h"
#include "sinew/model/springs.h"

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

SpringDescription mirrored(SpringDescription spring, int axis)
{
    for (SpringEndDescription* end : {&spring.first, &spring.second})
        std::visit(
            [&](auto& form) {
                using T = std::decay_t<decltype(form)>;
                if constexpr (std::is_same_v<T, SpringCurve>) {
                    for (Vec3& point : form.points) point = mirrored(point, axis);
                } else if constexpr (std::is_same_v<T, SpringSphere>) {
                    form.center = mirrored(form.center, axis);
                } else if constexpr (std::is_same_v<T, SpringPoint>) {
                    if (form.point) form.point = mirrored(*form.point, axis);
                } else {
                    form.point = mirrored(form.point, axis);
                    if constexpr (std::is_same_v<T, SpringPlane>)
                        form.normal = mirrored(form.normal, axis);
                    else
                        form.axis = mirrored(form.axis, axis);
                }
            },
            end->form);
    return spring;
}

// Gusts at R p are mirrored to S R p = (S R D) D p: in the frame S R D, which is a rotation, with D the
// mirror of its own x.
FieldDescription mirrored(FieldDescription field, int axis)
{
    field.velocity = mirrored(field.velocity, axis);
    field.position = mirrored(field.position, axis);
    field.axis = mirroredTurn(field.axis, axis);
    Mat3 S = Mat3::Identity(), D = Mat3::Identity();
    S(axis, axis) = -1;
    D(0, 0) = -1;
    field.orientation = Quat(Mat3(S * field.orientation.toRotationMatrix() * D)).normalized();
    field.mirrored = !field.mirrored;
    return field;
}

}  // namespace sinew
