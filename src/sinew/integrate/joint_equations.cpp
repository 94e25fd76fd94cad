#include "sinew/integrate/joint_equations.h"

#include <algorithm>

#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr double machineRounding = 0x1p-52;

Mat3 positivePart(const Mat3& m)
{
    const SymmetricEigen3 eigen(0.5 * (m + m.transpose()));
    const Vec3 kept = eigen.eigenvalues().cwiseMax(0);
    return eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
}

// Of the symmetric part, by its leading minors.
bool isPositive(const Mat3& m)
{
    const Mat3 s = 0.5 * (m + m.transpose());
    return s(0, 0) > 0 && s(0, 0) * s(1, 1) > s(0, 1) * s(1, 0) && s.determinant() > 0;
}

// The axes of a turning joint; zero where it has no more. Of a fixed size: no memory from the heap.
Mat3 turnsOf(const ArticulatedLink& link)
{
    Mat3 turns = Mat3::Zero();
    for (int k = 0; k < link.freedoms; ++k) turns.col(k) = link.S.col(k).tail<3>();
    return turns;
}

// ρ~ F~ = F ρᵀ − (F·ρ) 1: how the torque ρ × F of a force fixed in the world, seen from the body,
// changes as the body turns.
Mat3 lever(const Vec3& rho, const Vec3& F)
{
    return F * rho.transpose() - F.dot(rho) * Mat3::Identity();
}

}  // namespace

JointEquations::JointEquations(const ImplicitProblem& problem, StepWork& work)
    : model_(problem.model),
      forces_(problem.forces),
      h_(problem.h),
      ahead_(problem.ahead),
      star_(problem.star),
      start_(problem.start),
      work_(work),
      links_(work.joint.links),
      carried_(work.joint.carried),
      believed_(work.joint.believed),
      excess_(work.joint.excess),
      loads_(work.implicit.loads)
{
    links_.resize(model_.bodies.size());
    // Prescribed joints have no residual: theirs stays zero.
    work_.joint.residual.setZero(model_.freedomCount);
    carried_.resize(model_.bodies.size());
    believed_.resize(model_.bodies.size());
    work_.joint.foreseen.resize(model_.bodies.size());
    excess_.resize(model_.bodies.size());
    work_.joint.right.resize(model_.freedomCount);
    constraints_.emplace(model_, problem.start, h_, work_.implicit.parts, work_.constraints);
    if (constraints_->empty()) constraints_.reset();
    if (constraints_) work_.joint.torque.resize(model_.bodies.size());
}

void JointEquations::placeAll(State& state)
{
    for (int i = 0; i < model_.size(); ++i) {
        prefetch(links_, i + passAhead);
        prefetch(model_.joints, i + passAhead);
        place(state, i);
    }
}

void JointEquations::finish(State& state)
{
    placeAll(state);
    if (constraints_) constraints_->evaluate(state, work_.forces);
}

void JointEquations::foresee(const State& state, const VecX& correction)
{
    for (int i = 0; i < model_.size(); ++i) {
        ArticulatedLink& link = links_[i];
        Vec6& move = link.acceleration;
        move.setZero();
        if (link.freedoms == 6) {
            move = link.along(correction.segment<6>(link.u));
        } else {
            if (link.parent >= 0)
                move = link.X.toChild(Motion::from(links_[link.parent].acceleration)).vector();
            for (int k = 0; k < link.freedoms; ++k) move += correction[link.u + k] * link.S.col(k);
        }
        const BodyState& body = state.bodies[i];
        work_.joint.foreseen[i] = {body.position, body.orientation * move.head<3>()};
    }
    foresees_ = true;
    PairWork& pairs = work_.joint.pairs;
    if (pairs.tangents.empty()) return;
    pairs.start.resize(pairs.tangents.size());
    for (std::size_t t = 0; t < pairs.start.size(); ++t) pairs.start[t] = pairs.tangents[t].force;
    pairs.rows.changes(correction, pairs.change);
}

void JointEquations::foreseeCoasting()
{
    for (int i = 0; i < model_.size(); ++i)
        work_.joint.foreseen[i] = {start_[i].position, ahead_ * start_[i].velocity};
    foresees_ = true;
}

void JointEquations::believePairs()
{
    work_.joint.pairs.believe(model_, start_, work_.implicit.trial.time - ahead_);
}

// Whether the forces between bodies are far from what was foreseen, likewise.
bool JointEquations::pairsSurprise() const
{
    constexpr double little = 0.02;
    for (const PairTangent& tangent : work_.joint.pairs.tangents)
        for (const int body : tangent.body)
            if (body >= 0 && h(body) * h(body) * (tangent.force - tangent.believed).norm() >
                                 little * model_.skeletons[model_.skeletonOf[body]].leastMoment)
                return true;
    return false;
}

// Whether the loads change, as far as the lightest link can tell.
bool JointEquations::isSurprised(const State& state, double part) const
{
    constexpr double little = 0.02;
    for (const Skeleton& skeleton : model_.skeletons) {
        double moment = 0;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i)
            moment += model_.bodies[i].mass * work_.joint.foreseen[i].missed(state.bodies[i], part).norm();
        if (moment > little * skeleton.leastMoment) return true;
    }
    return false;
}

// Into believed_, and excess_ with it.
void JointEquations::believeForeseen(const State& state, double part)
{
    const PairWork& pairs = work_.joint.pairs;
    for (int i = 0; i < model_.size(); ++i) {
        const BodyState& body = state.bodies[i];
        believed_[i].setZero();
        if (foresees_) {
            const Vec3 off = body.orientation.conjugate() * work_.joint.foreseen[i].missed(body, part);
            believed_[i] << -model_.bodies[i].mass / (h(i) * h(i)) * off, 0, 0, 0;
        }
        if (!pairs.tangents.empty()) {
            const Quat toBody = body.orientation.conjugate();
            believed_[i].head<3>() += toBody * pairs.excess[i].force;
            believed_[i].tail<3>() += toBody * pairs.excess[i].torque;
        }
        excess_[i].setZero();
    }
    for (int i = model_.size() - 1; i >= 0; --i) {
        const ArticulatedLink& link = links_[i];
        Vec6& load = believed_[i];
        if (link.freedoms < 6) {
            addExcess(i, &load);
            if (link.parent >= 0) believed_[link.parent] += link.X.toParent(Force::from(load)).vector();
        }
        load += carried_[i];
    }
}

// What a joint still lacks of its own torque (implicit.h), with what those beyond it lack; `more` is what
// the joint carries beside what the residual says. A slide's turns are zero.
void JointEquations::addExcess(int i, const Vec6* more)
{
    const ArticulatedLink& link = links_[i];
    Vec3& excess = excess_[i];
    const Vec3 beyond = excess;
    for (int c = 0; c < link.freedoms; ++c) {
        const int u = link.u + c;
        double lacks = work_.joint.residual[u];
        if (!loads_.empty()) lacks -= loads_.difference()[u];
        if (more) lacks += link.S.col(c).dot(*more);
        const Vec3 turn = link.S.col(c).tail<3>();
        excess += (lacks - turn.dot(beyond)) * turn;
    }
    if (link.parent >= 0) excess_[link.parent] += link.X.R * excess;
}

double JointEquations::evaluate(State& state, std::optional<double> moved)
{
    placeAll(state);
    if (!loads_.empty()) {
        if (moved) loads_.accept(model_, *moved, state);
        loads_.evaluate(model_, state);
    }
    forces_(model_, state, work_.forces);
    PairWork& pairs = work_.joint.pairs;
    if (moved && !pairs.start.empty()) pairs.foresee(*moved);
    pairs.evaluate(model_, state);
    if (constraints_) {
        // Constraints bring their own tangents.
        for (int i = 0; i < model_.size(); ++i) work_.joint.torque[i] = work_.forces.body[i].torque;
        constraints_->evaluate(state, work_.forces);
    }
    for (int i = 0; i < model_.size(); ++i) {
        carried_[i] = need(state, i);
        excess_[i].setZero();
    }
    // Inward: each joint carries what lies beyond it.
    VecX& r = work_.joint.residual;
    for (int i = model_.size() - 1; i >= 0; --i) {
        prefetch(links_, i - passAhead);
        const ArticulatedLink& link = links_[i];
        const Vec6& f = carried_[i];
        const int k = link.freedoms;
        if (k == 6) {
            r.segment<6>(link.u) << link.X.R * f.head<3>(), f.tail<3>();
            r.segment<6>(link.u) -= work_.forces.joint.segment<6>(link.u);
            continue;  // cuts the tree
        }
        const double armature = model_.joints[i].armature;
        for (int c = 0; c < k; ++c) {
            const int u = link.u + c;
            r[u] = link.S.col(c).dot(f) - work_.forces.joint[u];
            if (armature > 0) r[u] += armature / h(i) * (state.u[u] - work_.implicit.starredVelocity[u]);
        }
        addExcess(i, nullptr);
        if (link.parent >= 0) carried_[link.parent] += link.X.toParent(Force::from(f)).vector();
    }
    const double part = moved.value_or(1);
    believes_ = (foresees_ && isSurprised(state, part)) || pairsSurprise();
    if (believes_) believeForeseen(state, part);
    return r.norm();
}

void JointEquations::place(State& state, int i)
{
    const Joint& joint = model_.joints[i];
    ArticulatedLink& link = links_[i];
    placeJoint(model_, state.q, i, link);
    BodyState& body = state.bodies[i];
    if (joint.parent >= 0) {
        const BodyState& parent = state.bodies[joint.parent];
        body.position = parent.position + parent.orientation * link.X.r;
        body.orientation = (parent.orientation * Quat(link.X.R)).normalized();
    } else {
        body.position = link.X.r;
        body.orientation = Quat(link.X.R);
    }
    body.velocity = (body.position - star_[i].position) / h(i);
    body.angularVelocity = work_.implicit.spins[i].velocity(body.orientation, h(i));
    link.velocity = {body.orientation.conjugate() * body.velocity, body.angularVelocity};
    Motion relative = link.velocity;
    if (joint.parent >= 0) relative = relative - link.X.toChild(links_[joint.parent].velocity);
    jointVelocityOf(joint, state.q.data() + joint.q, link.X, relative, state.u.data() + joint.u);
    if (isPrescribed(model_, state, i) || isBodyAsleep(model_, state, i)) link.freedoms = 0;
}

// f of one body, body axes.
Vec6 JointEquations::need(const State& state, int i) const
{
    const Body& body = model_.bodies[i];
    const BodyState& s = state.bodies[i];
    const Force& F = work_.forces.body[i];
    const Vec3& w = s.angularVelocity;
    const Quat toBody = s.orientation.conjugate();
    Vec6 f;
    f << toBody * (body.mass / h(i) * (s.velocity - star_[i].velocity) - F.force),
        work_.implicit.spins[i].need(body.inertia, s.orientation, w, h(i)) - toBody * F.torque;
    return f;
}

// How the forces between bodies stand in the matrix.
void JointEquations::setPairRows()
{
    PairWork& pairs = work_.joint.pairs;
    if (pairs.tangents.empty()) return pairs.rows.clear();
    pairs.rates.resize(model_.bodies.size());
    for (int i = 0; i < model_.size(); ++i) {
        const BodyState& body = work_.implicit.trial.bodies[i];
        // R ω' changes with ω', and with R.
        const Mat3 R = body.orientation.toRotationMatrix();
        const Mat3 own = velocityRate(i) - tilde(Vec3(h(i) * body.angularVelocity));
        pairs.rates[i] = {h(i), R * own * R.transpose()};
    }
    for (const PairTangent& tangent : pairs.tangents)
        for (int side = 0; side < 2; ++side) {
            if (tangent.body[side] < 0) continue;
            const int body = tangent.body[side];
            const Mat3 R = work_.implicit.trial.bodies[body].orientation.toRotationMatrix();
            links_[body].inertia.bottomRightCorner<3, 3>() +=
                h(body) * h(body) * R.transpose() * tangent.own[side].bottomRightCorner<3, 3>() * R;
        }
    pairs.rows.set(model_, links_, work_.implicit.trial.bodies, pairs.tangents, pairs.rates);
}

void JointEquations::assemble(bool clamped)
{
    // A spring that is pressed is of negative stiffness across its line.
    if (!work_.joint.pairs.tangents.empty())
        work_.joint.pairs.evaluate(model_, work_.implicit.trial, clamped);
    // Outward, so that a parent's inertia is set before a joint adds to it.
    for (int i = 0; i < model_.size(); ++i) {
        prefetch(links_, i + passAhead);
        const Mat3 rate = velocityRate(i);
        setInertia(i, rate);
        addJoint(i, rate, clamped);
    }
    addBodyTangents();
    setPairRows();
    if (constraints_) constraints_->addTangents(work_.implicit.trial, links_);
    if (clamped) {
        for (int i = 0; i < model_.size(); ++i) {
            links_[i].coupling.setZero();
            links_[i].V.setZero();
            clampTurning(i);
            clampJoint(i);
        }
    } else if (constraints_) {
        clampOverloaded();
    }
    addBearingLimits();
}

// Raises the turning block to at least the body's own inertia, as it spins.
void JointEquations::clampTurning(int i)
{
    auto block = links_[i].inertia.bottomRightCorner<3, 3>();
    const Mat3 own = turningInertia(i, velocityRate(i));
    block = own + positivePart(block - own);
}

// A light body that carries a heavy one would be turned over by it if the forces at its corners stayed as
// they are. They do not: they are unknowns of the constraints, whose solvers want an inertia that is
// positive.
void JointEquations::clampOverloaded()
{
    for (int i = 0; i < model_.size(); ++i)
        if (model_.skeletons[model_.skeletonOf[i]].count == 1 &&
            !isPositive(links_[i].inertia.bottomRightCorner<3, 3>()))
            clampTurning(i);
}

// A spring that turns a ball joint, such as that of its limit, is of negative stiffness across its
// pull.
void JointEquations::clampJoint(int i)
{
    if (links_[i].hasBlocks) links_[i].jointBlock = positivePart(links_[i].jointBlock);
}

void JointEquations::addBearingLimits()
{
    if (!loads_.hasLimits()) return;
    for (int i = 0; i < model_.size(); ++i)
        if (links_[i].hasBlocks) links_[i].jointBlock += loads_.bearingStiffness(i);
}

// Not symmetric (integrate/implicit.h).
Mat3 JointEquations::turningInertia(int i, const Mat3& rate) const
{
    const BodyState& s = work_.implicit.trial.bodies[i];
    return work_.implicit.spins[i].turningInertia(model_.bodies[i].inertia, s.orientation,
                                                  s.angularVelocity, rate, h(i));
}

void JointEquations::setInertia(int i, const Mat3& rate)
{
    ArticulatedLink& link = links_[i];
    link.inertia.setZero();
    link.inertia.diagonal().head<3>().setConstant(model_.bodies[i].mass);
    auto turning = link.inertia.bottomRightCorner<3, 3>();
    turning = turningInertia(i, rate);
    // A torque that stays as it is in the world turns in body axes.
    Vec3 torque = constraints_ ? work_.joint.torque[i] : work_.forces.body[i].torque;
    if (!work_.joint.pairs.tangents.empty()) torque -= work_.joint.pairs.excess[i].torque;
    if (!torque.isZero(0))
        turning -= h(i) * h(i) * tilde(work_.implicit.trial.bodies[i].orientation.conjugate() * torque);
}

// Constant loads, obstacles and targets.
void JointEquations::addBodyTangents()
{
    bodyForceTangents(model_, work_.implicit.trial, work_.forces, work_.implicit.tangents);
    for (const BodyTangent& tangent : work_.implicit.tangents) {
        const BodyState& body = work_.implicit.trial.bodies[tangent.body];
        const Mat3 R = body.orientation.toRotationMatrix();
        const auto turned = [&R](const Mat6& world) {
            Mat6 own;
            for (int r = 0; r < 2; ++r)
                for (int c = 0; c < 2; ++c)
                    own.block<3, 3>(3 * r, 3 * c) = R.transpose() * world.block<3, 3>(3 * r, 3 * c) * R;
            return own;
        };
        // R ω' changes with ω', and with R.
        const Vec3 turn = h(tangent.body) * body.angularVelocity;
        Mat6 damping = turned(tangent.damping);
        damping.rightCols<3>() *= velocityRate(tangent.body) - tilde(turn);
        const double h1 = h(tangent.body);
        links_[tangent.body].inertia += h1 * h1 * turned(tangent.stiffness) + h1 * damping;
    }
}

// What a joint carries as the equations of the joints have it: without the weight w that gravity
// compensation bears, because the joints bear it in any pose.
Vec6 JointEquations::liftedLoad(int i) const
{
    const Quat toLink = work_.implicit.trial.bodies[i].orientation.conjugate();
    const Force& weight = work_.forces.weights[i];
    Vec6 load = loadOf(i);
    load.head<3>() -= toLink * weight.force;
    load.tail<3>() -= toLink * weight.torque;
    return load;
}

// Geometric stiffness of the joint's force on both bodies, springs and dampers, and the coupling.
void JointEquations::addJoint(int i, const Mat3& velocityRate, bool clamped)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    if (link.freedoms == 6) return;
    link.hasBlocks = true;
    const double h2 = h(i) * h(i);
    Vec6 lifted;
    if (model_.gravityCompensation > 0) lifted = liftedLoad(i);
    const Vec6& load = model_.gravityCompensation > 0 ? lifted : loadOf(i);
    const Vec3 F = load.head<3>();
    const Vec3& anchor = joint.anchorChild;
    const Vec3 N = load.tail<3>() - anchor.cross(F) - excess_[i];
    link.inertia.bottomRightCorner<3, 3>() -= h2 * lever(anchor, F);
    if (link.parent >= 0)
        links_[link.parent].inertia.bottomRightCorner<3, 3>() +=
            h2 * lever(link.X.r + link.X.R * anchor, link.X.R * F);

    JointTangent tangent;
    const bool hasLoads = !loads_.empty();
    jointForceTangent(model_, work_.implicit.trial, i, tangent, !hasLoads);
    work_.forces.outside.addTo(i, tangent);
    if (hasLoads) loads_.addTangent(model_, work_.implicit.trial, i, tangent);
    link.jointBlock = h2 * tangent.stiffness;
    link.V.setZero();
    const Mat3 damping = h(i) * tangent.damping + joint.armature * Mat3::Identity();
    if (!damping.isZero(0)) addRates(i, velocityRate, damping);
    for (int k = 0; k < link.freedoms; ++k) link.coupling.col(k) = h2 * link.S.col(k).tail<3>().cross(N);
    if (!joint.keepsPoint()) addSliding(i, F, clamped);
    if (clamped || joint.info().plain() < 2) return;
    for (int k = 0; k < link.freedoms; ++k)
        for (int j = 0; j < link.freedoms; ++j)
            if (joint.isBefore(k, j))  // and so turned by it
                link.jointBlock(k, j) += h2 * N.dot(link.S.col(k).tail<3>().cross(link.S.col(j).tail<3>()));
}

// What a force F at the anchor does to freedoms that move the child's anchor against the parent, by w each.
void JointEquations::addSliding(int i, const Vec3& F, bool clamped)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    const double h2 = h(i) * h(i);
    const auto turn = [&](int k) -> Vec3 { return link.S.col(k).tail<3>(); };
    const auto move = [&](int k) -> Vec3 {
        return link.S.col(k).head<3>() - joint.anchorChild.cross(turn(k));
    };
    for (int k = 0; k < link.freedoms; ++k) {
        const Vec3 slid = h2 * move(k).cross(F);
        link.coupling.col(k) += slid;
        link.V.col(k).tail<3>() += slid;
        for (int j = 0; j < link.freedoms && !clamped; ++j) {
            link.jointBlock(k, j) += turn(j).dot(slid);
            if (joint.isBefore(k, j))
                link.jointBlock(k, j) += h2 * F.dot(turn(k).cross(move(j)) + move(k).cross(turn(j)));
        }
    }
}

// The parent's velocityRate in child axes, its angular velocity being w there: J(Rᵀφ) = Rᵀ J(φ) R.
Mat3 JointEquations::rateOfParent(const ArticulatedLink& link, const Vec3& w) const
{
    const Vec3 spin = link.X.R.transpose() * work_.implicit.spins[link.parent].spin;
    return rightJacobianInverse(h(link.parent) * (w - spin));
}

// What `damping` does to changes of the joint's velocity u', which is the difference of two discrete
// velocities and changes with the own freedoms δ and with the turn θ of the parent (child axes). With
// J the velocityRate of child and parent, ρ and ν the child's offset and relative velocity:
//     turning   h ∂u' = Sᵀ ((J − h ω_p~) S δ + (J − J_p) θ)
//     sliding   h ∂u' = δ + sᵀ (ρ~ (J_p − 1) + h (ν + ω_p × ρ)~) θ
// and where a joint does both, u' is a linear function, which may itself change with q, of
//     h ∂ν = (1 − h ω_p~) S_v δ + h ν~ S_ω δ + (ρ~ (J_p − 1) + h (ν + ω_p × ρ)~) θ
//     h ∂ω = (J − h ω_p~) S_ω δ + (J − J_p) θ
void JointEquations::addRates(int i, const Mat3& own, const Mat3& damping)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    const int k = link.freedoms;
    if (k == 0) return;
    const bool hasParent = link.parent >= 0;
    const Motion none;
    const Motion inherited = hasParent ? link.X.toChild(links_[link.parent].velocity) : none;
    const Vec3& wp = inherited.angular;
    if (!joint.keepsPoint() && !joint.keepsOrientation()) return addGeneralRates(i, own, damping);
    if (joint.keepsOrientation()) {
        link.jointBlock(0, 0) += damping(0, 0);
        if (!hasParent) return;
        const Vec3 rho = link.X.R.transpose() * link.X.r;
        const Vec3 speed = link.velocity.linear - inherited.linear;
        const Mat3 across =
            tilde(rho) * (rateOfParent(link, wp) - Mat3::Identity()) + h(i) * tilde(speed + wp.cross(rho));
        link.V.col(0).tail<3>() += damping(0, 0) * across.transpose() * link.S.col(0).head<3>();
        return;
    }
    if (joint.isBall()) {  // S turns about the axes themselves
        link.jointBlock += damping * (own - h(i) * tilde(wp));
        if (hasParent) link.V.bottomRows<3>() += (damping * (own - rateOfParent(link, wp))).transpose();
        return;
    }
    const Mat3 turns = turnsOf(link);
    Mat3 rate = turns.transpose() * (own - h(i) * tilde(wp)) * turns;
    if (k == 2)  // the first axis turns about the second
        rate(0, 1) += h(i) * Vec3(link.S.col(0).tail<3>())
                                 .cross(Vec3(link.S.col(1).tail<3>()))
                                 .dot(link.velocity.angular - wp);
    link.jointBlock += damping * rate;
    if (!hasParent) return;
    const Mat3 across = own - rateOfParent(link, wp);
    link.V.bottomRows<3>() += across.transpose() * turns * damping.transpose();
}

void JointEquations::addGeneralRates(int i, const Mat3& own, const Mat3& damping)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    const int k = link.freedoms;
    const bool hasParent = link.parent >= 0;
    const Motion inherited = hasParent ? link.X.toChild(links_[link.parent].velocity) : Motion();
    const Motion relative = link.velocity - inherited;
    const Vec3 &wp = inherited.angular, &speed = relative.linear;
    const double* q = work_.implicit.trial.q.data() + joint.q;
    const auto velocities = [&](const double* at, const Motion& motion) {
        Vec3 u = Vec3::Zero();
        jointVelocityOf(joint, at, jointTransform(joint, at), motion, u.data());
        return u;
    };
    Mat3 rate = Mat3::Zero();
    for (int j = 0; j < k; ++j) {
        const Vec3 v = link.S.col(j).head<3>(), s = link.S.col(j).tail<3>();
        const Motion moved{v - h(i) * (wp.cross(v) + s.cross(speed)), own * s - h(i) * wp.cross(s)};
        rate.col(j) = velocities(q, moved);
        if (k == 1) continue;
        // A central difference: sines and products of coordinates, of size one.
        constexpr double step = 1e-5;
        double before[3], after[3];
        for (int c = 0; c < k; ++c) before[c] = after[c] = q[c];
        before[j] -= step;
        after[j] += step;
        rate.col(j) += h(i) / (2 * step) * (velocities(after, relative) - velocities(before, relative));
    }
    link.jointBlock += damping * rate;
    if (!hasParent) return;
    const Mat3 ofParent = rateOfParent(link, wp);
    const Vec3 rho = link.X.R.transpose() * link.X.r;
    const Mat3 moves = tilde(rho) * (ofParent - Mat3::Identity()) + h(i) * tilde(speed + wp.cross(rho));
    const Mat3 turns = own - ofParent;
    Mat3 across;
    for (int c = 0; c < 3; ++c) across.col(c) = velocities(q, {moves.col(c), turns.col(c)});
    link.V.bottomRows<3>() += (damping * across).transpose();
}

void JointEquations::setRightHandSide()
{
    for (const Skeleton& skeleton : model_.skeletons) {
        const double own = h(skeleton.first);
        const int end = skeleton.first + skeleton.count;
        for (int i = skeleton.first; i < end; ++i) {
            const Joint& joint = model_.joints[i];
            work_.joint.right.segment(joint.u, joint.freedoms()) =
                -own * own * work_.joint.residual.segment(joint.u, joint.freedoms());
        }
    }
}

void JointEquations::setRoundingOfResidual()
{
    LargeVector<Vec6>& terms = work_.joint.roundingTerms;  // force, torque: one number each
    terms.resize(model_.bodies.size());
    for (int i = 0; i < model_.size(); ++i) {
        const Body& body = model_.bodies[i];
        const BodyState& s = work_.implicit.trial.bodies[i];
        const double largestInertia = body.inertia.trace();
        const double force =
            body.mass / h(i) * (s.velocity.norm() + star_[i].velocity.norm() + s.position.norm() / h(i)) +
            work_.forces.body[i].force.norm();
        const double w = s.angularVelocity.norm();
        const double torque =
            largestInertia * ((w + star_[i].angularVelocity.norm() + 1 / h(i)) / h(i) + w * w) +
            work_.forces.body[i].torque.norm();
        terms[i] << force, torque, 0, 0, 0, 0;
    }
    work_.joint.right.setZero();
    for (int i = model_.size() - 1; i >= 0; --i) {
        const ArticulatedLink& link = links_[i];
        const double force = terms[i][0], torque = terms[i][1];
        for (int k = 0; k < link.freedoms; ++k) {
            const bool slides = link.freedoms == 6 ? k < 3 : link.S.col(k).tail<3>().isZero();
            const double arm = link.freedoms == 6 ? 0 : model_.joints[i].anchorChild.norm();
            const double own = slides ? force : torque + arm * force;
            const double sign = (link.u + k) % 2 == 0 ? 1 : -1;
            work_.joint.right[link.u + k] =
                sign * h(i) * h(i) * machineRounding * (own + std::abs(work_.forces.joint[link.u + k]));
        }
        if (link.parent < 0 || link.freedoms == 6) continue;
        terms[link.parent][0] += force;
        terms[link.parent][1] += torque + link.X.r.norm() * force;
    }
}

}  // namespace sinew
