// The tree-shaped matrix of the linearised equations of a step (step_equations.h), factorised from the
// leaves to the roots, for solves with it and with its transpose. Not a public header.
//
// With e' = X e'_p + S δq and what a body's equations come to, δF = I e' + p,
//     D = (Sᵀ I + T) S + B     W = (Sᵀ I + T) X + V     U = (Xᵀ I + Γ) S        Γ = [0, 0; −f~, 0]
//     inward    y = −D⁻¹ (Sᵀ p + ρ)        I_p += (Xᵀ I + Γ) X − Γ − U D⁻¹ W     p_p += Xᵀ p + U y
//     outward   δq = y − D⁻¹ W e'_p
// and the transpose is the same lines in the opposite order. T, B and V are what the joint's own force, its
// springs and its dampers add. Nothing here is symmetric: what spins is not. Cost: O(n).
#pragma once

#include "sinew/derivative/step_equations.h"

namespace sinew::stepping {

struct TreeLink {
    int parent = -1, freedoms = 0, u = 0;
    bool carries = true, sleeps = false;
    Vec3 offset;
    Columns S, U;
    Columns answer;             // D⁻¹ W: a column for each row of it
    double* inverse = nullptr;  // D⁻¹, by columns
};

// Of each body, in tree order.
struct TreeVectors {
    LargeVector<Vec6> body;  // p going in, e' coming out; of the transpose weights on e', then on p
    VecX joint;              // ρ, then δq; weights on δq, then on ρ
};

struct StepTree {
    LargeVector<TreeLink> links;
    LargeVector<double> numbers;
    LargeVector<Six> inertia;  // I of each: of use while the matrix is factorised

    void factor(const StepTerms& terms);
    // Of the links [first, end), whose roots are among them.
    void solve(int first, int end, TreeVectors& x) const;
    void solveTransposed(int first, int end, TreeVectors& x) const;
    int size() const { return static_cast<int>(links.size()); }
};

}  // namespace sinew::stepping
