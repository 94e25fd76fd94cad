#include "sinew/model/joint_type.h"

#include "sinew/base/assert.h"
#include "sinew/model/joints/types.h"

namespace sinew {

// In the order of the enumerators. Constants all of it: it stands before any code runs.
const JointTypeInfo* jointTypes[mostJointTypes] = {
    &hingeJoint, &sphericalJoint, &slideJoint,  &universalJoint,
    &weldJoint,  &freeJoint,      &planarJoint, &cylindricalJoint,
};

int jointTypeCount()
{
    int count = 0;
    while (count < mostJointTypes && jointTypes[count]) ++count;
    return count;
}

std::optional<JointType> jointTypeFromName(std::string_view name)
{
    for (int i = 0; i < jointTypeCount(); ++i)
        if (name == jointTypes[i]->name) return static_cast<JointType>(i);
    return std::nullopt;
}

JointType registerJointType(const JointTypeInfo& info)
{
    const int place = jointTypeCount();
    SINEW_ASSERT(place < mostJointTypes && !jointTypeFromName(info.name));
    SINEW_ASSERT(info.freedoms == 6 || (info.freedoms >= 0 && info.freedoms <= 3));
    SINEW_ASSERT(!info.hasRotation || info.turns() == 3);
    jointTypes[place] = &info;
    return static_cast<JointType>(place);
}

}  // namespace sinew
