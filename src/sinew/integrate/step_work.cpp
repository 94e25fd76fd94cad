#include "sinew/integrate/step_work.h"

#include "sinew/base/indirect_members.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(StepWork)
SINEW_DEFINE_SPECIAL_MEMBERS(ConstraintWork)
template class Indirect<StepWork>;

}  // namespace sinew
