// A recorded motion: the pose of every body, in the frames and the order of the description.
#pragma once

#include <vector>

#include "sinew/state/state.h"

namespace sinew {

struct Frame {
    double time = 0;
    std::vector<Pose> bodies;  // description order, description frames
};
using Trajectory = std::vector<Frame>;

// The pose of the frame that the description gave the body (its origin need not be the centre of mass).
Pose describedPose(const Model& model, const State& state, int body);
Frame recordFrame(const Model& model, const State& state);

}  // namespace sinew
