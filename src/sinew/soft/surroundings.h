// What a spring mesh meets in a step: gravity, the medium, and the bodies, whose motion over the step is
// given.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

struct MeshSurroundings {
    const Model* model = nullptr;
    const LargeVector<BodyState>* start = nullptr;  // bodies before the step
    const LargeVector<BodyState>* end = nullptr;    // and after it
    double time = 0;                                // at the end

    // A point of a body (tree index; −1: the world), from its centre of mass in its axes, at the end or the
    // start.
    Vec3 pointAtEnd(int body, const Vec3& point) const { return place(*end, body, point); }
    Vec3 pointAtStart(int body, const Vec3& point) const { return place(*start, body, point); }
    Pose poseAtEnd(int body) const { return pose(*end, body); }
    Pose poseAtStart(int body) const { return pose(*start, body); }

private:
    static Vec3 place(const LargeVector<BodyState>& bodies, int body, const Vec3& point)
    {
        if (body < 0) return point;
        const BodyState& at = bodies[static_cast<std::size_t>(body)];
        return at.position + Vec3(at.orientation * point);
    }
    static Pose pose(const LargeVector<BodyState>& bodies, int body)
    {
        if (body < 0) return {};
        const BodyState& at = bodies[static_cast<std::size_t>(body)];
        return {at.position, at.orientation};
    }
};

}  // namespace sinew
