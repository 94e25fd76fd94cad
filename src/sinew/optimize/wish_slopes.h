// Wishes (model/wish.h) by joint coordinates: residuals, gradient and Jacobian along the tangent of q.
//
// With S_j the motion that freedom j gives to all bodies beyond its joint, world axes, and g_i = dr/d(body
// i) the slopes of a residual by the moves of bodies,
//     dr/dq_j = Σ over bodies i beyond j of  S_j at i · g_i.
// A gradient Jᵀ r is one pass from the tips to the roots that adds up the wrenches Σ r g_i: O(bodies +
// slopes). A row of J has the freedoms between its bodies and their roots: O(depth) per slope.
//
// Velocities of bodies change with u as places do with q (WishRows::ByVelocity); how they change with q is
// not told here.
#pragma once

#include <span>
#include <vector>

#include "sinew/model/wish.h"
#include "sinew/state/state.h"

namespace sinew {

inline WishView wishView(const Model& model, const State& state)
{
    return {model, state.bodies, state.q.data()};
}

// Wishes by their numbers in Model::wishes.
using WishList = std::span<const int>;
// Those that are on at a time; with `poses`, only those that a pose can fulfil.
std::vector<int> wishesAt(const Model& model, double time, bool poses = true);
// Residuals of all of them.
int wishRowCount(const Model& model, WishList wishes);

// Clears `rows`. The state's bodies must be those of its q (and u).
void evaluateWishes(const Model& model, const State& state, WishList wishes, WishRows& rows);

// What each freedom moves, world axes, of the centre of mass of its own body.
struct FreedomMotions {
    std::vector<Motion> columns;  // per number in u

    void place(const Model& model, const State& state);
};

// Adds Jᵀ r to `gradient` (Model::freedomCount numbers).
void addWishGradient(const Model& model, const State& state, const FreedomMotions& motions,
                     const WishRows& rows, VecX& gradient);
// dr/dq along the tangent; rows × freedoms.
void wishJacobian(const Model& model, const State& state, const FreedomMotions& motions,
                  const WishRows& rows, MatX& jacobian);
// dr/du; likewise. Zero for wishes of poses.
void wishVelocityJacobian(const Model& model, const State& state, const FreedomMotions& motions,
                          const WishRows& rows, MatX& jacobian);

// q ⊕ step along the tangent, and the bodies there.
void moveAlong(const Model& model, const VecX& from, const VecX& step, State& state);

}  // namespace sinew
