// Steps that are made for places and velocities: the slides' "methods specific to update position", and the
// symplectic Euler step.
//
//     semi_implicit_euler   v' = v + h a(x, v),  x' = x + h v'
//     heun_slides           v' = v + h a(x, v),  x' = x + h (v + v')/2              as printed
//     velocity_verlet       x' = x + h v + h²/2 a,  v' = v + h/2 (a + a(x', v + h a))
//     position_verlet       x' = x + (x − x₋) + h² a                        Störmer's form; x₋ is
//     remembered leapfrog              v½ = v₋½ + h a,  x' = x + h v½                                  v₋½
//     is remembered
//
// The last three are one method, written in three ways: for forces of places alone they come to the same
// places up to rounding. What they remember, they make out of v at the start, x₋ = x − h v + h²/2 a and
// v₋½ = v − h/2 a; the velocity that they return is v½ + h/2 a', at the same time as the place. They know
// the acceleration at the end already when the next step begins, so a step costs one evaluation.
//
// Under forces that depend on velocity, position_verlet and leapfrog have only the velocity of half a step
// ago, which costs them an order. velocity_verlet takes the one that explicit Euler foresees and keeps its
// order, but is not symplectic there.
#pragma once

#include "sinew/ode/schemes.h"

namespace sinew::ode {

bool semiImplicitEulerStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);
bool heunSlidesStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);
bool velocityVerletStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);
bool positionVerletStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);
bool leapfrogStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work);

}  // namespace sinew::ode
