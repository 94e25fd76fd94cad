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
