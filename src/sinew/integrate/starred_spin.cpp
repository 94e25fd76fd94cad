#include "sinew/integrate/starred_spin.h"

#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew {
namespace {

// The axis whose moment is apart from the other two.
Vec3 distinctAxis(const Mat3& inertia)
{
    constexpr double alike = 1e-6;
    const SymmetricEigen3 eigen(inertia);
    const Vec3& m = eigen.eigenvalues();
    if (m[2] - m[0] <= alike * m[2]) return Vec3::Zero();
    const bool isLargest = m[2] - m[1] >= m[1] - m[0] - alike * m[2];
    return eigen.eigenvectors().col(isLargest ? 2 : 0);
}

bool turnsWithParent(const Joint& joint)
{
    return joint.parent >= 0 && joint.keepsOrientation();
}

Mat3 pointInertia(const Vec3& place)
{
    return place.squaredNorm() * Mat3::Identity() - place * place.transpose();
}

// Where a point of a body is from the centre of mass of what turns with it, in axes of its lead, at rest.
Vec3 restInGroup(const Model& model, const LargeVector<SpinAxis>& axes, int body, const Vec3& point)
{
    const int lead = axes[body].lead;
    if (lead == body) return point - axes[lead].center;
    return model.bodies[lead].rest.inverse() * (model.bodies[body].rest * point) - axes[lead].center;
}

// The same of a body's centre, now.
Vec3 placeInGroup(const State& state, const LargeVector<SpinAxis>& axes, int body)
{
    const BodyState& lead = state.bodies[axes[body].lead];
    return lead.orientation.conjugate() * (state.bodies[body].position - lead.position) -
           axes[axes[body].lead].center;
}

// Mass, centre and inertia of what turns as one, at rest.
void findGroups(const Model& model, LargeVector<SpinAxis>& axes)
{
    bool anyFollows = false;
    for (int i = 0; i < model.size(); ++i) {
        SpinAxis& axis = axes[i];
        axis.lead = turnsWithParent(model.joints[i]) ? axes[model.joints[i].parent].lead : i;
        anyFollows |= axis.lead != i;
        axis.mass = model.bodies[i].mass;
        axis.total = model.bodies[i].inertia;
        axis.isSymmetric = true;
        axis.center.setZero();
        axis.found.setZero();
    }
    if (!anyFollows) return;
    for (SpinAxis& axis : axes) {
        axis.mass = 0;
        axis.total.setZero();
    }
    for (int i = 0; i < model.size(); ++i) axes[axes[i].lead].mass += model.bodies[i].mass;
    for (int i = 0; i < model.size(); ++i) {
        SpinAxis& lead = axes[axes[i].lead];
        if (axes[i].lead == i || !(lead.mass > 0)) continue;
        lead.center += model.bodies[i].mass / lead.mass *
                       (model.bodies[axes[i].lead].rest.inverse() * model.bodies[i].rest.position);
    }
    for (int i = 0; i < model.size(); ++i) {
        const int lead = axes[i].lead;
        const Body& body = model.bodies[i];
        Mat3 own = body.inertia;
        if (lead != i) {
            const Quat between = model.bodies[lead].rest.orientation.conjugate() * body.rest.orientation;
            const Mat3 turn = between.toRotationMatrix();
            own = turn * own * turn.transpose();
        }
        axes[lead].total += own + body.mass * pointInertia(restInGroup(model, axes, i, Vec3::Zero()));
    }
}

// Sums over the joints about which they turn.
void findAnchors(const Model& model, LargeVector<SpinAxis>& axes)
{
    const auto addTo = [&](int body, const Vec3& anchor) {
        const Vec3 place = restInGroup(model, axes, body, anchor);
        axes[axes[body].lead].found += place * place.transpose();
    };
    const auto add = [&](const Joint& joint, int child) {
        if (!joint.isArticulated() || !joint.keepsPoint()) return;
        addTo(child, joint.anchorChild);
        if (joint.parent >= 0) addTo(joint.parent, joint.anchorParent);
    };
    for (int i = 0; i < model.size(); ++i) add(model.joints[i], i);
    for (const LoopJoint& loop : model.loops) add(loop.joint, loop.child);
}

void setAxis(SpinAxis& axis)
{
    if (axis.middle > 0 && axis.inertia == axis.total && axis.anchors == axis.found) return;
    axis.inertia = axis.total;
    axis.anchors = axis.found;
    axis.middle = SymmetricEigen3(axis.inertia).eigenvalues()[1];
    axis.axis =
        distinctAxis(axis.inertia + axis.mass * (axis.anchors.trace() * Mat3::Identity() - axis.anchors));
}

void findHeld(const Model& model, double time, std::span<const Contact> contacts,
              LargeVector<StarredSpin>& spins)
{
    for (int i = 0; i < model.size(); ++i)
        spins[i].isHeld = !model.joints[i].isFree() || model.skeletons[model.skeletonOf[i]].count > 1;
    const auto hold = [&](int body) {
        if (body >= 0) spins[body].isHeld = true;
    };
    for (const LoopJoint& loop : model.loops) {
        if (!loop.holds(time)) continue;
        hold(loop.child);
        hold(loop.joint.parent);
    }
    for (const Contact& contact : contacts) {
        hold(contact.bodyA);
        hold(contact.bodyB);
    }
}

// Whether a body that follows a lead is one more wheel on the same shaft.
bool isOnAxis(const Model& model, const State& state, const LargeVector<SpinAxis>& axes, int body)
{
    constexpr double off = 1e-6;
    const SpinAxis& lead = axes[axes[body].lead];
    const Vec3 z = state.bodies[body].orientation.conjugate() *
                   (state.bodies[axes[body].lead].orientation * lead.axis);
    const Mat3& I = model.bodies[body].inertia;
    const Vec3 place = placeInGroup(state, axes, body);
    return (I * z).cross(z).norm() <= off * I.trace() &&
           model.bodies[body].mass * place.cross(lead.axis).squaredNorm() <= off * lead.inertia.trace();
}

bool isFreeToTurn(const SpinAxis& axis, const StarredSpin& star, const Vec3& w, double h)
{
    constexpr double largestTurn = 1;  // rad, of A over the step
    return !star.isHeld && h * (axis.inertia * w).norm() <= largestTurn * axis.middle;
}

void chooseSpin(const SpinAxis& axis, const Vec3& w, double h, StarredSpin& star)
{
    constexpr double largestTilt = 0.5;  // rad, of z over the step
    star.axis.setZero();
    star.spin.setZero();
    if (axis.middle <= 0) return;  // no inertia
    if (isFreeToTurn(axis, star, w, h)) {
        star.spin = w - axis.inertia * w / axis.middle;
        return;
    }
    if (!axis.isSymmetric) return;
    const Vec3 spin = axis.axis.isZero(0) ? w : Vec3(axis.axis.dot(w) * axis.axis);
    if (h * (w - spin).norm() > largestTilt) return;
    star.axis = axis.axis;
    star.spin = spin;
}

}  // namespace

Vec3 StarredSpin::velocity(const Quat& R, double h) const
{
    return spin + logRotation(orientation.conjugate() * R) / h;
}

Mat3 StarredSpin::velocityRate(const Vec3& w, double h) const
{
    return rightJacobianInverse(h * (w - spin));
}

Vec3 StarredSpin::need(const Mat3& I, const Quat& R, const Vec3& w, double h) const
{
    const Vec3 L = I * w, started = R.conjugate() * momentum;
    return (L - started + (axis.dot(started) - axial) * axis) / h + axis.dot(w.cross(L)) * axis;
}

Mat3 StarredSpin::turningInertia(const Mat3& I, const Quat& R, const Vec3& w, const Mat3& rate,
                                 double h) const
{
    const Vec3 started = R.conjugate() * momentum;
    Mat3 turning = I * rate - tilde(h * started);
    if (axis.isZero(0)) return turning;
    // zᵀ (ω~I − (Iω)~) and zᵀ L*~ as rows.
    const Vec3 gyroscopic = I * axis.cross(w) - axis.cross(I * w);
    turning += h * axis * (rate.transpose() * gyroscopic + axis.cross(started)).transpose();
    return turning;
}

void findSpinAxes(const Model& model, LargeVector<SpinAxis>& axes)
{
    axes.resize(model.bodies.size());
    findGroups(model, axes);
    findAnchors(model, axes);
    for (int i = 0; i < model.size(); ++i)
        if (axes[i].lead == i) setAxis(axes[i]);
}

Mat3 spinRate(const SpinAxis& axis, const StarredSpin& star, const Vec3& w, double h)
{
    if (!star.axis.isZero(0)) return star.axis * star.axis.transpose();
    if (axis.middle <= 0) return Mat3::Zero();
    if (isFreeToTurn(axis, star, w, h)) return Mat3::Identity() - axis.inertia / axis.middle;
    return star.spin == w ? Mat3(Mat3::Identity()) : Mat3(Mat3::Zero());
}

void starSpins(const Model& model, const State& state, double h, std::span<const double> parts,
               std::span<const Contact> contacts, LargeVector<SpinAxis>& axes,
               LargeVector<StarredSpin>& spins)
{
    spins.resize(model.bodies.size());
    findHeld(model, state.time, contacts, spins);
    findSpinAxes(model, axes);
    for (int i = 0; i < model.size(); ++i) {
        if (axes[i].lead == i) continue;
        SpinAxis& lead = axes[axes[i].lead];
        lead.isSymmetric = lead.isSymmetric && isOnAxis(model, state, axes, i);
    }
    for (int i = 0; i < model.size(); ++i) {
        const Mat3& I = model.bodies[i].inertia;
        const Joint& joint = model.joints[i];
        const BodyState& body = state.bodies[i];
        StarredSpin& star = spins[i];
        const Vec3& w = body.angularVelocity;
        if (turnsWithParent(joint)) {
            // Their discrete velocities must agree, so they share what is taken out.
            const Quat toChild = body.orientation.conjugate() * state.bodies[joint.parent].orientation;
            star.spin = toChild * spins[joint.parent].spin;
            star.axis = toChild * spins[joint.parent].axis;
        } else {
            chooseSpin(axes[i], w, h, star);
        }
        const Quat turn = expRotation(h * star.spin);
        star.orientation = body.orientation * turn;
        star.momentum = body.orientation * (I * w);
        star.axial = star.axis.dot(I * w);
        if (parts[model.skeletonOf[i]] == 1) continue;
        const BodyState& old = state.previous[i];
        const Quat before = old.orientation * turn * turn;
        star.orientation =
            star.orientation * expRotation(logRotation(before.conjugate() * star.orientation) / 3);
        star.momentum = (4 * star.momentum - old.orientation * (I * old.angularVelocity)) / 3;
        star.axial = (4 * star.axial - star.axis.dot(I * old.angularVelocity)) / 3;
    }
}

}  // namespace sinew
