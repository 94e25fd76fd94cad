// Drag and lift of the medium on the faces of a spring mesh, and viscosity on its vertices.
//
// Of a face with area A and normal n, in a flow that passes it at the velocity w:
//     f = ½ ρ A |w·n| [ C_D w  +  C_L ((w·w) n − (w·n) w)/|w| · sign(w·n) ]
// on its three corners evenly: the drag grows with the area that the flow sees, the lift stands across the
// flow.
#pragma once

#include "sinew/soft/potential.h"

namespace sinew {

// Sets MeshStep::flow, its damping and where it was looked at.
void flowForces(MeshStep& step, const VecX& x);

}  // namespace sinew
