#include "sinew/integrate/constraints.h"

#include <algorithm>

#include "sinew/model/rows.h"

namespace sinew {
namespace {

Vec3 anchorOf(const LargeVector<BodyState>& bodies, int body, const Vec3& point)
{
    return body < 0 ? point : Vec3(bodies[body].position + bodies[body].orientation * point);
}

Vec3 offsetOf(const LargeVector<BodyState>& bodies, const Contact& c)
{
    return anchorOf(bodies, c.bodyB, c.pointB) - anchorOf(bodies, c.bodyA, c.pointA);
}

// Of contacts of jointed figures, as a part of how far their own force moves them: gaps are off by that
// part of what would be fallen through in a step.
constexpr double sharingCompliance = 1e-7;

// Newton's method has converged by then, or the places in touch run from one side to another: they stay
// where they are from then on.
constexpr int followedCorrections = 5;

}  // namespace

ConstraintSolverSettings solverSettings(const Model& model)
{
    ConstraintSolverSettings settings;
    if (!model.contact) return settings;
    using Choice = ConstraintSolverSettings::Choice;
    switch (model.contact->solver) {
        case ContactDescription::Solver::automatic:
            settings.choice = Choice::automatic;
            break;
        case ContactDescription::Solver::exact:
            settings.choice = Choice::exact;
            break;
        case ContactDescription::Solver::iterative:
            settings.choice = Choice::iterative;
            break;
    }
    settings.sweeps = model.contact->sweeps;
    settings.tolerance = model.contact->tolerance;
    return settings;
}

StepConstraints::StepConstraints(const Model& model, const LargeVector<BodyState>& start, double h,
                                 ConstraintWork& work)
    : model_(model), start_(start), h_(h), work_(work)
{
    const std::size_t count = work_.contacts.size();
    work_.startOffsets.resize(count);
    work_.targets.resize(count);
    work_.followed.resize(count);
    work_.curvatures.resize(count);
    work_.resistances.assign(count, 0);
    work_.blocks.clear();
    for (std::size_t c = 0; c < count; ++c) {
        Contact& contact = work_.contacts[c];
        work_.followed[c] = followContact(model, contact, start, h);
        if (work_.followed[c].isFollowed)
            moveContact(work_.followed[c], start, contact, work_.curvatures[c]);
        work_.startOffsets[c] = offsetOf(start, contact);
        // The larger of how it was found and how its anchors are now: over an edge a normal of the end of
        // the step takes what is beside for what is inside.
        const double gap = std::max(
            contact.gap, contact.normal.dot(work_.startOffsets[c]) - contact.roundA - contact.roundB);
        work_.targets[c] = gap < 0 ? gap + recovered(-gap, h) : 0;
        ConstraintBlock block;
        block.friction = contact.friction;
        block.impulse = h * contact.impulse;
        if (model.contact->response == ContactDescription::Response::penalty) {
            // f = −k d' − c (d' − d)/h for gaps d at the start and d' at the end: implicit in both.
            const double k = h * h * model.contact->stiffness, c_h = h * model.contact->damping;
            work_.targets[c] = c_h * std::min(gap, 0.0) / (k + c_h);
            block.compliance = 1 / (k + c_h);
        }
        work_.blocks.push_back(block);
    }
    work_.loopImpulses.resize(model.loops.size() + model.couplings.size(), Vec6::Zero());
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const int rows = model.loops[l].rows();
        for (int first = 0; first < rows; first += 3) {
            ConstraintBlock block;
            block.kind = ConstraintBlock::Kind::equality;
            block.rows = std::min(3, rows - first);
            block.impulse = h * work_.loopImpulses[l].segment<3>(first);
            work_.blocks.push_back(block);
        }
    }
    for (std::size_t c = 0; c < model.couplings.size(); ++c) {
        ConstraintBlock block;
        block.kind = ConstraintBlock::Kind::equality;
        block.rows = 1;
        block.impulse[0] = h * work_.loopImpulses[model.loops.size() + c][0];
        work_.blocks.push_back(block);
    }
    work_.impulses.clear();
    for (const ConstraintBlock& block : work_.blocks) work_.impulses.push_back(block.impulse);
    work_.rows.resize(2 * firstCoupling());
    work_.motion.resize(work_.blocks.size());
}

// Capsules of neighbouring bones end in the joint between them: what touches there touches both, at one
// place. Which of the two carries the load is open, yet friction turns the one or the other by it: Newton
// would go from one answer to the next for ever. A little compliance decides.
bool StepConstraints::sharesLoads(const Contact& contact) const
{
    return model_.contact->response == ContactDescription::Response::resting && isOfFigure(contact);
}

bool StepConstraints::isOfFigure(const Contact& contact) const
{
    const auto isJointed = [&](int body) {
        return body >= 0 && model_.skeletons[model_.skeletonOf[body]].count > 1;
    };
    return isJointed(contact.bodyA) || isJointed(contact.bodyB);
}

void StepConstraints::setContact(const State& state, std::size_t c)
{
    Contact& contact = work_.contacts[c];
    const bool isFollowed = work_.followed[c].isFollowed;
    if (isFollowed && corrections_ < followedCorrections)
        moveContact(work_.followed[c], state.bodies, contact, work_.curvatures[c]);
    const Mat3 frame = contactFrame(contact.normal);
    const Vec3& n = contact.normal;
    const Vec3 offset = offsetOf(state.bodies, contact);
    Vec3 d = frame * (offset - work_.startOffsets[c]);
    d[0] = n.dot(offset) - contact.roundA - contact.roundB - work_.targets[c];
    BodyRows* rows = &work_.rows[2 * c];
    setContactRows(contact, state.bodies, rows[0], rows[1]);
    if (isFollowed) d.tail<2>() = (frame * slipBetween(contact, start_, state.bodies)).tail<2>();
    // How a body turns under what is round of it is slip too.
    for (int side = 0; side < 2 && !isFollowed; ++side) {
        if (rows[side].body < 0) continue;
        const double round = side == 0 ? contact.roundA : contact.roundB;
        const Vec3 turned = h_ * state.bodies[rows[side].body].angularVelocityWorld();
        d.tail<2>() -= round * (frame * turned.cross(n)).tail<2>();
    }
    work_.motion[c] = d;
}

void StepConstraints::setLoops(const State& state)
{
    std::size_t block = work_.contacts.size();
    for (const LoopJoint& loop : model_.loops) {
        setLoopRows(loop, state.bodies, &work_.rows[2 * block], &work_.motion[block]);
        block += static_cast<std::size_t>(loopBlocks(loop));
    }
    for (const Coupling& coupling : model_.couplings)
        work_.motion[block++] = Vec3(couplingGap(model_, coupling, state), 0, 0);
}

// What pivots on a corner gains energy in backward Euler: with the lever arm of the end of the step the
// corner's force f does the work W = f · J Δq > 0, although the corner stands still, ½ f R θ² with θ the
// turn and R the arm. A torque against the turn takes it back, so that contacts never do work on the
// bodies. It is no more than what the arm of half a step before would have made.
// Not for figures: what a bone that bears much gains by its own turn is not what the figure gains.
void StepConstraints::takeBackWork(const State& state, std::size_t c, const Vec3& f, Forces& forces)
{
    const Contact& contact = work_.contacts[c];
    const BodyRows* rows = &work_.rows[2 * c];
    double work = 0, arm = 0;
    Vec3 turn = Vec3::Zero();  // of B against A
    for (int side = 0; side < 2; ++side) {
        const int body = rows[side].body;
        if (body < 0) continue;
        const BodyState& now = state.bodies[body];
        const Vec3 turned = h_ * now.angularVelocityWorld();
        work += f.dot(rows[side].move * (now.position - start_[body].position) + rows[side].turn * turned);
        arm += side == 0 ? contact.pointA.norm() + contact.roundA : contact.pointB.norm() + contact.roundB;
        turn += side == 0 ? Vec3(-turned) : turned;
    }
    const double square = turn.squaredNorm();
    // What comes and goes keeps Newton's method from converging: in the end it is held.
    if (corrections_ < followedCorrections)
        work_.resistances[c] = work > 0 && square > 0 ? std::min(work / square, 0.5 * f.norm() * arm) : 0;
    const Vec3 torque = work_.resistances[c] * turn;
    if (rows[0].body >= 0) forces.body[rows[0].body].torque += torque;
    if (rows[1].body >= 0) forces.body[rows[1].body].torque -= torque;
}

void StepConstraints::evaluate(const State& state, Forces& forces)
{
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) setContact(state, c);
    setLoops(state);
    for (std::size_t c = 0; c < model_.couplings.size(); ++c)
        addCouplingForce(model_, model_.couplings[c], work_.impulses[firstCoupling() + c][0] / (h_ * h_),
                         forces);
    for (std::size_t b = 0; b < firstCoupling(); ++b) {
        const Vec3 f = work_.impulses[b] / (h_ * h_);
        for (const BodyRows* rows : {&work_.rows[2 * b], &work_.rows[2 * b + 1]}) {
            if (rows->body < 0) continue;
            forces.body[rows->body].force += rows->move.transpose() * f;
            forces.body[rows->body].torque += rows->turn.transpose() * f;
        }
        if (b < work_.contacts.size() && !isOfFigure(work_.contacts[b])) takeBackWork(state, b, f, forces);
    }
}

// The torque s × F of a contact's force changes as its body turns: s turns with the body, and the place in
// touch moves on over the surface by its radii of curvature P. Against a plane, with N the normal force and
// m the way out of the body, − ∂(s × F)/∂θ = N m~ (s~ − P m~): stiff where the surface is flatter than the
// centre is high. What a curved other side takes off that is left out, and so are friction and what couples
// two bodies: Newton's method converges without, if not quadratically.
void StepConstraints::addContactTangents(const State& state, LargeVector<ArticulatedLink>& links) const
{
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        const Contact& contact = work_.contacts[c];
        for (const int body : {contact.bodyA, contact.bodyB})  // takeBackWork
            if (body >= 0)
                links[body].inertia.bottomRightCorner<3, 3>() +=
                    h_ * h_ * work_.resistances[c] * Mat3::Identity();
        if (!work_.followed[c].isFollowed || !(work_.impulses[c][0] > 0)) continue;
        for (int side = 0; side < 2; ++side) {
            const int body = side == 0 ? contact.bodyA : contact.bodyB;
            if (body < 0 || work_.followed[c].sides[side].kind == ContactSide::Kind::face) continue;
            const Vec3 m = side == 0 ? contact.normal : Vec3(-contact.normal);
            const Quat& R = state.bodies[body].orientation;
            const Vec3 s = R * (side == 0 ? contact.pointA : contact.pointB) +
                           (side == 0 ? contact.roundA : contact.roundB) * m;
            const Mat3 turning =
                work_.impulses[c][0] * tilde(m) * (tilde(s) - work_.curvatures[c].radii[side] * tilde(m));
            const Mat3 toBody = R.conjugate().toRotationMatrix();
            links[body].inertia.bottomRightCorner<3, 3>() +=
                0.5 * toBody * (turning + turning.transpose()) * toBody.transpose();
        }
    }
}

void StepConstraints::addTangents(const State& state, LargeVector<ArticulatedLink>& links) const
{
    addContactTangents(state, links);
    std::size_t block = work_.contacts.size();
    for (const LoopJoint& loop : model_.loops) {
        const Place C = placeIn(state.bodies, loop.child), P = placeIn(state.bodies, loop.joint.parent);
        Row rows[6];
        rowsOf(loop.joint, rows);
        PairMatrix curvature;
        curvature.setZero();
        for (int k = 0; k < loop.rows(); ++k)
            addRowCurvature(rows[k], loop.joint, C, P,
                            work_.impulses[block + static_cast<std::size_t>(k / 3)][k % 3], curvature);
        const auto add = [&](int body, const Mat6& m) {
            if (body < 0) return;
            const Mat3 turning = m.bottomRightCorner<3, 3>();
            links[body].inertia.bottomRightCorner<3, 3>() -= 0.5 * (turning + turning.transpose());
        };
        add(loop.child, curvature.block[0][0]);
        add(loop.joint.parent, curvature.block[1][1]);
        block += static_cast<std::size_t>(loopBlocks(loop));
    }
}

bool StepConstraints::correct(const State& state, LargeVector<ArticulatedLink>& links, VecX& delta)
{
    Delassus& W = work_.delassus;
    ++corrections_;
    work_.lastImpulses = work_.impulses;
    clearForSkeletons(model_, W, work_.freedoms);
    for (std::size_t b = 0; b < firstCoupling(); ++b)
        addFigureRows(model_, links, state.bodies, work_.rows[2 * b], work_.rows[2 * b + 1], W);
    for (const Coupling& coupling : model_.couplings) addCouplingRow(model_, coupling, W);
    solveFigureRows(model_, links, W, work_.rowsWork);
    for (int b = 0; b < W.size(); ++b)
        if (!(W.diagonal(b).diagonal().minCoeff() >= 0)) return false;

    // d0 = d + J δ − W μ: where the constraints would be without the forces they have now.
    W.clearMotion();
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) W.push(static_cast<int>(b), -work_.impulses[b]);
    addUnitMotions(model_, W, delta);
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) {
        work_.blocks[b].impulse = work_.impulses[b];
        if (b < work_.contacts.size() && sharesLoads(work_.contacts[b]))
            work_.blocks[b].compliance = sharingCompliance * W.diagonal(static_cast<int>(b))(0, 0);
        work_.blocks[b].offset = work_.motion[b] + figureMotion(model_, W, static_cast<int>(b), delta);
    }

    work_.report = solveConstraints(W, work_.blocks, solverSettings(model_), work_.solver);
    addUnitMotions(model_, W, delta);
    return true;
}

void StepConstraints::accept(double length)
{
    for (std::size_t b = 0; b < work_.blocks.size(); ++b)
        work_.impulses[b] =
            work_.lastImpulses[b] + length * (work_.blocks[b].impulse - work_.lastImpulses[b]);
}

void StepConstraints::finish()
{
    for (std::size_t c = 0; c < work_.contacts.size(); ++c)
        work_.contacts[c].impulse = work_.impulses[c] / h_;
    std::size_t block = work_.contacts.size();
    for (std::size_t l = 0; l < model_.loops.size(); ++l)
        for (int first = 0; first < model_.loops[l].rows(); first += 3)
            work_.loopImpulses[l].segment<3>(first) = work_.impulses[block++] / h_;
    for (std::size_t c = 0; c < model_.couplings.size(); ++c)
        work_.loopImpulses[model_.loops.size() + c][0] = work_.impulses[block++][0] / h_;
}

}  // namespace sinew
