#include "sinew/integrate/pile_step.h"

#include <algorithm>
#include <cmath>

#include "sinew/integrate/fast_step.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/step_work.h"

namespace sinew {
namespace {

constexpr std::ptrdiff_t bodiesOfPile = 50;  // in four places each, there may be a pile
// Operations of a step: for each contact, and of small piles all in all.
constexpr double mostOfContact = 5e4, mostOfSmallPile = 1e8;
// What a pile in motion takes at least, for each contact.
constexpr double leastInMotion = 1.5e5;
// Of the speed that weight gives in a step: what is slower is at rest. What was put into something comes
// out faster than that, and is exact.
constexpr double ofWeight = 0.1, ofWeightInside = 0.5;
constexpr double inside = 0.01;  // of the smallest shape
constexpr int thoroughness = 4;  // times the sweeps of "accuracy": "fast"

// Told between the iterations of a step whether it shall end.
class Bound {
public:
    Bound(const Model& model, double h, const State& state, StepWork& work)
        : model_(model), h_(h), state_(state), work_(work), outer_(work.stop)
    {
        work.stopBy({&isOver, this});
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    ~Bound() { work_.stopBy(outer_); }

    bool wasHit() const { return wasHit_; }

private:
    static bool isOver(void* self)
    {
        Bound& bound = *static_cast<Bound*>(self);
        if (bound.outer_()) return true;
        return bound.wasHit_ = bound.wasHit_ || bound.hasSpentAll();
    }

    // The first who asks has found the contacts.
    bool hasSpentAll()
    {
        if (most_ == 0) {
            const double count = static_cast<double>(work_.constraints.contacts.size());
            most_ = std::max(mostOfContact * count, mostOfSmallPile);
            const bool isLarge = leastInMotion * count > most_;
            const bool isInMotion = count > contactsOfSmallPiles && moves();
            if (isLarge && isInMotion) return true;
            if (!isInMotion) most_ = HUGE_VAL;
        }
        return work_.constraints.solver.effort.work > most_;
    }
    bool moves() const
    {
        const std::vector<Contact>& contacts = work_.constraints.contacts;
        const bool isInside = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
            return contact.gap < -inside * model_.contactLength;
        });
        const double slow = (isInside ? ofWeightInside : ofWeight) * model_.gravity.norm() * h_;
        return std::any_of(model_.skeletons.begin(), model_.skeletons.end(), [&](const Skeleton& skeleton) {
            const BodyState& body = state_.bodies[skeleton.first];
            return !(body.velocity.norm() + skeleton.length * body.angularVelocity.norm() <= slow);
        });
    }

    const Model& model_;
    double h_;
    const State& state_;
    StepWork& work_;
    Stop outer_;
    double most_ = 0;  // zero: not known yet
    bool wasHit_ = false;
};

}  // namespace

bool mayTakePileSteps(const Model& model, const Method& method, const Integrator& integrator,
                      const StepWork& work)
{
    const auto& contact = model.contact;
    if (contact->response != ContactDescription::Response::resting || contact->plainInertia ||
        contact->solver != ContactDescription::Solver::automatic)
        return false;
    if (!integrator.bringsEquations || method.coordinates != Coordinates::joint) return false;
    // Who records steps, or counts iterations, wants those of Newton's method.
    if (work.tape || work.settings.iterations) return false;
    return std::count_if(model.skeletons.begin(), model.skeletons.end(), [&](const Skeleton& skeleton) {
               return skeleton.count == 1 && model.joints[skeleton.first].isFree();
           }) >= bodiesOfPile;
}

void pileStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
              double h, State& state, StepWork& work)
{
    State& start = work.piles.start;
    start = state;
    const StepStatistics before = work.statistics;
    {
        const Bound bound(model, h, start, work);
        stepExactly(model, method, integrator, forces, h, state, work);
        if (!bound.wasHit()) return;
    }
    std::swap(state, start);
    work.statistics.keepCostsOnly(before);
    work.fast->thoroughness = thoroughness;
    fastStep(model, method, integrator, forces, h, state, work);
    work.fast->thoroughness = 1;
}

}  // namespace sinew
