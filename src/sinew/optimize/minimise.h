// Minimisers of smooth functions: steps along the gradient, L-BFGS, and damped second-order steps.
//
// A function is asked at a point x ⊕ step, x the point that was kept last and ⊕ a sum, or the retraction of
// a pose along its tangent; so one minimiser serves vectors and poses. Gradients are along the tangent at
// the point that is asked.
//
// Gradient steps    x ⊕ (−α ∇E), α halved until E has fallen by a part of what the slope foretells
// (Armijo),
//                   and doubled after a step that did so at once. The course slides, "Energy minimization".
// L-BFGS            the two loops over the last steps and changes of gradients, and a search for a step
// that
//                   satisfies Wolfe's conditions. Nocedal & Wright, Numerical Optimization, 2nd edition
//                   (2006), algorithms 7.4 (two loops), 3.5 and 3.6 (search).
// Damped steps      (H + λ D) s = −∇E within bounds, λ by how much of the foretold fall came true
// (Levenberg
//                   and Marquardt; Nielsen, Damping parameter in Marquardt's method, 1999). H is Gauss and
//                   Newton's JᵀJ or nearer the truth, as the problem says.
// All end at a local minimum, and E never rises from one kept point to the next.
#pragma once

#include <functional>

#include "sinew/math/types.h"

namespace sinew {

struct MinimiseLimits {
    int iterations = 200;
    // Of the gradient, in the problem's own measure (below): E would fall by about half of this squared.
    double gradient = 1e-10;
    // Stops when E is not above this.
    double energy = 0;
};

enum class MinimiseEnd {
    minimum,     // the gradient is zero to the tolerance, or what is left to fall is rounding
    goal,        // the energy is
    stuck,       // no step makes E any less
    iterations,  // the bound
};

struct MinimiseReport {
    MinimiseEnd end = MinimiseEnd::iterations;
    int iterations = 0, evaluations = 0;
    double energy = 0, startEnergy = 0;
    double gradient = 0;  // the largest component, where it ended
};

// E at x ⊕ step, with its gradient there where `gradient` is not null; and x := x ⊕ step.
struct SmoothFunction {
    int size = 0;
    std::function<double(const VecX& step, VecX* gradient)> at;
    std::function<void(const VecX& step)> keep;
};

MinimiseReport gradientSteps(const SmoothFunction& function, const MinimiseLimits& limits);
// `memory`: how many steps are remembered.
MinimiseReport minimiseByHistory(const SmoothFunction& function, const MinimiseLimits& limits,
                                 int memory = 10);

// What damped steps need of a problem. `Linear` is what one linearisation tells.
struct DampedProblem {
    // At the kept point: E; what ∇E is in directions that bounds leave; and the scale that λ is counted in.
    struct Linear {
        double energy = 0, gradient = 0;
    };
    std::function<Linear()> linearise;
    // The step for a damping λ, and by how much E falls by the model. False: H + λ D is not positive.
    std::function<bool(double lambda, VecX& step, double& foretold)> solve;
    // E at x ⊕ step (brought within the bounds), and x := that point, the last one that was tried.
    std::function<double(const VecX& step)> attempt;
    std::function<void()> keep;
    int size = 0;
};
MinimiseReport minimiseDamped(const DampedProblem& problem, const MinimiseLimits& limits);

// Residuals of numbers x between bounds, E = ½ |r|²: by damped steps with JᵀJ, dense. Bounds hold at every
// point that is asked. O(rows · n² + n³) an iteration.
struct LeastSquares {
    std::function<void(const VecX& x, VecX& residual, MatX* jacobian)> at;
    VecX lower, upper;  // empty: none
};
MinimiseReport minimiseSquares(const LeastSquares& problem, VecX& x, const MinimiseLimits& limits);

// A x = b of a symmetric positive A, of which the lower half is read and overwritten by Cholesky's factor.
// False if it is not positive.
bool solvePositive(MatX& A, VecX& b);

// min ½ sᵀ A s + gᵀ s over lower ≤ s ≤ upper, A positive on what no bound holds; false if it is not.
bool solveBounded(const MatX& A, const VecX& g, const VecX& lower, const VecX& upper, VecX& s);

}  // namespace sinew
