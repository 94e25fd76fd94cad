// A prescribed joint as steps in body coordinates see it: a weld in the pose that its curve has at a time.
#pragma once

#include <vector>

#include "sinew/state/prescribed.h"

namespace sinew {

// The pose of a joint at coordinates q, as a weld.
inline void holdJoint(const Joint& joint, const double* q, Joint& weld)
{
    const Transform X = jointTransform(joint, q);
    weld.type = JointType::weld;
    weld.parent = joint.parent;
    weld.anchorChild = joint.anchorChild;
    weld.anchorParent = X.r + X.R * joint.anchorChild;
    weld.R_PC_rest = X.R;
}

// All that are prescribed, in the order of Model::prescribed, where they are at the state's time.
inline void holdPrescribed(const Model& model, const State& state, std::vector<Joint>& held)
{
    held.resize(model.prescribed.size());
    for (std::size_t k = 0; k < held.size(); ++k) {
        const int link = model.prescribed[k].joint;
        if (!isPrescribed(model, state, link)) continue;
        holdJoint(model.joints[link], prescribedMotion(model, state, link, state.time).q, held[k]);
    }
}

// Over a step of length h: as they are in the state, and at the end.
struct HeldJoints {
    std::vector<Joint> atStart, atEnd;
};
inline void holdPrescribed(const Model& model, const State& state, double h, HeldJoints& held)
{
    held.atStart.resize(model.prescribed.size());
    held.atEnd.resize(model.prescribed.size());
    for (std::size_t k = 0; k < held.atEnd.size(); ++k) {
        const int link = model.prescribed[k].joint;
        if (!isPrescribed(model, state, link)) continue;
        const Joint& joint = model.joints[link];
        holdJoint(joint, state.q.data() + joint.q, held.atStart[k]);
        holdJoint(joint, prescribedMotion(model, state, link, state.time + h).q, held.atEnd[k]);
    }
}

// The joint itself, or the weld that stands for it.
inline const Joint& heldJoint(const Model& model, const State& state, int link,
                              const std::vector<Joint>& held)
{
    const Joint& joint = model.joints[link];
    return isPrescribed(model, state, link) ? held[static_cast<std::size_t>(joint.prescribed)] : joint;
}

}  // namespace sinew
