#include "sinew/model/joint_type.h"

namespace sinew {
namespace {

constexpr JointTypeInfo table[jointTypeCount] = {
    {JointType::hinge, "hinge", 1, 1, 5}, {JointType::spherical, "spherical", 4, 3, 3},
    {JointType::slide, "slide", 1, 1, 5}, {JointType::universal, "universal", 2, 2, 4},
    {JointType::weld, "weld", 0, 0, 6},   {JointType::free, "free", 7, 6, 0},
};

}  // namespace

const JointTypeInfo& jointTypeInfo(JointType type)
{
    return table[static_cast<int>(type)];
}

std::optional<JointType> jointTypeFromName(std::string_view name)
{
    for (const JointTypeInfo& info : table)
        if (name == info.name) return info.type;
    return std::nullopt;
}

}  // namespace sinew
