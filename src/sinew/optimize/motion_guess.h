// Where a search may start beside key poses (optimize/motion_plan.h): a motion that was recorded, or a plan
// that was found earlier, for the same figure with the same or other wishes.
#pragma once

#include "sinew/optimize/motion_plan.h"

namespace sinew {

// Frames in the order of time. Before the first and after the last one the figure rests as it is there.
// Between them φ, in the chart of the earlier one, is a cubic; velocities at frames are those of parabolas
// through three of them. Each piece ends just where the motion is at that time, so that nothing drifts; for
// that pieces need two points of Gauss or more.
void followFrames(const MotionProblem& problem, const std::vector<KeyPose>& frames, MotionPlan& plan);

// A plan, and the phases that its contact forces are of.
struct EarlierPlan {
    MotionPlan plan;
    std::vector<ContactPhase> phases;  // name, times and places are looked at
};
// The motion of an earlier plan on its own mesh, cut where this problem asks or changes something; beyond
// its end the figure rests, in pieces of at most `longest`. Contact forces go over by the names of phases,
// and what the earlier search knew of a piece where the piece is the same.
MotionPlan followedPlan(const MotionProblem& problem, const EarlierPlan& earlier, double longest);

}  // namespace sinew
