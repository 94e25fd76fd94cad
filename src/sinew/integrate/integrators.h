// One table of the integrators: how accelerations become motion.
//
// Each is written once, over "coordinates" (integrate/coordinates.h): body coordinates for the maximal
// methods, joint coordinates for the recursive ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/dynamics/methods.h"
#include "sinew/force/law.h"
#include "sinew/integrate/force_function.h"

namespace sinew {

struct StepWork;  // integrate/step_work.h

using StepFunction = void (*)(const Model& model, const Method& method, ForceFunction forces, double h,
                              State& state, StepWork& work);

struct Integrator {
    const char* name;
    const char* title;
    const char* source;
    int order;
    const char* evaluations;          // of the accelerations, a step
    const char* stability;            // how long its steps may be, w the rate of a swing in rad/s
    const char* conserves;            // in a scene that does
    StepFunction inBodyCoordinates;   // null: not for methods in body coordinates
    StepFunction inJointCoordinates;  // null: not for methods in joint coordinates
    bool bringsEquations = false;     // solves for motion and forces at once, instead of asking a method
    ForceKinds takes = {};            // the laws that it can step
    bool knowsArmature = true;        // of those that bring their equations; others leave it to the method
    bool knowsPrescribed = true;      // likewise: joints whose motion is given
    const char* onlyWith = nullptr;   // the one method it is made of
    bool hasSlowBand = false;         // heeds StepSettings::slowBand and spread
    bool placesOnly = false;          // not for forces that depend on velocity
    bool adapts = false;              // heeds StepSettings::tolerance; a step may be as long as a frame
    bool holdsLoops = true;           // with a method that does, or, of those that bring equations, itself
    // Of those that bring equations: bytes for matrices that grow faster than the model; null: none such.
    double (*bytes)(const Model& model, Coordinates coordinates) = nullptr;

    // Null if the two do not go together.
    StepFunction stepFor(const Method& method) const
    {
        if (bringsEquations && !method.standsForCoordinates) return nullptr;
        if (onlyWith && std::string_view(onlyWith) != method.name) return nullptr;
        return method.coordinates == Coordinates::body ? inBodyCoordinates : inJointCoordinates;
    }
};

std::span<const Integrator> integrators();
const Integrator* findIntegrator(std::string_view name);

// The first force law of a model that an integrator does not take, as messages call it; or nothing.
std::string unsupportedLaw(const Integrator& integrator, const Model& model);
// What of a model depends on velocity, as messages call it; or nothing. In body coordinates.
std::string velocityForce(const Model& model);

}  // namespace sinew
