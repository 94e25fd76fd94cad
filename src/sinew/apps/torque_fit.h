// Torque functions from what a joint went through: where its play ends, and what brought it back.
//
// Play: the middle of the range, and how far to both sides the joint came.
// What brought it back: the recorded torque τ over the recorded place q and velocity v, as near as a spring
// and a damper come,
//     τ ≈ −k (q − c) − d v,      least squares over k, d and c,
// where these two tell most of it. A joint that nothing brought back has play alone.
#pragma once

#include <optional>
#include <vector>

#include "sinew/model/description.h"

namespace sinew {

// A joint as it went, one entry a frame. Of a ball joint vectors in the axes of its second body, otherwise
// one number in the first place.
struct JointRecord {
    std::vector<double> time;
    std::vector<Vec3> place, torque;
};

struct FittedSpring {
    double stiffness = 0, damping = 0;
    Vec3 center = Vec3::Zero();
};
// `axis`: of a ball joint's twist, which does not count; zero otherwise.
std::optional<FittedSpring> fitSpring(const JointRecord& record, const Vec3& axis);

// The value that this share of the numbers lies below.
double quantile(std::vector<double> numbers, double share);

}  // namespace sinew
