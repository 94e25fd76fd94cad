// Forces on one body, as the steps in body coordinates want them: rows and unknowns linear in world axes,
// angular in body axes.
#pragma once

#include "sinew/force/laws.h"

namespace sinew {

struct BodyBlocks {
    Mat6 stiffness, damping;
};

// A tangent, from world axes. The torque in body axes also turns with the body at fixed torque in the
// world: that part, −T~, is the caller's, who knows the whole torque.
inline BodyBlocks inBodyAxes(const BodyTangent& tangent, const BodyState& body)
{
    const Mat3 R = body.orientation.toRotationMatrix();
    const auto turned = [&](const Mat6& world) {
        Mat6 own;
        own.topLeftCorner<3, 3>() = world.topLeftCorner<3, 3>();
        own.topRightCorner<3, 3>() = world.topRightCorner<3, 3>() * R;
        own.bottomLeftCorner<3, 3>() = R.transpose() * world.bottomLeftCorner<3, 3>();
        own.bottomRightCorner<3, 3>() = R.transpose() * world.bottomRightCorner<3, 3>() * R;
        return own;
    };
    BodyBlocks blocks{turned(tangent.stiffness), turned(tangent.damping)};
    // The same angular velocity in body axes is another one in the world once the body has turned.
    blocks.stiffness.rightCols<3>() -= blocks.damping.rightCols<3>() * tilde(body.angularVelocity);
    return blocks;
}

}  // namespace sinew
