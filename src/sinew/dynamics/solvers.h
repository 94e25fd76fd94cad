// The methods themselves. Call them through the table in dynamics/methods.h.
//
// All take state.bodies and state.q, state.u in agreement, and expect `accelerations` to be sized.
#pragma once

#include "sinew/dynamics/work.h"
#include "sinew/state/state.h"

namespace sinew {

double bytesOfKkt(const Model&);
double bytesOfHakenberg(const Model&);
void accelerateKkt(const Model&, const State&, const Forces&, Work&, Accelerations&);
void accelerateHakenberg(const Model&, const State&, const Forces&, Work&, Accelerations&);
void accelerateArmstrongGreen(const Model&, const State&, const Forces&, Work&, Accelerations&);
void accelerateBaraff(const Model&, const State&, const Forces&, Work&, Accelerations&);
void accelerateFeatherstone(const Model&, const State&, const Forces&, Work&, Accelerations&);
void advanceFeatherstone(const Model&, const Forces* forces, double h, State&, Work&);

}  // namespace sinew
