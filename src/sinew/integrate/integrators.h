// One table of the integrators: how accelerations become motion.
//
// Each is written once, over "coordinates" (integrate/coordinates.h): body coordinates for the maximal
// methods, joint coordinates for the recursive ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/dynamics/methods.h"

namespace sinew {

// Sets Forces at a state: the scene's own laws, or whatever else the caller wants to push with.
using ForceFunction = void (*)(const Model&, const State&, Forces&);

// Everything a step needs and overwrites, kept from step to step.
struct StepWork {
    Work work;
    Forces forces;
    Accelerations accelerations;
    State stage;                    // the state at an inner stage
    VecX start, delta;              // chart coordinates of stages
    VecX rate[4], acceleration[4];  // slopes of stages
};

using StepFunction = void (*)(const Model& model, const Method& method, ForceFunction forces, double h,
                              State& state, StepWork& work);

struct Integrator {
    const char* name;
    const char* title;
    const char* source;
    int order;
    StepFunction inBodyCoordinates;   // null: not for methods in body coordinates
    StepFunction inJointCoordinates;  // null: not for methods in joint coordinates

    StepFunction stepFor(Coordinates coordinates) const
    {
        return coordinates == Coordinates::body ? inBodyCoordinates : inJointCoordinates;
    }
};

std::span<const Integrator> integrators();
const Integrator* findIntegrator(std::string_view name);

}  // namespace sinew
