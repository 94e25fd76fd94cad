// Closed loops in joint coordinates, for methods and steps that know trees alone.
//
// With the rows of all joints that close loops, J a = γ (ConstraintRows), and a⁰ the accelerations of the
// tree without them, the forces λ of the loops are those of
//     (J H⁻¹ Jᵀ) λ = γ − J a⁰,
// H the inertia over the joints, kept as an articulated body: a column of H⁻¹ Jᵀ is one pass over the tree.
// With Jᵀ λ among the forces the tree itself gives accelerations and loads. Rows that repeat others are
// left out (math/deficient.h); of all forces that do the same the smallest come out. What an integrator
// leaves open is closed in the same metric, so that momenta stay what they are where nothing holds the
// figure:
//     q := q ⊕ −H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁻¹ C(q)   by Newton, to rounding        u := u − H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁻¹ J v
//
// Cost: a pass over the tree per row and O(rows³), a second pass of the method, and 2 to 4 times that to
// close.
#pragma once

#include "sinew/dynamics/articulated.h"
#include "sinew/math/deficient.h"

namespace sinew {

struct Work;

// Memory of what is below.
struct LoopWork {
    ArticulatedLinks links;
    std::vector<ConstraintRows> rows;  // per loop
    MatX J, Y;                         // a column per row: J and H⁻¹ Jᵀ over the freedoms
    MatX W;
    VecX reference, right, lambda;
    std::vector<int> vectors;  // per row: which force or torque it is a component of
    DeficientSystem system;
    VecX delta, column, start;
    Forces forces;
};

using TreeAccelerate = void (*)(const Model&, const State&, const Forces&, Work&, Accelerations&);

// What a method for trees gives, with the forces of the loops among the others.
void accelerateWithLoops(TreeAccelerate tree, const Model& model, const State& state, const Forces& forces,
                         Work& work, Accelerations& accelerations);

// Of J, H⁻¹ Jᵀ and what is made of their product.
double bytesOfLoops(const Model& model);

// Moves a state that has come off its loops back, first in place, then in velocity; q, u and the bodies
// agree before and after. False if it does not close.
bool closeLoops(const Model& model, State& state, LoopWork& work);

}  // namespace sinew
