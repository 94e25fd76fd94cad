#include "sinew/state/guides.h"

#include "sinew/model/joint_curve.h"
#include "sinew/state/body_springs.h"
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
        else if (joint.type != JointType::free)
            now = jointMotionAt(joint, motion.joints[i], figure.time);
        else
            jointRest(joint, now.q);
        for (int k = 0; k < joint.coordinates(); ++k) figure.q[joint.q + k] = now.q[k];
        for (int k = 0; k < joint.freedoms(); ++k) figure.u[joint.u + k] = now.u[k];
    }
    bodiesFromJoints(model, figure);
}

bool touches(const Model& model, const State& state, int body)
{
    bool found = false;
    forEachTouch(model, state, [&](const ContactPoint& point, const Obstacle&, const Touch&) {
        found = found || point.body == body;
    });
    return found;
}

bool isTrue(const Model& model, const State& state, const Trigger& trigger)
{
    using Quantity = ConditionDescription::Quantity;
    double value = 0;
    switch (trigger.quantity) {
        case Quantity::angle: {
            double coordinate[6] = {};
            describedCoordinate(model, state, trigger.of, coordinate);
            value = coordinate[trigger.freedom];
            break;
        }
        case Quantity::height:
            value = state.bodies[trigger.of].position.y();
            break;
        case Quantity::speed:
            value = state.bodies[trigger.of].velocity.norm();
            break;
        case Quantity::touch:
            return touches(model, state, trigger.of);
    }
    return value > trigger.above && value < trigger.below;
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

void updateTriggers(const Model& model, State& state)
{
    for (const Trigger& trigger : model.triggers) {
        const bool now = isTrue(model, state, trigger);
        double* slot = state.memory.data() + trigger.slot;
        if (!trigger.when) {
            slot[0] = now;
            continue;
        }
        if (now && slot[1] == 0) slot[0] = state.time;
        slot[1] = now;
    }
}

TriggerState triggerState(const Model& model, const State& state, int index)
{
    if (index < 0) return {};
    const Trigger& trigger = model.triggers[index];
    const double kept = state.memory[trigger.slot];
    if (!trigger.when) return {kept != 0, 0};
    return {kept != Trigger::never, kept};
}

double loadFactor(const Model& model, const State& state, const BodyLoad& load)
{
    const TriggerState trigger = triggerState(model, state, load.trigger);
    if (!trigger.on) return 0;
    double factor = load.signal ? load.signal->at(state.time - trigger.since).value : 1;
    if (load.group >= 0) {
        int sharing = 0;
        for (int other : model.loadGroups[load.group]) sharing += triggerState(model, state, other).on;
        factor /= sharing;
    }
    return factor;
}

}  // namespace sinew
