// A compiled joint, and the two views of it that solvers need.
//
// Recursive methods ask how a child moves against its parent: the transform, the motion subspace S
// and its rate. Methods in body coordinates ask which relative motions are forbidden: constraint
// rows. Both come out of the table of joint types (model/joint_type.h); nothing but the table and the
// files of model/joints, its rows, looks at a joint's type.
//
// A joint runs from parent to child. With Q the rotation since rest, in child axes,
//     R_PC = R_PC(rest) · Q(q),
// each type's file says what Q is. When the description's first body is the child, the axes are reversed
// (and a universal joint's two exchanged), so that q and u of all but ball joints and free ones mean the
// same either way.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "sinew/base/special_members.h"
#include "sinew/math/spatial.h"
#include "sinew/math/swing_cone.h"
#include "sinew/model/joint_type.h"

namespace sinew {

// Long chains are bound by memory: what every pass reads comes first, what few read comes last.
struct Joint {
    SINEW_SPECIAL_MEMBERS(Joint);

    JointType type = JointType::free;
    bool childIsFirst = false;  // the description's first body is the child
    bool declared = true;       // false: the free joint that compile() gave a root
    bool hasMotor = false;
    bool hasTwist = false;  // ball joint: swing and twist apart, about `axis`
    int parent = -1;        // tree index, −1 is the world
    int q = 0;              // where its coordinates and velocities start
    int u = 0;
    int firstSwitch = -1;  // of its own in Model::switches; −1: none
    int prescribed = -1;   // in Model::prescribed; −1: never
    double stiffness = 0;
    double limitStiffness = 0;  // zero: no limits
    double damping = 0;
    double armature = 0;
    double coulomb = 0;
    int drives = -1;  // in Model::drives

    Vec3 anchorParent = Vec3::Zero();  // in parent axes, from the parent's centre of mass
    Vec3 anchorChild = Vec3::Zero();   // in child axes, from the child's centre of mass
    Mat3 R_PC_rest = Mat3::Identity();
    // Child axes at rest; universal: a, the one fixed in the parent; ball joint: of the twist, or zero.
    Vec3 axis = Vec3::Zero();
    Vec3 axis2 = Vec3::Zero();  // universal: b, fixed in the child

    Vec3 rest = Vec3::Zero();              // hinge, slide, universal: where the spring is slack
    Quat restRotation = Quat::Identity();  // ball joint: the same
    double twistStiffness = 0;
    double slideLimits = 1;  // the stiffness of limits of what slides, over limitStiffness
    double swingLimit = std::numeric_limits<double>::infinity();
    std::optional<SwingCone> cone;  // in place of it; child axes at rest
    Vec3 lower = Vec3::Constant(-std::numeric_limits<double>::infinity());
    Vec3 upper = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec6 motor = Vec6::Zero();  // as in the description, one per freedom
    std::string name;

    // Ball joint: the axis of the twist from the rest, so that a spring does not ask which body is the
    // child.
    Vec3 springAxis() const { return childIsFirst ? Vec3(restRotation.conjugate() * axis) : axis; }
    // What the limits of one freedom push back with.
    double limitStiffnessOf(int freedom) const
    {
        return freedom < slides() ? slideLimits * limitStiffness : limitStiffness;
    }
    // Forces beside spring, limits, dampers and motor.
    bool hasDrives() const { return drives >= 0 || coulomb > 0; }
    // Any force of its own at all; laws that a program registers are not asked.
    bool hasForces() const { return hasSpring() || damping != 0 || hasMotor || hasDrives(); }
    bool hasSpring() const { return stiffness > 0 || twistStiffness > 0 || limitStiffness > 0; }

    // What its type says (model/joint_type.h).
    const JointTypeInfo& info() const { return jointTypeInfo(type); }
    int coordinates() const { return info().coordinates(); }
    int freedoms() const { return info().freedoms; }
    int rows() const { return info().rowCount(); }
    int slides() const { return info().slides; }
    int turns() const { return info().turns(); }
    bool isFree() const { return info().isFree(); }
    bool limitsSwing() const { return cone || std::isfinite(swingLimit); }
    bool isRigid() const { return info().isRigid(); }
    bool isArticulated() const { return info().isArticulated(); }
    bool isBall() const { return info().isBall(); }
    bool keepsPoint() const { return info().keepsPoint; }
    bool keepsOrientation() const { return info().keepsOrientation(); }
    // Whether freedom k comes before another one from the parent to the child, which then moves k's axis.
    bool isBefore(int k, int other) const
    {
        return childIsFirst && !info().exchanges ? other < k : k < other;
    }
    // Which freedom of the joint is the description's i-th, and the other way round.
    int described(int i) const { return childIsFirst && info().exchanges ? info().freedoms - 1 - i : i; }
};

// The pose and velocity of one body, as the maximal methods step it.
struct BodyState {
    Vec3 position = Vec3::Zero();         // centre of mass, world
    Quat orientation = Quat::Identity();  // body → world
    Vec3 velocity = Vec3::Zero();         // of the centre of mass, world axes
    Vec3 angularVelocity = Vec3::Zero();  // body axes

    Vec3 angularVelocityWorld() const { return orientation * angularVelocity; }
};

// ---- the view of recursive methods -------------------------------------------------------------

// Where the child's frame is in the parent's. q points at this joint's coordinates.
inline Transform jointTransform(const Joint& joint, const double* q)
{
    return joint.info().transform(joint, q);
}

// S, given the transform at the same q.
inline void jointSubspace(const Joint& joint, const double* q, const Transform& transform, Subspace& S)
{
    const JointTypeInfo& info = joint.info();
    S.resize(6, info.freedoms);
    info.subspace(joint, q, transform, S);
}

// Ṡ u, the rate of S seen from the child.
inline Motion jointBias(const Joint& joint, const double* q, const double* u, const Transform& transform)
{
    const JointTypeInfo& info = joint.info();
    return info.bias ? info.bias(joint, q, u, transform) : Motion();
}

// How S v changes as q moves along the tangent vector `delta`, for constant v; S is that at q.
Motion jointSubspaceChange(const Joint& joint, const double* q, const Transform& transform,
                           const Subspace& S, const double* v, const double* delta);
// Likewise Ṡ u, for constant u; and as u changes by `delta` instead.
inline Motion jointBiasChange(const Joint& joint, const double* q, const double* u,
                              const Transform& transform, const double* delta)
{
    const JointTypeInfo& info = joint.info();
    return info.biasChange ? info.biasChange(joint, q, u, transform, delta) : Motion();
}
Motion jointBiasChangeByVelocity(const Joint& joint, const double* q, const double* u,
                                 const Transform& transform, const double* delta);

// A wrench on the child (at its centre of mass, child axes) whose power is Q · u: a pure torque for the
// turning freedoms, a pure force for the sliding ones. The parent gets its opposite, at the same place.
inline Force jointForce(const Joint& joint, const double* q, const double* Q, const Transform& transform)
{
    return joint.info().force(joint, q, Q, transform);
}

// u from the child's motion against the parent's (at the child's centre of mass, child axes), as near as
// the joint allows.
inline void jointVelocityOf(const Joint& joint, const double* q, const Transform& transform,
                            const Motion& relative, double* u)
{
    joint.info().velocityOf(joint, q, transform, relative, u);
}

// How far the springs of a joint are stretched at q. Its energy is ½ Σ stiffness · amount².
//     ball joint            the rotation vector from the rest (three)
//     with an axis          swing and twist from the rest, then beyond the limits
//     any other, not free   per freedom: from the rest, then beyond the limits
struct JointStretch {
    static constexpr int most = 6;
    int count = 0;
    double amount[most] = {};
    double stiffness[most] = {};

    void add(double x, double k)
    {
        amount[count] = x;
        stiffness[count++] = k;
    }
};
// `active`: not switched off; limits hold in any case.
JointStretch jointStretch(const Joint& joint, const double* q, bool active = true);
// How far x lies outside [lower, upper], with its sign.
double beyondLimits(double x, double lower, double upper);

// The rotation among a joint's coordinates: all four of a ball joint's, the last four of a free one's.
inline Quat rotationIn(const double* q)
{
    return Quat(q[3], q[0], q[1], q[2]);
}

// q moved along the tangent vector `delta` (one number per freedom): q ⊕ δ.
void jointRetract(const Joint& joint, const double* q, const double* delta, double* result);

// How fast δ must grow for q ⊕ δ to move with the velocity u: u itself, but for rotations, whose
// rotation vector grows by J_r⁻¹(δ) u.
void jointChartRate(const Joint& joint, const double* delta, const double* u, double* rate);

// Coordinates at rest.
void jointRest(const Joint& joint, double* q);

// Coordinates and velocities of a pair of bodies, as near as the joint allows. Angles are counted
// from those already in q, so that full turns are kept. A null parent is the world.
void jointCoordinatesOf(const Joint& joint, const BodyState* parent, const BodyState& child, double* q,
                        double* u);

// ---- the view of methods in body coordinates ----------------------------------------------------

// Rows r of  parent · a_parent + child · a_child = bias,  accelerations as (linear of the centre of
// mass, angular) in world axes; and how far the pose is from closed.
struct ConstraintRows {
    int count = 0;
    Mat6 parent, child;  // the first `count` rows are in use
    Vec6 bias;
    Vec6 violation;  // C, with d/dt C = parent · v_parent + child · v_child
};
void constraintRows(const Joint& joint, const BodyState* parent, const BodyState& child,
                    ConstraintRows& rows);

// How far a pair of bodies is from the nearest pose that the joint allows.
struct JointError {
    double gap = 0;           // m
    double misalignment = 0;  // rad
};
JointError jointErrorOf(const Joint& joint, const BodyState* parent, const BodyState& child);

// Where the joint is on its two bodies, in the world.
Vec3 anchorOnParent(const Joint& joint, const BodyState* parent);
Vec3 anchorOnChild(const Joint& joint, const BodyState& child);

}  // namespace sinew
