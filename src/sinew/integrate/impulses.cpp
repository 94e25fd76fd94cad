#include "sinew/integrate/impulses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/force/laws.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/measure/energy.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

// Anchors of both bodies in the middle between their surfaces: what is pushed in one place keeps its
// angular momentum, friction or not, however deep it is. Where the two have slipped since they were found
// (integrate/hold.h), the place goes with the one that says where they touch: a ball, a corner on the
// ground.
Contact inOnePlace(Contact contact, const LargeVector<BodyState>& bodies)
{
    const auto surface = [&](int body, const Vec3& point, double out) -> Vec3 {
        const Vec3 anchor =
            body < 0 ? point : Vec3(bodies[body].position + bodies[body].orientation * point);
        return anchor + out * contact.normal;
    };
    const Vec3 a = surface(contact.bodyA, contact.pointA, contact.roundA),
               b = surface(contact.bodyB, contact.pointB, -contact.roundB);
    const auto says = [](int body, double round) { return body < 0 ? 0 : round > 0 ? 2 : 1; };
    const int saysA = says(contact.bodyA, contact.roundA), saysB = says(contact.bodyB, contact.roundB);
    const double share = saysA == saysB ? 0.5 : saysA < saysB ? 1 : 0;  // of b, along the surface
    const Vec3 apart = b - a, across = contact.normal.dot(apart) * contact.normal;
    const Vec3 middle = a + 0.5 * across + share * (apart - across);
    const auto anchor = [&](int body) -> Vec3 {
        return body < 0 ? middle : bodies[body].orientation.conjugate() * (middle - bodies[body].position);
    };
    contact.pointA = anchor(contact.bodyA);
    contact.pointB = anchor(contact.bodyB);
    contact.roundA = contact.roundB = 0;
    return contact;
}

// Steps in body coordinates end with velocities v that fit the joints to the order of the step only. Splits
// them into v = S u + w with Sᵀ M w = 0: w has no momentum, its energy is its own, and no impulse on the
// figure changes it. Leaves v in work.impulses.whole and S u in the state; false if w is zero.
bool splitVelocities(const Model& model, State& state, StepWork& work)
{
    work.impulses.whole = state.bodies;
    bodiesFromJoints(model, state);
    LargeVector<Vec6>& momenta = work.impulses.momenta;  // world axes, of all from a body on
    momenta.resize(model.bodies.size());
    bool fits = true;
    for (int i = 0; i < model.size(); ++i) {
        const BodyState &had = work.impulses.whole[i], &has = state.bodies[i];
        const Vec3 turning = had.angularVelocityWorld() - has.angularVelocityWorld();
        momenta[i].head<3>() = model.bodies[i].mass * (had.velocity - has.velocity);
        momenta[i].tail<3>() =
            has.orientation * (model.bodies[i].inertia * (has.orientation.conjugate() * turning));
        fits = fits && momenta[i].isZero(0);
    }
    if (fits) return false;
    VecX& along = work.joint.right;
    along.setZero(model.freedomCount);
    for (int i = model.size() - 1; i >= 0; --i) {
        const ArticulatedLink& link = work.joint.links[i];
        alongFreedoms(work.joint.links, i, Vec3(momenta[i].head<3>()), Vec3(momenta[i].tail<3>()),
                      along.data() + link.u);
        if (link.parent < 0) continue;
        const Vec3 arm = state.bodies[i].position - state.bodies[link.parent].position;
        momenta[link.parent] += momenta[i];
        momenta[link.parent].tail<3>() += arm.cross(Vec3(momenta[i].head<3>()));
    }
    work.joint.correction.setZero(model.freedomCount);
    solveIncrement(work.joint.links, along, work.joint.correction);
    state.u += work.joint.correction;
    bodiesFromJoints(model, state);
    return true;
}

// Loops stay closed in a jump, and couplings tight: the rates of their rows are zero after it.
void addLoops(const Model& model, double h, const State& state, StepWork& work)
{
    ConstraintWork& w = work.constraints;
    BodyRows rows[4];
    Vec3 d[2];
    for (const LoopJoint& loop : model.loops) {
        if (!loop.holds(state.time)) continue;
        setLoopRows(loop, state.bodies, rows, d);
        for (int k = 0; k < loopBlocks(loop); ++k) {
            addFigureRows(model, work.joint.links, state.bodies, rows[2 * k], rows[2 * k + 1], w.delassus);
            ConstraintBlock block;
            block.kind = ConstraintBlock::Kind::equality;
            block.rows = std::min(3, loop.rows() - 3 * k);
            // From the bodies: joints that are led move too.
            for (const BodyRows& side : {rows[2 * k], rows[2 * k + 1]})
                if (side.body >= 0)
                    block.offset += h * (side.move * state.bodies[side.body].velocity +
                                         side.turn * state.bodies[side.body].angularVelocityWorld());
            w.blocks.push_back(block);
        }
    }
    for (const Coupling& coupling : model.couplings) {
        addCouplingRow(model, coupling, w.delassus);
        ConstraintBlock block;
        block.kind = ConstraintBlock::Kind::equality;
        block.rows = 1;
        block.offset[0] = h * couplingGapRate(model, coupling, state);
        w.blocks.push_back(block);
    }
}

// What a joint's springs and dampers add to the inertia over a time, as in an implicit step.
Mat3 resistance(const Model& model, const State& state, int link, double over)
{
    JointTangent tangent;
    jointForceTangent(model, state, link, tangent);
    const Mat3 K = 0.5 * (tangent.stiffness + tangent.stiffness.transpose()),
               D = 0.5 * (tangent.damping + tangent.damping.transpose());
    const Mat3 block = over * over * K + over * D;
    if (block.isZero(0)) return block;
    // What drives apart holds nothing.
    const SymmetricEigen3 eigen(block);
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
           eigen.eigenvectors().transpose();
}

// Whether the impulses that were found miss the law at a block by more than is wanted, and more than
// rounding makes of them.
bool misses(const ConstraintWork& w, std::size_t block, double wanted)
{
    const int b = static_cast<int>(block);
    const Vec3 d = w.blocks[block].offset + w.delassus.motion(b);
    const double missed = lawResidual(w.solver.laws[block], w.blocks[block], d).largest();
    return !(missed <= wanted) && !(missed <= roundingOf(w.delassus, w.blocks, b));
}

class Jump {
public:
    Jump(const Model& model, std::vector<Contact>& contacts, double h, State& state, StepWork& work)
        : model_(model),
          contacts_(contacts),
          h_(h),
          state_(state),
          work_(work),
          w_(work.constraints),
          bouncing_(work.impulses.bouncing)
    {
        // Slower approaches, of the fastest of all, are rounding.
        constexpr double rounding = 1e-12;
        double fastest = 0;
        for (const Contact& contact : contacts)
            fastest = std::max(fastest, contactVelocity(contact, state.bodies).norm());
        slow_ = std::max(*model.contact->bounceSpeed, rounding * fastest);
    }

    // True if any impulse is not zero.
    bool run(double over)
    {
        std::vector<Vec3>& guesses = work_.impulses.guesses;
        guesses.clear();
        for (Contact& contact : contacts_) {
            guesses.push_back(contact.impulse);
            contact.impulse.setZero();
        }
        bool changed = false;
        const std::size_t mostPasses = 8 + 2 * contacts_.size();
        for (std::size_t pass = 0; pass < mostPasses && findBouncing(); ++pass) {
            changed |= solvePass();
            std::fill(guesses.begin(), guesses.end(), Vec3::Zero());
        }
        bouncing_.assign(contacts_.size(), 0);
        if (over > 0 && factorInertia(model_, state_, over, work_)) {
            if (holdOver()) return true;
            factorPlainInertia(model_, state_, work_);
        }
        return solvePass() || changed;
    }

private:
    // The last pass with the resistance of the joints. False, and all is as before, if that brings energy.
    bool holdOver()
    {
        work_.impulses.velocities = state_.u;
        const double before = energy(model_, state_).kinetic;
        std::vector<Vec3>& sums = work_.constraints.lastImpulses;
        sums.clear();
        for (const Contact& contact : contacts_) sums.push_back(contact.impulse);
        if (solvePass() && energy(model_, state_).kinetic <= before) return true;
        state_.u = work_.impulses.velocities;
        bodiesFromJoints(model_, state_);
        for (std::size_t c = 0; c < contacts_.size(); ++c) contacts_[c].impulse = sums[c];
        return false;
    }

    // Marks what comes on and bounces. False if nothing does.
    bool findBouncing()
    {
        bouncing_.clear();
        bool any = false;
        for (const Contact& contact : contacts_) {
            bouncing_.push_back(contact.restitution > 0 &&
                                contactVelocity(contact, state_.bodies)[0] < -slow_);
            any |= bouncing_.back() != 0;
        }
        any_ = any;
        return any;
    }

    // One solve for all contacts or, where there are any that bounce, for those and what never does.
    bool solvePass()
    {
        clearForSkeletons(model_, w_.delassus, w_.freedoms);
        w_.blocks.clear();
        w_.motion.clear();
        members().clear();
        double largest = 0;
        for (std::size_t c = 0; c < contacts_.size(); ++c) {
            if (any_ && !bouncing_[c] && contacts_[c].restitution > 0) continue;
            addContact(c);
            largest = std::max(largest, w_.motion.back().norm());
        }
        if (members().empty()) return false;
        addLoops(model_, h_, state_, work_);
        for (std::size_t b = members().size(); b < w_.blocks.size(); ++b)
            w_.motion.push_back(w_.blocks[b].offset);
        w_.rowsWork.parts.clear();
        solveFigureRows(model_, work_.joint.links, w_.delassus, w_.rowsWork);
        largest_ = largest;
        solveImpulses();
        any_ = false;
        return take();
    }

    void addContact(std::size_t c)
    {
        const Contact contact = inOnePlace(contacts_[c], state_.bodies);
        BodyRows rows[2];
        setContactRows(contact, state_.bodies, rows[0], rows[1]);
        addFigureRows(model_, work_.joint.links, state_.bodies, rows[0], rows[1], w_.delassus);
        const Vec3 v = contactVelocity(contact, state_.bodies);
        ConstraintBlock block;
        block.friction = contact.friction;
        block.impulse = h_ * work_.impulses.guesses[c];
        block.offset = h_ * v;
        if (bouncing_[c]) block.offset[0] += h_ * contact.restitution * v[0];
        w_.blocks.push_back(block);
        w_.motion.push_back(h_ * v);
        members().push_back(static_cast<int>(c));
    }

    void solve() { solveAndNote(model_, largest_, work_); }

    // A contact with more rows than freedoms, as on a jointed limb, cannot leave at any speed that Newton's
    // law asks for: there may be no impulses that obey it and Coulomb's. Without restitution there always
    // are. True if there are such islands; those lose it.
    bool dropsRestitution()
    {
        const double wanted = solverSettings(model_).tolerance;
        std::vector<char> fails(w_.solver.begin.size() - 1, 0);
        const auto islandOf = [&](std::size_t b) {
            return static_cast<std::size_t>(w_.solver.islandOfBlock[b]);
        };
        for (std::size_t b = 0; b < w_.blocks.size(); ++b)
            if (misses(w_, b, wanted)) fails[islandOf(b)] = 1;
        bool any = false;
        for (std::size_t b = 0; b < w_.blocks.size(); ++b) {
            if (!fails[islandOf(b)]) continue;
            any |= w_.blocks[b].offset != w_.motion[b];
            w_.blocks[b].offset = w_.motion[b];
            w_.blocks[b].impulse.setZero();
        }
        return any;
    }

    // The impulses into the blocks. Where restitution brings energy, as much less of it as brings none.
    void solveImpulses()
    {
        const StepStatistics before = work_.statistics;
        solve();
        if (!any_) return;
        if (w_.report.reachedCap && dropsRestitution()) {
            work_.statistics.keepCostsOnly(before);
            solve();
        }
        measure();
        bool gains = false;
        for (const Gain& island : work_.impulses.gains) gains |= island.whole > 1e-13 * island.scale;
        if (!gains) return;
        std::vector<Vec3>& elastic = w_.impulses;
        std::vector<Vec3>& elasticMotion = w_.startOffsets;
        elastic.clear();
        elasticMotion.clear();
        for (std::size_t b = 0; b < w_.blocks.size(); ++b) {
            elastic.push_back(w_.blocks[b].impulse);
            elasticMotion.push_back(w_.delassus.motion(static_cast<int>(b)));
            w_.blocks[b].offset = w_.motion[b];
        }
        solve();
        for (std::size_t b = 0; b < w_.blocks.size(); ++b) {
            Gain& island = gainOf(b);
            const Vec3 motion = w_.delassus.motion(static_cast<int>(b));
            island.none += w_.blocks[b].impulse.dot(w_.motion[b] + 0.5 * motion);
            island.curve += 0.5 * (elastic[b] - w_.blocks[b].impulse).dot(elasticMotion[b] - motion);
        }
        for (std::size_t b = 0; b < w_.blocks.size(); ++b)
            w_.blocks[b].impulse += gainOf(b).part() * (elastic[b] - w_.blocks[b].impulse);
        w_.delassus.clearMotion();
        for (std::size_t b = 0; b < w_.blocks.size(); ++b)
            w_.delassus.push(static_cast<int>(b), w_.blocks[b].impulse);
    }

    ImpulseGain& gainOf(std::size_t block)
    {
        return work_.impulses.gains[static_cast<std::size_t>(w_.solver.islandOfBlock[block])];
    }

    // h² times the kinetic energy that the impulses in the blocks bring, for each island.
    void measure()
    {
        work_.impulses.gains.assign(w_.solver.begin.size() - 1, {});
        for (std::size_t b = 0; b < w_.blocks.size(); ++b) {
            const Vec3& p = w_.blocks[b].impulse;
            gainOf(b).whole += p.dot(w_.motion[b] + 0.5 * w_.delassus.motion(static_cast<int>(b)));
            gainOf(b).scale += std::abs(p.dot(w_.motion[b]));
        }
    }

    // The velocities after the pass. True if a contact had an impulse: others alone change nothing.
    bool take()
    {
        bool changed = false;
        for (std::size_t b = 0; b < members().size(); ++b) {
            contacts_[static_cast<std::size_t>(members()[b])].impulse += w_.blocks[b].impulse / h_;
            changed |= !w_.blocks[b].impulse.isZero(0);
        }
        if (!changed) return false;
        work_.joint.correction.setZero(model_.freedomCount);
        addUnitMotions(model_, w_.delassus, work_.joint.correction);
        state_.u += work_.joint.correction / h_;
        bodiesFromJoints(model_, state_);
        return true;
    }

    std::vector<int>& members() { return work_.impulses.inPass; }

    using Gain = ImpulseGain;
    const Model& model_;
    std::vector<Contact>& contacts_;
    double h_;
    State& state_;
    StepWork& work_;
    ConstraintWork& w_;
    std::vector<char>& bouncing_;
    bool any_ = false;    // of the pass: something bounces
    double slow_ = 0;     // m/s
    double largest_ = 0;  // m: displacement in a pass
};

}  // namespace

// none + s slope + s² curve is the gain on the way from no restitution to all of it.
double ImpulseGain::part() const
{
    if (whole <= 1e-13 * scale) return 1;
    const double slope = whole - none - curve;
    const double root = std::sqrt(std::max(slope * slope - 4 * curve * none, 0.0));
    return none < 0 && slope + root > 0 ? std::min(-2 * none / (slope + root), 1.0) : 0;
}

double closedGap(const Model& model)
{
    return 1e-6 * model.contactLength;
}

bool bounces(const Model& model, const Contact& contact, const State& state)
{
    return contact.restitution > 0 &&
           contactVelocity(contact, state.bodies)[0] < -*model.contact->bounceSpeed;
}

// A blow between a few bodies is solved to rounding, so that it keeps what it should; many to a part of
// what there is to do, at least. At its cap is only what misses the scene's own tolerance.
void solveAndNote(const Model& model, double largest, StepWork& work)
{
    ConstraintWork& w = work.constraints;
    const double part = w.blocks.size() <= 8 ? 1e-12 : 1e-6;
    ConstraintSolverSettings settings = solverSettings(model);
    const double wanted = settings.tolerance, rounding = 1e-14 * model.contactLength;
    settings.tolerance = std::min(wanted, std::max(part * largest, rounding));
    w.report = solveConstraints(w.delassus, w.blocks, settings, w.solver);
    w.report.reachedCap = false;
    for (std::size_t b = 0; b < w.blocks.size() && !(w.report.largest() <= wanted); ++b)
        w.report.reachedCap |= misses(w, b, wanted);
    work.statistics.note(w.report);
}

bool factorInertia(const Model& model, const State& state, double over, StepWork& work)
{
    ArticulatedLinks& links = work.joint.links;
    links.resize(model.bodies.size());
    bool isStiff = false;
    for (int i = 0; i < model.size(); ++i) {
        ArticulatedLink& link = links[i];
        const Joint& joint = model.joints[i];
        placeLink(model, state.q, state.bodies[i], i, isPrescribed(model, state, i), links);
        setRigidInertia(model, i, link);
        if (!(over > 0) || joint.isFree()) continue;
        const Mat3 block = resistance(model, state, i, over);
        if (block.isZero(0)) continue;
        isStiff = true;
        addJointBlock(small(block), link);
    }
    work.joint.right.setZero(model.freedomCount);
    work.joint.correction.setZero(model.freedomCount);
    factorAndSolveIncrement(model, links, work.joint.right, work.joint.correction);
    return isStiff;
}

bool applyImpulses(const Model& model, std::vector<Contact>& contacts, double h, double over,
                   bool keepsRest, State& state, StepWork& work)
{
    if (contacts.empty()) return false;
    factorPlainInertia(model, state, work);
    const bool hasRest = splitVelocities(model, state, work) && keepsRest;
    if (hasRest) work.impulses.fitting = state.bodies;
    const bool changed = Jump(model, contacts, h, state, work).run(over);
    if (!hasRest) return changed;
    if (!changed) {
        state.bodies = work.impulses.whole;
        return false;
    }
    for (int i = 0; i < model.size(); ++i) {
        const BodyState &whole = work.impulses.whole[i], &fitting = work.impulses.fitting[i];
        state.bodies[i].velocity += whole.velocity - fitting.velocity;
        state.bodies[i].angularVelocity += whole.angularVelocity - fitting.angularVelocity;
    }
    return true;
}

}  // namespace sinew
