#include "sinew/integrate/impacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/force/laws/penalty.h"
#include "sinew/integrate/fast_step.h"
#include "sinew/integrate/hold.h"
#include "sinew/integrate/pile_step.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_contacts.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

using Response = ContactDescription::Response;

constexpr int mostImpacts = 8;  // cuts of one step; what collides after them is held

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

// The slides' first response: how heavy anything is does not matter.
void respondKinematically(const Model& model, const std::vector<Contact>& contacts, State& state)
{
    bool changed = false;
    for (const Contact& contact : contacts) {
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
            if (!root.isFree()) continue;  // what hangs from the world stays there
            state.u.segment<3>(root.u) -=
                (side == 0 ? -1 : 1) * share * (1 + model.contact->keep) * approach * n;
            changed = true;
        }
        if (changed) bodiesFromJoints(model, state);
    }
    if (changed) setVelocities(model, state);
}

// The bodies on the way from one state to another, h seconds later, as a step of this part of h would have
// them: at constant acceleration, which is how a backward step sees it.
void setBetween(const State& start, const State& end, double h, double part, State& result)
{
    result.bodies.resize(start.bodies.size());
    result.quiet = start.quiet;
    const double square = part * part;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
        const BodyState &from = start.bodies[i], &to = end.bodies[i];
        BodyState& body = result.bodies[i];
        const Vec3 way = h * from.velocity, rest = to.position - from.position - way;
        body.position = from.position + part * way + square * rest;
        body.velocity = from.velocity + part * (to.velocity - from.velocity);
        // By the mean spin, which may be more than a turn, and what is left beside it.
        const Vec3 turn = h * from.angularVelocity, more = 0.5 * h * to.angularVelocity - 0.5 * turn;
        const Vec3 left = logRotation(expRotation(turn + more).conjugate() *
                                      (from.orientation.conjugate() * to.orientation));
        body.orientation =
            from.orientation * expRotation(part * turn + square * more) * expRotation(square * left);
        body.angularVelocity = from.angularVelocity + part * (to.angularVelocity - from.angularVelocity);
    }
}

class ImpactStep {
public:
    ImpactStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
               StepWork& work)
        : model_(model),
          method_(method),
          step_(integrator.stepFor(method)),
          // Others let the joints drift; a jump is a chance to close them.
          keepsRest_(integrator.bringsEquations),
          forces_(forces),
          work_(work),
          found_(work.impacts.found),
          touching_(closedGap(model))
    {
    }

    void run(double h, State& state)
    {
        const double end = state.time + h;
        work_.impacts.blows.clear();
        work_.impacts.wholeStep = h;
        advanceWithCuts(h, state);
        work_.impacts.wholeStep = 0;
        addBlows(state);
        state.time = end;  // but for the rounding of the parts
    }

private:
    bool rests() const { return model_.contact->response == Response::resting; }

    void advanceWithCuts(double h, State& state)
    {
        double left = h;
        bool isCut = false;
        for (int cut = 0;; ++cut) {
            if (rests()) bounceNow(state, left);
            work_.impacts.start = state;
            accepted_ = work_.statistics;
            const bool looks = model_.contact->atFraction && cut < mostImpacts;
            if (looks) predict(left, state);
            work_.constraints.heldPlaces.clear();
            work_.constraints.heldPairs.clear();
            // What goes on colliding is at rest before long.
            work_.constraints.holdsAll = model_.contact->atFraction && !looks;
            advance(left, state);
            work_.constraints.holdsAll = false;
            double fraction = 1;
            const bool isWhole = !looks || work_.stop() || !findCollision(left, state, fraction);
            if (isWhole) break;
            respond(state, h, fraction * left);
            // The part was no whole step, whether anything jumped or not.
            forgetPast(state);
            left *= 1 - fraction;
            if (left <= 1e-9 * h) return;
            noteBlows();
            isCut = true;
        }
        if (isCut) {
            forgetPast(state);
            // What holds is known of the last part alone.
            if (rests())
                for (Contact& contact : state.contacts) {
                    contact.impulse *= h / left;
                    contact.turning *= h / left;
                }
        }
        if (!rests()) respond(state, h, left);
    }

    void noteBlows()
    {
        for (const Contact& contact : found_)
            if (!contact.impulse.isZero(0)) work_.impacts.blows.push_back(contact);
    }

    // Collisions that later parts of the step know nothing of.
    void addBlows(State& state)
    {
        for (Contact& blow : work_.impacts.blows) {
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
        if (!work_.impacts.blows.empty()) std::sort(state.contacts.begin(), state.contacts.end(), isBefore);
    }

    void advance(double h, State& state) { step_(model_, method_, forces_, h, state, work_); }

    // From where the part began. The state is the end of another such step, `before` long: at constant
    // acceleration, that tells about where this one comes to.
    void advanceAnew(double h, double before, State& state)
    {
        const State& start = work_.impacts.start;
        constexpr double muchLonger = 1.02;
        if (h < muchLonger * before)
            guessEnd(model_, start, h, start.u + h / before * (state.u - start.u), work_.implicit);
        state = start;
        forgetPast(state);  // BDF2 looks back by whole steps
        work_.statistics.keepCostsOnly(accepted_);
        advance(h, state);
        work_.implicit.guessedFor = 0;
    }

    void detect(const State& state) { work_.constraints.collisions.detect(model_, state, 0, found_); }

    // What is in touch, or will collide within a time, as it moves now, in found_.
    void detectTouch(State& state, double within = 0)
    {
        detect(state);
        const auto isApart = [&](const Contact& c) {
            return c.gap > touching_ &&
                   !(collides(c, state) && c.gap < -within * contactVelocity(c, state.bodies)[0]);
        };
        found_.erase(std::remove_if(found_.begin(), found_.end(), isApart), found_.end());
    }

    // What touches and comes on fast enough gets its impulse before the step.
    void bounceNow(State& state, double h)
    {
        detectTouch(state);
        bool any = false;
        for (const Contact& contact : found_) any |= bounces(model_, contact, state);
        wakeTouched(model_, found_, state);
        if (!any) return;
        const double before = energyOf(state);
        if (!applyImpulses(model_, found_, h, 0, keepsRest_, state, work_)) return;
        work_.statistics.contactEnergy += energyOf(state) - before;
        forgetPast(state);
        noteBlows();
    }

    // If anybody wants to know what jumps take.
    double energyOf(const State& state) const
    {
        return work_.settings.measuresContacts ? energy(model_, state).total() : 0;
    }

    // Whether a contact is a collision, not rest.
    bool collides(const Contact& contact, const State& state) const
    {
        if (rests()) return bounces(model_, contact, state);
        return contactVelocity(contact, state.bodies)[0] < -*model_.contact->bounceSpeed;
    }

    // Whether a contact that comes on at the end of a part was there at its start, and quiet: then forces
    // have driven it in since, and it is to be held however fast that made it.
    bool wasQuiet(const Contact& contact) const
    {
        const State& start = work_.impacts.start;
        return contactGap(contact, start) <= touching_ &&
               std::abs(contactVelocity(contact, start.bodies)[0]) <= *model_.contact->bounceSpeed;
    }

    // Whether a place of a pair that has gone in was still apart as the part began. On the way in other
    // faces, and so other places, may be the nearest.
    bool cameDown(const Contact& contact) const
    {
        return hasPair(work_.impacts.sunken, contact) &&
               contactGap(contact, work_.impacts.start) > touching_;
    }

    // Whether it came to collide within the part. What was let through to collide did, though it may not
    // come on any more.
    bool hasCollided(const Contact& contact, const State& state) const
    {
        const bool comesOn =
            collides(contact, state) || isAmong(work_.impacts.sunken, contact) || cameDown(contact);
        return comesOn && (rests() || (!wasQuiet(contact) && !wasInside(contact)));
    }

    // What will collide within h as it moves now: a fast body may be through a thin one when the step ends.
    // And how deep pairs are inside each other now.
    void predict(double h, const State& state)
    {
        if (!rests()) detect(state);  // or found_ is of bounceNow
        inside_.clear();
        quiet_.clear();
        for (const Contact& contact : found_) {
            if (contact.gap < -touching_) inside_.push_back(contact);
            if (contact.gap <= touching_ && !collides(contact, state)) quiet_.push_back(contact);
        }
        std::vector<Contact>& predicted = work_.impacts.predicted;
        work_.constraints.collisions.detect(model_, state, h, predicted);
        const auto misses = [&](const Contact& c) { return c.gap <= touching_ || !collides(c, state); };
        predicted.erase(std::remove_if(predicted.begin(), predicted.end(), misses), predicted.end());
    }

    // Whether a place was inside as the part began: the pair was, and so were its anchors.
    bool wasInside(const Contact& contact) const
    {
        return hasPair(inside_, contact) && contactGap(contact, work_.impacts.start) < -touching_;
    }

    // The gap of a place that collides: what was inside as the part began has no moment of touch, but where
    // the step holds what rests, one at which it goes deeper than the pair was. That is asked of the shapes
    // as they were: with the normal of its end a place may have been inside while they were still apart.
    double collisionGap(const Contact& contact, double gap) const
    {
        if (!rests()) return gap;
        double deepest = 0;
        for (const Contact& c : inside_)
            if (isPair(c, contact)) deepest = std::min(deepest, c.gap);
        return gap - deepest;
    }

    // Whether another place of the pair was to collide.
    bool wasPredicted(const Contact& contact) const { return hasPair(work_.impacts.predicted, contact); }

    static bool isPair(const Contact& a, const Contact& b)
    {
        return a.colliderA == b.colliderA && a.colliderB == b.colliderB;
    }
    static bool hasPair(const std::vector<Contact>& places, const Contact& contact)
    {
        return std::any_of(places.begin(), places.end(),
                           [&](const Contact& c) { return isPair(c, contact); });
    }

    // The least gap of what collides in the part, < 0 if it is inside: what is near and comes on, or was to
    // meet as the part began, or is past where it should have met.
    double nearest(const State& state)
    {
        detect(state);
        double least = std::numeric_limits<double>::infinity();
        const auto note = [&](const Contact& contact, double gap) {
            if (!(gap < least)) return;
            least = gap;
            nearest_ = pairOf(contact);
            closing_ = -contactVelocity(contact, state.bodies)[0];
        };
        for (const Contact& contact : found_)
            if (hasCollided(contact, state)) note(contact, collisionGap(contact, contact.gap));
        for (const Contact& contact : work_.impacts.predicted) {
            if (collides(contact, state) && !hasPair(found_, contact))
                note(contact, collisionGap(contact, contactGap(contact, state)));
        }
        return least;
    }

    // When, as a part of h, the gap closes on the way from work.impacts.start to an end where it is inside,
    // h later; not before `from`. But for half of what counts as touching: of smooth shapes that all but
    // touch, the normal is rounding.
    double momentOfTouch(double from, double h, const State& end)
    {
        constexpr int most = 40;
        const auto gapAt = [&](double fraction) {
            setBetween(work_.impacts.start, end, h, fraction, work_.impacts.between);
            return nearest(work_.impacts.between) - 0.5 * touching_;
        };
        double low = from, high = 1, atLow = gapAt(low), atHigh = gapAt(high);
        if (!(atHigh < 0)) return 1;
        double fraction = 1;
        for (int k = 0; k < most; ++k) {
            // The gap of what is not near yet is not known: bisection then, and where one end stays.
            const bool known = atLow > 0 && std::isfinite(atLow) && k % 4 != 3;
            fraction = known ? low + (high - low) * atLow / (atLow - atHigh) : 0.5 * (low + high);
            const double gap = gapAt(fraction);
            if (std::abs(gap) < 0.25 * touching_) break;
            (gap < 0 ? high : low) = fraction;
            (gap < 0 ? atHigh : atLow) = gap;
        }
        return fraction;
    }

    // What was let through, went in and does not come on any more at the end.
    void findSunken(const State& state)
    {
        const double deep = 1e-3 * model_.contactLength;
        work_.impacts.sunken.clear();
        if (!rests() || work_.impacts.predicted.empty()) return;
        detect(state);
        for (const Contact& contact : found_)
            if (collisionGap(contact, contact.gap) < -deep && wasPredicted(contact) &&
                !collides(contact, state))
                work_.impacts.sunken.push_back(contact);
    }

    // What is inside at the end collided when its gap closed, be it that it was too slow for a collision
    // then: where it becomes fast enough is no moment of touch.
    void noteCollided(const State& state)
    {
        std::vector<Contact>& sunken = work_.impacts.sunken;
        for (const Contact& contact : found_)
            if (collisionGap(contact, contact.gap) < -touching_ && hasCollided(contact, state) &&
                !isAmong(sunken, contact))
                sunken.push_back(contact);
    }

    // Whether a place that is inside at the end of a longer part was held in this one, too slow to collide
    // when its gap closed: then it is no collision, and is held from now on.
    bool holdsSlow(const State& state)
    {
        bool any = false;
        for (const Contact& contact : state.contacts) {
            if (!(contact.impulse[0] > 0) || !isAmong(work_.impacts.sunken, contact) ||
                isAmong(work_.constraints.heldPlaces, contact))
                continue;
            work_.constraints.heldPlaces.push_back(contact);
            any = true;
        }
        return any;
    }

    // Whether what is inside at the end of a longer part touches at its start already, too slow to collide:
    // the places of round bodies that roll or rock run along them, and may come on fast where they end.
    // There is no moment of touch then, and what bounces at once would only come back to this. It is held.
    bool holdsQuiet()
    {
        std::vector<std::pair<int, int>>& held = work_.constraints.heldPairs;
        const auto isNearest = [&](const Contact& contact) { return pairOf(contact) == nearest_; };
        if (!rests() || std::find(held.begin(), held.end(), nearest_) != held.end() ||
            std::none_of(quiet_.begin(), quiet_.end(), isNearest))
            return false;
        held.push_back(nearest_);
        return true;
    }

    // The whole part once more, now that more is held. Returns the least gap of what collides.
    double advanceHolding(double h, State& state)
    {
        state = work_.impacts.start;
        work_.statistics.keepCostsOnly(accepted_);
        advance(h, state);
        findSunken(state);
        return nearest(state);
    }

    // The end of a part that was solved for.
    struct Sample {
        double fraction = 0, gap = 0;
        std::pair<int, int> pair;
    };
    // Where two such ends say that the gap closes, as a line; the fraction of the step is longer than what
    // its end moves at takes, since a longer step ends faster. Zero if they do not say.
    double whereTheyMeet(const Sample& a, const Sample& b) const
    {
        const double slope = (b.gap - a.gap) / (b.fraction - a.fraction);
        if (a.pair != b.pair || !(slope < 0) || !std::isfinite(slope)) return 0;
        return b.fraction - (b.gap - 0.5 * touching_) / slope;
    }

    // If the step from work.impacts.start ended inside something, goes back to where the gap was closed.
    // Steps are dear, so the moment is sought on a curve between the start and an end that was solved for,
    // and the step to that moment is the next such end: two or three do.
    bool findCollision(double h, State& state, double& fraction)
    {
        constexpr int mostSteps = 20, mostGuesses = 6;
        constexpr double atOnce = 1e-6;  // no step is so short
        constexpr double jump = 0.01;    // of the depth
        constexpr int mostAgain = 4;     // with more places held
        findSunken(state);
        double gap = nearest(state);
        if (gap >= -touching_) return false;
        double low = 0, high = 1;
        double speed = 0, depth = 0;  // m/s and m, at `high`
        double apart = 0;             // m, at `low`, as soon as it was solved for
        double solved = 1;            // as a part of h, the step whose end is at hand
        Sample last, now{1, gap, nearest_};
        int again = 0;
        for (int k = 0; k < mostSteps && !work_.stop(); ++k) {
            if (gap < -touching_) {
                if (rests()) noteCollided(state);
                high = fraction;
                speed = closing_;
                depth = -gap;
                fraction = momentOfTouch(low / high, high * h, state) * high;
            } else {
                low = fraction;
                apart = gap;
                fraction = low + (gap - 0.5 * touching_) / (closing_ * h);  // as it closes now
            }
            if (k > 1) {
                const double meets = whereTheyMeet(last, now);
                if (meets > low && meets < high) fraction = meets;
            }
            const bool isAtOnce = high < atOnce || (low == 0 && fraction < atOnce);
            const auto holdMore = [&] {
                ++again;
                gap = advanceHolding(h, state);
                k = -1;
                low = apart = 0;
                high = fraction = solved = 1;
                now = {1, gap, nearest_};
                return gap >= -touching_;
            };
            if (isAtOnce && again < mostAgain && holdsQuiet()) {
                if (holdMore()) return false;
                continue;
            }
            if (isAtOnce) {
                fraction = 0;
                state = work_.impacts.start;
                work_.statistics.keepCostsOnly(accepted_);
                return true;
            }
            // A gap that jumps, as of a place that comes into play, has no moment of touch but this: it is
            // deeper than it can have come since `low`.
            const double way = (high - low) * h * speed;
            if (k > 0 && speed > 0 && way < std::max(touching_, jump * depth)) {
                fraction = high;
                if (gap < -touching_) return true;
                advanceAnew(fraction * h, solved * h, state);
                return true;
            }
            // Where a guess does not help, what collides changes on the way: in halves, and by a secant in
            // turn where both ends are known.
            const double margin = 1e-6 * (high - low);
            const double secant =
                apart > 0 && std::isfinite(apart) && k % 2 == 0 ? apart / (apart + depth) : 0.5;
            if (!(fraction > low) || !(fraction < high) || k >= mostGuesses)
                fraction = low + secant * (high - low);
            fraction = std::clamp(fraction, low + margin, high - margin);
            advanceAnew(fraction * h, solved * h, state);
            solved = fraction;
            gap = nearest(state);
            last = now;
            now = {fraction, gap, nearest_};
            if (rests() && gap >= -touching_ && again < mostAgain && holdsSlow(state)) {
                if (holdMore()) return false;
                continue;
            }
            if (std::abs(gap) <= touching_) return true;
        }
        return true;
    }

    // At the end of a part of the step of length h.
    void respond(State& state, double h, double part)
    {
        constexpr double sameMoment = 1e-3;  // of the step: what collides so soon after does so now
        detectTouch(state, part < h ? sameMoment * h : 0);
        carryImpulses(state.contacts, found_, carryingDistance(model_), work_.constraints.carried);
        wakeTouched(model_, found_, state);
        const double before = energyOf(state);
        if (model_.contact->response == Response::kinematic) {
            respondKinematically(model_, found_, state);
        } else {
            bool blows = rests();
            for (Contact& contact : found_) {
                if (rests() || !collides(contact, state)) continue;
                if (wasQuiet(contact))
                    contact.restitution = 0;
                else
                    blows = true;
            }
            bool changed =
                !rests() && holdPlaces(model_, work_.impacts.start.bodies, part, found_, state, work_);
            changed |= applyImpulses(model_, found_, h, blows ? 0 : part, keepsRest_, state, work_);
            if (changed) forgetPast(state);
        }
        work_.statistics.contactEnergy += energyOf(state) - before;
        state.contacts = found_;
    }

    const Model& model_;
    const Method& method_;
    StepFunction step_;
    bool keepsRest_;
    ForceFunction forces_;
    StepWork& work_;
    std::vector<Contact>& found_;
    double touching_;              // m
    double closing_ = 0;           // m/s: how fast the nearest gap closes
    StepStatistics accepted_;      // at work.impacts.start
    std::vector<Contact> inside_;  // places that were inside at work.impacts.start,
    std::vector<Contact> quiet_;   // and those that touched and did not collide
    std::pair<int, int> nearest_;  // colliders of what was nearest
};

}  // namespace

void stepWithImpacts(const Model& model, const Method& method, const Integrator& integrator,
                     ForceFunction forces, double h, State& state, StepWork& work)
{
    if (takesFastSteps(model))
        fastStep(model, method, integrator, forces, h, state, work);
    else if (mayTakePileSteps(model, method, integrator, work))
        pileStep(model, method, integrator, forces, h, state, work);
    else
        stepExactly(model, method, integrator, forces, h, state, work);
}

void stepExactly(const Model& model, const Method& method, const Integrator& integrator,
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
        const bool isExplicit = response == Response::penalty && !integrator.bringsEquations;
        if (isExplicit && work.settings.measuresContacts) work.impacts.start = state;
        step(model, method, forces, h, state, work);
        if (!isExplicit) return;
        for (Contact& contact : state.contacts)
            contact.impulse = h * contactFrame(contact.normal) * penaltyForce(model, contact, state);
        if (work.settings.measuresContacts)
            work.statistics.contactEnergy += contactWork(state.contacts, work.impacts.start, state);
        return;
    }
    ImpactStep(model, method, integrator, forces, work).run(h, state);
}

}  // namespace sinew
