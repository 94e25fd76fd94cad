// What the joints of a figure can do, and poses of them: what balances and actions have in common.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// What a joint can do. Joints without a word give nothing by themselves.
struct StrengthDescription {
    std::string joint;
    double stiffness = 0;         // N·m/rad, to where the controller wants it
    double damping = 0;           // N·m·s/rad
    std::optional<double> limit;  // N·m: the most it gives in all
    // N·m: or the most against each freedom and along it, as people bend and stretch their joints with
    // different strength. Of a ball joint about the axes of its second body; in between, an ellipse.
    std::vector<std::array<double, 2>> limits;
};
struct JointPoseDescription {
    std::string joint;
    std::vector<double> coordinate;
};

// Compiled: `limits`, both sides positive.
struct TorqueBounds {
    Vec3 against = Vec3::Zero(), along = Vec3::Zero();

    double of(int freedom, double torque) const { return torque < 0 ? against[freedom] : along[freedom]; }
};

}  // namespace sinew
