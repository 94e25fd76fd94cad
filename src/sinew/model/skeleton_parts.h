// Passes over the links of a model that go from links to their parents or back: skeletons do not know of
// each other, so threads share them (base/parallel.h).
#pragma once

#include "sinew/base/parallel.h"
#include "sinew/model/model.h"

namespace sinew {

// pass(first, end) for links of whole skeletons; with one thread for all links at once.
template <class Pass>
void eachSkeletonPart(const Model& model, const Pass& pass)
{
    // Fewer links take less time than to wake a thread.
    constexpr int leastLinks = 128;
    const int links = model.size(), skeletons = static_cast<int>(model.skeletons.size());
    if (threadsOfScope() == 1 || links < 2 * leastLinks || skeletons < 2) return pass(0, links);
    const int grain = 1 + leastLinks * skeletons / links;
    parallelFor(skeletons, grain, [&](int first, int end, int) {
        const Skeleton& last = model.skeletons[end - 1];
        pass(model.skeletons[first].first, last.first + last.count);
    });
}

}  // namespace sinew
