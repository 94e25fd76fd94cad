#include "sinew/integrate/implicit.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/hash.h"
#include "sinew/force/laws.h"
#include "sinew/force/laws/obstacles.h"
#include "sinew/force/laws/pair_springs.h"
#include "sinew/geometry/support.h"
#include "sinew/integrate/halving.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/plausible.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_contacts.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

constexpr int halvingLimit = 10;

void begin(const State& state, double h, State& trial)
{
    trial.q = state.q;
    trial.u = state.u;
    trial.bodies = state.bodies;
    trial.memory = state.memory;
    trial.quiet = state.quiet;
    trial.time = state.time + h;
}

// Whether the step at hand can be solved for in body coordinates as well.
bool fitsBodyCoordinates(const Model& model, const State& state, const StepWork& work)
{
    if (!model.couplings.empty()) return false;
    if (std::any_of(model.loops.begin(), model.loops.end(),
                    [](const LoopJoint& loop) { return std::isfinite(loop.release); }))
        return false;
    // Beside contacts only for loops, which joint coordinates find hard to close, and as long as they were
    // not asked in vain.
    const bool mayTouch = !model.loops.empty() && !work.implicit.bodiesTouch && model.contact &&
                          model.contact->response == ContactDescription::Response::resting;
    if (!work.constraints.contacts.empty() && !mayTouch) return false;
    const std::vector<double>& parts = work.implicit.parts;
    const auto isOfOneOrder = [&](double part) { return part == parts.front(); };
    if (!std::all_of(parts.begin(), parts.end(), isOfOneOrder)) return false;
    for (std::size_t s = 0; s < model.skeletons.size(); ++s)
        if (isAsleep(state, static_cast<int>(s))) return false;
    return std::all_of(model.bodies.begin(), model.bodies.end(),
                       [](const Body& b) { return b.mass > 0; }) &&
           std::all_of(model.joints.begin(), model.joints.end(),
                       [](const Joint& j) { return j.info().rows && !j.info().isMixed(); });
}

// Body coordinates may come upon an end whose joints are turned over, for which their rows are zero as
// well; or leave a loop open whose rows they take for dependent on others.
bool keepsJoints(const Model& model, const State& state)
{
    constexpr double closed = 1e-7;  // rad, or lengths of the figure
    const auto isClosed = [&](const JointError& error, int body) {
        return error.gap < closed * model.skeletons[model.skeletonOf[body]].length &&
               error.misalignment < closed;
    };
    for (int i = 0; i < model.size(); ++i)
        if (!isClosed(jointError(model, state, i), i)) return false;
    return std::all_of(model.loops.begin(), model.loops.end(),
                       [&](const LoopJoint& loop) { return isClosed(loopError(loop, state), loop.child); });
}

// Body coordinates know no contact. Where nothing touches at the end that they come to, it is that of the
// step: no contact bears, as Coulomb's law has it.
bool keepsContacts(const Model& model, const State& end, const ConstraintWork& work)
{
    const double tolerance = solverSettings(model).tolerance;
    return std::all_of(work.contacts.begin(), work.contacts.end(),
                       [&](const Contact& c) { return contactGap(c, end) >= -tolerance; });
}

void bearNothing(ConstraintWork& work)
{
    for (Contact& contact : work.contacts) {
        contact.impulse.setZero();
        contact.turning.setZero();
    }
    work.slips.assign(work.contacts.size(), 0);
    work.report = ConstraintReport();
}

// Joint coordinates place a heavy body by all joints on the way to it, and where light links carry it,
// Newton's method may not find the end from afar. In body coordinates it does, and then from there.
bool solveByBodies(const ImplicitProblem& problem, const State& state, State& trial, StepWork& work)
{
    ImplicitProblem part = problem;
    if (!work.implicit.parts.empty()) part.h *= work.implicit.parts.front();
    begin(state, problem.ahead, trial);
    if (!solveInMaximalCoordinates(part, trial, work) || !keepsJoints(problem.model, trial)) return false;
    work.implicit.byBodies = trial;
    const bool isFree = keepsContacts(problem.model, trial, work.constraints);
    if (isFree) bearNothing(work.constraints);
    if (solveInJointCoordinatesFrom(problem, trial, work)) return true;
    work.implicit.bodiesTouch |= !isFree;
    if (!isFree) return false;
    std::swap(trial, work.implicit.byBodies);
    bearNothing(work.constraints);
    return true;
}

// In joint coordinates, or where those do not find the end in body coordinates; in later solves of the step
// at once in those.
bool solveEitherWay(const ImplicitProblem& problem, const State& state, State& trial, StepWork& work)
{
    ImplicitWork& own = work.implicit;
    if (own.mayGoByBodies && own.wentByBodies && solveByBodies(problem, state, trial, work)) return true;
    begin(state, problem.ahead, trial);
    const bool found = solveInJointCoordinates(problem, trial, work);
    if ((found && !own.isUnconverged) || !own.mayGoByBodies || own.wentByBodies || work.stop())
        return found;
    own.near = trial;
    const bool wasUnconverged = own.isUnconverged;
    own.isUnconverged = false;
    if (solveByBodies(problem, state, trial, work)) return own.wentByBodies = true;
    std::swap(trial, own.near);
    own.isUnconverged = wasUnconverged;
    return found;
}

bool solve(const Method& method, const ImplicitProblem& problem, const State& state, State& trial,
           StepWork& work)
{
    const bool inJoints = method.coordinates == Coordinates::joint;
    work.implicit.isUnconverged = false;
    work.implicit.mayGoByBodies =
        inJoints && !work.settings.iterations && fitsBodyCoordinates(problem.model, state, work);
    work.forces.span = {problem.ahead, &problem.start};
    bool found = false;
    if (inJoints) {
        found = solveEitherWay(problem, state, trial, work);
    } else {
        begin(state, problem.ahead, trial);
        found = solveInMaximalCoordinates(problem, trial, work);
    }
    work.forces.span = {};
    return found;
}

void noteContactWork(const State& state, StepWork& work)
{
    if (work.settings.measuresContacts)
        work.statistics.contactEnergy += contactWork(work.constraints.contacts, state, work.implicit.trial);
}

// Takes the step that was found in work.implicit.trial.
void accept(State& state, StepWork& work)
{
    std::swap(state.bodies, work.implicit.trial.bodies);
    std::swap(state.q, work.implicit.trial.q);
    std::swap(state.u, work.implicit.trial.u);
    state.time = work.implicit.trial.time;
    if (!work.constraints.blocks.empty()) work.statistics.note(work.constraints.report);
    work.statistics.unconverged += work.implicit.isUnconverged;
}

// Backward Euler for every skeleton, with the contacts that have been found; in halves where it has to be.
void eulerStep(const Model& model, const Method& method, ForceFunction forces, double step, State& state,
               StepWork& work)
{
    state.previous.clear();
    state.jumped.clear();
    work.implicit.parts.assign(model.skeletons.size(), 1);
    double part = step;
    ConstraintWork& constraints = work.constraints;
    constraints.guessedContacts = constraints.contacts;
    constraints.guessedLoops = constraints.loopImpulses;
    constraints.step = work.impacts.wholeStep > 0 ? work.impacts.wholeStep : step;
    double foundAt = state.time;
    const auto attempt = [&](double h, bool isLast) {
        const long iterations = work.statistics.newtonIterations;
        // A later part begins elsewhere than the contacts were found.
        if (state.time != foundAt) {
            state.contacts = constraints.guessedContacts;
            state.loopImpulses = constraints.guessedLoops;
            findContacts(model, state, h, true, constraints);
            constraints.guessedContacts = constraints.contacts;
            foundAt = state.time;
        }
        // From the forces of the last part that was taken, not from what an attempt that failed came to;
        // and what the end of that showed may be far from true of a shorter one.
        constraints.contacts = constraints.guessedContacts;
        constraints.loopImpulses = constraints.guessedLoops;
        scaleImpulses(constraints, h / part);
        work.implicit.star = state.bodies;
        work.implicit.starredVelocity = state.u;
        starSpins(model, state, h, work.implicit.parts, constraints.contacts, work.implicit.spinAxes,
                  work.implicit.spins);
        // Constraints that were not solved halve the step, but not for ever. One that has taken all the
        // work it may have goes on with what it finds at once.
        constexpr double shortest = 0.002, undivided = 0.6;
        const bool isSpent = constraints.solver.effort.isSpent();
        work.implicit.acceptsCaps = isSpent || h < shortest * step;
        work.implicit.acceptsUnconverged = isSpent || isLast;
        int breaks = 0;
        work.constraints.loose.assign(work.constraints.contacts.size(), 0);
        for (int look = 1;; ++look) {
            do {
                if (!solve(method, {model, forces, h, h, work.implicit.star, work.implicit.star}, state,
                           work.implicit.trial, work)) {
                    constraints.recovers = false;
                    return false;
                }
            } while (breaks++ < mostBreaks && breakLoose(work.constraints));
            const Seen seen = lookAgain(model, state, look, work);
            if (seen == Seen::nothing) break;
            if (seen == Seen::tooMuch) {
                if (isLast || h < shortest * step) break;
                return false;
            }
        }
        if (!isLast && h > undivided * step && gainsOnCorners(model, h, state, work)) return false;
        // A given number of iterations is taken as it comes.
        if (!isLast && !work.settings.iterations && !isPlausible(model, h, state, iterations, work))
            return false;
        if (work.tape) work.tape->add(model, forces, h, state, work);
        noteContactWork(state, work);
        turnFaces(state.bodies, work.implicit.trial.bodies, work.constraints);
        accept(state, work);
        for (std::size_t c = 0; c < work.constraints.contacts.size(); ++c)
            work.constraints.contacts[c].slipping = work.constraints.slips[c];
        part = h;
        constraints.guessedContacts = constraints.contacts;
        constraints.guessedLoops = constraints.loopImpulses;
        return true;
    };
    if (!takeInHalves(step, halvingLimit, work, attempt)) work.statistics.failed = true;
    keepContacts(state, work.constraints, step, part);
}

// ---- BDF2, each skeleton by itself -----------------------------------------------------------------

constexpr double wholePart = 1, bdf2Part = 2. / 3;

// Calls mark(skeleton) for both sides of a contact.
template <class Mark>
void eachSkeleton(const Model& model, const Contact& contact, Mark&& mark)
{
    for (const int body : {contact.bodyA, contact.bodyB})
        if (body >= 0) mark(model.skeletonOf[body]);
}

// Calls join(a, b) for skeletons that bear on each other. Both are of one order: what rides on another has
// its motion, and would feel another force for it in another order. So are those that are tied, because
// what makes the velocities of one jump goes through to the other.
template <class Join>
void eachBearingPair(const Model& model, const std::vector<Contact>& contacts, Join&& join)
{
    for (const Contact& contact : contacts)
        if (contact.impulse[0] > 0 && contact.bodyA >= 0 && contact.bodyB >= 0)
            join(model.skeletonOf[contact.bodyA], model.skeletonOf[contact.bodyB]);
}

// Whether a contact comes on, by more than a trace of what would be fallen through: the velocities jump if
// it bears in this step, be it that it touches now or that it touched in the midst of the last one. What
// stays in touch does not. A heavy lever that comes on slowly jumps as well.
bool comesOn(const Model& model, const Contact& contact, const LargeVector<BodyState>& start, double h)
{
    const double approach = -contactVelocity(contact, start)[0] * h;
    return approach > 1e-3 * model.gravity.norm() * h * h + 1e-8 * model.contactLength;
}

// Whether what touches stays where it is. What slips or rolls is held by laws of velocities, which are of
// first order here (constraints.h): BDF2 beside them would gain energy.
bool stays(const Model& model, const Contact& contact, const State& state, double h)
{
    constexpr double still = 1e-4;  // of the smallest body's size, and rad, in a step
    if (contact.staticFriction != contact.friction) return false;  // which one counts is told by such a law
    Vec3 spin = Vec3::Zero();
    if (contact.bodyA >= 0) spin -= state.bodies[contact.bodyA].angularVelocityWorld();
    if (contact.bodyB >= 0) spin += state.bodies[contact.bodyB].angularVelocityWorld();
    return h * contactVelocity(contact, state.bodies).norm() < still * model.contactLength &&
           h * spin.norm() < still;
}

// Skeletons whose velocities jump in the step look back at nothing: they are backward Euler now, and once
// more. Marks those that will be hit as they move now.
void chooseOrders(const Model& model, const State& state, double h, StepWork& work)
{
    work.implicit.jumps.assign(model.skeletons.size(), 0);
    work.implicit.parts.assign(model.skeletons.size(), bdf2Part);
    for (std::size_t s = 0; s < state.jumped.size(); ++s)
        if (state.jumped[s]) work.implicit.parts[s] = wholePart;
    for (std::size_t s = 0; s < work.implicit.parts.size(); ++s)
        if (isAsleep(state, static_cast<int>(s))) work.implicit.parts[s] = wholePart;  // exactly still
    // Where a joint has just let go, what it gave is no more: their accelerations jump.
    for (const LoopJoint& loop : model.loops)
        if (!loop.holds(state.time) && loop.holds(state.time - h))
            for (const int body : {loop.child, loop.joint.parent})
                if (body >= 0) work.implicit.parts[model.skeletonOf[body]] = wholePart;
    for (const Contact& contact : work.constraints.contacts) {
        if (contact.impulse[0] > 0 && !stays(model, contact, state, h))
            eachSkeleton(model, contact, [&](int s) { work.implicit.parts[s] = wholePart; });
        const double approach = -contactVelocity(contact, state.bodies)[0] * h;
        if (contact.impulse[0] == 0 && comesOn(model, contact, state.bodies, h) && contact.gap < approach)
            eachSkeleton(model, contact, [&](int s) { work.implicit.jumps[s] = 1; });
    }
    for (std::size_t s = 0; s < work.implicit.jumps.size(); ++s)
        if (work.implicit.jumps[s]) work.implicit.parts[s] = wholePart;
    for (bool spreads = true; spreads;) {
        spreads = false;
        const auto join = [&](int a, int b) {
            if (work.implicit.parts[a] == work.implicit.parts[b]) return;
            work.implicit.parts[a] = work.implicit.parts[b] = wholePart;
            spreads = true;
        };
        eachTiedPair(model, state.time, join);
        eachBearingPair(model, work.constraints.contacts, join);
    }
}

// Whether a joint comes to a limit in the step: a stiff spring that throws it back within a moment. One
// that lies at its limit is now beyond it, now not, by rounding: that is no blow.
bool meetsLimit(const Model& model, int link, const VecX& before, const VecX& after)
{
    constexpr double rounding = 1e-10;  // rad, or lengths of the figure
    const Joint& joint = model.joints[link];
    if (!(joint.limitStiffness > 0)) return false;
    const double unit = model.freedomUnits[joint.u];
    const auto isBeyond = [&](const VecX& q) {
        const JointStretch stretch = jointStretch(joint, q.data() + joint.q, false);
        return std::any_of(stretch.amount, stretch.amount + stretch.count,
                           [&](double amount) { return std::abs(amount) > rounding * unit; });
    };
    return isBeyond(after) && !isBeyond(before);
}

// Whether a place comes to an obstacle in the step: likewise. Or in the last one, as its velocity tells,
// which is still that of coming on.
bool meetsObstacle(const Model& model, const ContactPoint& point, const LargeVector<BodyState>& before,
                   const LargeVector<BodyState>& after, double h)
{
    Touch touch;
    const auto isIn = [&](const Obstacle& obstacle, const LargeVector<BodyState>& bodies) {
        return findTouch(obstacle, point, bodies[point.body], nullptr, 0, touch);
    };
    return std::any_of(model.obstacles.begin(), model.obstacles.end(), [&](const Obstacle& obstacle) {
        if (!isIn(obstacle, after)) return false;
        if (!isIn(obstacle, before)) return true;
        const BodyState& body = before[point.body];
        const Vec3 velocity = body.velocity + body.angularVelocityWorld().cross(touch.arm);
        return touch.depth < -h * touch.normal.dot(velocity);
    });
}

}  // namespace

// After a solve: whether a skeleton that looked back was hit all the same, by a contact that comes on or by
// what another one that was hit hands on. Marks it.
bool findJumps(const Model& model, const LargeVector<BodyState>& start, const VecX& q, double h,
               StepWork& work)
{
    bool any = false;
    const auto mark = [&](int s) {
        work.implicit.jumps[s] = 1;
        if (work.implicit.parts[s] == wholePart) return;
        work.implicit.parts[s] = wholePart;
        any = true;
    };
    for (const Contact& contact : work.constraints.contacts) {
        if (!(contact.impulse[0] > 0) || !comesOn(model, contact, start, h)) continue;
        eachSkeleton(model, contact, mark);
    }
    for (int i = 0; i < model.size(); ++i)
        if (meetsLimit(model, i, q, work.implicit.trial.q)) mark(model.skeletonOf[i]);
    for (const ContactPoint& point : model.contactPoints)
        if (meetsObstacle(model, point, start, work.implicit.trial.bodies, h))
            mark(model.skeletonOf[point.body]);
    for (bool spreads = true; spreads;) {
        spreads = false;
        const auto join = [&](int a, int b) {
            if (work.implicit.jumps[a] == work.implicit.jumps[b]) return;
            mark(work.implicit.jumps[a] ? b : a);
            spreads = true;
        };
        eachTiedPair(model, work.constraints.begins, join);
        eachBearingPair(model, work.constraints.contacts, join);
    }
    return any;
}

// What each body starts from in its equations.
void setStars(const Model& model, const State& state, double h, StepWork& work)
{
    starSpins(model, state, h, work.implicit.parts, work.constraints.contacts, work.implicit.spinAxes,
              work.implicit.spins);
    work.implicit.star = state.bodies;
    // Joint velocities likewise, from the joints' own: taken from the starred bodies they would be of first
    // order.
    work.implicit.starredVelocity = state.u;
    for (int i = 0; i < model.size(); ++i) {
        if (work.implicit.parts[model.skeletonOf[i]] == wholePart) continue;
        const BodyState &now = state.bodies[i], &old = state.previous[i];
        BodyState& star = work.implicit.star[i];
        star.position = (4 * now.position - old.position) / 3;
        star.velocity = (4 * now.velocity - old.velocity) / 3;
        star.angularVelocity = (4 * now.angularVelocity - old.angularVelocity) / 3;
        const Joint& joint = model.joints[i];
        if (joint.armature == 0) continue;
        double q[4] = {}, before[3] = {};
        const BodyState* parent = joint.parent < 0 ? nullptr : &state.previous[joint.parent];
        jointCoordinatesOf(joint, parent, old, q, before);
        for (int k = 0; k < joint.freedoms(); ++k)
            work.implicit.starredVelocity[joint.u + k] = (4 * state.u[joint.u + k] - before[k]) / 3;
    }
}

namespace {

// The step as a whole, each skeleton in its order, into work.implicit.trial. In maximal coordinates, which
// know no contact, all have the same.
bool solveOrders(const Model& model, const Method& method, ForceFunction forces, double h,
                 const State& state, StepWork& work)
{
    const bool isJoint = method.coordinates == Coordinates::joint;
    const double part = isJoint || work.implicit.parts.empty() ? wholePart : work.implicit.parts.front();
    const long iterations = work.statistics.newtonIterations;
    setStars(model, state, h, work);
    work.constraints.loose.assign(work.constraints.contacts.size(), 0);
    int breaks = 0;
    for (int look = 1;; ++look) {
        do {
            if (!solve(method, {model, forces, part * h, h, work.implicit.star, state.bodies}, state,
                       work.implicit.trial, work))
                return false;
        } while (breaks++ < mostBreaks && breakLoose(work.constraints));
        const Seen seen = lookAgain(model, state, look, work);
        if (seen == Seen::nothing) break;
        if (seen == Seen::tooMuch) return false;
    }
    return work.settings.iterations || isPlausible(model, h, state, iterations, work);
}

bool looksBack(const StepWork& work)
{
    return std::count(work.implicit.parts.begin(), work.implicit.parts.end(), bdf2Part) > 0;
}

// False if it was not found, with all as it was.
bool bdf2Step(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
              StepWork& work)
{
    ConstraintWork& constraints = work.constraints;
    constraints.guessedLoops = constraints.loopImpulses;
    constraints.step = work.impacts.wholeStep > 0 ? work.impacts.wholeStep : h;
    work.implicit.acceptsCaps = work.implicit.acceptsUnconverged = false;
    while (looksBack(work) && !work.stop()) {
        const bool found = solveOrders(model, method, forces, h, state, work);
        if (found && !findJumps(model, state.bodies, state.q, h, work)) {
            if (work.tape) work.tape->add(model, forces, h, state, work);
            noteContactWork(state, work);
            turnFaces(state.bodies, work.implicit.trial.bodies, constraints);
            std::swap(state.previous, state.bodies);
            accept(state, work);
            state.jumped = work.implicit.jumps;
            keepContacts(state, constraints, h, h);
            return true;
        }
        constraints.contacts = constraints.knownContacts;
        constraints.loopImpulses = constraints.guessedLoops;
        constraints.recovers &= found;
        if (!found) break;
    }
    return false;
}

}  // namespace

std::uint64_t bearingPlaces(const Model& model, const State& state, const StepSpan& span)
{
    Hash hash;
    if (!model.springs.empty()) hash.add(static_cast<double>(actingSprings(model, state) >> 12));
    forEachTouch(model, state, span,
                 [&](const ContactPoint& point, const Obstacle& obstacle, const Touch& touch) {
                     if (touch.force == 0) return;
                     hash.add(static_cast<double>(&point - model.contactPoints.data()));
                     hash.add(static_cast<double>(&obstacle - model.obstacles.data()));
                 });
    return hash.value();
}

void implicitEulerStep(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work)
{
    work.implicit.wentByBodies = work.implicit.bodiesTouch = false;
    findContacts(model, state, h, false, work.constraints);
    eulerStep(model, method, forces, h, state, work);
}

void implicitBdf2Step(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work)
{
    work.implicit.wentByBodies = work.implicit.bodiesTouch = false;
    if (switchesBetween(model, state.time, state.time + h)) state.previous.clear();
    findContacts(model, state, h, false, work.constraints);
    work.constraints.knownContacts = work.constraints.contacts;
    const bool hasPast = state.previous.size() == state.bodies.size();
    if (!hasPast) state.jumped.clear();
    chooseOrders(model, state, h, work);
    if (hasPast && bdf2Step(model, method, forces, h, state, work)) return;
    // Afresh: backward Euler damps what BDF2 would not swallow.
    work.implicit.stepStart = state.bodies;
    work.implicit.startCoordinates = state.q;
    const int halvings = work.statistics.halvings;
    eulerStep(model, method, forces, h, state, work);
    work.implicit.trial.q = state.q;
    work.implicit.trial.bodies = state.bodies;
    findJumps(model, work.implicit.stepStart, work.implicit.startCoordinates, h, work);
    // What was before a halved step is not one step ago.
    if (work.statistics.halvings != halvings) return;
    state.previous = work.implicit.stepStart;
    state.jumped = work.implicit.jumps;
}

}  // namespace sinew
