// The derivative of one part of an implicit step (integrate/step_tape.h): how its end changes with its
// beginning, with what acts on it and with numbers of the model.
//
// The end of a step solves r(end, start, inputs) = 0 with the contacts as they stand, so by the implicit
// function theorem δend = −(∂r/∂end)⁻¹ ∂r/∂start δstart. Everything in it is the exact differential of the
// equations of the step (derivative/step_equations.h, step_tree.h, step_blocks.h), not Newton's matrix of
// the step, which leaves out what vanishes at the end or hardly matters to its convergence.
// docs/derivatives.md says what is held fixed.
//
// Cost: O(n) to linearise, O(n) for each product; O(m²) and O(m³) beside that for m rows of contacts, loops
// and springs between bodies of one island.
#pragma once

#include <memory>
#include <string>

#include "sinew/derivative/changes.h"
#include "sinew/integrate/step_tape.h"

namespace sinew {

// Why steps of this model have no derivatives, naming what is in the way; or an empty string.
std::string stepDerivativesUnsupported(const Model& model);

class StepDerivative {
public:
    StepDerivative();
    ~StepDerivative();
    StepDerivative(StepDerivative&&) noexcept;
    StepDerivative& operator=(StepDerivative&&) noexcept;

    // The model and the part must stay as they are as long as this is used.
    void linearize(const Model& model, const StepPart& part);

    // Changes of the end, for these of the start; null: nothing of the kind changes. `start` has all parts
    // but q, and `end` gets all of them.
    void change(const StateChange& start, const InputChange* input, const ModelChange* model,
                StateChange& end);
    // The adjoint: weights on the end become weights on the start; on inputs and model they are added.
    void adjoint(const StateChange& end, StateChange& start, InputChange* input, ModelChange* model);

    // How far the end misses the linearised equations, as a part of the largest force in them: what the
    // step itself left open, or what this has not understood of it.
    double residual() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace sinew
