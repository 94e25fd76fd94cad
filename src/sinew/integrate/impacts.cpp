#include "sinew/integrate/impacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/force/penalty.h"
#include "sinew/integrate/hold.h"
#include "sinew/integrate/sleep.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

using Response = ContactDescription::Response;

constexpr int mostImpacts = 8;  // cuts of one step; what collides after them does so at its end

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
    ImpactStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
               StepWork& work)
        : model_(model),
          method_(method),
          step_(integrator.stepFor(method)),
          // Others let the joints drift; a jump is a chance to close them.
          keepsRest_(integrator.bringsEquations),
          forces_(forces),
          work_(work),
          found_(work.impacts),
          touching_(closedGap(model))
    {
    }

    void run(double h, State& state)
    {
        const double end = state.time + h;
        work_.blows.clear();
        work_.wholeStep = h;
        advanceWithCuts(h, state);
        work_.wholeStep = 0;
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
            work_.beforeImpact = state;
            accepted_ = work_.statistics;
            const bool looks = model_.contact->atFraction && cut < mostImpacts;
            if (looks) predict(left, state);
            advance(left, state);
            double fraction = 1;
            if (!looks || !findCollision(left, state, fraction)) break;
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

    // What is in touch, in found_.
    void detectTouch(State& state)
    {
        detect(state);
        const auto isApart = [&](const Contact& c) { return c.gap > touching_; };
        found_.erase(std::remove_if(found_.begin(), found_.end(), isApart), found_.end());
    }

    // What touches and comes on fast enough gets its impulse before the step.
    void bounceNow(State& state, double h)
    {
        detectTouch(state);
        bool any = false;
        for (const Contact& contact : found_) any |= bounces(model_, contact, state);
        wakeTouched(model_, found_, state);
        if (any && applyImpulses(model_, found_, h, 0, keepsRest_, state, work_)) {
            forgetPast(state);
            noteBlows();
        }
    }

    // Whether a contact is a collision, not rest.
    bool collides(const Contact& contact, const State& state) const
    {
        if (rests()) return bounces(model_, contact, state);
        return contactVelocity(contact, state.bodies)[0] < -*model_.contact->bounceSpeed;
    }

    // Whether a contact that comes on at the end of a part was there at its start, and quiet: then forces
    // have driven it in since, and it is to be held however fast that made it.
    bool isHeld(const Contact& contact) const
    {
        const State& start = work_.beforeImpact;
        return contactGap(contact, start) <= touching_ &&
               std::abs(contactVelocity(contact, start.bodies)[0]) <= *model_.contact->bounceSpeed;
    }

    // Whether it came to collide within the part. What was inside before has no moment of touch.
    bool hasCollided(const Contact& contact, const State& state) const
    {
        return collides(contact, state) && contactGap(contact, work_.beforeImpact) >= -touching_ &&
               (rests() || !isHeld(contact));
    }

    // What will collide within h as it moves now: a fast body may be through a thin one when the step ends.
    void predict(double h, const State& state)
    {
        std::vector<Contact>& predicted = work_.predicted;
        work_.constraints.collisions.detect(model_, state, h, predicted);
        const auto misses = [&](const Contact& c) { return c.gap <= touching_ || !collides(c, state); };
        predicted.erase(std::remove_if(predicted.begin(), predicted.end(), misses), predicted.end());
    }

    // The deepest of what collided in a step: inside now and coming on, or past where it should have met.
    double deepest(const State& state)
    {
        detect(state);
        double gap = 0;
        for (const Contact& contact : found_)
            if (contact.gap < gap && hasCollided(contact, state)) gap = contact.gap;
        for (const Contact& contact : work_.predicted)
            if (collides(contact, state)) gap = std::min(gap, contactGap(contact, state));
        return gap;
    }

    // If the step from work.beforeImpact ended inside something, goes back to where the gap was closed.
    bool findCollision(double h, State& state, double& fraction)
    {
        double depth = deepest(state);
        if (depth >= -touching_) return false;
        double low = 0, high = 1;
        double atLow = 0, atHigh = depth;
        // The gap at the beginning, of the same pairs, is not known where they were not near: bisection
        // then.
        for (int k = 0; k < 40; ++k) {
            if (high < 1e-6) {  // it is there at once: no step is so short
                fraction = 0;
                state = work_.beforeImpact;
                work_.statistics.keepCostsOnly(accepted_);
                return true;
            }
            fraction = atLow > 0 && std::isfinite(atLow) ? low + (high - low) * atLow / (atLow - atHigh)
                                                         : 0.5 * (low + high);
            fraction = std::clamp(fraction, low + 0.05 * (high - low), high - 0.05 * (high - low));
            state = work_.beforeImpact;
            forgetPast(state);  // BDF2 looks back by whole steps
            work_.statistics.keepCostsOnly(accepted_);
            advance(fraction * h, state);
            depth = deepest(state);
            if (depth >= -touching_ && nearest(state) <= touching_) return true;
            if (depth < -touching_) {
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
            if (hasCollided(contact, state)) gap = std::min(gap, contact.gap);
        for (const Contact& contact : work_.predicted)
            if (collides(contact, state)) gap = std::min(gap, contactGap(contact, state));
        return gap;
    }

    // At the end of a part of the step of length h.
    void respond(State& state, double h, double part)
    {
        detectTouch(state);
        carryImpulses(state.contacts, found_, carryingDistance(model_), work_.constraints.carried);
        wakeTouched(model_, found_, state);
        if (model_.contact->response == Response::kinematic) {
            respondKinematically(model_, found_, state);
        } else {
            bool blows = rests();
            for (Contact& contact : found_) {
                if (rests() || !collides(contact, state)) continue;
                if (isHeld(contact))
                    contact.restitution = 0;
                else
                    blows = true;
            }
            bool changed =
                !rests() && holdPlaces(model_, work_.beforeImpact.bodies, part, found_, state, work_);
            changed |= applyImpulses(model_, found_, h, blows ? 0 : part, keepsRest_, state, work_);
            if (changed) forgetPast(state);
        }
        state.contacts = found_;
    }

    const Model& model_;
    const Method& method_;
    StepFunction step_;
    bool keepsRest_;
    ForceFunction forces_;
    StepWork& work_;
    std::vector<Contact>& found_;
    double touching_;          // m
    StepStatistics accepted_;  // at work.beforeImpact
};

}  // namespace

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
    ImpactStep(model, method, integrator, forces, work).run(h, state);
}

}  // namespace sinew
