#include "sinew/derivative/step_equations.h"

#include "sinew/force/laws/obstacles.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew::stepping {
namespace {

bool sleeps(const StepPart& part, int skeleton)
{
    return !part.start.quiet.empty() && part.start.quiet[static_cast<std::size_t>(skeleton)] < 0;
}

void setSpin(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    BodyTerms& body = terms.bodies[i];
    const Joint& joint = model.joints[i];
    const State& start = part.start;
    if (joint.parent >= 0 && joint.keepsOrientation()) {
        const BodyTerms& parent = terms.bodies[joint.parent];
        body.spinSource = parent.spinSource;
        body.spin = (start.bodies[i].orientation.conjugate() * start.bodies[joint.parent].orientation)
                        .toRotationMatrix() *
                    parent.spin;
        return;
    }
    body.spinSource = i;
    body.spin = spinRate(terms.spinAxes[static_cast<std::size_t>(i)], part.spins[i],
                         start.bodies[i].angularVelocity, part.h);
}

// How discrete angular velocity and need of torque change.
void setTurning(const Model& model, const StepPart& part, int i, BodyTerms& body)
{
    const StarredSpin& star = part.spins[i];
    const BodyState &start = part.start.bodies[i], &end = part.end.bodies[i];
    const Mat3& I = model.bodies[i].inertia;
    const Mat3& R = body.R;
    const Mat3 R0 = start.orientation.toRotationMatrix();
    const Vec3& w = end.angularVelocity;
    // A* turns, in its own axes, by what turns the start, by δŝ, and by what turns the state before.
    const Mat3 back = expRotation(-part.h * star.spin).toRotationMatrix();
    Mat3 byStart = back * R0.transpose(), bySpin = part.h * rightJacobian(part.h * star.spin);
    Mat3 byOld = Mat3::Zero();
    Mat3 R1 = Mat3::Zero();
    Vec3 oldMomentum = Vec3::Zero();
    if (body.looksBack) {
        const BodyState& old = part.start.previous[i];
        R1 = old.orientation.toRotationMatrix();
        oldMomentum = R1 * (I * old.angularVelocity);
        const Quat turn = expRotation(part.h * star.spin);
        const Quat before = old.orientation * turn * turn;
        const Vec3 psi = logRotation(before.conjugate() * (start.orientation * turn));
        const Mat3 third = rightJacobian(psi / 3) * (1. / 3);
        const Mat3 byA = expRotation(-psi / 3).toRotationMatrix() + third * rightJacobianInverse(psi);
        const Mat3 byB = -(third * leftJacobianInverse(psi));
        const Mat3 spun = bySpin;
        bySpin = byA * spun + byB * (back * spun + spun);
        byStart = byA * byStart;
        byOld = byB * (back * back * R1.transpose());
    }
    const Vec3 phi = logRotation(star.orientation.conjugate() * end.orientation);
    const Mat3 minus = -(leftJacobianInverse(phi) / body.h);
    body.rateByEnd = rightJacobianInverse(phi) * R.transpose() / body.h;
    body.rateByStart = minus * byStart;
    body.rateByOld = minus * byOld;
    body.rateBySpin = Mat3::Identity() + minus * bySpin;

    // t = (I ω' − Rᵀ L* + (z · Rᵀ L* − axial) z)/h + z · (ω' × I ω') z
    const Vec3& z = star.axis;
    const double over = 1 / body.h;
    const Vec3 started = R.transpose() * star.momentum;
    const Vec3 t = star.need(I, end.orientation, w, body.h);
    Mat3 byRate = over * I, across = Mat3::Identity();
    if (!z.isZero(0)) {
        const Vec3 Iw = I * w;
        byRate += z * (Iw.cross(z) + I * z.cross(w)).transpose();
        across -= z * z.transpose();
    }
    const Mat3 onMomentum = -over * (across * R.transpose());  // of t by L*
    const Mat3 axial = -over * (z * (I * z).transpose());      // of t by ω, through `axial`
    const Vec3 momentum = R0 * (I * start.angularVelocity);
    const Mat3 byMomentum = R * onMomentum;
    body.needByEnd =
        R * byRate * body.rateByEnd - R * across * tilde(over * started) * R.transpose() - tilde(R * t);
    body.needByStart = R * byRate * body.rateByStart - body.a * (byMomentum * tilde(momentum));
    body.needByOld = R * byRate * body.rateByOld - body.b * (byMomentum * tilde(oldMomentum));
    body.needBySpin = R * byRate * body.rateBySpin;
    body.needByRate = body.a * (byMomentum * R0 * I + R * axial);
    body.rateBySpin = body.rateBySpin * body.spin;
    body.needBySpin = body.needBySpin * body.spin;
    if (body.spinSource == i) body.needByRate += body.needBySpin;
    body.needByOldRate = body.b * (byMomentum * R1 * I + R * axial);
    const Vec3 torque = R * t;
    body.inertial.tail<3>() = torque;
}

void setBody(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    BodyTerms& body = terms.bodies[i];
    const int skeleton = model.skeletonOf[i];
    const double share = part.parts[static_cast<std::size_t>(skeleton)];
    const BodyState &start = part.start.bodies[i], &end = part.end.bodies[i];
    body.h = part.h * share;
    body.looksBack = share != 1;
    body.a = body.looksBack ? 4. / 3 : 1;
    body.b = body.looksBack ? -1. / 3 : 0;
    body.mass = model.bodies[i].mass;
    body.sleeps = sleeps(part, skeleton);
    body.R = end.orientation.toRotationMatrix();
    body.w = tilde(body.R * end.angularVelocity);
    setSpin(model, part, i, terms);
    setTurning(model, part, i, body);
    Vec3 starred = body.a * start.velocity;
    if (body.looksBack) starred += body.b * part.start.previous[i].velocity;
    body.inertial.head<3>() = body.mass / body.h * (end.velocity - starred);
    body.need = body.inertial - part.forces.body[i].vector();
    body.extra = -1;
    body.hasDamping = body.hasStart = false;
}

// Obstacles damp what has come to the depth within the step, so they look at its start.
void addStartOfTouches(const Model& model, const StepPart& part, StepTerms& terms)
{
    Touch now, before;
    for (const ContactPoint& point : model.contactPoints)
        for (const Obstacle& obstacle : model.obstacles) {
            const BodyState& start = part.start.bodies[point.body];
            if (!findTouch(obstacle, point, part.end.bodies[point.body], &start, part.h, now)) continue;
            if (now.force == 0 || !findTouch(obstacle, point, start, nullptr, 0, before)) continue;
            // F = … − c depth₀/h n, and depth₀ falls along the normal there.
            const Vec3 f = before.damping / part.h * now.normal;
            Vec6 wrench, row;
            wrench << f, now.arm.cross(f);
            row << before.normal, before.arm.cross(before.normal);
            terms.extraOf(point.body).onStart -= wrench * row.transpose();
            terms.bodies[point.body].hasStart = true;
        }
}

// ---- joints --------------------------------------------------------------------------------------

// u of a joint with these coordinates, as a linear function of the relative motion in child axes.
void velocityRows(const Joint& joint, const double* q, Six& G)
{
    G.setZero();
    const Transform transform = jointTransform(joint, q);
    for (int c = 0; c < 6; ++c) {
        double u[6] = {};
        Vec6 unit = Vec6::Zero();
        unit[c] = 1;
        jointVelocityOf(joint, q, transform, Motion::from(unit), u);
        for (int k = 0; k < joint.freedoms(); ++k) G(k, c) = u[k];
    }
}

// Rows of A B as columns.
void multiplyRows(const Six& A, const Six& B, int rows, const Columns& result)
{
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < 6; ++c) {
            double sum = 0;
            for (int k = 0; k < 6; ++k) sum += A(r, k) * B(k, c);
            result(c, r) = sum;
        }
}

// How the discrete velocities of a joint change.
void setVelocity(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    JointTerms& link = terms.joints[i];
    const Joint& joint = model.joints[i];
    const int k = joint.freedoms();
    const State& end = part.end;
    const BodyTerms& body = terms.bodies[i];
    const Mat3 back = body.R.transpose();
    Mat3 Wp = Mat3::Zero(), Rp = Mat3::Identity();
    BodyState parent;
    if (link.parent >= 0) {
        parent = end.bodies[link.parent];
        Wp = terms.bodies[link.parent].w;
        Rp = terms.bodies[link.parent].R;
    }
    const BodyState& own = end.bodies[i];
    const Vec3 wp = Rp * parent.angularVelocity, rho = own.position - parent.position;
    const Vec3 nu = back * (own.velocity - parent.velocity - wp.cross(rho));
    const Vec3 seen = back * wp;
    // (ν, ω) in child axes by (δv', δω') and e' of both.
    Six ofOwn = Six::Zero(), ofParents = Six::Zero(), byOwn = Six::Zero(), byParents = Six::Zero();
    ofOwn.topLeftCorner<3, 3>() = back;
    ofOwn.bottomRightCorner<3, 3>() = Mat3::Identity();
    byOwn.topLeftCorner<3, 3>() = -(back * Wp);
    byOwn.topRightCorner<3, 3>() = tilde(nu) * back;
    byOwn.bottomRightCorner<3, 3>() = -(tilde(seen) * back);
    if (link.parent >= 0) {
        const Mat3 lever = back * tilde(rho);
        ofParents.topLeftCorner<3, 3>() = -back;
        ofParents.topRightCorner<3, 3>() = lever * Rp;
        ofParents.bottomRightCorner<3, 3>() = -(back * Rp);
        byParents.topLeftCorner<3, 3>() = back * Wp;
        byParents.topRightCorner<3, 3>() = -(lever * Wp);
        byParents.bottomRightCorner<3, 3>() = back * Wp;
    }
    const double* q = end.q.data() + joint.q;
    Six G;
    if (joint.info().isBall() || joint.info().isHinge()) {
        G.setZero();
        for (int r = 0; r < k; ++r)
            for (int c = 0; c < 3; ++c) G(r, 3 + c) = joint.info().isBall() ? r == c : joint.axis[c];
    } else {
        velocityRows(joint, q, G);
    }
    multiplyRows(G, ofOwn, k, link.ofOwn);
    multiplyRows(G, byOwn, k, link.byOwn);
    if (link.parent >= 0) {
        multiplyRows(G, ofParents, k, link.ofParents);
        multiplyRows(G, byParents, k, link.byParents);
    }
    const JointTypeInfo& info = joint.info();
    link.isPlain = info.isBall() || info.isHinge() || k == 0;
    if (link.isPlain) return;
    for (int c = 0; c < k; ++c) link.byFreedoms.col(c).setZero();
    if (info.isFree()) {
        // The rate of the offset is in parent axes.
        const Mat3 across = -(Rp.transpose() * body.R * tilde(nu));
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) link.byFreedoms(r, 3 + c) = across(r, c);
        return;
    }
    // Sines and products of coordinates, of size one: a difference of fourth order has all digits.
    constexpr double step = 1e-3;
    const Motion relative{nu, own.angularVelocity - seen};
    for (int j = 0; j < k; ++j) {
        double sum[6] = {};
        for (const double part : {-2., -1., 1., 2.}) {
            double delta[6] = {}, moved[7], u[6] = {};
            delta[j] = part * step;
            jointRetract(joint, q, delta, moved);
            jointVelocityOf(joint, moved, jointTransform(joint, moved), relative, u);
            const double weight = part == 1 ? 8 : part == -1 ? -8 : part == 2 ? -1 : 1;
            for (int r = 0; r < k; ++r) sum[r] += weight * u[r];
        }
        for (int r = 0; r < k; ++r) link.byFreedoms(r, j) = sum[r] / (12 * step);
    }
}

void setLink(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    JointTerms& link = terms.joints[i];
    const Joint& joint = model.joints[i];
    link.parent = joint.parent;
    link.u = joint.u;
    const bool isGiven = isPrescribed(model, part.start, i) || terms.bodies[i].sleeps;
    link.freedoms = isGiven ? 0 : joint.freedoms();
    link.carries = !joint.isFree() || isGiven;
    link.offset = part.end.bodies[i].position;
    if (joint.parent >= 0) link.offset -= part.end.bodies[joint.parent].position;
    const double* q = part.end.q.data() + joint.q;
    Subspace S;
    jointSubspace(joint, q, jointTransform(joint, q), S);
    const Mat3& R = terms.bodies[i].R;
    for (int k = 0; k < joint.freedoms(); ++k) {
        const Vec6 s = S.col(k);
        link.S.col(k) << R * Vec3(s.head<3>()), R * Vec3(s.tail<3>());
    }
    setVelocity(model, part, i, terms);
    link.armature = joint.armature / terms.bodies[i].h;
    link.hasStiffness = link.hasDamping = false;
    JointTangent tangent;
    if (joint.isArticulated() && (hasJointTangent(model, i) || !part.forces.outside.joints.empty())) {
        jointForceTangent(model, part.end, i, tangent);
        part.forces.outside.addTo(i, tangent);
    }
    if (!tangent.stiffness.isZero(0)) {
        link.hasStiffness = true;
        link.stiffness = tangent.stiffness;
    }
    if (link.armature == 0 && tangent.damping.isZero(0)) return;
    link.hasDamping = true;
    link.damping = tangent.damping + link.armature * Mat3::Identity();
}

// The need of a joint's armature, with the velocities before as the step has them (integrate/implicit.cpp).
void addArmature(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    const JointTerms& link = terms.joints[i];
    const BodyTerms& body = terms.bodies[i];
    const Joint& joint = model.joints[i];
    double q[7] = {}, before[6] = {};
    if (body.looksBack) {
        const BodyState* parent = link.parent < 0 ? nullptr : &part.start.previous[link.parent];
        jointCoordinatesOf(joint, parent, part.start.previous[i], q, before);
    }
    for (int k = 0; k < link.freedoms; ++k) {
        const double starred = body.a * part.start.u[link.u + k] + body.b * before[k];
        terms.residual[link.u + k] += link.armature * (part.end.u[link.u + k] - starred);
    }
}

// How S turns with its own freedoms under the load.
void setTurned(const Model& model, const StepPart& part, int i, StepTerms& terms)
{
    JointTerms& link = terms.joints[i];
    const Joint& joint = model.joints[i];
    if (link.isPlain || link.freedoms == 0) return;
    const Mat3 back = terms.bodies[i].R.transpose();
    const Force own{back * Vec3(link.load.head<3>()), back * Vec3(link.load.tail<3>())};
    const double* q = part.end.q.data() + joint.q;
    const Transform X = jointTransform(joint, q);
    Subspace S;
    jointSubspace(joint, q, X, S);
    for (int k = 0; k < link.freedoms; ++k)
        for (int j = 0; j < link.freedoms; ++j) {
            const Vec6 v = Vec6::Unit(k), delta = Vec6::Unit(j);
            link.turned(k, j) = power(own, jointSubspaceChange(joint, q, X, S, v.data(), delta.data()));
        }
}

}  // namespace

BodyExtra& StepTerms::extraOf(int body)
{
    int& extra = bodies[body].extra;
    if (extra < 0) {
        extra = static_cast<int>(extras.size());
        extras.emplace_back();
    }
    return extras[static_cast<std::size_t>(extra)];
}

void StepTerms::placeNumbers()
{
    constexpr int most = 7;  // of Columns
    numbers.resize(static_cast<std::size_t>(6 * most * model->freedomCount));
    double* next = numbers.data();
    for (int i = 0; i < model->size(); ++i) {
        const int k = model->joints[i].freedoms();
        JointTerms& link = joints[i];
        for (Columns* columns : {&link.S, &link.ofOwn, &link.ofParents, &link.byOwn, &link.byParents}) {
            columns->data = next;
            next += 6 * k;
        }
        if (model->joints[i].info().isBall() || model->joints[i].info().isHinge()) continue;
        for (Columns* columns : {&link.turned, &link.byFreedoms}) {
            columns->data = next;
            next += 6 * k;
        }
    }
}

void setBodies(const Model& model, const StepPart& part, StepTerms& terms)
{
    terms.model = &model;
    terms.part = &part;
    terms.bodies.resize(model.bodies.size());
    terms.joints.resize(model.bodies.size());
    terms.extras.clear();
    terms.placeNumbers();
    findSpinAxes(model, terms.spinAxes);
    for (int i = 0; i < model.size(); ++i) setBody(model, part, i, terms);
    for (int i = 0; i < model.size(); ++i) setLink(model, part, i, terms);
    Forces forces = part.forces;
    forces.span = {part.h, &part.start.bodies};
    bodyForceTangents(model, part.end, forces, terms.tangents);
    for (const BodyTangent& tangent : terms.tangents) {
        BodyExtra& extra = terms.extraOf(tangent.body);
        extra.stiffness += tangent.stiffness;
        if (tangent.damping.isZero(0)) continue;
        extra.damping += tangent.damping;
        terms.bodies[tangent.body].hasDamping = true;
    }
    pairForceTangents(model, part.end, {}, terms.pairs);
    for (const PairTangent& pair : terms.pairs)
        for (int side = 0; side < 2; ++side)
            if (pair.body[side] >= 0) terms.extraOf(pair.body[side]).stiffness += pair.own[side];
    if (!model.obstacles.empty()) addStartOfTouches(model, part, terms);
}

void setJoints(StepTerms& terms)
{
    const Model& model = *terms.model;
    const StepPart& part = *terms.part;
    terms.residual.setZero(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        terms.joints[i].load = terms.bodies[i].need;
        if (terms.joints[i].armature != 0) addArmature(model, part, i, terms);
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        JointTerms& link = terms.joints[i];
        for (int k = 0; k < link.freedoms; ++k)
            terms.residual[link.u + k] += link.S.col(k).dot(link.load) - part.forces.joint[link.u + k];
        if (link.parent >= 0 && link.carries) {
            const Vec3 f = link.load.head<3>(), n = link.load.tail<3>();
            Vec6 passed;
            passed << f, n + link.offset.cross(f);
            terms.joints[link.parent].load += passed;
        }
    }
    for (std::size_t c = 0; c < model.couplings.size(); ++c) {
        const Coupling& coupling = model.couplings[c];
        const double force = part.loopImpulses[model.loops.size() + c][0] / part.h;
        terms.residual[model.joints[coupling.follower].u] -= force;
        terms.residual[model.joints[coupling.leader].u] += coupling.ratio * force;
    }
    if (!part.forces.weights.empty())
        for (int i = 0; i < model.size(); ++i) terms.joints[i].load -= part.forces.weights[i].vector();
    for (int i = 0; i < model.size(); ++i) setTurned(model, part, i, terms);
}

void bodyMatrix(const StepTerms& terms, int i, Six& matrix)
{
    const BodyTerms& body = terms.bodies[i];
    const double over = 1 / body.h;
    matrix.setZero();
    matrix.topLeftCorner<3, 3>() = body.mass * over * over * Mat3::Identity();
    matrix.bottomRightCorner<3, 3>() = body.needByEnd;
    if (body.extra < 0) return;
    const BodyExtra& extra = terms.extras[static_cast<std::size_t>(body.extra)];
    matrix += extra.stiffness;
    if (!body.hasDamping) return;
    const Mat3 turning = body.R * body.rateByEnd - body.w;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 3; ++c) {
            matrix(r, c) += over * extra.damping(r, c);
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += extra.damping(r, 3 + k) * turning(k, c);
            matrix(r, 3 + c) += sum;
        }
}

Vec6 knownRate(const StepTerms& terms, int i, const StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    const BodySlot& z = start.bodies[i];
    Vec3 place = body.a * Vec3(z.head<3>());
    Vec3 turn = body.rateByStart * Vec3(z.segment<3>(3)) +
                body.rateBySpin * Vec3(start.bodies[body.spinSource].tail<3>());
    if (body.looksBack) {
        const BodySlot& old = start.previous[i];
        place += body.b * Vec3(old.head<3>());
        turn += body.rateByOld * Vec3(old.segment<3>(3));
    }
    Vec6 rate;
    rate << (-1 / body.h) * place, turn;
    return rate;
}

void addKnownRateWeights(const StepTerms& terms, int i, const Vec6& weights, StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    const Vec3 linear = (-1 / body.h) * Vec3(weights.head<3>()), angular = weights.tail<3>();
    BodySlot& z = start.bodies[i];
    z.head<3>() += body.a * linear;
    z.segment<3>(3) += body.rateByStart.transpose() * angular;
    start.bodies[body.spinSource].tail<3>() += body.rateBySpin.transpose() * angular;
    if (!body.looksBack) return;
    BodySlot& old = start.previous[i];
    old.head<3>() += body.b * linear;
    old.segment<3>(3) += body.rateByOld.transpose() * angular;
}

Vec6 rateChange(const StepTerms& terms, int i, const Vec6& end, const StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    Vec6 rate = knownRate(terms, i, start);
    rate.head<3>() += (1 / body.h) * Vec3(end.head<3>());
    rate.tail<3>() += body.rateByEnd * Vec3(end.tail<3>());
    return rate;
}

void addRateWeights(const StepTerms& terms, int i, const Vec6& weights, Vec6& end, StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    end.head<3>() += (1 / body.h) * Vec3(weights.head<3>());
    end.tail<3>() += body.rateByEnd.transpose() * Vec3(weights.tail<3>());
    addKnownRateWeights(terms, i, weights, start);
}

Vec6 knownNeed(const StepTerms& terms, int i, const StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    const BodySlot& z = start.bodies[i];
    const Vec6 rate = knownRate(terms, i, start);
    Vec3 velocity = body.a * Vec3(z.segment<3>(6));
    Vec3 torque = body.needByStart * Vec3(z.segment<3>(3)) + body.needByRate * Vec3(z.tail<3>());
    if (body.spinSource != i) torque += body.needBySpin * Vec3(start.bodies[body.spinSource].tail<3>());
    if (body.looksBack) {
        const BodySlot& old = start.previous[i];
        velocity += body.b * Vec3(old.segment<3>(6));
        torque += body.needByOld * Vec3(old.segment<3>(3)) + body.needByOldRate * Vec3(old.tail<3>());
    }
    Vec6 need;
    need << body.mass / body.h * (Vec3(rate.head<3>()) - velocity), torque;
    if (body.hasDamping) {
        Vec6 turned;
        turned << Vec3(rate.head<3>()), body.R * Vec3(rate.tail<3>());
        need += terms.extras[static_cast<std::size_t>(body.extra)].damping * turned;
    }
    if (body.hasStart)
        need += terms.extras[static_cast<std::size_t>(body.extra)].onStart * Vec6(z.head<6>());
    return need;
}

void addNeedWeights(const StepTerms& terms, int i, const Vec6& weights, StateChange& start)
{
    const BodyTerms& body = terms.bodies[i];
    BodySlot& z = start.bodies[i];
    const Vec3 force = body.mass / body.h * Vec3(weights.head<3>()), torque = weights.tail<3>();
    Vec6 rate;
    rate << force, Vec3::Zero();
    if (body.hasDamping) {
        const Vec6 damped =
            terms.extras[static_cast<std::size_t>(body.extra)].damping.transpose() * weights;
        rate.head<3>() += damped.head<3>();
        rate.tail<3>() += body.R.transpose() * Vec3(damped.tail<3>());
    }
    if (body.hasStart)
        z.head<6>() += terms.extras[static_cast<std::size_t>(body.extra)].onStart.transpose() * weights;
    z.segment<3>(6) -= body.a * force;
    z.segment<3>(3) += body.needByStart.transpose() * torque;
    z.tail<3>() += body.needByRate.transpose() * torque;
    if (body.spinSource != i)
        start.bodies[body.spinSource].tail<3>() += body.needBySpin.transpose() * torque;
    if (body.looksBack) {
        BodySlot& old = start.previous[i];
        old.segment<3>(6) -= body.b * force;
        old.segment<3>(3) += body.needByOld.transpose() * torque;
        old.tail<3>() += body.needByOldRate.transpose() * torque;
    }
    addKnownRateWeights(terms, i, rate, start);
}

}  // namespace sinew::stepping
