#include "sinew/state/trajectory.h"

namespace sinew {

Pose describedPose(const Model& model, const State& state, int body)
{
    const BodyState& b = state.bodies[body];
    return {b.position - b.orientation * model.bodies[body].center, b.orientation};
}

Frame recordFrame(const Model& model, const State& state)
{
    Frame frame;
    frame.time = state.time;
    frame.bodies.reserve(model.bodies.size());
    for (int i : model.bodyOrder) frame.bodies.push_back(describedPose(model, state, i));
    return frame;
}

}  // namespace sinew
