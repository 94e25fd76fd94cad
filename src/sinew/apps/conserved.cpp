#include "sinew/apps/conserved.h"

#include <algorithm>

#include "sinew/base/text.h"
#include "sinew/field/air.h"
#include "sinew/model/springs.h"

namespace sinew {

namespace {

using Sources = std::vector<std::pair<const char*, bool>>;

bool hasJoint(const Model& model, bool (*is)(const Joint&))
{
    return std::any_of(model.joints.begin(), model.joints.end(), is);
}

Sources takers(const Model& model)
{
    return {{"damping", hasJoint(model, [](const Joint& joint) { return joint.damping > 0; })},
            {"friction", hasJoint(model, [](const Joint& joint) { return joint.coulomb > 0; })},
            {"damped springs", std::any_of(model.springs.begin(), model.springs.end(),
                                           [](const Spring& spring) {
                                               return spring.damping > 0 || spring.turnDamping > 0;
                                           })},
            {"the medium", !model.drags.empty()},
            {"contact", model.contact || !model.obstacles.empty()}};
}

Sources drivers(const Model& model)
{
    return {{"motors and controllers",
             hasJoint(model, [](const Joint& joint) { return joint.hasMotor || joint.drives >= 0; })},
            {"targets", !model.targets.empty()},
            {"wind", !model.drags.empty() && hasAir(model.fields)},
            {"changing attractors", std::any_of(model.fields.begin(), model.fields.end(),
                                                [](const FieldDescription& field) {
                                                    return !field.moves() && field.signal &&
                                                           !field.signal->isConstant();
                                                })},
            {"loads", !model.loads.empty() || model.gravityCompensation > 0},
            {"prescribed motion", !model.prescribed.empty()},
            {"switches", !model.switches.empty() || !model.settings.empty()}};
}

std::string listed(const Sources& sources)
{
    std::vector<std::string> found;
    for (const auto& [name, isThere] : sources)
        if (isThere) found.push_back(name);
    return listedNames(found, found.size());
}

}  // namespace

std::string energyChanges(const Model& model)
{
    Sources all = takers(model);
    for (const auto& each : drivers(model)) all.push_back(each);
    return listed(all);
}

std::string energyDrives(const Model& model)
{
    return listed(drivers(model));
}

bool conservesMomentum(const Model& model)
{
    const bool touchesWorld =
        !model.obstacles.empty() || std::any_of(model.colliders.begin(), model.colliders.end(),
                                                [](const Collider& each) { return each.body < 0; });
    const bool isTied =
        std::any_of(model.skeletons.begin(), model.skeletons.end(),
                    [&](const Skeleton& skeleton) { return !model.joints[skeleton.first].isFree(); });
    const bool isTiedByLoop =
        std::any_of(model.loops.begin(), model.loops.end(),
                    [](const LoopJoint& loop) { return loop.joint.parent < 0 || loop.child < 0; });
    const bool isTiedBySpring =
        std::any_of(model.springs.begin(), model.springs.end(),
                    [](const Spring& spring) { return spring.a.body < 0 || spring.b.body < 0; });
    return !isTiedBySpring && model.drags.empty() && !hasAttractors(model.fields) &&
           model.gravity.isZero(0) && !touchesWorld && !isTied && !isTiedByLoop && model.targets.empty() &&
           model.loads.empty() && model.gravityCompensation == 0 && model.prescribed.empty();
}

}  // namespace sinew
