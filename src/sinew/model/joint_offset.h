// How far a joint is from a given motion, as one number per freedom, and the motion beside it that such an
// offset makes:  q = curve ⊕ δ.  A rotation's part is a rotation vector, Q = Q_curve exp(φ).
#pragma once

#include "sinew/model/joint_curve.h"

namespace sinew {

struct JointOffset {
    Vec6 value = Vec6::Zero(), rate = Vec6::Zero(), rate2 = Vec6::Zero();
};

// Value and rate at the coordinates q and velocities u of the joint.
JointOffset jointOffsetFrom(const Joint& joint, const JointMotion& curve, const double* q, const double* u);

void addJointOffset(const Joint& joint, const JointOffset& offset, JointMotion& motion);

}  // namespace sinew
