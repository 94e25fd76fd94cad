#include "sinew/model/description.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(BodyDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(JointDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(TorqueDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(ObstacleDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(ContactDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(TargetDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(MotionDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(PrescribedDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(PlanDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(Description)

bool JointSettings::isAny() const
{
    return setsSpring() || setsLimits() || damping || !motor.empty();
}

void JointSettings::add(const JointSettings& later)
{
    if (later.limits) {
        lower.clear();
        upper.clear();
        swingLimit.reset();
        limits = later.limits;
    }
    const auto take = [](auto& mine, const auto& theirs) {
        if (theirs) mine = theirs;
    };
    const auto takeList = [](std::vector<double>& mine, const std::vector<double>& theirs) {
        if (!theirs.empty()) mine = theirs;
    };
    take(stiffness, later.stiffness);
    take(damping, later.damping);
    take(swingLimit, later.swingLimit);
    take(limitStiffness, later.limitStiffness);
    takeList(rest, later.rest);
    takeList(lower, later.lower);
    takeList(upper, later.upper);
    takeList(motor, later.motor);
}

void JointSettings::applyTo(JointDescription& joint) const
{
    if (limits) {
        joint.lower.clear();
        joint.upper.clear();
        joint.swingLimit.reset();
        joint.swingCone.reset();
    }
    if (stiffness) joint.stiffness = *stiffness;
    if (damping) joint.damping = *damping;
    if (!rest.empty()) joint.rest = rest;
    if (!motor.empty()) joint.motor = motor;
    if (!lower.empty()) joint.lower = lower;
    if (!upper.empty()) joint.upper = upper;
    if (swingLimit) {
        joint.swingLimit = swingLimit;
        joint.swingCone.reset();
    }
    if (limitStiffness) joint.limitStiffness = limitStiffness;
}

Diagnostic asWritten(Diagnostic fault, const Description& description)
{
    const std::string& pointer = fault.pointer;
    const Origin* best = nullptr;  // the longest that fits: /bodies/7/shapes before /bodies/7
    for (const Origin& origin : description.origins) {
        const std::size_t length = origin.expanded.size();
        if (!pointer.starts_with(origin.expanded)) continue;
        if (pointer.size() > length && pointer[length] != '/') continue;  // /bodies/7 is not /bodies/71
        if (!best || length > best->expanded.size()) best = &origin;
    }
    if (best) fault.pointer = best->written + pointer.substr(best->expanded.size());
    return fault;
}

}  // namespace sinew
