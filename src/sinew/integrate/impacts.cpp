#include "sinew/integrate/impacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/force/penalty.h"
#include "sinew/integrate/sleep.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

using Response = ContactDescription::Response;

constexpr int mostImpacts = 8;  // cuts of one step; what collides after them does so at its end

// The plain inertia at the state, factorised.
void factorPlainInertia(const Model& model, const State& state, StepWork& work)
{
    LargeVector<ArticulatedLink>& links = work.links;
    links.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        ArticulatedLink& link = links[i];
        placeJoint(model, state.q, i, link);
        if (isPrescribed(model, state, i)) link.freedoms = 0;
        link.inertia = rigidInertia(model.bodies[i]);
        link.hasBlocks = model.joints[i].armature > 0;
        link.jointBlock = model.joints[i].armature * Mat3::Identity();
        link.coupling.setZero();
    }
    work.start.setZero(model.freedomCount);
    work.correction.setZero(model.freedomCount);
    factorAndSolveIncrement(links, work.start, work.correction);
}

// For integrators that look back.
void forgetPast(State& state)
{
    state.previous.clear();
    state.slow.clear();
}

void setVelocities(const Model& model, State& state)
{
    bodiesFromJoints(model, state);
    forgetPast(state);
}

// Anchors of both bodies in the middle between their surfaces: what is pushed in one place keeps its
// angular momentum, friction or not, however deep it is.
Contact inOnePlace(Contact contact, const LargeVector<BodyState>& bodies)
{
    const auto surface = [&](int body, const Vec3& point, double out) -> Vec3 {
        const Vec3 anchor =
            body < 0 ? point : Vec3(bodies[body].position + bodies[body].orientation * point);
        return anchor + out * contact.normal;
    };
    const Vec3 middle = 0.5 * (surface(contact.bodyA, contact.pointA, contact.roundA) +
                               surface(contact.bodyB, contact.pointB, -contact.roundB));
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
// figure changes it. Leaves v in work.stepStart and S u in the state; false if w is zero.
bool splitVelocities(const Model& model, State& state, StepWork& work)
{
    work.stepStart = state.bodies;
    bodiesFromJoints(model, state);
    LargeVector<Vec6>& momenta = work.carried;  // world axes, of all from a body on
    momenta.resize(model.bodies.size());
    bool fits = true;
    for (int i = 0; i < model.size(); ++i) {
        const BodyState &had = work.stepStart[i], &has = state.bodies[i];
        const Vec3 turning = had.angularVelocityWorld() - has.angularVelocityWorld();
        momenta[i].head<3>() = model.bodies[i].mass * (had.velocity - has.velocity);
        momenta[i].tail<3>() =
            has.orientation * (model.bodies[i].inertia * (has.orientation.conjugate() * turning));
        fits = fits && momenta[i].isZero(0);
    }
    if (fits) return false;
    VecX& along = work.start;
    along.setZero(model.freedomCount);
    for (int i = model.size() - 1; i >= 0; --i) {
        const ArticulatedLink& link = work.links[i];
        const Quat toBody = state.bodies[i].orientation.conjugate();
        const Vec3 linear = toBody * Vec3(momenta[i].head<3>()),
                   angular = toBody * Vec3(momenta[i].tail<3>());
        if (link.freedoms == 6)
            along.segment<6>(link.u) << link.X.R * linear, angular;
        else if (link.freedoms > 0)
            along.segment(link.u, link.freedoms) =
                link.S.leftCols(link.freedoms).transpose() * (Vec6() << linear, angular).finished();
        if (link.parent < 0) continue;
        const Vec3 arm = state.bodies[i].position - state.bodies[link.parent].position;
        momenta[link.parent] += momenta[i];
        momenta[link.parent].tail<3>() += arm.cross(Vec3(momenta[i].head<3>()));
    }
    work.correction.setZero(model.freedomCount);
    solveIncrement(work.links, along, work.correction);
    state.u += work.correction;
    bodiesFromJoints(model, state);
    return true;
}

// The slides' first response: how heavy anything is does not matter.
void respondKinematically(const Model& model, const std::vector<Contact>& contacts, State& state)
{
    bool changed = false;
    for (const Contact& contact : contacts) {
        if (contact.gap > touching) continue;
        const int bodies[2] = {contact.bodyA, contact.bodyB};
        const Vec3& n = contact.normal;
        double approach = 0;
        for (int side = 0; side < 2; ++side)
            if (bodies[side] >= 0)
                approach += (side == 0 ? -1 : 1) * n.dot(state.bodies[bodies[side]].velocity);
        if (approach >= 0) continue;
        const double share = bodies[0] >= 0 && bodies[1] >= 0 ? 0.5 : 1;
        for (int side = 0; side < 2; ++side) {
            if (bodies[side] < 0) continue;
            const Joint& root = model.joints[model.skeletons[model.skeletonOf[bodies[side]]].first];
            if (root.type != JointType::free) continue;  // what hangs from the world stays there
            state.u.segment<3>(root.u) -=
                (side == 0 ? -1 : 1) * share * (1 + model.contact->keep) * approach * n;
            changed = true;
        }
        if (changed) bodiesFromJoints(model, state);
    }
    if (changed) setVelocities(model, state);
}

class ImpactStep {
public:
    ImpactStep(const Model& model, const Method& method, StepFunction step, ForceFunction forces,
               StepWork& work)
        : model_(model), method_(method), step_(step), forces_(forces), work_(work), found_(work.impacts)
    {
    }

    void run(double h, State& state)
    {
        work_.blows.clear();
        advanceWithCuts(h, state);
        addBlows(state);
    }

private:
    void advanceWithCuts(double h, State& state)
    {
        const bool rests = model_.contact->response == Response::resting;
        double left = h;
        bool isCut = false;
        for (int cut = 0; cut < mostImpacts && model_.contact->atFraction; ++cut) {
            if (rests) bounceNow(state, left);
            work_.beforeImpact = state;
            predict(left, state);
            advance(left, state);
            double fraction = 1;
            if (!findCollision(left, state, fraction)) break;
            left *= 1 - fraction;
            respond(state, h);
            if (left <= 1e-9 * h) {
                forgetPast(state);
                return;
            }
            noteBlows();
            if (cut + 1 == mostImpacts) advance(left, state);
            isCut = true;
        }
        if (isCut) {
            forgetPast(state);
            // What holds is known of the last part alone.
            if (rests)
                for (Contact& contact : state.contacts) {
                    contact.impulse *= h / left;
                    contact.turning *= h / left;
                }
        }
        if (!model_.contact->atFraction) {
            if (rests) bounceNow(state, left);
            advance(left, state);
        }
        if (!rests) respond(state, h);
    }

    void noteBlows()
    {
        for (const Contact& contact : found_)
            if (!contact.impulse.isZero(0)) work_.blows.push_back(contact);
    }

    // Collisions that later parts of the step know nothing of.
    void addBlows(State& state)
    {
        for (Contact& blow : work_.blows) {
            blow.blow = blow.impulse;
            blow.impulse.setZero();
            blow.turning.setZero();
            bool known = false;
            for (Contact& contact : state.contacts) {
                if (!contact.isSamePlace(blow)) continue;
                contact.blow += blow.blow;
                known = true;
                break;
            }
            if (!known) state.contacts.push_back(blow);
        }
        if (!work_.blows.empty()) std::sort(state.contacts.begin(), state.contacts.end(), isBefore);
    }

    void advance(double h, State& state) { step_(model_, method_, forces_, h, state, work_); }

    void detect(const State& state) { work_.constraints.collisions.detect(model_, state, 0, found_); }

    // What touches and comes on fast enough gets its impulse before the step.
    void bounceNow(State& state, double h)
    {
        detect(state);
        const auto isQuiet = [&](const Contact& c) { return c.gap > touching; };
        found_.erase(std::remove_if(found_.begin(), found_.end(), isQuiet), found_.end());
        bool any = false;
        for (const Contact& contact : found_) any |= bounces(model_, contact, state);
        wakeTouched(model_, found_, state);
        if (any) {
            applyImpulses(model_, found_, h, state, work_);
            noteBlows();
        }
    }

    // Whether a contact is a collision, not rest.
    bool collides(const Contact& contact, const State& state) const
    {
        if (model_.contact->response == Response::resting) return bounces(model_, contact, state);
        return contactVelocity(contact, state.bodies)[0] < -model_.contact->bounceSpeed;
    }

    // What will collide within h as it moves now: a fast body may be through a thin one when the step ends.
    void predict(double h, const State& state)
    {
        std::vector<Contact>& predicted = work_.predicted;
        work_.constraints.collisions.detect(model_, state, h, predicted);
        const auto misses = [&](const Contact& c) { return c.gap <= touching || !collides(c, state); };
        predicted.erase(std::remove_if(predicted.begin(), predicted.end(), misses), predicted.end());
    }

    // The deepest of what collided in a step: inside now and coming on, or past where it should have met.
    double deepest(const State& state)
    {
        detect(state);
        double gap = 0;
        for (const Contact& contact : found_)
            if (contact.gap < gap && collides(contact, state)) gap = contact.gap;
        for (const Contact& contact : work_.predicted)
            if (collides(contact, state)) gap = std::min(gap, contactGap(contact, state));
        return gap;
    }

    // If the step from work.beforeImpact ended inside something, goes back to where the gap was closed.
    bool findCollision(double h, State& state, double& fraction)
    {
        double depth = deepest(state);
        if (depth >= -touching) return false;
        double low = 0, high = 1;
        double atLow = 0, atHigh = depth;
        // The gap at the beginning, of the same pairs, is not known where they were not near: bisection
        // then.
        for (int k = 0; k < 40; ++k) {
            if (high < 1e-6) {  // it is there at once: no step is so short
                fraction = 0;
                state = work_.beforeImpact;
                return true;
            }
            fraction = atLow > 0 && std::isfinite(atLow) ? low + (high - low) * atLow / (atLow - atHigh)
                                                         : 0.5 * (low + high);
            fraction = std::clamp(fraction, low + 0.05 * (high - low), high - 0.05 * (high - low));
            state = work_.beforeImpact;
            forgetPast(state);  // BDF2 looks back by whole steps
            work_.statistics.failed = false;
            advance(fraction * h, state);
            depth = deepest(state);
            if (depth >= -touching && nearest(state) <= touching) return true;
            if (depth < -touching) {
                high = fraction;
                atHigh = depth;
            } else {
                low = fraction;
                atLow = nearest(state);
            }
        }
        return true;
    }

    // The least gap of what comes on, in touch or not.
    double nearest(const State& state)
    {
        double gap = std::numeric_limits<double>::infinity();
        for (const Contact& contact : found_)
            if (collides(contact, state)) gap = std::min(gap, contact.gap);
        for (const Contact& contact : work_.predicted)
            if (collides(contact, state)) gap = std::min(gap, contactGap(contact, state));
        return gap;
    }

    void respond(State& state, double h)
    {
        detect(state);
        const auto isApart = [&](const Contact& c) { return c.gap > touching; };
        found_.erase(std::remove_if(found_.begin(), found_.end(), isApart), found_.end());
        carryImpulses(state.contacts, found_, work_.constraints.carried);
        wakeTouched(model_, found_, state);
        if (model_.contact->response == Response::kinematic)
            respondKinematically(model_, found_, state);
        else
            applyImpulses(model_, found_, h, state, work_);
        state.contacts = found_;
    }

    const Model& model_;
    const Method& method_;
    StepFunction step_;
    ForceFunction forces_;
    StepWork& work_;
    std::vector<Contact>& found_;
};

// A blow between a few bodies is solved to rounding, so that it keeps what it should.
ConstraintSolverSettings impactSettings(const Model& model, std::size_t blocks)
{
    ConstraintSolverSettings settings = solverSettings(model);
    if (blocks <= 8) settings.tolerance = std::min(settings.tolerance, 1e-13);
    return settings;
}

// Loops stay closed in a jump, and couplings tight: the rates of their rows are zero after it.
void addLoops(const Model& model, double h, const State& state, StepWork& work)
{
    ConstraintWork& w = work.constraints;
    BodyRows rows[4];
    Vec3 d[2];
    for (const LoopJoint& loop : model.loops) {
        setLoopRows(loop, state.bodies, rows, d);
        for (int k = 0; k < loopBlocks(loop); ++k) {
            addFigureRows(model, work.links, state.bodies, rows[2 * k], rows[2 * k + 1], w.delassus);
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

}  // namespace

bool bounces(const Model& model, const Contact& contact, const State& state)
{
    return contact.restitution > 0 &&
           contactVelocity(contact, state.bodies)[0] < -model.contact->bounceSpeed;
}

namespace {

// h² times the kinetic energy that the impulses in the blocks bring, `approach` being h times the
// velocities before.
double energyGain(const ConstraintWork& work, const std::vector<Vec3>& approach)
{
    double gain = 0;
    for (std::size_t b = 0; b < work.blocks.size(); ++b)
        gain += work.blocks[b].impulse.dot(approach[b] + 0.5 * work.delassus.motion(static_cast<int>(b)));
    return gain;
}

// Solves for the impulses and sets work.correction to h times the jump of the joint velocities.
//
// With friction and off the centres, velocities that come back as ε has them can have more energy than
// before (Kane & Levinson 1985). Impulses without restitution never do, and all between the two obey
// Coulomb's cone: then that one is taken which brings none.
void solveImpulses(const Model& model, StepWork& work)
{
    ConstraintWork& w = work.constraints;
    const auto solve = [&](VecX& jump) {
        w.report = solveConstraints(w.delassus, w.blocks, impactSettings(model, w.blocks.size()), w.solver);
        work.statistics.note(w.report);
        jump.setZero(model.freedomCount);
        addUnitMotions(model, w.delassus, jump);
    };
    solve(work.correction);
    const std::vector<Vec3>& approach = w.motion;
    bool mayGain = false;
    double scale = 0;
    for (std::size_t b = 0; b < w.blocks.size(); ++b) {
        mayGain |= w.blocks[b].friction > 0 && w.blocks[b].offset[0] < approach[b][0];
        scale += std::abs(w.blocks[b].impulse.dot(approach[b]));
    }
    const double whole = energyGain(w, approach);
    if (!mayGain || whole <= 1e-13 * scale) return;
    std::vector<Vec3>& bouncing = w.impulses;
    std::vector<Vec3>& bouncingMotion = w.startOffsets;
    bouncing.clear();
    bouncingMotion.clear();
    for (std::size_t b = 0; b < w.blocks.size(); ++b) {
        bouncing.push_back(w.blocks[b].impulse);
        bouncingMotion.push_back(w.delassus.motion(static_cast<int>(b)));
        w.blocks[b].offset = approach[b];
    }
    work.trialCorrection = work.correction;
    solve(work.correction);
    // gain = none + s slope + s² curve on the way from no restitution to all of it
    const double none = energyGain(w, approach);
    double curve = 0;
    for (std::size_t b = 0; b < w.blocks.size(); ++b)
        curve += 0.5 * (bouncing[b] - w.blocks[b].impulse)
                           .dot(bouncingMotion[b] - w.delassus.motion(static_cast<int>(b)));
    const double slope = whole - none - curve;
    const double root = std::sqrt(std::max(slope * slope - 4 * curve * none, 0.0));
    const double part = none < 0 && slope + root > 0 ? std::min(-2 * none / (slope + root), 1.0) : 0;
    for (std::size_t b = 0; b < w.blocks.size(); ++b)
        w.blocks[b].impulse += part * (bouncing[b] - w.blocks[b].impulse);
    work.correction += part * (work.trialCorrection - work.correction);
}

}  // namespace

bool applyImpulses(const Model& model, std::vector<Contact>& contacts, double h, State& state,
                   StepWork& work)
{
    if (contacts.empty()) return false;
    factorPlainInertia(model, state, work);
    const bool keepsRest = splitVelocities(model, state, work);
    ConstraintWork& w = work.constraints;
    clearForSkeletons(model, w.delassus, w.freedoms);
    w.blocks.clear();
    w.motion.clear();
    for (const Contact& found : contacts) {
        const Contact contact = inOnePlace(found, state.bodies);
        BodyRows rows[2];
        setContactRows(contact, state.bodies, rows[0], rows[1]);
        addFigureRows(model, work.links, state.bodies, rows[0], rows[1], w.delassus);
        const Vec3 v = contactVelocity(contact, state.bodies);
        ConstraintBlock block;
        block.friction = contact.friction;
        block.impulse = h * contact.impulse;
        block.offset = h * v;
        if (v[0] < -model.contact->bounceSpeed)
            block.offset[0] += h * contact.restitution * v[0];
        else if (contact.gap < 0)
            block.offset[0] -= recovered(-contact.gap, h);
        w.blocks.push_back(block);
        w.motion.push_back(h * v);
    }
    addLoops(model, h, state, work);
    for (std::size_t b = contacts.size(); b < w.blocks.size(); ++b) w.motion.push_back(w.blocks[b].offset);
    solveFigureRows(model, work.links, w.delassus, w.rowsWork);
    solveImpulses(model, work);
    bool changed = false;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        contacts[c].impulse = w.blocks[c].impulse / h;
        changed |= !w.blocks[c].impulse.isZero(0);
    }
    if (!changed) {
        if (keepsRest) state.bodies = work.stepStart;
        return false;
    }
    state.u += work.correction / h;
    if (keepsRest) work.beforeCorrection = state.bodies;
    setVelocities(model, state);
    if (keepsRest)
        for (int i = 0; i < model.size(); ++i) {
            const BodyState &whole = work.stepStart[i], &fitting = work.beforeCorrection[i];
            state.bodies[i].velocity += whole.velocity - fitting.velocity;
            state.bodies[i].angularVelocity += whole.angularVelocity - fitting.angularVelocity;
        }
    return true;
}

void stepWithImpacts(const Model& model, const Method& method, const Integrator& integrator,
                     ForceFunction forces, double h, State& state, StepWork& work)
{
    const StepFunction step = integrator.stepFor(method);
    const Response response = model.contact->response;
    bool jumps = response == Response::kinematic || response == Response::impulse;
    if (response == Response::resting)
        for (const Collider& collider : model.colliders) jumps |= collider.restitution > 0;
    if (!jumps) {
        // Explicit steps take the springs' forces from the contacts in the state.
        if (response == Response::penalty && !integrator.bringsEquations)
            work.constraints.collisions.detect(model, state, h, state.contacts);
        step(model, method, forces, h, state, work);
        if (response == Response::penalty && !integrator.bringsEquations)
            for (Contact& contact : state.contacts)
                contact.impulse = h * contactFrame(contact.normal) * penaltyForce(model, contact, state);
        return;
    }
    ImpactStep(model, method, step, forces, work).run(h, state);
}

}  // namespace sinew
