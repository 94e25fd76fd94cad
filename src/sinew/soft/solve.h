// One step of a spring mesh: the minimum of its incremental potential (soft/potential.h).
//
// newton   H(x) is factorised anew in every iteration (math/sparse_cholesky.h), with a line search along
// −H⁻¹∇E, until
//          no vertex moves by more than `tolerance` times a spring's length. E is bounded from below and
//          every direction leads downhill, so a step is always found, however stiff the springs.
// fast     one matrix M/h² + Σ (k + c/h) Aᵀ A over all springs is factorised once and for all, for x, y and
// z alike
//          (T. Liu et al. 2013: springs whose directions are given); a fixed number of quasi-Newton
//          iterations (L-BFGS) starts from it (T. Liu et al. 2017). How much is left over is reported.
//
// Cost of a 2D mesh of n vertices: newton O(n^1.5) per iteration, fast O(n log n). First order in h; damps
// what is faster than a step, as implicit Euler does. Linear momentum is kept to rounding, angular
// momentum to first order.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/math/sparse_cholesky.h"
#include "sinew/ode/schemes.h"
#include "sinew/soft/potential.h"

namespace sinew {

struct MeshSolution {
    int iterations = 0;
    int factorizations = 0;
    int indefinite = 0;  // of them that failed, with the negative parts of springs
    bool converged = true;
    double residual =
        0;  // of the fast step: the largest force left at a vertex, over the largest that acted
};

// Memory of one mesh, and its factors.
struct MeshSolver {
    MeshStep step;
    MeshHessian hessian;
    SparseCholesky blocks;    // newton
    SparseCholesky constant;  // fast
    double constantFor = 0;   // the step length that it was made for
    VecX gradient, direction, trial, other;
    ode::Work scheme;                 // of Step::scheme
    std::vector<VecX> ways, changes;  // of L-BFGS
    std::vector<double> scales, weights;

    // From the state before the step to the one after it. `goesOn`: `state` is where an earlier solve of
    // the same step ended, with other motions of the bodies.
    MeshSolution advance(const SpringMesh& mesh, const MeshState& before, const MeshSurroundings& around,
                         double h, MeshState& state, bool goesOn = false);

    // How the vertices answer to forces on them: H⁻¹ f at the end of the last step (fast: by its constant
    // matrix).
    void answer(VecX& forces);
    std::vector<int> holders;  // scratch of soft/links.cpp

private:
    MeshSolution newton(VecX& x);
    bool factorize(const VecX& x, bool isWhole, MeshSolution& solution);
    MeshSolution fast(VecX& x);
    void solveHessian(VecX& d);
    double search(const VecX& x, const VecX& d, double slope);
};

}  // namespace sinew
