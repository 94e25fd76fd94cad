// Weld: Q = 1, and nothing moves.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace weld {
namespace {

Transform transform(const Joint& joint, const double*)
{
    return joints::aboutAnchor(joint, joint.R_PC_rest);
}

void subspace(const Joint&, const double*, const Transform&, Subspace&) {}

Force force(const Joint&, const double*, const double*, const Transform&)
{
    return {};
}

void velocityOf(const Joint&, const double*, const Transform&, const Motion&, double*) {}

void coordinatesOf(const Joint&, const BodyState&, const BodyState&, double*, double*) {}

void rows(const Joint&, Row* rows)
{
    joints::addLockRows(joints::addPointRows(rows));
}

}  // namespace
}  // namespace weld

const JointTypeInfo weldJoint = {
    .name = "weld",
    .keepsPoint = true,
    .transform = weld::transform,
    .subspace = weld::subspace,
    .force = weld::force,
    .velocityOf = weld::velocityOf,
    .coordinatesOf = weld::coordinatesOf,
    .rows = weld::rows,
};

}  // namespace sinew
