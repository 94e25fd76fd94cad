// How bodies move with their joints: products with the Jacobian J(q) of all bodies in O(n), and the dense
// Jacobians of one point or one body.
//
// A change of q is told along its tangent, one number for each freedom: q ⊕ δ (model/joint.h), so that u is
// its rate. Moves and forces of bodies are taken at the centre of mass, in world axes.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// J δ, per body: also the velocities that belong to u = δ.
void bodyMoves(const Model& model, const State& state, const VecX& delta, LargeVector<Motion>& moves);
// Jᵀ f, of one force for each body: the joint forces that do the same work. Takes `forces` for scratch.
void jointForcesOf(const Model& model, const State& state, LargeVector<Force>& forces, VecX& result);

// 3 × freedoms: how a point of a body (body axes, from its centre of mass) moves, and how the body turns.
// O(depth), beside the zeros.
void pointJacobian(const Model& model, const State& state, int body, const Vec3& point, MatX& J);
void turnJacobian(const Model& model, const State& state, int body, MatX& J);

}  // namespace sinew
