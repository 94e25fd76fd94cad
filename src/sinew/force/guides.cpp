#include "sinew/force/guides.h"

#include "sinew/model/joint_curve.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

void placeGuide(const Model& model, const KinematicMotion& motion, State& figure)
{
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        const std::optional<Path>& path = motion.roots[i];
        JointMotion now;
        if (path)
            now = freeMotionAt(joint, Vec3::Zero(), path->at(figure.time));
        else if (!joint.isFree())
            now = jointMotionAt(joint, motion.joints[i], figure.time);
        else
            jointRest(joint, now.q);
        for (int k = 0; k < joint.coordinates(); ++k) figure.q[joint.q + k] = now.q[k];
        for (int k = 0; k < joint.freedoms(); ++k) figure.u[joint.u + k] = now.u[k];
    }
    bodiesFromJoints(model, figure);
}

}  // namespace

void placeGuides(const Model& model, double time, Guides& guides)
{
    if (guides.figures.size() == model.motions.size() &&
        (guides.figures.empty() || guides.figures[0].time == time))
        return;
    for (std::size_t i = guides.figures.size(); i < model.motions.size(); ++i)
        guides.figures.push_back(model.motions[i].isTracked ? restState(model) : State{});
    for (std::size_t i = 0; i < model.motions.size(); ++i) {
        guides.figures[i].time = time;
        if (model.motions[i].isTracked) placeGuide(model, model.motions[i], guides.figures[i]);
    }
}

}  // namespace sinew
