// Pulls one bone of a figure; the others follow. Positions only: no masses, no forces, no time.
//
// Source: the course slides, "Dynamics of linked hierarchies: constrained dynamics": apply a force to one
// component; the other components are repositioned, from near to far, to satisfy distance constraints.
//
// Points are the places of the joints, the pulled point and, in a bone that has no other point, the centre
// of mass. A bone keeps all distances between its points. It is put so that the point which it shares with
// the bone before it is exactly where that one has it, and its other points are as near as the distances
// allow to where they were: with x₀ the shared point, lᵢ the points in the bone and pᵢ where they were,
//     min over R of  Σ wᵢ |x₀ + R (lᵢ − l₀) − pᵢ|².
// For a bone of two points that is the slides' rule: x₁ = x₀ + l (p₁ − x₀)/|p₁ − x₀|. Where distances leave
// a turn open, the smallest is taken (math/rotation_fit.h). All distances of a bone hold to rounding at
// any time, so that what conflicts shows in one place alone.
//
// A sweep goes from the pulled point outward. A figure that floats is done after one. A figure that is tied
// to the world, or has a bone that is held, comes off that anchor by it; by how much is the `residual`. The
// sweep then comes back, from the anchor to the pulled point, which comes off its goal: the `gap`. Out and
// back is one sweep in the report; sweeps go on until the gap is closed or no longer shrinks. (Such
// sweeps are known from inverse kinematics: A. Aristidou, J. Lasenby, FABRIK, Graphical Models 73(5),
// 2011.)
//
// Joints: ball joints as above; a hinge turns about its axis alone, by the angle that fits best; a
// universal joint takes the nearest of its poses; slides and welds keep theirs. Limits of hinges and
// universal joints hold; those of ball joints are not looked at: sweeps that heed them seldom find the
// goal. So every sweep ends in a pose that the joints allow. With many hinges sweeps may end in a pose from
// which no bone alone does better: the gap tells. Bodies beyond a free joint stay where they are.
// Prescribed motion is not asked for.
//
// Cost: O(bones of the skeleton) per sweep. The figure comes to rest: its velocities are zero afterwards.
#pragma once

#include <vector>

#include "sinew/state/state.h"

namespace sinew {

// Who follows whom when a body is pulled. The same for all poses.
struct PullPlan {
    struct Bone {
        int body = 0;
        int joint = -1;  // to the bone before it, nearer to the pulled point; −1: it is the pulled one
        int anchorJoint = -1;   // on the way to the anchor: to the next bone, or to the anchor itself
        int ties = 0, end = 0;  // its part of PullPlan::ties
    };
    std::vector<Bone> bones;  // from near to far
    std::vector<int> path;    // bones from the anchor to the pulled one; empty: nothing is held
    std::vector<int> ties;    // the joints of the bones, free ones left out
    int held = -1;            // the body that stays where it is; −1: the world does
    int skeleton = 0;         // in Model::skeletons
};

// `held`: a body that stays where it is, −1 for none. Only in a skeleton that nothing ties to the world,
// and not the pulled one.
PullPlan planPull(const Model& model, int body, int held = -1);
// Whether a joint ties the body's skeleton to the world.
bool isTiedToWorld(const Model& model, int body);

struct PullLimits {
    int sweeps = 100;         // at most
    double tolerance = 1e-6;  // m, of the gap
};

struct PullReport {
    int sweeps = 0;       // none: the point was at its goal, and the state is as it was
    double residual = 0;  // m: how far the last sweep outward took the figure off its anchor
    double gap = 0;       // m: from the pulled point to its goal
    bool closed = false;  // the gap is within the tolerance
};

// Brings a point of the plan's body (in its axes, from its centre of mass) to a goal in the world. Takes no
// memory from the heap.
PullReport pull(const Model& model, const PullPlan& plan, const Vec3& point, const Vec3& goal,
                const PullLimits& limits, State& state);

}  // namespace sinew
