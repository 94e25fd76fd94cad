// The oldest explicit steps, written once over "coordinates" (integrate/coordinates.h): Euler's, the
// semi-implicit one and the classical Runge-Kutta method. The others are those of ode/ (by_scheme.h).
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

struct ExplicitWork {
    State stage;                    // the state at an inner stage
    VecX start, delta, velocity;    // chart coordinates of stages, and velocities
    VecX rate[4], acceleration[4];  // slopes of stages
};

void explicitEulerInBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                           State& state, StepWork& work);
void explicitEulerInJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                           State& state, StepWork& work);
void semiImplicitEulerInBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                               State& state, StepWork& work);
void semiImplicitEulerInJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                               State& state, StepWork& work);
void rungeKutta4InBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                         State& state, StepWork& work);
void rungeKutta4InJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                         State& state, StepWork& work);

}  // namespace sinew
