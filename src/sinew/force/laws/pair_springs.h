// Springs between any two bodies (model/springs.h), at a state.
#pragma once

#include "sinew/model/springs.h"
#include "sinew/state/state.h"

namespace sinew {

// The part along the line.
struct SpringPull {
    Vec3 place = Vec3::Zero();    // of the end that does not slide, world
    Vec3 nearest = Vec3::Zero();  // of the other one
    double length = 0;            // as Spring::length
    double tension = 0;           // of one that is not a pin; < 0: it pushes
    Vec3 force = Vec3::Zero();    // on body a, world axes
    bool acts = true;             // false: a one-sided one that is slack
};
SpringPull springPull(const Spring& spring, const State& state);

// The rotation vector from rest, in axes of body b, and the torque on body a, world axes.
struct SpringTurn {
    Vec3 turn = Vec3::Zero(), torque = Vec3::Zero();
};
SpringTurn springTurn(const Spring& spring, const State& state);

// Adds what springs exert on bodies, at their centres of mass, apart from what their dampers do.
void addSpringForces(const Model& model, const State& state, LargeVector<Force>& elastic,
                     LargeVector<Force>& dampers);

// Which one-sided springs act, as a number (integrate/implicit.h: bearingPlaces).
std::uint64_t actingSprings(const Model& model, const State& state);

}  // namespace sinew
