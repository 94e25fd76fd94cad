#include "sinew/model/joints/types.h"

#include <cmath>

namespace sinew::joints {

void compileOneAxis(const JointDescription& source, const std::string& pointer, const Mat3& R_CW,
                    Joint& joint, compiling::Checker& check)
{
    const double sign = joint.childIsFirst ? -1 : 1;
    joint.axis =
        sign * (R_CW * check.direction(source.axis, pointer + "/axis", jointTypeName(source.type)));
}

void requireRightAngle(const Vec3& axis, const Vec3& axis2, const std::string& pointer,
                       compiling::Checker& check)
{
    constexpr double tolerance = 1e-6;
    check.require(std::abs(axis.dot(axis2)) < tolerance, pointer + "/axis2",
                  "must be at right angles to axis; the cosine is " + compiling::number(axis.dot(axis2)));
}

void mirrorTurningAxes(JointDescription& joint, int axis)
{
    for (std::optional<Vec3>* of : {&joint.axis, &joint.axis2})
        if (*of) *of = mirroredTurn(**of, axis);
}

Row* addPointRows(Row* next)
{
    for (int k = 0; k < 3; ++k) *next++ = {Row::point, Vec3::Unit(k), Vec3::Zero()};
    return next;
}

Row* addLockRows(Row* next)
{
    for (int k = 0; k < 3; ++k) *next++ = {Row::perpendicular, Vec3::Unit(k), Vec3::Unit((k + 1) % 3)};
    return next;
}

Row* addSlidingRows(const Vec3& axis, Row* next)
{
    const Directors d = directorsAcross(axis);
    *next++ = {Row::sliding, d.first, Vec3::Zero()};
    *next++ = {Row::sliding, d.second, Vec3::Zero()};
    return next;
}

Row* addAxisRows(const Vec3& axis, Row* next)
{
    const Directors d = directorsAcross(axis);
    *next++ = {Row::perpendicular, d.first, axis};
    *next++ = {Row::perpendicular, d.second, axis};
    return next;
}

}  // namespace sinew::joints
