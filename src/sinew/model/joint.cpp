#include "sinew/model/joint.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/model/joints/types.h"

namespace sinew {
namespace {

const BodyState worldState{};

}  // namespace

// ---- the view of recursive methods -------------------------------------------------------------

double beyondLimits(double x, double lower, double upper)
{
    return std::max(x - upper, 0.) + std::min(x - lower, 0.);
}

JointStretch jointStretch(const Joint& joint, const double* q, bool active)
{
    JointStretch s;
    if (joint.isFree()) return s;
    if (joint.isBall()) {
        const Quat Q = rotationIn(q), fromRest = joint.restRotation.conjugate() * Q;
        if (active && !joint.hasTwist)
            for (double x : logRotation(fromRest)) s.add(x, joint.stiffness);
        if (active && joint.hasTwist) {
            const SwingTwist angles = swingTwist(fromRest, joint.springAxis());
            s.add(angles.swing, joint.stiffness);
            s.add(angles.twist, joint.twistStiffness);
        }
        if (joint.limitStiffness > 0) {
            const SwingTwist angles = swingTwist(Q, joint.axis);
            const double beyond = joint.cone ? beyondCone(*joint.cone, Q) : angles.swing - joint.swingLimit;
            s.add(std::max(beyond, 0.), joint.limitStiffness);
            s.add(beyondLimits(angles.twist, joint.lower[0], joint.upper[0]), joint.limitStiffness);
        }
        return s;
    }
    for (int i = 0; i < joint.freedoms(); ++i)
        if (active) s.add(q[i] - joint.rest[i], joint.stiffness);
    if (joint.limitStiffness > 0)
        for (int i = 0; i < joint.freedoms(); ++i)
            s.add(beyondLimits(q[i], joint.lower[i], joint.upper[i]), joint.limitStiffnessOf(i));
    return s;
}

void jointRetract(const Joint& joint, const double* q, const double* delta, double* result)
{
    const JointTypeInfo& info = joint.info();
    const int plain = info.plain();
    for (int i = 0; i < plain; ++i) result[i] = q[i] + delta[i];
    if (info.hasRotation)
        joints::writeQuaternion(rotationIn(q + plain) * expRotation(joints::readVector(delta + plain)),
                                result + plain);
}

void jointChartRate(const Joint& joint, const double* delta, const double* u, double* rate)
{
    const JointTypeInfo& info = joint.info();
    for (int i = 0; i < info.freedoms; ++i) rate[i] = u[i];
    if (!info.hasRotation) return;
    const int r = info.plain();
    view<3>(rate + r) = rightJacobianInverse(joints::readVector(delta + r)) * joints::readVector(u + r);
}

// D_w(S v) − D_v(S w) is the bracket of both motions, and of rotations that of both velocities besides
// (Maurer and Cartan); D_w(S v) + D_v(S w) comes out of Ṡ u, which is D_u(S u).
Motion jointSubspaceChange(const Joint& joint, const double* q, const Transform& transform,
                           const Subspace& S, const double* v, const double* delta)
{
    const int n = joint.freedoms();
    Vec6 byV = Vec6::Zero(), byDelta = Vec6::Zero();
    for (int k = 0; k < n; ++k) {
        byV += v[k] * S.col(k);
        byDelta += delta[k] * S.col(k);
    }
    Vec6 twice = cross(Motion::from(byV), Motion::from(byDelta)).vector() +
                 jointBiasChangeByVelocity(joint, q, v, transform, delta).vector();
    if (joint.info().hasRotation) {
        const int r = joint.info().plain();
        const Vec3 turn = joints::readVector(delta + r).cross(joints::readVector(v + r));
        for (int k = 0; k < 3; ++k) twice += turn[k] * S.col(r + k);
    }
    return Motion::from(0.5 * twice);
}

// Ṡ u is a quadratic form of u. Of sizes alike, so that no digit is lost.
Motion jointBiasChangeByVelocity(const Joint& joint, const double* q, const double* u,
                                 const Transform& transform, const double* delta)
{
    if (!joint.info().bias) return {};
    const int n = joint.freedoms();
    double largest = 0, step = 0;
    for (int k = 0; k < n; ++k) {
        largest = std::max(largest, std::abs(u[k]));
        step = std::max(step, std::abs(delta[k]));
    }
    if (largest == 0 || step == 0) return {};
    const double scale = largest / step;
    double more[6], less[6];
    for (int k = 0; k < n; ++k) {
        more[k] = u[k] + scale * delta[k];
        less[k] = u[k] - scale * delta[k];
    }
    const Motion difference = jointBias(joint, q, more, transform) - jointBias(joint, q, less, transform);
    return difference * (0.5 / scale);
}

void jointRest(const Joint& joint, double* q)
{
    const JointTypeInfo& info = joint.info();
    for (int i = 0; i < info.coordinates(); ++i) q[i] = 0;
    if (info.hasRotation) q[info.coordinates() - 1] = 1;
    if (info.rest) info.rest(joint, q);
}

void jointCoordinatesOf(const Joint& joint, const BodyState* parent, const BodyState& child, double* q,
                        double* u)
{
    joint.info().coordinatesOf(joint, parent ? *parent : worldState, child, q, u);
}

// ---- the view of methods in body coordinates ----------------------------------------------------

Vec3 anchorOnParent(const Joint& joint, const BodyState* parent)
{
    return parent ? Vec3(parent->position + parent->orientation * joint.anchorParent) : joint.anchorParent;
}

Vec3 anchorOnChild(const Joint& joint, const BodyState& child)
{
    return child.position + child.orientation * joint.anchorChild;
}

namespace {

// The pose of a pair beside the nearest one that the joint allows.
struct Nearest {
    double q[7] = {}, u[6] = {};
    Transform X;  // of the joint
    Mat3 R_PC;    // as it is
    Vec3 r;       // likewise: to the child's centre of mass, parent axes
    Vec3 moved,
        turned;  // from the joint's pose: of the centre of mass and as a rotation vector, child axes

    Nearest(const Joint& joint, const BodyState& parent, const BodyState& child)
    {
        jointRest(joint, q);
        jointCoordinatesOf(joint, &parent, child, q, u);
        X = jointTransform(joint, q);
        const Quat toParent = parent.orientation.conjugate();
        R_PC = (toParent * child.orientation).toRotationMatrix();
        r = toParent * (child.position - parent.position);
        moved = R_PC.transpose() * (r - X.r);
        turned = logRotation(Quat(Mat3(X.R.transpose() * R_PC)));
    }
};

// Fills rows one by one from what is known of the two bodies.
struct RowBuilder {
    ConstraintRows& rows;
    Vec3 wP, wC;              // angular velocities, world
    Vec3 rP, rC;              // centre of mass → anchor, world
    Vec3 offset, offsetRate;  // parent's anchor → child's anchor

    // direction · (child's anchor − parent's anchor) = 0, the direction fixed in the parent
    // (Hak (1), (2), (3) for a ball joint, where all three directions are held and offset ≈ 0).
    void addPoint(const Vec3& e)
    {
        const int k = rows.count++;
        rows.child.row(k) << e.transpose(), rC.cross(e).transpose();
        rows.parent.row(k) << -e.transpose(), -(rP + offset).cross(e).transpose();
        const Vec3 eRate = wP.cross(e);
        rows.bias[k] = -(e.dot(wC.cross(wC.cross(rC)) - wP.cross(wP.cross(rP))) +
                         2 * eRate.dot(offsetRate) + wP.cross(eRate).dot(offset));
        rows.violation[k] = e.dot(offset);
    }

    // The same for a world direction, for joints whose anchors coincide (Hak (3), first row).
    void addWorldPoint(int axis, double gap)
    {
        const int k = rows.count++;
        const Vec3 e = Vec3::Unit(axis);
        rows.child.row(k) << e.transpose(), rC.cross(e).transpose();
        rows.parent.row(k) << -e.transpose(), -rP.cross(e).transpose();
        rows.bias[k] = -e.dot(wC.cross(wC.cross(rC)) - wP.cross(wP.cross(rP)));
        rows.violation[k] = gap;
    }

    // a · b = 0, a fixed in the parent and b in the child.
    void addPerpendicular(const Vec3& a, const Vec3& b)
    {
        const int k = rows.count++;
        const Vec3 n = b.cross(a);
        rows.child.row(k) << 0, 0, 0, n.transpose();
        rows.parent.row(k) << 0, 0, 0, -n.transpose();
        rows.bias[k] = -(wP.cross(wP.cross(a)).dot(b) + 2 * wP.cross(a).dot(wC.cross(b)) +
                         a.dot(wC.cross(wC.cross(b))));
        rows.violation[k] = a.dot(b);
    }

    // No relative rotation; `error` is the rotation vector from where the child should be.
    void addLock(const Vec3& error)
    {
        for (int i = 0; i < 3; ++i) {
            const int k = rows.count++;
            rows.child.row(k).setZero();
            rows.parent.row(k).setZero();
            rows.child(k, 3 + i) = 1;
            rows.parent(k, 3 + i) = -1;
            rows.bias[k] = 0;
            rows.violation[k] = error[i];
        }
    }
};

// What the subspace S leaves, as orthonormal columns: the unit vectors that are farthest from it.
int complementOf(const Subspace& S, Mat6& N)
{
    Mat6 basis;
    int count = 0;
    const auto across = [&](Vec6 x) {
        for (int twice = 0; twice < 2; ++twice)  // rounding
            for (int k = 0; k < count; ++k) x -= basis.col(k).dot(x) * basis.col(k);
        return x;
    };
    const int held = static_cast<int>(S.cols());
    for (; count < held; ++count) basis.col(count) = across(S.col(count)).normalized();
    for (; count < 6; ++count) {
        Vec6 best = Vec6::Zero();
        for (int i = 0; i < 6; ++i) {
            const Vec6 x = across(Vec6::Unit(i));
            if (x.squaredNorm() > best.squaredNorm()) best = x;
        }
        basis.col(count) = best.normalized();
    }
    N.leftCols(6 - held) = basis.rightCols(6 - held);
    return 6 - held;
}

// The rows of a type that gives none: n · (motion of the child against the parent) = 0 for all n that are
// at right angles to S.
void rowsBesideSubspace(const Joint& joint, const BodyState& parent, const BodyState& child,
                        ConstraintRows& rows)
{
    const Nearest at(joint, parent, child);
    Subspace S;
    jointSubspace(joint, at.q, at.X, S);
    Mat6 N;
    rows.count = complementOf(S, N);
    const Transform now{at.R_PC, at.r};
    const Quat& R_C = child.orientation;
    const Motion v{R_C.conjugate() * child.velocity, child.angularVelocity};
    const Vec3 vP = parent.orientation.conjugate() * parent.velocity;
    const auto u = view(at.u, S.cols());
    // How fast what S allows changes, and what the accelerations of the centres of mass have beside the
    // spatial ones.
    Motion bias = jointBias(joint, at.q, at.u, at.X) + cross(v, Motion::from(S * u));
    bias.linear += v.angular.cross(v.linear);
    bias = bias - now.toChild({parent.angularVelocity.cross(vP), Vec3::Zero()});
    const Vec3 arm = child.position - parent.position;
    Vec6 error;
    error << at.moved, at.turned;
    for (int k = 0; k < rows.count; ++k) {
        const Vec3 linear = R_C * N.col(k).head<3>(), angular = R_C * N.col(k).tail<3>();
        rows.child.row(k) << linear.transpose(), angular.transpose();
        rows.parent.row(k) << -linear.transpose(), -(angular + arm.cross(linear)).transpose();
        rows.bias[k] = N.col(k).dot(bias.vector());
        rows.violation[k] = N.col(k).dot(error);
    }
}

}  // namespace

void constraintRows(const Joint& joint, const BodyState* parent, const BodyState& child,
                    ConstraintRows& rows)
{
    rows.count = 0;
    if (joint.isFree()) return;
    const BodyState& p = parent ? *parent : worldState;
    const JointTypeInfo& info = joint.info();
    if (!info.rows) return rowsBesideSubspace(joint, p, child, rows);

    const Mat3 R_P = p.orientation.toRotationMatrix();
    const Mat3 R_C = child.orientation.toRotationMatrix();
    const Mat3 R_rest = R_P * joint.R_PC_rest;  // the child's axes, had the joint not moved

    RowBuilder build{rows,
                     R_P * p.angularVelocity,
                     R_C * child.angularVelocity,
                     R_P * joint.anchorParent,
                     R_C * joint.anchorChild,
                     Vec3::Zero(),
                     Vec3::Zero()};
    build.offset = child.position + build.rC - p.position - build.rP;
    build.offsetRate = child.velocity + build.wC.cross(build.rC) - p.velocity - build.wP.cross(build.rP);

    const int others = info.keepsOrientation() ? info.rowCount() - 3 : info.rowCount();
    int k = 0;
    if (info.keepsPoint)
        for (; k < 3; ++k) build.addWorldPoint(k, build.offset[k]);
    if (k < others) {
        Row given[6];
        info.rows(joint, given);
        for (; k < others; ++k) {
            if (given[k].kind == Row::sliding)
                build.addPoint(R_rest * given[k].a);
            else
                build.addPerpendicular(R_rest * given[k].a, R_C * given[k].b);
        }
    }
    // Three rows that do not depend on the pose instead of three directors.
    if (info.keepsOrientation()) build.addLock(logRotation(Quat(Mat3(R_C * R_rest.transpose()))));
}

JointError jointErrorOf(const Joint& joint, const BodyState* parent, const BodyState& child)
{
    const Nearest at(joint, parent ? *parent : worldState, child);
    // Of the anchor, which the turn moves as well.
    const Vec3 gap = at.r + at.R_PC * joint.anchorChild - at.X.r - at.X.R * joint.anchorChild;
    return {gap.norm(), at.turned.norm()};
}

}  // namespace sinew
