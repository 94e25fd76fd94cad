// A planned motion as a file, to go on from: plan.json in the folder of `sinew optimize`; and recorded
// motions as a start of a search.
//
//     {"sinew_plan": 1, "joints": {"hip": 3, …}, "points": 3, "weight": 10, "costs": 1,
//      "contacts": [{"name": "left", "from": 0, "until": 0.6, "places": 4, "hold": false}, …],
//      "start": {"q": […], "u": […]},
//      "pieces": [{"start": 0, "length": 0.05, "y": […], "contact": […], "multipliers": […],
//                 "moment": […]}, …],
//      "last_moment": […]}
//
// in the engine's own coordinates (optimize/motion_plan.h); joints tell their freedoms, in its order.
#pragma once

#include <string>

#include "sinew/base/result.h"
#include "sinew/optimize/motion_guess.h"
#include "sinew/optimize/motion_scene.h"

namespace sinew {

std::string planText(const MotionProblem& problem, const MotionPlan& plan);
Result<EarlierPlan> readPlan(const std::string& path, const Model& model);

// Lets the search begin with what lies at `path`: the folder of a planned motion or of a run, a plan.json
// or a trajectory.csv.
std::optional<Diagnostic> startFrom(const std::string& path, double longestPiece, PlannedScene& scene);

}  // namespace sinew
