#include "sinew/integrate/constraints.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sinew/math/rotation.h"
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

// Of a face that slips on four corners it is open as well which of them bears how much. There it hardly
// matters; where Newton's method has not converged by then, it may.
constexpr int decisiveCorrections = 8;

}  // namespace

ConstraintSolverSettings solverSettings(const Model& model)
{
    ConstraintSolverSettings settings;
    settings.tolerance = 1e-8 * model.contactLength;
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
    settings.tolerance = *model.contact->tolerance;
    return settings;
}

StepConstraints::StepConstraints(const Model& model, const LargeVector<BodyState>& start, double h,
                                 const std::vector<double>& parts, ConstraintWork& work)
    : model_(model), start_(start), h_(h), parts_(parts), work_(work)
{
    const std::size_t count = work_.contacts.size();
    isPile_ = count > contactsOfLargePiles;
    work_.startOffsets.resize(count);
    work_.targets.resize(count);
    work_.followed.resize(count);
    work_.curvatures.resize(count);
    work_.blocks.clear();
    work_.turning.clear();
    work_.loose.resize(count, 0);
    for (std::size_t c = 0; c < count; ++c) {
        Contact& contact = work_.contacts[c];
        work_.followed[c] = followContact(model, contact, start, h);
        if (work_.followed[c].isFollowed)
            moveContact(work_.followed[c], start, contact, work_.curvatures[c]);
        work_.startOffsets[c] = offsetOf(start, contact);
        const double gap = startGap(c);
        work_.targets[c] = gap < 0 ? gap + recovered(model, -gap, h, work_.step) : 0;
        if (!work_.recovers) stopRecovery(c);
        ConstraintBlock block;
        block.friction = work_.loose[c] ? contact.friction : contact.gripping();
        block.impulse = h * contact.impulse;
        if (model.contact->response == ContactDescription::Response::penalty) {
            // f = −k d' − c (d' − d)/h for gaps d at the start and d' at the end: implicit in both.
            const double k = h * h * model.contact->stiffness, c_h = h * model.contact->damping;
            work_.targets[c] = c_h * std::min(gap, 0.0) / (k + c_h);
            block.compliance = 1 / (k + c_h);
        }
        work_.blocks.push_back(block);
    }
    if (count > 0) findSliding();
    for (std::size_t c = 0; c < count; ++c) addTurning(c);
    work_.loopImpulses.resize(model.loops.size() + model.couplings.size(), Vec6::Zero());
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        if (!holds(model.loops[l])) continue;
        const int rows = model.loops[l].rows();
        for (int first = 0; first < rows; first += 3) {
            ConstraintBlock block;
            block.kind = ConstraintBlock::Kind::equality;
            block.rows = std::min(3, rows - first);
            block.isVector = first == 0 && model.loops[l].joint.keepsPoint();
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
    chooseTree();
}

// Capsules of neighbouring bones end in the joint between them: what touches there touches both, at one
// place. Which of the two carries the load is open, yet friction turns the one or the other by it: Newton
// would go from one answer to the next for ever. A little compliance decides.
bool StepConstraints::sharesLoads(const Contact& contact) const
{
    if (model_.contact->response != ContactDescription::Response::resting) return false;
    return isOfFigure(contact) || corrections_ > decisiveCorrections;
}

// A face stands on four points or more where three would do: how they share the load is open. While it
// sticks that does not matter; what slides is turned about the normal by friction where the load is.
// Compliance decides there as well.
void StepConstraints::findSliding()
{
    constexpr std::size_t redundant = 4;
    constexpr double still = 1e-4;  // of the smallest body's size, in a step
    const std::vector<Contact>& contacts = work_.contacts;
    work_.slides.assign(contacts.size(), 0);
    if (model_.contact->response != ContactDescription::Response::resting) return;
    for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
        const auto isOfPair = [&](const Contact& c) {
            return c.colliderA == contacts[first].colliderA && c.colliderB == contacts[first].colliderB;
        };
        bool slides = false;
        for (end = first; end < contacts.size() && isOfPair(contacts[end]); ++end)
            slides |=
                h_ * contactVelocity(contacts[end], start_).tail<2>().norm() > still * model_.contactLength;
        if (slides && end - first >= redundant)
            std::fill(work_.slides.begin() + static_cast<std::ptrdiff_t>(first),
                      work_.slides.begin() + static_cast<std::ptrdiff_t>(end), 1);
    }
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
    if (followsPlace(c)) moveContact(work_.followed[c], state.bodies, contact, work_.curvatures[c]);
    const Mat3 frame = contactFrame(contact.normal);
    const Vec3& n = contact.normal;
    const Vec3 offset = offsetOf(state.bodies, contact);
    Vec3 d = frame * slipBetween(contact, h_, start_, state.bodies);
    d[0] = n.dot(offset) - contact.roundA - contact.roundB - work_.targets[c];
    BodyRows* rows = &work_.rows[2 * c];
    setContactRows(contact, state.bodies, rows[0], rows[1]);
    work_.motion[c] = d;
}

void StepConstraints::setLoops(const State& state)
{
    std::size_t block = firstLoop();
    for (const LoopJoint& loop : model_.loops) {
        if (!holds(loop)) continue;
        setLoopRows(loop, state.bodies, &work_.rows[2 * block], &work_.motion[block]);
        block += static_cast<std::size_t>(loopBlocks(loop));
    }
    for (const Coupling& coupling : model_.couplings)
        work_.motion[block++] = Vec3(couplingGap(model_, coupling, state), 0, 0);
}

void StepConstraints::evaluate(const State& state, Forces& forces)
{
    isTreeStale_ = true;
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) setContact(state, c);
    for (std::size_t t = 0; t < work_.turning.size(); ++t) setTurning(state, t);
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
    }
}

// How far loops are open at most, by what each block says of itself: turns in rad, places over the length
// of the figure.
template <class F>
double StepConstraints::largestLoopGap(const F& openingOf) const
{
    double gap = 0;
    std::size_t block = firstLoop();
    for (const LoopJoint& loop : model_.loops) {
        if (!holds(loop)) continue;
        const double length = model_.skeletons[model_.skeletonOf[loop.child]].length;
        Row rows[6];
        rowsOf(loop.joint, rows);
        for (int k = 0; k < loop.rows(); ++k) {
            const double d = std::abs(openingOf(block + static_cast<std::size_t>(k / 3))[k % 3]);
            gap = std::max(gap, rows[k].kind == Row::perpendicular ? d : d / length);
        }
        block += static_cast<std::size_t>(loopBlocks(loop));
    }
    return gap;
}

// At the iterate.
double StepConstraints::relativeLoopGap() const
{
    return largestLoopGap([&](std::size_t block) { return work_.motion[block]; });
}

bool StepConstraints::loopsStayOpen() const
{
    constexpr double closed = 1e-6;
    return largestLoopGap([&](std::size_t block) {
               return Vec3(work_.blocks[block].offset + work_.delassus.motion(static_cast<int>(block)));
           }) > closed;
}

// A constraint that yields to a push by going against it, by more than rounding beside what its bodies
// would do if they were free.
bool StepConstraints::hasNegativeInertia() const
{
    constexpr double rounding = 1e-10;
    for (int b = 0; b < work_.delassus.size(); ++b) {
        const Vec3 own = work_.delassus.diagonal(b).diagonal();
        for (int r = 0; r < 3; ++r) {
            if (own[r] >= 0) continue;
            if (!std::isfinite(own[r])) return true;
            if (static_cast<std::size_t>(b) >= firstCoupling()) return true;
            double free = 0;
            for (const BodyRows* rows : {&work_.rows[2 * b], &work_.rows[2 * b + 1]}) {
                if (rows->body < 0) continue;
                const Body& body = model_.bodies[rows->body];
                if (!(body.mass > 0)) continue;
                const Vec3 turn = start_[rows->body].orientation.conjugate() * Vec3(rows->turn.row(r));
                free += rows->move.row(r).squaredNorm() / body.mass + turn.dot(body.inverseInertia * turn);
            }
            if (-own[r] > rounding * free) return true;
        }
    }
    return false;
}

// The larger of how the place was found and how its anchors are now: over an edge a normal of the end of
// the step takes what is beside for what is inside.
double StepConstraints::startGap(std::size_t c) const
{
    const Contact& contact = work_.contacts[c];
    return std::max(contact.gap,
                    contact.normal.dot(work_.startOffsets[c]) - contact.roundA - contact.roundB);
}

// What is inside stays as deep as it is. Returns by how much less it comes out.
double StepConstraints::stopRecovery(std::size_t c)
{
    if (model_.contact->response != ContactDescription::Response::resting) return 0;
    const double before = work_.targets[c];
    work_.targets[c] = std::min({before, startGap(c), 0.});
    return before - work_.targets[c];
}

// Within a step that is being solved. True if that changes anything.
bool StepConstraints::stopRecovery()
{
    bool changes = false;
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        const double less = stopRecovery(c);
        if (!(less > 0)) continue;
        changes = true;
        work_.motion[c][0] += less;
        work_.blocks[c].offset[0] += less;
    }
    return changes;
}

namespace {

// While a loop is open by a gap, a turn of both bodies together moves its rows by that, though nothing says
// so: what depends on other rows once it is closed seems independent, by the square of the gap beside what
// may be less. Rows that such a turn leaves alone differ by the gap, as much as Newton's next correction
// will show, and keep a planar loop planar.
void balance(const LargeVector<BodyState>& bodies, BodyRows& first, BodyRows& second)
{
    if (first.body < 0 || second.body < 0) return;
    const Vec3 between = bodies[second.body].position - bodies[first.body].position;
    const Mat3 excess = first.turn + second.turn - second.move * tilde(between);
    first.turn -= 0.5 * excess;
    second.turn -= 0.5 * excess;
}

}  // namespace

// How far a contact's own force moves it, as far as its compliance is to know. A light body may be tied by
// loops to what is very much heavier: they are open in W, and then it is the heavy one that would sink in.
double StepConstraints::sharingMobility(std::size_t c) const
{
    return std::min(mobility(c)(0, 0), wholeMobility(work_.contacts[c]));
}
double StepConstraints::wholeMobility(const Contact& contact) const
{
    constexpr double most = 1e3;  // times what moves the whole figures
    double whole = 0;
    for (const int body : {contact.bodyA, contact.bodyB}) {
        if (body < 0) continue;
        const Skeleton& skeleton = model_.skeletons[model_.skeletonOf[body]];
        double mass = 0;
        for (int i = 0; i < skeleton.count; ++i) mass += model_.bodies[skeleton.first + i].mass;
        whole += 1 / mass;
    }
    return most * whole;
}

bool StepConstraints::correct(const State& state, ArticulatedLinks& links, VecX& delta)
{
    ++corrections_;
    return isInTree() ? correctInTree(state, links, delta) : correctAll(state, links, delta);
}

// With rows for all blocks.
bool StepConstraints::correctAll(const State& state, ArticulatedLinks& links, VecX& delta)
{
    Delassus& W = work_.delassus;
    work_.lastImpulses = work_.impulses;
    clearForSkeletons(model_, W, work_.freedoms);
    for (std::size_t b = 0; b < firstCoupling(); ++b) {
        BodyRows first = work_.rows[2 * b], second = work_.rows[2 * b + 1];
        if (b >= firstLoop()) balance(state.bodies, first, second);
        addFigureRows(model_, links, state.bodies, first, second, W);
    }
    for (const Coupling& coupling : model_.couplings) addCouplingRow(model_, coupling, W);
    work_.rowsWork.parts = parts_;
    solveFigureRows(model_, links, W, work_.rowsWork);
    isIndefinite_ = hasNegativeInertia();

    // d0 = d + J δ − W μ: where the constraints would be without the forces they have now.
    W.clearMotion();
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) W.push(static_cast<int>(b), -work_.impulses[b]);
    addUnitMotions(model_, W, delta);
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) {
        work_.blocks[b].impulse = work_.impulses[b];
        if (b < work_.contacts.size() && sharesLoads(work_.contacts[b]))
            work_.blocks[b].compliance = sharingCompliance * sharingMobility(b);
        else if (b < work_.contacts.size() && work_.slides[b])
            work_.blocks[b].sharing = slidingCompliance * sharingMobility(b);
        work_.blocks[b].offset = work_.motion[b] + figureMotion(model_, W, static_cast<int>(b), delta);
    }

    ConstraintSolverSettings settings = solverSettings(model_);
    // Rows that are left out must not stay so because the gap that they leave open excuses it.
    settings.loopGap = patience_ * relativeLoopGap();
    settings.isPile = isPile_;
    patience_ *= 0.3;
    // Torques follow the normal forces, which they hardly change.
    constexpr int mostRounds = 8;
    setRadii();
    for (int round = 0; round < mostRounds; ++round) {
        if (!isIndefinite_)
            work_.report = solveConstraints(W, work_.blocks, settings, work_.solver);
        else if (!solveLoopsFirst(W, work_.blocks, settings, work_.solver, work_.report))
            return false;
        if (work_.report.reachedCap && stopRecovery()) {
            for (std::size_t c = 0; c < work_.contacts.size(); ++c)
                work_.blocks[c].impulse = work_.impulses[c];
            continue;
        }
        if (!setRadii()) break;
    }
    addUnitMotions(model_, W, delta);
    heldAllRows_ = !leavesRowsOut(settings.loopGap);
    return true;
}

void StepConstraints::changeByRounding(VecX& change)
{
    constexpr double rounding = 4 * 0x1p-52;
    constexpr std::uint32_t mixer = 2654435761u;  // Knuth's, for signs without a pattern
    change.setZero(model_.freedomCount);
    if (isInTree() || isIndefinite_) return;
    double place = 0;
    for (const BodyState& body : start_) place = std::max(place, body.position.cwiseAbs().maxCoeff());
    Delassus& W = work_.delassus;
    std::vector<ConstraintBlock>& blocks = work_.roundedBlocks;
    blocks = work_.blocks;
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        const bool isUp = (static_cast<std::uint32_t>(c + 1) * mixer) >> 31;
        blocks[c].offset[0] += (isUp ? rounding : -rounding) * place;
    }
    solveConstraints(W, blocks, solverSettings(model_), work_.solver);
    W.clearMotion();
    for (std::size_t b = 0; b < blocks.size(); ++b)
        W.push(static_cast<int>(b), blocks[b].impulse - work_.blocks[b].impulse);
    addUnitMotions(model_, W, change);
    W.clearMotion();
    for (std::size_t b = 0; b < blocks.size(); ++b) W.push(static_cast<int>(b), work_.blocks[b].impulse);
}

double StepConstraints::missed() const
{
    double largest = 0;
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) {
        ConstraintBlock block = work_.blocks[b];
        block.impulse = work_.impulses[b];
        const ConstraintLaw law = constraintLaw(block, mobility(b), 0);
        largest = std::max(largest, lawResidual(law, block, work_.motion[b]).largest());
    }
    return largest;
}

void StepConstraints::clearReached(VecX& motion) const
{
    if (isInTree()) {
        for (const TreeContact& c : work_.tree.contacts) {
            const Skeleton& skeleton = model_.skeletons[model_.skeletonOf[c.rows.body]];
            motion.segment(freedomStart(model_, skeleton), freedomCount(model_, skeleton)).setZero();
        }
        if (work_.inRows.empty()) return;
    }
    for (int b = 0; b < work_.delassus.size(); ++b)
        for (int side = 0; side < 2; ++side) {
            const int unit = work_.delassus.side(b, side).unit;
            if (unit < 0) continue;
            const SkeletonRun& run = model_.runs[static_cast<std::size_t>(unit)];
            for (int s = run.first; s < run.first + run.count; ++s)
                motion
                    .segment(freedomStart(model_, model_.skeletons[s]),
                             freedomCount(model_, model_.skeletons[s]))
                    .setZero();
        }
}

void StepConstraints::forceCorrections(std::vector<Vec3>& changes) const
{
    changes.resize(work_.blocks.size());
    for (std::size_t b = 0; b < work_.blocks.size(); ++b)
        changes[b] = work_.blocks[b].impulse - work_.lastImpulses[b];
}

void StepConstraints::setForceCorrections(const std::vector<Vec3>& changes, const std::vector<Vec3>& found)
{
    for (std::size_t b = 0; b < work_.blocks.size(); ++b) {
        ConstraintBlock& block = work_.blocks[b];
        const ConstraintLaw law = constraintLaw(block, mobility(b), 0);
        const Vec3 solved = work_.lastImpulses[b] + found[b];
        const bool isOpen = law.contact && !(solved[0] > 0);
        block.impulse = isOpen ? solved : insideCone(law, work_.lastImpulses[b] + changes[b]);
    }
}

bool StepConstraints::hasJustSettledPlaces() const
{
    return corrections_ == followedCorrections + 1 &&
           std::any_of(work_.followed.begin(), work_.followed.end(),
                       [](const FollowedContact& f) { return f.isFollowed; });
}

void StepConstraints::accept(double length)
{
    for (std::size_t b = 0; b < work_.blocks.size(); ++b)
        work_.impulses[b] =
            work_.lastImpulses[b] + length * (work_.blocks[b].impulse - work_.lastImpulses[b]);
}

// Friction is all used up, and the bodies move along each other by more than what a solver leaves open.
bool StepConstraints::slips(std::size_t c) const
{
    constexpr double noise = 10;
    const Vec3& m = work_.impulses[c];
    const double left = std::max(solverSettings(model_).tolerance, work_.report.largest());
    return m[0] > 0 && m.tail<2>().norm() > 0.999 * work_.blocks[c].friction * m[0] &&
           work_.motion[c].tail<2>().norm() > noise * left;
}

void StepConstraints::finish()
{
    work_.slips.resize(work_.contacts.size());
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        work_.contacts[c].impulse = work_.impulses[c] / h_;
        work_.slips[c] = slips(c);
    }
    finishTurning();
    std::size_t block = firstLoop();
    for (std::size_t l = 0; l < model_.loops.size(); ++l)
        for (int first = 0; first < model_.loops[l].rows() && holds(model_.loops[l]); first += 3)
            work_.loopImpulses[l].segment<3>(first) = work_.impulses[block++] / h_;
    for (std::size_t c = 0; c < model_.couplings.size(); ++c)
        work_.loopImpulses[model_.loops.size() + c][0] = work_.impulses[block++][0] / h_;
}

}  // namespace sinew
