#include "sinew/apps/conserved.h"

#include <algorithm>

#include "sinew/base/text.h"

namespace sinew {

std::string energyChanges(const Model& model)
{
    const auto hasJoint = [&](auto is) {
        return std::any_of(model.joints.begin(), model.joints.end(), is);
    };
    const std::pair<const char*, bool> sources[] = {
        {"damping", hasJoint([](const Joint& joint) { return joint.damping > 0; })},
        {"friction", hasJoint([](const Joint& joint) { return joint.friction > 0 || joint.coulomb > 0; })},
        {"contact", model.contact || !model.obstacles.empty()},
        {"motors and controllers",
         hasJoint([](const Joint& joint) { return joint.hasMotor || joint.drives >= 0; })},
        {"targets", !model.targets.empty()},
        {"loads", !model.loads.empty() || model.gravityCompensation > 0},
        {"prescribed motion", !model.prescribed.empty()},
        {"switches", !model.switches.empty()}};
    std::vector<std::string> found;
    for (const auto& [name, isThere] : sources)
        if (isThere) found.push_back(name);
    return listedNames(found, found.size());
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
    return model.gravity.isZero(0) && !touchesWorld && !isTied && !isTiedByLoop && model.targets.empty() &&
           model.loads.empty() && model.gravityCompensation == 0 && model.prescribed.empty();
}

}  // namespace sinew
