#include "sinew/optimize/motion_refine.h"

#include <algorithm>

#include "sinew/optimize/motion_ipopt.h"

namespace sinew {

RefinedMotion solveRefined(const MotionProblem& problem, const MotionOptions& options,
                           const RefineOptions& refine, MotionPlan& plan)
{
    RefinedMotion motion;
    MotionOptions left = options;
    left.progress = [&](MotionIteration iteration) {
        iteration.number += motion.iterations;
        if (options.progress) options.progress(iteration);
    };
    for (int round = 0;; ++round) {
        std::vector<MotionIteration> history = std::move(motion.result.history);
        motion.result =
            options.byIpopt ? solveMotionByIpopt(problem, left, plan) : solveMotion(problem, left, plan);
        for (MotionIteration& iteration : motion.result.history) {
            iteration.number += motion.iterations;
            history.push_back(iteration);
        }
        motion.result.history = std::move(history);
        motion.iterations += motion.result.iterations;
        const std::vector<double> errors = pieceErrors(problem, plan);
        const double worst = *std::max_element(errors.begin(), errors.end());
        motion.errors.push_back(worst);
        motion.pieces.push_back(static_cast<int>(plan.pieces.size()));
        motion.isFineEnough = worst <= refine.pieceError;
        if (motion.isFineEnough || round == refine.rounds) return motion;
        // Conditions may contradict each other by as much as the pieces are off, and by less in finer ones.
        const MotionResult& result = motion.result;
        const bool isOver = result.stopped || result.iterations >= options.iterations;
        if (!result.converged && (isOver || result.infeasibility > worst)) return motion;
        std::vector<char> cut;
        int more = 0;
        for (const double error : errors) {
            cut.push_back(error > refine.pieceError);
            more += cut.back();
        }
        if (static_cast<int>(plan.pieces.size()) + more > refine.mostPieces) return motion;
        plan = refined(problem, plan, cut);
    }
}

}  // namespace sinew
