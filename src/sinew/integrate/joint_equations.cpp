#include "sinew/integrate/joint_equations.h"

#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/placement.h"
#include "sinew/recursion/springs.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr double machineRounding = 0x1p-52;

// log of a rotation, soon for a short one.
Vector3<double> turnOf(const Quaternion4<double>& q)
{
    const Vector3<double> v{q.x, q.y, q.z};
    const double square = dot(v, v);
    if (q.w > 0 && square < shortTurn * shortTurn / 4) return (2 * arcSineOverSine(square)) * v;
    const recursion::Logarithm<double> log = recursion::logarithm(q);
    return log.factor * log.v;
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
      lengths_(work.joint.lengths),
      links_(work.joint.links),
      turns_(work.joint.turns),
      carried_(work.joint.carried),
      believed_(work.joint.believed),
      excess_(work.joint.excess),
      loads_(work.implicit.loads)
{
    lengths_.clear();
    for (const double part : work.implicit.parts) {
        const double h = h_ * part;
        lengths_.push_back({h, 1 / h, h * h});
    }
    links_.resize(model_.bodies.size());
    turns_.resize(model_.bodies.size());
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
    eachSkeletonPart(model_, [&](int first, int end) {
        for (int i = first; i < end; ++i) place(state, i);
    });
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
        const ArticulatedLink* parent = link.parent < 0 ? nullptr : &links_[link.parent];
        const double* delta = correction.data() + link.u;
        Vector move = Vector::zero(), turn = move;
        if (link.kind == LinkKind::free) {
            move = recursion::readVector(delta);
            if (parent) move = parent->R * move;
            turn = link.R * recursion::readVector(delta + 3);
        } else {
            if (parent) {
                move = parent->a + cross(parent->alpha, link.l);
                turn = parent->alpha;
            }
            link.addMotion(delta, move, turn);
        }
        link.a = move;
        link.alpha = turn;
        work_.joint.foreseen[i] = {state.bodies[i].position, large(move + cross(turn, link.c))};
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
        Vector f = Vector::zero(), n = f;
        if (foresees_) {
            const Vec3 off = work_.joint.foreseen[i].missed(body, part);
            f = small(Vec3(-model_.bodies[i].mass / (h(i) * h(i)) * off));
        }
        if (!pairs.tangents.empty()) {
            f += small(pairs.excess[i].force);
            n = small(pairs.excess[i].torque);
        }
        believed_[i] = {f, n + cross(links_[i].c, f)};
        excess_[i] = Vector::zero();
    }
    for (int i = model_.size() - 1; i >= 0; --i) {
        const ArticulatedLink& link = links_[i];
        JointLoad& load = believed_[i];
        if (link.kind != LinkKind::free) {
            addExcess(i, &load);
            if (link.parent >= 0) {
                believed_[link.parent].force += load.force;
                believed_[link.parent].torque += load.torque + cross(link.l, load.force);
            }
        }
        load.force += carried_[i].force;
        load.torque += carried_[i].torque;
    }
}

// What a joint still lacks of its own torque (implicit.h), with what those beyond it lack; `more` is what
// the joint carries beside what the residual says. A slide's turns are zero.
void JointEquations::addExcess(int i, const JointLoad* more)
{
    const ArticulatedLink& link = links_[i];
    Vector& excess = excess_[i];
    if (link.kind == LinkKind::ball) {
        excess = link.R * recursion::readVector(work_.joint.residual.data() + link.u);
        if (more) excess += more->torque;
        if (!loads_.empty()) excess -= link.R * recursion::readVector(loads_.difference().data() + link.u);
        if (link.parent >= 0) excess_[link.parent] += excess;
        return;
    }
    double lacks[ArticulatedLink::most] = {};
    if (more) link.along(more->force, more->torque, lacks);
    for (int k = 0; k < link.freedoms; ++k) {
        lacks[k] += work_.joint.residual[link.u + k];
        if (!loads_.empty()) lacks[k] -= loads_.difference()[link.u + k];
    }
    const Vector beyond = excess;
    for (int k = 0; k < link.freedoms; ++k)
        excess += (lacks[k] - dot(link.angular[k], beyond)) * link.angular[k];
    if (link.parent >= 0) excess_[link.parent] += excess;
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
    // Inward: each joint carries what lies beyond it.
    eachSkeletonPart(model_, [&](int first, int end) {
        for (int i = end - 1; i >= first; --i) {
            addNeed(state, i);
            carry(state, i);
        }
    });
    const double part = moved.value_or(1);
    believes_ = (foresees_ && isSurprised(state, part)) || pairsSurprise();
    if (believes_) believeForeseen(state, part);
    return work_.joint.residual.norm();
}

// The residual of a joint, and what its parent carries of it.
void JointEquations::carry(const State& state, int i)
{
    const ArticulatedLink& link = links_[i];
    const JointLoad& load = carried_[i];
    VecX& r = work_.joint.residual;
    double* own = r.data() + link.u;
    const double* Q = work_.forces.joint.data() + link.u;
    if (link.kind == LinkKind::free) {
        const Vector f = link.parent < 0 ? load.force : transposeTimes(links_[link.parent].R, load.force);
        recursion::writeVector(f - recursion::readVector(Q), own);
        recursion::writeVector(transposeTimes(link.R, load.torque) - recursion::readVector(Q + 3), own + 3);
        return;  // cuts the tree
    }
    if (link.kind == LinkKind::ball) {
        recursion::writeVector(transposeTimes(link.R, load.torque) - recursion::readVector(Q), own);
    } else {
        link.along(load.force, load.torque, own);
        for (int k = 0; k < link.freedoms; ++k) own[k] -= Q[k];
    }
    if (model_.links[i].hasArmature)
        for (int k = 0; k < link.freedoms; ++k)
            own[k] += model_.joints[i].armature * length(i).over *
                      (state.u[link.u + k] - work_.implicit.starredVelocity[link.u + k]);
    addExcess(i, nullptr);
    if (link.parent < 0) return;
    carried_[link.parent].force += load.force;
    carried_[link.parent].torque += load.torque + cross(link.l, load.force);
}

void JointEquations::place(State& state, int i)
{
    const LinkData<double>& data = model_.links[i];
    const StarredSpin& star = work_.implicit.spins[i];
    BodyState& body = state.bodies[i];
    const bool hasParent = data.parent >= 0;
    const double over = length(i).over;

    const Quaternion4<double> relative =
        recursion::relativeRotation(data, model_.joints[i], state.q.data());
    const Quaternion4<double> R =
        hasParent ? renormalized(small(state.bodies[data.parent].orientation) * relative) : relative;
    body.orientation = large(R);
    const bool isGiven =
        (data.extra >= 0 && isPrescribed(model_, state, i)) || isBodyAsleep(model_, state, i);
    placeLink(model_, state.q, body, i, isGiven, links_);
    ArticulatedLink& link = links_[i];
    Vector O = link.l;
    if (hasParent) O += small(originOf(links_[data.parent], state.bodies[data.parent]));
    const Vector position = O + link.c;
    body.position = large(position);
    const Vector velocity = over * (position - small(star_[i].position));
    body.velocity = large(velocity);
    const Vector w = small(star.spin) + over * turnOf(conjugate(small(star.orientation)) * R);
    body.angularVelocity = large(w);
    turns_[i].w = link.R * w;
    carried_[i] = {Vector::zero(), Vector::zero()};
    excess_[i] = Vector::zero();

    // Discrete velocities of the joint.
    const Vector parentsW = hasParent ? turns_[data.parent].w : Vector::zero();
    const Vector spin = hasParent ? w - transposeTimes(link.R, parentsW) : w;
    double* u = state.u.data() + data.u;
    switch (data.kind) {
        case LinkKind::ball:
            recursion::writeVector(spin, u);
            return;
        case LinkKind::hinge:
            u[0] = dot(data.axis, spin);
            return;
        case LinkKind::rigid:
            return;
        default:
            break;
    }
    Vector rate = velocity;
    if (hasParent) {
        const BodyState& parent = state.bodies[data.parent];
        rate -= small(parent.velocity) + cross(parentsW, position - small(parent.position));
    }
    if (data.kind == LinkKind::free) {
        recursion::writeVector(hasParent ? transposeTimes(links_[data.parent].R, rate) : rate, u);
        recursion::writeVector(spin, u + 3);
        return;
    }
    const double* q = state.q.data() + data.q;
    const Joint& joint = model_.joints[i];
    jointVelocityOf(joint, q, jointTransform(joint, q), {large(transposeTimes(link.R, rate)), large(spin)},
                    u);
}

// What a body needs, at O, to what its joint carries.
void JointEquations::addNeed(const State& state, int i)
{
    const Body& body = model_.bodies[i];
    const BodyState& s = state.bodies[i];
    const ArticulatedLink& link = links_[i];
    const StarredSpin& star = work_.implicit.spins[i];
    const Force& push = work_.forces.body[i];
    const double over = length(i).over;
    const Vector w = turns_[i].w, started = small(star.momentum);
    const Vector L = link.R * (smallSymmetric(body.inertia) * small(s.angularVelocity));
    Vector torque = over * (L - started) - small(push.torque);
    if (!star.axis.isZero(0)) {
        const Vector axis = link.R * small(star.axis);
        torque += (over * (dot(axis, started) - star.axial) + dot(axis, cross(w, L))) * axis;
    }
    const Vector force =
        (body.mass * over) * (small(s.velocity) - small(star_[i].velocity)) - small(push.force);
    carried_[i].force += force;
    carried_[i].torque += torque + cross(link.c, force);
}

void JointEquations::setRightHandSide()
{
    for (const Skeleton& skeleton : model_.skeletons) {
        const double square = h(skeleton.first) * h(skeleton.first);
        const int end = skeleton.first + skeleton.count;
        const int to = end < model_.size() ? model_.joints[end].u : model_.freedomCount;
        for (int k = model_.joints[skeleton.first].u; k < to; ++k)
            work_.joint.right[k] = -square * work_.joint.residual[k];
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
        const bool isFree = link.kind == LinkKind::free;
        for (int k = 0; k < link.freedoms; ++k) {
            const bool slides = isFree ? k < 3 : large(link.turn(k)).isZero();
            const double arm = isFree ? 0 : large(link.c).norm();
            const double own = slides ? force : torque + arm * force;
            const double sign = (link.u + k) % 2 == 0 ? 1 : -1;
            work_.joint.right[link.u + k] =
                sign * h(i) * h(i) * machineRounding * (own + std::abs(work_.forces.joint[link.u + k]));
        }
        if (link.parent < 0 || isFree) continue;
        const Vector way = link.l + link.c - links_[link.parent].c;  // from centre to centre
        terms[link.parent][0] += force;
        terms[link.parent][1] += torque + large(way).norm() * force;
    }
}

}  // namespace sinew
