// The rows of the table of joint types, one file each, and what they share. Not a public header.
#pragma once

#include "sinew/math/rotation.h"
#include "sinew/model/check.h"
#include "sinew/model/description.h"
#include "sinew/model/joint.h"
#include "sinew/model/mirror.h"
#include "sinew/model/rows.h"

namespace sinew {

extern const JointTypeInfo hingeJoint, sphericalJoint, slideJoint, universalJoint, weldJoint, freeJoint,
    planarJoint, cylindricalJoint;

namespace joints {

inline Vec3 readVector(const double* x)
{
    return {x[0], x[1], x[2]};
}

inline void writeQuaternion(const Quat& rotation, double* q)
{
    const Quat unit = rotation.normalized();
    q[0] = unit.x();
    q[1] = unit.y();
    q[2] = unit.z();
    q[3] = unit.w();
}

// The child turned by R, its anchor on that of the parent.
inline Transform aboutAnchor(const Joint& joint, const Mat3& R)
{
    return {R, joint.anchorParent - R * joint.anchorChild};
}

// A turn about an axis through the anchor: it moves the centre of mass by ω × (−anchor) = anchor × ω.
inline Vec6 turnAbout(const Joint& joint, const Vec3& axis)
{
    return (Vec6() << joint.anchorChild.cross(axis), axis).finished();
}

// How the child stands and turns against the parent.
struct Turned {
    Mat3 R_P, R_C;
    Quat Q;     // since rest, child axes
    Vec3 spin;  // relative angular velocity, child axes

    Turned(const Joint& joint, const BodyState& parent, const BodyState& child)
        : R_P(parent.orientation.toRotationMatrix()),
          R_C(child.orientation.toRotationMatrix()),
          Q(Mat3(joint.R_PC_rest.transpose() * R_P.transpose() * R_C)),
          spin(child.angularVelocity - R_C.transpose() * (R_P * parent.angularVelocity))
    {
    }
};

// How far the child's anchor is from the parent's, and how fast it moves against the parent; world axes.
struct Offset {
    Mat3 R_P;
    Vec3 offset, rate;

    Offset(const Joint& joint, const BodyState& parent, const BodyState& child)
        : R_P(parent.orientation.toRotationMatrix())
    {
        const Mat3 R_C = child.orientation.toRotationMatrix();
        const Vec3 rP = R_P * joint.anchorParent, rC = R_C * joint.anchorChild;
        const Vec3 wP = R_P * parent.angularVelocity, wC = R_C * child.angularVelocity;
        offset = child.position + rC - parent.position - rP;
        rate = child.velocity + wC.cross(rC) - parent.velocity - wP.cross(rP);
        rate -= wP.cross(offset);
    }
};

// One axis, reversed where the child is the first body, so that coordinates mean the same.
void compileOneAxis(const JointDescription& source, const std::string& pointer, const Mat3& R_CW,
                    Joint& joint, compiling::Checker& check);

// Two axes of a description, as far as a hand-written file can hold them so.
void requireRightAngle(const Vec3& axis, const Vec3& axis2, const std::string& pointer,
                       compiling::Checker& check);

// The axes that it has, as axes of turns.
void mirrorTurningAxes(JointDescription& joint, int axis);

// The parts that rows() is made of: they return the next free row.
Row* addPointRows(Row* next);
// The child does not turn against the parent.
Row* addLockRows(Row* next);
// Nothing moves across an axis of the parent.
Row* addSlidingRows(const Vec3& axis, Row* next);
// The same axis in both bodies.
Row* addAxisRows(const Vec3& axis, Row* next);

}  // namespace joints
}  // namespace sinew
