// A step that may fail, taken in two halves where it does, and so on.
#pragma once

#include "sinew/integrate/step_work.h"

namespace sinew {

// attempt(h, isLast): whether a step of length h was taken; with `isLast` there will be no shorter one. On
// failure it must leave things as they were.
template <class Attempt>
bool takeInHalves(double h, int limit, StepWork& work, Attempt&& attempt)
{
    if (attempt(h, limit == 0)) return true;
    if (limit == 0 || work.stop()) return false;
    ++work.statistics.halvings;
    return takeInHalves(h / 2, limit - 1, work, attempt) && takeInHalves(h / 2, limit - 1, work, attempt);
}

}  // namespace sinew
