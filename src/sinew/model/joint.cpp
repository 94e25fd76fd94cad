#include "sinew/model/joint.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

void writeQuaternion(const Quat& rotation, double* q)
{
    const Quat unit = rotation.normalized();
    q[0] = unit.x();
    q[1] = unit.y();
    q[2] = unit.z();
    q[3] = unit.w();
}

Vec3 readVector(const double* x)
{
    return {x[0], x[1], x[2]};
}

// The first axis of a universal joint where it is now, in child axes: exp(−q₁ b) a.
Vec3 universalFirstAxis(const Joint& joint, const double* q)
{
    return expRotation(-q[1] * joint.axis2) * joint.axis;
}

const BodyState worldState{};

}  // namespace

Transform jointTransform(const Joint& joint, const double* q)
{
    Transform X;
    switch (joint.type) {
        case JointType::hinge:
            X.R = joint.R_PC_rest * expRotation(q[0] * joint.axis).toRotationMatrix();
            break;
        case JointType::spherical:
            X.R = joint.R_PC_rest * rotationIn(q).toRotationMatrix();
            break;
        case JointType::slide:
        case JointType::weld:
            X.R = joint.R_PC_rest;
            break;
        case JointType::universal:
            X.R = joint.R_PC_rest *
                  (expRotation(q[0] * joint.axis) * expRotation(q[1] * joint.axis2)).toRotationMatrix();
            break;
        case JointType::free:
            X.R = joint.R_PC_rest * rotationIn(q + 3).toRotationMatrix();
            X.r = readVector(q);
            return X;
    }
    X.r = joint.anchorParent - X.R * joint.anchorChild;
    if (joint.type == JointType::slide) X.r += q[0] * (joint.R_PC_rest * joint.axis);
    return X;
}

void jointSubspace(const Joint& joint, const double* q, const Transform& transform, Subspace& S)
{
    // A rotation about the anchor moves the centre of mass by ω × (−anchor) = anchor × ω.
    const Vec3& anchor = joint.anchorChild;
    S.resize(6, joint.freedoms());
    switch (joint.type) {
        case JointType::hinge:
            S << anchor.cross(joint.axis), joint.axis;
            break;
        case JointType::spherical:
            S << tilde(anchor), Mat3::Identity();
            break;
        case JointType::slide:
            S << joint.axis, Vec3::Zero();
            break;
        case JointType::universal: {
            const Vec3 a = universalFirstAxis(joint, q);
            S.col(0) << anchor.cross(a), a;
            S.col(1) << anchor.cross(joint.axis2), joint.axis2;
            break;
        }
        case JointType::weld:
            break;
        case JointType::free:
            S << transform.R.transpose(), Mat3::Zero(), Mat3::Zero(), Mat3::Identity();
            break;
    }
}

Motion jointBias(const Joint& joint, const double* q, const double* u, const Transform& transform)
{
    if (joint.type == JointType::universal) {
        const Vec3 rate = (u[0] * u[1]) * universalFirstAxis(joint, q).cross(joint.axis2);
        return {joint.anchorChild.cross(rate), rate};
    }
    if (joint.type == JointType::free) {
        // The offset's rate is in parent axes, which turn backwards as seen from the child.
        return {-readVector(u + 3).cross(transform.R.transpose() * readVector(u)), Vec3::Zero()};
    }
    return {};
}

Force jointForce(const Joint& joint, const double* q, const double* Q, const Transform& transform)
{
    switch (joint.type) {
        case JointType::hinge:
            return {Vec3::Zero(), Q[0] * joint.axis};
        case JointType::spherical:
            return {Vec3::Zero(), readVector(Q)};
        case JointType::slide:
            return {Q[0] * joint.axis, Vec3::Zero()};
        case JointType::universal:  // the axes are perpendicular by construction
            return {Vec3::Zero(), Q[0] * universalFirstAxis(joint, q) + Q[1] * joint.axis2};
        case JointType::weld:
            return {};
        case JointType::free:
            return {transform.R.transpose() * readVector(Q), readVector(Q + 3)};
    }
    return {};
}

void jointVelocityOf(const Joint& joint, const double* q, const Transform& transform,
                     const Motion& relative, double* u)
{
    switch (joint.type) {
        case JointType::hinge:
            u[0] = joint.axis.dot(relative.angular);
            break;
        case JointType::spherical:
            Eigen::Map<Vec3>{u} = relative.angular;
            break;
        case JointType::slide:
            u[0] = joint.axis.dot(relative.linear);
            break;
        case JointType::universal:
            u[0] = universalFirstAxis(joint, q).dot(relative.angular);
            u[1] = joint.axis2.dot(relative.angular);
            break;
        case JointType::weld:
            break;
        case JointType::free:
            Eigen::Map<Vec3>{u} = transform.R * relative.linear;
            Eigen::Map<Vec3>{u + 3} = relative.angular;
            break;
    }
}

double beyondLimits(double x, double lower, double upper)
{
    return std::max(x - upper, 0.) + std::min(x - lower, 0.);
}

JointStretch jointStretch(const Joint& joint, const double* q, bool active)
{
    JointStretch s;
    if (joint.type == JointType::free) return s;
    if (joint.type == JointType::spherical) {
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
            s.add(std::max(angles.swing - joint.swingLimit, 0.), joint.limitStiffness);
            s.add(beyondLimits(angles.twist, joint.lower[0], joint.upper[0]), joint.limitStiffness);
        }
        return s;
    }
    for (int i = 0; i < joint.freedoms(); ++i)
        if (active) s.add(q[i] - joint.rest[i], joint.stiffness);
    if (joint.limitStiffness > 0)
        for (int i = 0; i < joint.freedoms(); ++i)
            s.add(beyondLimits(q[i], joint.lower[i], joint.upper[i]), joint.limitStiffness);
    return s;
}

void jointRetract(const Joint& joint, const double* q, const double* delta, double* result)
{
    switch (joint.type) {
        case JointType::hinge:
        case JointType::slide:
            result[0] = q[0] + delta[0];
            break;
        case JointType::universal:
            result[0] = q[0] + delta[0];
            result[1] = q[1] + delta[1];
            break;
        case JointType::spherical:
            writeQuaternion(rotationIn(q) * expRotation(readVector(delta)), result);
            break;
        case JointType::weld:
            break;
        case JointType::free:
            for (int i = 0; i < 3; ++i) result[i] = q[i] + delta[i];
            writeQuaternion(rotationIn(q + 3) * expRotation(readVector(delta + 3)), result + 3);
            break;
    }
}

void jointChartRate(const Joint& joint, const double* delta, const double* u, double* rate)
{
    for (int i = 0; i < joint.freedoms(); ++i) rate[i] = u[i];
    if (joint.type != JointType::spherical && joint.type != JointType::free) return;
    const int r = joint.type == JointType::free ? 3 : 0;
    Eigen::Map<Vec3>{rate + r} = rightJacobianInverse(readVector(delta + r)) * readVector(u + r);
}

void jointRest(const Joint& joint, double* q)
{
    for (int i = 0; i < joint.coordinates(); ++i) q[i] = 0;
    if (joint.type == JointType::spherical) q[3] = 1;
    if (joint.type == JointType::free) {
        for (int i = 0; i < 3; ++i) q[i] = joint.anchorParent[i];
        q[6] = 1;
    }
}

void jointCoordinatesOf(const Joint& joint, const BodyState* parent, const BodyState& child, double* q,
                        double* u)
{
    const BodyState& p = parent ? *parent : worldState;
    if (joint.type == JointType::spherical) {  // quaternions all the way: this is asked for in every step
        const Quat R_PC = p.orientation.conjugate() * child.orientation;
        Quat Q = Quat(joint.R_PC_rest).conjugate() * R_PC;
        if (Q.w() < 0) Q.coeffs() = -Q.coeffs();
        writeQuaternion(Q, q);
        Eigen::Map<Vec3>{u} = child.angularVelocity - R_PC.conjugate() * p.angularVelocity;
        return;
    }
    const Mat3 R_P = p.orientation.toRotationMatrix();
    const Mat3 R_C = child.orientation.toRotationMatrix();
    const Quat Q(Mat3(joint.R_PC_rest.transpose() * R_P.transpose() * R_C));
    // Relative angular velocity in child axes.
    const Vec3 spin = child.angularVelocity - R_C.transpose() * (R_P * p.angularVelocity);

    switch (joint.type) {
        case JointType::hinge:
            q[0] = unwrapAngle(twistAngle(Q, joint.axis), q[0]);
            u[0] = joint.axis.dot(spin);
            break;
        case JointType::spherical:
            break;  // above
        case JointType::slide: {
            const Vec3 axis = R_P * (joint.R_PC_rest * joint.axis);
            const Vec3 rP = R_P * joint.anchorParent, rC = R_C * joint.anchorChild;
            const Vec3 offset = child.position + rC - p.position - rP;
            const Vec3 wP = R_P * p.angularVelocity, wC = R_C * child.angularVelocity;
            const Vec3 rate = child.velocity + wC.cross(rC) - p.velocity - wP.cross(rP);
            q[0] = axis.dot(offset);
            u[0] = axis.dot(rate - wP.cross(offset));
            break;
        }
        case JointType::universal: {
            const Vec3 &a = joint.axis, &b = joint.axis2;
            const Vec3 across = a.cross(b);
            const Vec3 turnedB = Q * b, turnedA = Q.conjugate() * a;
            q[0] = unwrapAngle(angleOf(across.dot(turnedB), b.dot(turnedB)), q[0]);
            q[1] = unwrapAngle(angleOf(across.dot(turnedA), a.dot(turnedA)), q[1]);
            // The two axes now, at right angles up to the joint's own error.
            u[0] = universalFirstAxis(joint, q).dot(spin);
            u[1] = b.dot(spin);
            break;
        }
        case JointType::weld:
            break;
        case JointType::free: {
            const Vec3 offset = child.position - p.position;
            const Vec3 t = R_P.transpose() * offset;
            const Vec3 rate = R_P.transpose() * (child.velocity - p.velocity) - p.angularVelocity.cross(t);
            for (int i = 0; i < 3; ++i) {
                q[i] = t[i];
                u[i] = rate[i];
                u[3 + i] = spin[i];
            }
            writeQuaternion(Q, q + 3);
            break;
        }
    }
}

Vec3 anchorOnParent(const Joint& joint, const BodyState* parent)
{
    return parent ? Vec3(parent->position + parent->orientation * joint.anchorParent) : joint.anchorParent;
}

Vec3 anchorOnChild(const Joint& joint, const BodyState& child)
{
    return child.position + child.orientation * joint.anchorChild;
}

namespace {

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

}  // namespace

void constraintRows(const Joint& joint, const BodyState* parent, const BodyState& child,
                    ConstraintRows& rows)
{
    rows.count = 0;
    if (joint.type == JointType::free) return;

    const BodyState& p = parent ? *parent : worldState;
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

    if (joint.type != JointType::slide)
        for (int i = 0; i < 3; ++i) build.addWorldPoint(i, build.offset[i]);

    switch (joint.type) {
        case JointType::hinge: {
            const Directors d = directorsAcross(joint.axis);
            build.addPerpendicular(R_rest * d.first, R_C * joint.axis);
            build.addPerpendicular(R_rest * d.second, R_C * joint.axis);
            break;
        }
        case JointType::universal:
            build.addPerpendicular(R_rest * joint.axis, R_C * joint.axis2);
            break;
        case JointType::slide: {
            const Directors d = directorsAcross(joint.axis);
            build.addPoint(R_rest * d.first);
            build.addPoint(R_rest * d.second);
            build.addLock(logRotation(Quat(Mat3(R_C * R_rest.transpose()))));
            break;
        }
        case JointType::weld:
            build.addLock(logRotation(Quat(Mat3(R_C * R_rest.transpose()))));
            break;
        case JointType::spherical:
        case JointType::free:
            break;
    }
}

}  // namespace sinew
