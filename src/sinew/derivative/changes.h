// Small changes of a state, of what acts on it and of a model; and weights on them, which look the same: of
// a sum weights · changes, an adjoint gives the gradient.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Of one body: place and turn (world axes), velocity (world axes), angular velocity (its components in body
// axes, as BodyState has them).
using BodySlot = Matrix<12, 1>;

// Of a state between two steps. Empty parts are zero.
struct StateChange {
    VecX q;  // of the joints, along the tangent (jointRetract)
    VecX u;  // likewise their velocities
    LargeVector<BodySlot>
        bodies;  // of the bodies: discrete velocities are not those of the joints (implicit.h)
    // One step ago, for steps that look back. Zero at the start: what was before it stays.
    LargeVector<BodySlot> previous;
    VecX previousU;

    void setZero(const Model& model);
};

// Of what acts during one step, constant over it. Empty parts are zero.
struct InputChange {
    VecX joint;               // forces and torques along the freedoms, motors' for example
    VecX target;              // of controllers, per freedom, along the tangent
    LargeVector<Force> body;  // at the centre of mass, world axes

    void setZero(const Model& model);
};

// Of numbers of the model, the same in all steps. Empty parts are zero.
struct ModelChange {
    VecX mass;       // per body, relative: mass and inertia grow alike
    VecX stiffness;  // per joint, of its spring
    VecX damping;    // per joint, of its damper
    Vec3 gravity = Vec3::Zero();

    void setZero(const Model& model);
};

}  // namespace sinew
