#include "sinew/derivative/motion_derivative.h"

#include "sinew/dynamics/derivatives.h"

namespace sinew {
namespace {

// World axes, and the angular velocity in body axes.
BodySlot slotOf(const BodyState& body, const BodyChange& change)
{
    const Vec3 turn = change.place.angular, w = body.angularVelocityWorld();
    BodySlot slot;
    slot << change.place.linear, turn, change.velocity.linear,
        body.orientation.conjugate() * Vec3(change.velocity.angular - turn.cross(w));
    return slot;
}

BodyChange weightsOf(const BodyState& body, const BodySlot& slot)
{
    const Vec3 spin = body.orientation * Vec3(slot.tail<3>()), w = body.angularVelocityWorld();
    BodyChange weights;
    weights.place = {slot.head<3>(), Vec3(slot.segment<3>(3)) - w.cross(spin)};
    weights.velocity = {slot.segment<3>(6), spin};
    return weights;
}

void linearizeStart(const Model& model, const State& state, DynamicsDerivatives& at)
{
    const LargeVector<Force> none(model.bodies.size());
    linearize(model, state, none, VecX(VecX::Zero(model.freedomCount)), {}, at);
}

const State* firstState(const StepTape& tape)
{
    for (const TapedStep& step : tape.steps)
        if (!step.parts.empty()) return &step.parts.front().start;
    return nullptr;
}

}  // namespace

void startChange(const Model& model, const State& state, const VecX& dq, const VecX& du,
                 StateChange& change)
{
    DynamicsDerivatives at;
    linearizeStart(model, state, at);
    change.setZero(model);
    change.q = dq;
    change.u = du;
    LargeVector<BodyChange> changes;
    bodyChanges(model, at, dq, du, VecX(VecX::Zero(model.freedomCount)), changes);
    for (int i = 0; i < model.size(); ++i) change.bodies[i] = slotOf(state.bodies[i], changes[i]);
}

void adjointOfStart(const Model& model, const State& state, const StateChange& weights, VecX& dq, VecX& du)
{
    DynamicsDerivatives at;
    linearizeStart(model, state, at);
    LargeVector<BodyChange> own(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) own[i] = weightsOf(state.bodies[i], weights.bodies[i]);
    VecX da;
    adjointOfBodies(model, at, own, dq, du, da);
    dq += weights.q;
    du += weights.u;
}

void changeOfMotion(const StepTape& tape, const MotionChange& change, StateChange& end,
                    const StepChangeFunction& after)
{
    const State* start = firstState(tape);
    if (!start) return;
    const Model& first = *tape.steps.front().model;
    VecX dq = change.q, du = change.u;
    if (dq.size() == 0) dq.setZero(first.freedomCount);
    if (du.size() == 0) du.setZero(first.freedomCount);
    StateChange now;
    startChange(first, *start, dq, du, now);
    StepDerivative derivative;
    for (std::size_t s = 0; s < tape.steps.size(); ++s) {
        const TapedStep& step = tape.steps[s];
        for (const StepPart& part : step.parts) {
            derivative.linearize(*step.model, part);
            derivative.change(now, change.inputs.empty() ? nullptr : &change.inputs[s], &change.model, end);
            std::swap(now, end);
        }
        if (after) after(s, now);
    }
    std::swap(now, end);
}

void adjointOfMotion(const StepTape& tape, const StateChange& weights, MotionGradient& gradient,
                     const StepWeightsFunction& add)
{
    const State* start = firstState(tape);
    if (!start) return;
    const Model& first = *tape.steps.front().model;
    gradient.inputs.resize(tape.steps.size());
    gradient.model.setZero(first);
    StateChange now = weights, before;
    StepDerivative derivative;
    for (std::size_t s = tape.steps.size(); s-- > 0;) {
        const TapedStep& step = tape.steps[s];
        gradient.inputs[s].setZero(*step.model);
        if (add && s + 1 < tape.steps.size()) add(s, now);
        for (std::size_t p = step.parts.size(); p-- > 0;) {
            derivative.linearize(*step.model, step.parts[p]);
            derivative.adjoint(now, before, &gradient.inputs[s], &gradient.model);
            std::swap(now, before);
        }
    }
    gradient.start = now;
    adjointOfStart(first, *start, now, gradient.q, gradient.u);
}

Vec3 pointChange(const BodyState& body, const Vec3& point, const BodySlot& change)
{
    const Vec3 arm = body.orientation * point;
    return Vec3(change.head<3>()) + Vec3(change.segment<3>(3)).cross(arm);
}

void addPointWeights(const BodyState& body, const Vec3& point, const Vec3& weights, BodySlot& slot)
{
    const Vec3 arm = body.orientation * point;
    slot.head<3>() += weights;
    slot.segment<3>(3) += arm.cross(weights);
}

}  // namespace sinew
