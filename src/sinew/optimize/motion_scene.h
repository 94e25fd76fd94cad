// A motion problem out of a scene: its wishes, and what it says under "optimize" (model/description.h).
#pragma once

#include <memory>

#include "sinew/base/result.h"
#include "sinew/optimize/motion_plan.h"

namespace sinew {

struct PlannedScene {
    std::shared_ptr<const Model> model;  // without what the figure may touch: contacts are the plan's
    MotionProblem problem;
    MotionPlan guess;
};
Result<PlannedScene> plannedScene(const Description& description);

// A wish (model/wish.h) as a condition, or as a cost if it is soft, for as long as it is on.
MotionCondition wishCondition(const Model& model, int wish, double duration);

}  // namespace sinew
