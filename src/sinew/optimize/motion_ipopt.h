// Space-time constraints solved by IPOPT (A. Wächter, L. Biegler, "On the implementation of an
// interior-point filter line-search algorithm", 2006), where it was there when this was built: the same
// problem, the same plan, another search (optimize/motion_solver.h).
//
// IPOPT sees multiple shooting: where each piece begins is a variable too, as a change of the plan that it
// starts from, and that pieces fit together is a condition. All slopes are exact; second derivatives are
// those of optimize/motion_piece.h. Coulomb's cone along ≥ |across| is along ≥ 0, along² ≥ |across|².
#pragma once

#include "sinew/optimize/motion_solver.h"

namespace sinew {

bool hasIpopt();
// As solveMotion(); the merit that it reports is the cost, and need not fall. Only where hasIpopt().
MotionResult solveMotionByIpopt(const MotionProblem& problem, const MotionOptions& options,
                                MotionPlan& plan);

}  // namespace sinew
