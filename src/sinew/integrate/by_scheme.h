// Skeletons stepped by the integrators of ode/, as a second-order system in a chart around the state in
// which the step began (integrate/coordinates.h): rotations and joints keep the order of the step.
//
// Every step begins afresh from the state, so that one that is set or read from a file goes on to the same
// bits. Steps that would remember an acceleration ask for it again: Verlet's and the leapfrog cost two
// evaluations here. dormand_prince lands on the end of the step; inside it takes as many as its tolerance
// needs and tries the whole at first.
#pragma once

#include "sinew/integrate/integrators.h"
#include "sinew/ode/schemes.h"

namespace sinew {

struct SchemeWork {
    ode::Work ode;
    std::vector<double> x, v;  // chart coordinates, zero at the start of a step, and velocities
    State stage;
    VecX delta, velocity, rate;
};

// The name of a row of ode::schemes().
template <std::size_t N>
struct SchemeName {
    char text[N];
    constexpr SchemeName(const char (&name)[N])
    {
        for (std::size_t i = 0; i < N; ++i) text[i] = name[i];
    }
};

struct BodyCoordinates;
struct JointCoordinates;

// Made in by_scheme.cpp, for the integrators of the table.
template <class Coordinates, SchemeName name>
void stepByScheme(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                  StepWork& work);

}  // namespace sinew
