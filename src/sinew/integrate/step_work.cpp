#include "sinew/integrate/step_work.h"

#include "sinew/base/indirect_members.h"
#include "sinew/integrate/fast_step.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(StepWork)
SINEW_DEFINE_SPECIAL_MEMBERS(ConstraintWork)
template class Indirect<FastWork>;
template class Indirect<StepWork>;

}  // namespace sinew
