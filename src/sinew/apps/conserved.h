// Which quantities a scene conserves: only then is their change over a run an error of the simulation.
#pragma once

#include <string>

#include "sinew/model/model.h"

namespace sinew {

// What in the scene takes energy or brings it, such as "damping, contact"; empty: energy is conserved.
std::string energyChanges(const Model& model);

// What of that is neither damping, friction nor contact.
std::string energyDrives(const Model& model);

// Whether nothing acts on the bodies from outside.
bool conservesMomentum(const Model& model);

}  // namespace sinew
