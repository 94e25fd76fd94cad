#include "sinew/integrate/implicit.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/geometry/support.h"
#include "sinew/integrate/halving.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/sleep.h"
#include "sinew/math/rotation.h"
#include "sinew/state/contacts.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

constexpr int halvingLimit = 10;

bool solve(const Method& method, const ImplicitProblem& problem, State& trial, StepWork& work)
{
    return method.coordinates == Coordinates::joint ? solveInJointCoordinates(problem, trial, work)
                                                    : solveInMaximalCoordinates(problem, trial, work);
}

// Newton can land on a solution of the equations that is not the motion: a link that whips so fast that
// its turn over the step is taken for one the other way round. It shows in the angle, or, where nothing
// drives the figure, in energy from nowhere.
bool isPlausible(const Model& model, ForceFunction forces, double h, double ceiling, const State& to)
{
    constexpr double largestTurn = 2.5;  // rad
    for (const BodyState& body : to.bodies)
        if (!(body.angularVelocity.norm() * h < largestTurn)) return false;
    if (forces != sceneForces || !isPassive(model)) return true;
    const Energy after = energy(model, to);
    const double scale = after.kinetic + std::abs(after.potential) + after.elastic;
    return after.total() <= ceiling + 1e-12 * scale;
}

void accept(State& state, State& trial)
{
    std::swap(state.bodies, trial.bodies);
    std::swap(state.q, trial.q);
    std::swap(state.u, trial.u);
    state.time = trial.time;
}

// Whether the step itself holds contacts; other responses are jumps between steps.
bool holdsContacts(const Model& model)
{
    using Response = ContactDescription::Response;
    return model.contact &&
           (model.contact->response == Response::resting || model.contact->response == Response::penalty);
}

// What may touch during the step, with the impulses of the last one to start from. True if anything may.
bool findContacts(const Model& model, State& state, double h, ConstraintWork& work)
{
    work.contacts.clear();
    work.loopImpulses = state.loopImpulses;
    work.asleep.clear();
    if (!holdsContacts(model)) return false;
    work.collisions.detect(model, state, h, work.contacts);
    if (model.contact->response == ContactDescription::Response::resting) {
        // What will bounce is let through until it gets its impulse.
        const auto willBounce = [&](const Contact& c) {
            return c.gap > touching && bounces(model, c, state);
        };
        work.contacts.erase(std::remove_if(work.contacts.begin(), work.contacts.end(), willBounce),
                            work.contacts.end());
    }
    carryImpulses(state.contacts, work.contacts, work.carried);
    wakeTouched(model, work.contacts, state);
    // What rests on what is asleep, asleep itself, stays as it is.
    if (!state.quiet.empty()) {
        const auto isAwake = [&](int body) { return body >= 0 && !isBodyAsleep(model, state, body); };
        const auto sleeps = [&](const Contact& c) { return !isAwake(c.bodyA) && !isAwake(c.bodyB); };
        for (const Contact& c : work.contacts)
            if (sleeps(c)) work.asleep.push_back(c);
        work.contacts.erase(std::remove_if(work.contacts.begin(), work.contacts.end(), sleeps),
                            work.contacts.end());
    }
    return !work.contacts.empty();
}

// How far the smaller of the two reaches.
double extentOf(const Model& model, const Contact& contact)
{
    double extent = HUGE_VAL;
    for (const int collider : {contact.colliderA, contact.colliderB})
        if (const auto* shape = std::get_if<Shape>(&model.colliders[collider].form))
            extent = std::min(extent, reachOf(*shape));
    return extent;
}

// Contacts are found at the start of a step; a bone that whips round may end it inside something all the
// same. Adds what the end of the step, in work.trial, shows to be deeper than the contacts know. True if
// there is any.
bool lookAgain(const Model& model, double h, StepWork& work)
{
    constexpr double turnWorthALook = 0.02;  // rad
    bool turns = false;
    for (const BodyState& body : work.trial.bodies)
        turns |= body.angularVelocity.norm() * h > turnWorthALook;
    if (!turns || !holdsContacts(model)) return false;
    std::vector<Contact>& known = work.constraints.contacts;
    work.constraints.collisions.detect(model, work.trial, 0, work.impacts);
    bool any = false;
    for (Contact& found : work.impacts) {
        const double overlooked = 1e-3 * extentOf(model, found);
        if (found.gap > -overlooked || bounces(model, found, work.trial)) continue;
        const auto isStill = [&](int body) { return body < 0 || isBodyAsleep(model, work.trial, body); };
        if (isStill(found.bodyA) && isStill(found.bodyB)) continue;
        Contact* same = nullptr;
        for (Contact& contact : known)
            if (contact.isSamePlace(found)) same = &contact;
        if (same && contactGap(*same, work.trial) <= found.gap + overlooked) continue;
        any = true;
        // As deep as it was at the start; who was not there at all was outside.
        found.gap = same ? same->gap : 0;
        found.impulse = same ? same->impulse : Vec3(Vec3::Zero());
        if (same)
            *same = found;
        else
            known.push_back(found);
    }
    if (any) std::sort(known.begin(), known.end(), isBefore);
    return any;
}

// The impulses are those of the last part of the step, of length `part`; they are kept as if it had all
// been like that.
void keepContacts(State& state, ConstraintWork& work, double step, double part)
{
    if (part != step) {
        for (Contact& contact : work.contacts) contact.impulse *= step / part;
        for (Vec6& impulse : work.loopImpulses) impulse *= step / part;
    }
    state.contacts = work.contacts;
    if (!work.asleep.empty()) {
        state.contacts.insert(state.contacts.end(), work.asleep.begin(), work.asleep.end());
        std::sort(state.contacts.begin(), state.contacts.end(), isBefore);
    }
    state.loopImpulses = work.loopImpulses;
}

void begin(const State& state, double h, State& trial)
{
    trial.q = state.q;
    trial.u = state.u;
    trial.bodies = state.bodies;
    trial.memory = state.memory;
    trial.quiet = state.quiet;
    trial.time = state.time + h;
}

// With the contacts that have been found.
void eulerStep(const Model& model, const Method& method, ForceFunction forces, double step, State& state,
               StepWork& work)
{
    state.previous.clear();
    double part = step;
    const auto attempt = [&](double h, bool isLast) {
        work.star = state.bodies;
        work.starredVelocity = state.u;
        constexpr int mostLooks = 2;
        for (int look = 1;; ++look) {
            begin(state, h, work.trial);
            if (!solve(method, {model, forces, h, h, work.star}, work.trial, work)) return false;
            if (look == mostLooks || !lookAgain(model, h, work)) break;
        }
        const double ceiling = energy(model, state).total();
        // A given number of iterations is taken as it comes.
        if (!isLast && !work.iterations && !isPlausible(model, forces, h, ceiling, work.trial))
            return false;
        accept(state, work.trial);
        part = h;
        return true;
    };
    if (!takeInHalves(step, halvingLimit, work.statistics, attempt)) work.statistics.failed = true;
    keepContacts(state, work.constraints, step, part);
}

}  // namespace

void implicitEulerStep(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work)
{
    findContacts(model, state, h, work.constraints);
    eulerStep(model, method, forces, h, state, work);
}

void implicitBdf2Step(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work)
{
    if (switchesBetween(model, state.time, state.time + h)) state.previous.clear();
    if (findContacts(model, state, h, work.constraints)) {
        // Velocities jump where bodies touch: BDF2 must not look back across that.
        eulerStep(model, method, forces, h, state, work);
        return;
    }
    if (state.previous.size() != state.bodies.size()) {
        work.stepStart = state.bodies;
        const int halvings = work.statistics.halvings;
        state.energyCeiling = energy(model, state).total();
        eulerStep(model, method, forces, h, state, work);
        // What was before a halved step is not one step ago.
        if (work.statistics.halvings == halvings) state.previous = work.stepStart;
        return;
    }
    work.star.resize(state.bodies.size());
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
        const BodyState &now = state.bodies[i], &old = state.previous[i];
        BodyState& star = work.star[i];
        star.position = (4 * now.position - old.position) / 3;
        star.velocity = (4 * now.velocity - old.velocity) / 3;
        star.angularVelocity = (4 * now.angularVelocity - old.angularVelocity) / 3;
        star.orientation =
            now.orientation * expRotation(logRotation(old.orientation.conjugate() * now.orientation) / 3);
    }
    // Joint velocities likewise, from the joints' own: taken from the starred bodies they would be of first
    // order.
    work.starredVelocity = state.u;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        if (joint.armature == 0) continue;
        double q[4] = {}, old[3] = {};
        const BodyState* parent = joint.parent < 0 ? nullptr : &state.previous[joint.parent];
        jointCoordinatesOf(joint, parent, state.previous[i], q, old);
        for (int k = 0; k < joint.freedoms(); ++k)
            work.starredVelocity[joint.u + k] = (4 * state.u[joint.u + k] - old[k]) / 3;
    }
    begin(state, h, work.trial);
    for (Vec6& impulse : work.constraints.loopImpulses) impulse *= 2. / 3;  // of a step that long
    if (solve(method, {model, forces, 2 * h / 3, h, work.star}, work.trial, work) &&
        (work.iterations || isPlausible(model, forces, h, state.energyCeiling, work.trial))) {
        std::swap(state.previous, state.bodies);
        accept(state, work.trial);
        keepContacts(state, work.constraints, h, 2 * h / 3);
        return;
    }
    // Afresh: backward Euler damps what BDF2 would not swallow.
    state.previous.clear();
    implicitBdf2Step(model, method, forces, h, state, work);
}

}  // namespace sinew
