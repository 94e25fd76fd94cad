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

// What the implicit steps report; added up until the caller clears it.
struct StepStatistics {
    long newtonIterations = 0;
    int halvings = 0;     // steps, or parts of them, that were taken in two halves
    bool failed = false;  // a step was not found even in the smallest parts
};

// Everything a step needs and overwrites, kept from step to step.
struct StepWork {
    StepStatistics statistics;
    Work work;
    Forces forces;
    Accelerations accelerations;
    State stage;                    // the state at an inner stage
    VecX start, delta;              // chart coordinates of stages
    VecX rate[4], acceleration[4];  // slopes of stages
    // Of the implicit steps. Their own links: the matrix blocks must not leak into plain accelerations.
    LargeVector<ArticulatedLink> links;
    BlockTree tree;
    State trial;
    LargeVector<BodyState> star, searchBodies;
    std::vector<Vec6> carried;
    VecX residual, correction, trialCorrection, searchStart;
};

using StepFunction = void (*)(const Model& model, const Method& method, ForceFunction forces, double h,
                              State& state, StepWork& work);

struct Integrator {
    const char* name;
    const char* title;
    const char* source;
    int order;
    StepFunction inBodyCoordinates;    // null: not for methods in body coordinates
    StepFunction inJointCoordinates;   // null: not for methods in joint coordinates
    const char* onlyMethod = nullptr;  // of the steps that bring their own equations: what they build on

    // Null if the two do not go together.
    StepFunction stepFor(const Method& method) const
    {
        if (onlyMethod && std::string_view(onlyMethod) != method.name) return nullptr;
        return method.coordinates == Coordinates::body ? inBodyCoordinates : inJointCoordinates;
    }
};

std::span<const Integrator> integrators();
const Integrator* findIntegrator(std::string_view name);

}  // namespace sinew
