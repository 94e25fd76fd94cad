// What takes energy from a spring mesh in a step or gives it some, for the balance of a run
// (simulation/energy_balance.h).
//
// Each force does the work f · (x₁ − x₀) with the value that it has at the end of the step, as implicit
// Euler takes it. Contact does it on the way against the body that is touched, since what the body gets is
// in the body's own energy; so do dampers of pins.
#pragma once

#include "sinew/soft/potential.h"

namespace sinew {

struct MeshWork {
    double dampers = 0;  // J, taken by dampers of springs, folds and pins
    double contact = 0;  // taken by contact and its friction
    double flow = 0;     // put in by the medium
    double forces = 0;   // put in by scripted forces
};

MeshWork meshWork(const SpringMesh& mesh, const MeshState& before, const MeshState& after,
                  const MeshSurroundings& around, double h);

}  // namespace sinew
