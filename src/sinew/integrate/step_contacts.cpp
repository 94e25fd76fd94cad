#include "sinew/integrate/step_contacts.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/support.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

// Whether the step itself holds contacts; other responses are jumps between steps.
bool holdsContacts(const Model& model)
{
    using Response = ContactDescription::Response;
    return model.contact &&
           (model.contact->response == Response::resting || model.contact->response == Response::penalty);
}

// Whether a place is to be held, however fast it comes on.
bool isHeld(const ConstraintWork& work, const Contact& contact)
{
    return work.holdsAll || isAmong(work.heldPlaces, contact) || isAmong(work.heldPairs, contact);
}

// What will bounce is let through until it gets its impulse: those are told when a step begins. What comes
// on in a later part of it is held; whoever looks for collisions would not hear of all of them.
void letThrough(const Model& model, const State& state, bool isLater, ConstraintWork& work)
{
    const double closed = closedGap(model);
    std::vector<std::pair<int, int>>& pairs = work.letThrough;
    if (!isLater) pairs.clear();
    if (work.holdsAll) return;
    const auto willBounce = [&](const Contact& c) {
        if (isHeld(work, c)) return false;
        // On its way through, and maybe inside by now.
        if (isLater) return isAmong(pairs, c) && !isAmong(state.contacts, c);
        if (!(c.gap > closed) || !bounces(model, c, state)) return false;
        pairs.push_back(pairOf(c));
        return true;
    };
    work.contacts.erase(std::remove_if(work.contacts.begin(), work.contacts.end(), willBounce),
                        work.contacts.end());
}

}  // namespace

bool findContacts(const Model& model, State& state, double h, bool isLater, ConstraintWork& work)
{
    work.contacts.clear();
    work.begins = state.time;
    work.loopImpulses = state.loopImpulses;
    for (std::size_t l = 0; l < model.loops.size() && l < work.loopImpulses.size(); ++l)
        if (!model.loops[l].holds(state.time)) work.loopImpulses[l].setZero();
    work.asleep.clear();
    // What holds a thing may stand in the way of its coming out. Where that makes trouble it stays inside
    // for the rest of the step.
    if (!isLater) work.recovers = true;
    if (!holdsContacts(model)) return false;
    // What rests in a pile goes on resting on the same places: of a face's many corners now these bear, now
    // those, and their forces would be unknown again.
    if (state.contacts.size() > contactsOfLargePiles) work.collisions.keepPlaces(&state.contacts);
    work.collisions.detect(model, state, h, work.contacts);
    work.collisions.keepPlaces(nullptr);
    if (model.contact->response == ContactDescription::Response::resting)
        letThrough(model, state, isLater, work);
    carryImpulses(state.contacts, work.contacts, carryingDistance(model), work.carried);
    // Whether it slips is known of what bore a force; of others their velocities tell.
    for (Contact& c : work.contacts) {
        if (c.staticFriction == c.friction || c.impulse[0] > 0) continue;
        const double slip = h * contactVelocity(c, state.bodies).tail<2>().norm();
        c.slipping = slip > 10 * solverSettings(model).tolerance;
    }
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

namespace {

// The least that a measure of shapes is for the two that touch.
template <class Measure>
double leastOf(const Model& model, const Contact& contact, Measure&& measure)
{
    double least = HUGE_VAL;
    for (const int collider : {contact.colliderA, contact.colliderB})
        if (const auto* shape = std::get_if<Shape>(&model.colliders[collider].form))
            least = std::min(least, measure(*shape));
    return least;
}

// How far a shape reaches, as far as depths are concerned: what is thin counts by its width.
double depthScale(const Shape& shape)
{
    constexpr double thin = 4;  // times its width
    return std::min(reachOf(shape), thin * leastWidth(shape));
}

// The contact that knows of the same place, or nothing.
Contact* knownPlace(const Contact& found, std::vector<Contact>& known)
{
    for (Contact& contact : known)
        if (contact.isSamePlace(found)) return &contact;
    return nullptr;
}

// How deep a pair was at the start of the step, < 0; who was not there at all was outside.
double startGap(const Contact& found, const std::vector<Contact>& known)
{
    double gap = 0;
    for (const Contact& contact : known)
        if (contact.colliderA == found.colliderA && contact.colliderB == found.colliderB)
            gap = std::min(gap, contact.gap);
    return gap;
}

// Whether the end of the step shows a place that is to get an impulse, not to be held: it comes on, or what
// came on at the start went in there and is on its way out again. To hold that would speed it up.
bool isLeftToImpacts(const Model& model, const Contact& found, const StepWork& work)
{
    if (isHeld(work.constraints, found)) return false;
    if (bounces(model, found, work.implicit.trial)) return true;
    return isAmong(work.constraints.letThrough, found) &&
           contactVelocity(found, work.implicit.trial.bodies)[0] > 0;
}

// Ways beyond those that findContacts() looked along, as parts of the smallest body's size: of what may end
// inside something, and of what may have gone through it.
constexpr double overlookedWay = 0.025, throughWay = 0.25;

double stepTo(const State& start, const State& trial)
{
    return trial.time - start.time;
}

bool outruns(const Model& model, const State& start, const StepWork& work, double way)
{
    const State& trial = work.implicit.trial;
    return work.constraints.collisions.outruns(model, start, trial, stepTo(start, trial),
                                               way * model.contactLength);
}

bool isKnownPair(const Contact& found, const std::vector<Contact>& known)
{
    return std::any_of(known.begin(), known.end(), [&](const Contact& contact) {
        return contact.colliderA == found.colliderA && contact.colliderB == found.colliderB;
    });
}

// Adds places of pairs that nothing was known of and that meet on the way, as they are at the start.
bool lookOnTheWay(const Model& model, const State& start, StepWork& work)
{
    if (!outruns(model, start, work, throughWay)) return false;
    const State& end = work.implicit.trial;
    const double h = stepTo(start, end);
    State& foreseen = work.impacts.between;
    foreseen.bodies = start.bodies;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
        foreseen.bodies[i].velocity = (end.bodies[i].position - start.bodies[i].position) / h;
        foreseen.bodies[i].angularVelocity = end.bodies[i].angularVelocity;
    }
    std::vector<Contact>&known = work.constraints.contacts, &found = work.impacts.found;
    work.constraints.collisions.detect(model, foreseen, h, found);
    const auto isOfNoUse = [&](const Contact& place) {
        return place.gap < 0 || contactGap(place, end) >= 0 || isKnownPair(place, known) ||
               isAmong(work.constraints.letThrough, place) ||
               !work.constraints.collisions.meet(model, start, end, h, place.colliderA, place.colliderB);
    };
    found.erase(std::remove_if(found.begin(), found.end(), isOfNoUse), found.end());
    known.insert(known.end(), found.begin(), found.end());
    return !found.empty();
}

// Whether one of two convex shapes, held off the other at a corner, has swung about that to its other side.
// No place tells of it; a shorter step will.
bool swungThrough(const Model& model, const Contact& found, const std::vector<Contact>& known)
{
    constexpr double opposite = -0.5;  // of normals: more than 120 degrees
    const auto isConvex = [&](int collider) {
        return std::holds_alternative<Shape>(model.colliders[collider].form);
    };
    if (!isConvex(found.colliderA) || !isConvex(found.colliderB)) return false;
    return std::any_of(known.begin(), known.end(), [&](const Contact& contact) {
        return contact.colliderA == found.colliderA && contact.colliderB == found.colliderB &&
               contact.impulse[0] > 0 && contact.normal.dot(found.normal) < opposite;
    });
}

Seen lookAtEnd(const Model& model, const State& start, int look, StepWork& work)
{
    constexpr double overlookedPart = 1e-3, toleratedPart = 3e-3;
    const double part = look == mostLooks ? toleratedPart : overlookedPart;
    constexpr double turnWorthALook = 0.004;  // rad in the whole step
    constexpr double elsewhere = 0.05;        // of the extent
    bool turns = false;
    for (const BodyState& body : work.implicit.trial.bodies)
        turns |= body.angularVelocity.norm() * work.constraints.step > turnWorthALook;
    if (!turns && !outruns(model, start, work, overlookedWay)) return Seen::nothing;
    std::vector<Contact>& known = work.constraints.contacts;
    work.constraints.collisions.detect(model, work.implicit.trial, 0, work.impacts.found);
    bool any = false;
    for (const Contact& found : work.impacts.found)
        if (swungThrough(model, found, known)) return Seen::tooMuch;
    for (Contact& found : work.impacts.found) {
        if (found.gap >= 0) continue;
        const double overlooked = part * leastOf(model, found, depthScale);
        if (found.gap > -overlooked) continue;
        if (isLeftToImpacts(model, found, work)) continue;
        const auto isStill = [&](int body) {
            return body < 0 || isBodyAsleep(model, work.implicit.trial, body);
        };
        if (isStill(found.bodyA) && isStill(found.bodyB)) continue;
        Contact* same = knownPlace(found, known);
        if (same && contactGap(*same, work.implicit.trial) <= found.gap + overlooked) continue;
        any = true;
        found.gap = startGap(found, known);
        // Two edges beside each other touch now here, now there, and stand on both: what bears stays, once
        // it is far off or comes again.
        const double extent = leastOf(model, found, reachOf);
        if (same && same->impulse[0] > 0 &&
            (look > 1 || (same->pointA - found.pointA).norm() > elsewhere * extent))
            same = nullptr;
        found.impulse = same ? same->impulse : Vec3(Vec3::Zero());
        found.turning = same ? same->turning : Vec3(Vec3::Zero());
        found.slipping = same && same->slipping;
        if (same)
            *same = found;
        else
            known.push_back(found);
    }
    return any ? Seen::more : Seen::nothing;
}

}  // namespace

Seen lookAgain(const Model& model, const State& start, int look, StepWork& work)
{
    if (!holdsContacts(model)) return Seen::nothing;
    const Seen seen = lookOnTheWay(model, start, work) ? Seen::more : lookAtEnd(model, start, look, work);
    if (seen == Seen::more) {
        std::vector<Contact>& known = work.constraints.contacts;
        std::sort(known.begin(), known.end(), isBefore);
        work.constraints.loose.assign(known.size(), 0);
    }
    return seen == Seen::more && look == mostLooks ? Seen::tooMuch : seen;
}

bool breakLoose(ConstraintWork& work)
{
    bool any = false;
    for (std::size_t c = 0; c < work.contacts.size(); ++c) {
        const Contact& contact = work.contacts[c];
        if (!work.slips[c] || work.loose[c] || contact.gripping() == contact.friction) continue;
        work.loose[c] = 1;
        any = true;
    }
    return any;
}

double contactWork(const std::vector<Contact>& contacts, const State& from, const State& to)
{
    double sum = 0;
    for (const Contact& contact : contacts) {
        sum += contact.impulse.dot(
            0.5 * (contactVelocity(contact, to.bodies, from.bodies) + contactVelocity(contact, to.bodies)));
        if (contact.turning.isZero(0)) continue;
        Vec3 spin = Vec3::Zero();
        for (const State* state : {&from, &to}) {
            if (contact.bodyB >= 0) spin += 0.5 * state->bodies[contact.bodyB].angularVelocityWorld();
            if (contact.bodyA >= 0) spin -= 0.5 * state->bodies[contact.bodyA].angularVelocityWorld();
        }
        sum += contact.turning.dot(contactFrame(contact.normal) * spin);
    }
    return sum;
}

void turnFaces(const LargeVector<BodyState>& from, const LargeVector<BodyState>& to, ConstraintWork& work)
{
    if (work.contacts.size() <= contactsOfLargePiles) return;
    for (Contact& c : work.contacts) {
        const int body = c.face == Contact::Face::ofA   ? c.bodyA
                         : c.face == Contact::Face::ofB ? c.bodyB
                                                        : -1;
        if (body < 0) continue;
        const Quat turn = to[body].orientation * from[body].orientation.conjugate();
        c.normal = (turn * c.normal).normalized();
    }
}

void scaleImpulses(ConstraintWork& work, double by)
{
    for (Contact& contact : work.contacts) {
        contact.impulse *= by;
        contact.turning *= by;
    }
    for (Vec6& impulse : work.loopImpulses) impulse *= by;
}

void keepContacts(State& state, ConstraintWork& work, double step, double part)
{
    if (part != step) scaleImpulses(work, step / part);
    state.contacts = work.contacts;
    if (!work.asleep.empty()) {
        state.contacts.insert(state.contacts.end(), work.asleep.begin(), work.asleep.end());
        std::sort(state.contacts.begin(), state.contacts.end(), isBefore);
    }
    state.loopImpulses = work.loopImpulses;
}

}  // namespace sinew
