#include "sinew/optimize/pose.h"

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/model/wish.h"
#include "sinew/optimize/pose_problem.h"

namespace sinew {
namespace {

std::vector<char> heldJoints(const Model& model)
{
    std::vector<char> held(static_cast<std::size_t>(model.size()), 0);
    for (const Prescription& p : model.prescribed) held[static_cast<std::size_t>(p.joint)] = 1;
    return held;
}

// |r| of a wish, without its weight.
double errorOf(const Model& model, const State& state, int wish)
{
    WishRows rows;
    evaluateWishes(model, state, std::vector<int>{wish}, rows);
    return std::sqrt(2 * rows.energy() / model.wishes[static_cast<std::size_t>(wish)].weight);
}

double worstError(const Model& model, const State& state, const std::vector<int>& wishes)
{
    double worst = 0;
    for (const int i : wishes) worst = std::max(worst, errorOf(model, state, i));
    return worst;
}

std::vector<int> hardOnes(const Model& model, const std::vector<int>& wishes)
{
    std::vector<int> hard;
    for (const int i : wishes)
        if (!model.wishes[static_cast<std::size_t>(i)].soft) hard.push_back(i);
    return hard;
}

struct Search {
    const Model& model;
    const std::vector<int>& all;
    std::vector<int> hard;
    PoseOptions options;
    std::vector<char> held;
    MinimiseLimits limits;
    int iterations = 0;

    Search(const Model& itsModel, const std::vector<int>& wishes, const PoseOptions& itsOptions)
        : model(itsModel),
          all(wishes),
          hard(hardOnes(itsModel, wishes)),
          options(itsOptions),
          held(heldJoints(itsModel))
    {
        double least = HUGE_VAL, most = 0;
        for (const int i : all) {
            least = std::min(least, model.wishes[static_cast<std::size_t>(i)].weight);
            most = std::max(most, model.wishes[static_cast<std::size_t>(i)].weight);
        }
        // A thousandth of the tolerance, by the least of the weights; a slope that moves no wish by as
        // much.
        limits.energy = all.empty() ? 0 : 0.5 * least * std::pow(1e-3 * options.tolerance, 2);
        limits.gradient = 1e-9 * most;
        limits.iterations = options.iterations;
    }

    MinimiseReport minimise(const std::vector<int>& wishes, State& state)
    {
        PoseProblem problem(model, state, wishes, held);
        problem.enterLimits();
        const MinimiseReport report = minimiseDamped(problem.damped(), limits);
        iterations += report.iterations;
        return report;
    }
    MinimiseReport from(State& state)
    {
        MinimiseReport report = minimise(all, state);
        if (hard.size() != all.size() && !hard.empty()) report = minimise(hard, state);
        return report;
    }
};

// Beside the start: hardly at first, to leave a saddle, then farther away.
void disturb(const Model& model, const std::vector<char>& held, int restart, State& state)
{
    Random random(static_cast<std::uint64_t>(1000 + restart));
    const double size = restart == 0 ? 0.02 : 0.4 * restart;
    VecX step(model.freedomCount);
    step.setZero();
    for (int link = 0; link < model.size(); ++link) {
        const Joint& joint = model.joints[link];
        for (int k = joint.u; k < joint.u + joint.freedoms(); ++k) {
            const double x = random.uniform(-1, 1);
            if (!held[static_cast<std::size_t>(link)] && !joint.isFree())
                step[k] = size * x * model.freedomUnits[static_cast<std::size_t>(k)];
        }
    }
    const VecX from = state.q;
    moveAlong(model, from, step, state);
}

void rest(State& state)
{
    state.u.setZero();
    for (BodyState& body : state.bodies) {
        body.velocity.setZero();
        body.angularVelocity.setZero();
    }
    state.previous.clear();
}

}  // namespace

std::string poseFault(const Model& model)
{
    if (!model.loops.empty()) return "has closed loops, which the pose solver does not hold";
    if (!model.couplings.empty()) return "has couplings, which the pose solver does not hold";
    return {};
}

PoseReport solvePose(const Model& model, const std::vector<int>& wishes, const PoseOptions& options,
                     State& state, bool explains)
{
    rest(state);
    const State start = state;
    Search search(model, wishes, options);
    PoseReport report;
    report.minimum = search.from(state);
    double worst = worstError(model, state, search.hard);
    for (; worst > options.tolerance && report.restarts < options.restarts; ++report.restarts) {
        State other = report.restarts == 0 ? state : start;
        disturb(model, search.held, report.restarts, other);
        const MinimiseReport found = search.from(other);
        // Better by what is no rounding: so the pose nearest to the start stays.
        if (found.energy < report.minimum.energy * (1 - 1e-6)) {
            report.minimum = found;
            state = std::move(other);
            worst = worstError(model, state, search.hard);
        }
    }
    report.iterations = search.iterations;
    for (const int i : wishes) {
        WishOutcome out;
        out.wish = i;
        out.error = errorOf(model, state, i);
        out.isSoft = model.wishes[static_cast<std::size_t>(i)].soft;
        out.isFulfilled = out.error <= options.tolerance;
        if (!out.isFulfilled && !out.isSoft) {
            report.isFulfilled = false;
            out.alone = out.error;
            if (explains && search.hard.size() > 1) {
                State alone = start;
                solvePose(model, {i}, options, alone, false);
                out.alone = errorOf(model, alone, i);
            }
        }
        report.wishes.push_back(out);
    }
    return report;
}

}  // namespace sinew
