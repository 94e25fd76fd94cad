// The springs of places that touch, where a scene gives none.
#pragma once

#include <vector>

#include "sinew/model/model.h"

namespace sinew {

// Sets `mass` and `stiffness` of places, those of one body side by side. They follow what they bear, so
// that a grain of sand and a ship land alike: a place stops what is welded to it within some milliseconds,
// and under the weight of the whole figure its body sinks in by a thousandth of its width. The damper that
// goes with it is critical for what is welded to it.
void setContactSprings(const Model& model, std::vector<ContactPoint>& points);

}  // namespace sinew
