// Armstrong & Green's step in two bands: what varies slowly is computed every few steps only.
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

// Every link's slow band is due every StepSettings::slowBand steps: that of all links in the same step, or
// with StepSettings::spread link i's in the steps n with (n + i) mod slowBand = 0.
void bandsStep(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
               StepWork& work);

}  // namespace sinew
