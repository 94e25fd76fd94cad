// Derivatives of a whole motion through its implicit steps, along a tape.
//
//     StepTape tape;
//     simulation.tape = &tape;
//     simulation.advance(1);
//     StateChange weights;            // how the goal changes with the end: here, the height of a body
//     weights.setZero(simulation.model());
//     weights.bodies[body][1] = 1;
//     MotionGradient gradient;
//     adjointOfMotion(tape, weights, gradient);
//     gradient.inputs[step].joint     // by the torques of each step
//
// docs/derivatives.md has the equations, what is exact and what is held fixed.
#pragma once

#include <functional>
#include <span>

#include "sinew/derivative/step_derivative.h"

namespace sinew {

// Of coordinates and velocities at the start of a tape, what a state change is; and of weights on that, the
// weights on coordinates and velocities (dynamics/derivatives.h: along the tangent).
void startChange(const Model& model, const State& state, const VecX& dq, const VecX& du,
                 StateChange& change);
void adjointOfStart(const Model& model, const State& state, const StateChange& weights, VecX& dq, VecX& du);

// The change of every step's end, told one after the other.
struct MotionChange {
    VecX q, u;                        // of the start; empty: none
    std::vector<InputChange> inputs;  // of each step of the tape; empty: none
    ModelChange model;
};
using StepChangeFunction = std::function<void(std::size_t step, const StateChange& end)>;
// Forward. Returns the change of the end of the tape.
void changeOfMotion(const StepTape& tape, const MotionChange& change, StateChange& end,
                    const StepChangeFunction& after = {});

// What weights on the motion come to: the gradient of the weighted sum.
struct MotionGradient {
    VecX q, u;
    std::vector<InputChange> inputs;
    ModelChange model;
    StateChange start;  // the same as q and u, of all bodies by themselves
};
// Adds weights on the end of a step to those that are there.
using StepWeightsFunction = std::function<void(std::size_t step, StateChange& weights)>;
// Backward, with weights on the end of the tape and, if `add` is given, on the ends of all steps before.
void adjointOfMotion(const StepTape& tape, const StateChange& weights, MotionGradient& gradient,
                     const StepWeightsFunction& add = {});

// Of a point of a body, in its axes from its centre of mass: how it moves, and how weights on that are
// weights on the body.
Vec3 pointChange(const BodyState& body, const Vec3& point, const BodySlot& change);
void addPointWeights(const BodyState& body, const Vec3& point, const Vec3& weights, BodySlot& slot);

}  // namespace sinew
