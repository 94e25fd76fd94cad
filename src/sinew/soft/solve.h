// One step of a spring mesh: the minimum of its incremental potential (soft/potential.h).
//
// newton   H(x) d = −∇E in every iteration, until no vertex moves by more than `tolerance` times a spring's
//          length.
//
//          Stiff springs are nearly constraints: a way d across one of length l stretches it by d²/2l, and
//          E rises by so much that it could go only a little way. So tensions λ are unknowns by themselves,
//          λ/T' = (l − L) to first order, as multipliers are (E. Tournier et al. 2015; M. Macklin et al.
//          2020): d and ∇E are the same, but H has λ/l across the springs, where λ is what the last
//          iteration foresaw, and the whole way d is gone. It takes a third of the iterations. Where it
//          does not converge, or ends with more energy than it began with, Newton's method with a line
//          search goes on: E is bounded from below and every direction leads downhill, so a step is always
//          found, however stiff the springs.
//
//          H d = −∇E is solved by conjugate gradients. Their preconditioner is the factor
//          (math/sparse_cholesky.h) of H without negative parts and without weak springs, such as bend
//          springs to every other vertex, which widen the separators: it takes a fifth of the work, and two
//          or three products. Where all are of a kind it is the factor of H itself.
// quick    one iteration of newton's, with the thin factor alone, and then those of fast. It turns and
// swings
//          as newton does, and what it leaves over is stretch, which the constant matrix knows well.
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
    int indefinite = 0;  // times that H was not positive definite, with the negative parts of springs
    int products = 0;    // with H, of conjugate gradients
    bool converged = true;
    double residual =
        0;  // of the fast step: the largest force left at a vertex, over the largest that acted
};

// Memory of one mesh, and its factors.
struct MeshSolver {
    MeshStep step;
    MeshHessian hessian, preconditioner;
    SparseCholesky blocks;  // of H
    SparseCholesky thin;    // of H without its weak parts
    std::vector<int> thinEdges;
    bool isThinWorth = false;
    bool isThin = false;      // the factor in use is `thin`
    bool isFactorOld = true;  // `blocks` is not of where the step ended
    SparseCholesky constant;  // fast
    double constantFor = 0;   // the step length that it was made for
    VecX gradient, direction, trial, other, start, guess;
    VecX residual, conjugate, product, preconditioned;  // of conjugate gradients
    std::vector<VecX> rankOnes;                         // the factor's answers to H's rank-one parts
    std::vector<double> thinOff;
    ode::Work scheme;                 // of Step::scheme
    std::vector<VecX> ways, changes;  // of L-BFGS
    std::vector<double> scales, weights;

    // From the state before the step to the one after it. `goesOn`: `state` is where an earlier solve of
    // the same step ended, with other motions of the bodies.
    MeshSolution advance(const SpringMesh& mesh, const MeshState& before, const MeshSurroundings& around,
                         double h, MeshState& state, bool goesOn = false);

    // How the vertices answer to forces on them: H⁻¹ f at the end of the last step (fast and quick: by
    // their constant matrix).
    void answer(const VecX& x, VecX& forces);
    std::vector<int> holders;  // scratch of soft/links.cpp

private:
    MeshSolution newton(VecX& x, bool goesOn);
    bool iterate(VecX& x, int most, MeshSolution& solution);
    void analyze();
    void factorizeConstant();
    bool factorize(const VecX& x, MeshSolution& solution);
    void precondition(VecX& d);
    void addBulk(std::size_t number, VecX& d) const;
    void multiply(const VecX& d, VecX& to) const;
    bool findDirection(const VecX& x, bool isWhole, MeshSolution& solution);
    int conjugateGradients(double part);
    bool isStiff() const;
    MeshSolution fast(VecX& x);
    MeshSolution quick(VecX& x);
    const VecX& placeBefore(const VecX& x);
    double search(const VecX& x, const VecX& d, double slope);
};

}  // namespace sinew
