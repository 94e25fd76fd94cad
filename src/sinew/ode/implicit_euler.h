// Backward Euler by Newton's method.
//
//     y' = y + h f(t + h, y')                            (1 − h ∂f/∂y) dy = y + h f(y') − y'
//     v' = v + h a(t + h, x + h v', v'),  x' = x + h v'    (M − h D − h² K) dv = M (v + h a(v') − v')
//
// The systems solve the second column (FirstOrder::solve, SecondOrder::solve): a spring mesh by a sparse
// factorisation. For those that have no derivative it is made by differences, which takes as many
// evaluations as there are numbers and is for small systems. A correction after which the residual is
// larger is halved, three times at most.
#pragma once

#include "sinew/ode/schemes.h"

namespace sinew::ode {

bool implicitEulerStep(FirstOrder& system, double t, double h, Out y, Work& work);
bool implicitEulerStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);

}  // namespace sinew::ode
