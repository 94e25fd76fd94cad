#include "sinew/force/laws/loads.h"

#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"
#include "sinew/force/triggers.h"

namespace sinew {
namespace loads {
namespace {

bool isIn(const Model& model)
{
    return !model.loads.empty();
}

void markDriven(const Model& model, const MarkBody& mark)
{
    for (const BodyLoad& load : model.loads) mark(load.body);
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    for (const BodyLoad& load : model.loads) {
        const double factor = loadFactor(model, state, load);
        if (factor == 0) continue;
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        forces.body[load.body] += {factor * load.force, factor * (load.torque + arm.cross(load.force))};
    }
}

void addTangents(const Model& model, const State& state, const Forces&, std::vector<BodyTangent>& tangents)
{
    for (const BodyLoad& load : model.loads) {
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        if (!arm.isZero(0))
            addPointTangent(arm, Vec3::Zero(), loadFactor(model, state, load) * load.force, Mat3::Zero(),
                            Mat3::Zero(), appendTangent(load.body, tangents));
    }
}

std::size_t mostTangents(const Model& model)
{
    return model.loads.size();
}

}  // namespace
}  // namespace loads

const ForceLawInfo loadLaw = {
    .name = "load",
    .noun = "loads",
    .kind = ForceKind::plain,
    .isIn = loads::isIn,
    .ofPlacesOnly = true,
    .markDriven = loads::markDriven,
    .addForces = loads::addForces,
    .addTangents = loads::addTangents,
    .mostTangents = loads::mostTangents,
};

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
