// The solver of space-time constraints: Gauss-Newton steps on an augmented Lagrangian, by a recursion over
// the pieces of the motion.
//
// Sources: M. Hestenes, "Multiplier and gradient methods", 1969, M. Powell 1969 (augmented Lagrangian);
// W. Li, E. Todorov, "Iterative linear quadratic regulator design", 2004; T. Howell, B. Jackson,
// Z. Manchester, "ALTRO", 2019.
//
// Variables are where the motion starts, accelerations at the points of Gauss and contact forces (x and w
// in each piece); the pieces fit together by construction. With rows r of the cost, e = 0 and g ≤ 0 (scaled
// to order one), multipliers λ and a weight μ the merit is
//     ½ Σ r² + Σ (λ e + ½ μ e²) + Σ (max(0, λ + μ g)² − λ²) / 2μ
// Each row is linearised, with all exact derivatives; the sum of squares that is left is least at
//     w = −K δx − κ,    P = H_xx − H_xw K,   from the last piece to the first (a block tridiagonal system)
// and a step that way is shortened until the merit falls. When it falls no more, λ ← λ + μ e (max(0, λ + μ
// g)); where that helps too little, μ is raised. Cost: O(pieces · (freedoms · points)³) per iteration:
// linear in the horizon.
#pragma once

#include <functional>

#include "sinew/base/stop.h"
#include "sinew/optimize/motion_plan.h"

namespace sinew {

struct MotionIteration {
    int number = 0;
    int round = 0;                      // multipliers changed so often
    double cost = 0;                    // of the problem, as motion_problem.h has it
    double infeasibility = 0;           // the largest violation, in SI units
    double merit = 0, meritBefore = 0;  // with the same multipliers
    double step = 0;                    // part of Newton's step
};

struct MotionOptions {
    double tolerance = 8e-9;   // of violations, SI units
    double optimality = 1e-5;  // what a step may still win, relative to the cost
    int iterations = 3000;
    bool byIpopt = false;  // optimize/motion_ipopt.h: of solveRefined()
    std::function<void(const MotionIteration&)> progress = nullptr;
    Stop stop = {};
};

// A condition that does not hold.
struct Violation {
    std::string name;
    double amount = 0;  // the largest, SI units
    double part = 0;    // as a part of the units of the problem
    double pull = 0;    // how hard it pulls against the others: its largest multiplier
};

struct MotionResult {
    bool converged = false, stopped = false;
    double cost = 0, infeasibility = 0;
    int iterations = 0, rounds = 0;
    std::vector<MotionIteration> history;
    std::vector<Violation> violations;  // those that matter, the hardest first
};

// From `plan` to the best motion near it, which it is then.
MotionResult solveMotion(const MotionProblem& problem, const MotionOptions& options, MotionPlan& plan);

}  // namespace sinew
