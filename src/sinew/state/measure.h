// What can be measured of a state without its forces; energies are in measure/energy.h.
#pragma once

#include <cstdint>

#include "sinew/state/state.h"

namespace sinew {

// measure/energy.h
struct Energy {
    double kinetic = 0;    // armatures included
    double potential = 0;  // of gravity, zero at the world's origin
    double elastic = 0;    // of springs, limits, torque functions, controllers, obstacles and targets
    double total() const { return kinetic + potential + elastic; }
};

struct Momentum {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();  // about the world's origin
    double linearScale = 0;       // Σ |m v|
    double angularScale = 0;      // Σ |L|, with L of each body about the origin
};
Momentum momentum(const Model& model, const State& state);

// How far a joint is open: the distance of its two anchors (across the way that it may slide) and the angle
// by which its axes or frames miss each other. Zero for free joints.
JointError jointError(const Model& model, const State& state, int link);
JointError loopError(const LoopJoint& loop, const State& state);
// Of all joints, those that close loops included.
JointError largestJointError(const Model& model, const State& state);

// 64 bits over the poses and velocities of all bodies.
std::uint64_t stateHash(const State& state);

// The first body whose pose or velocity is not finite, or −1.
int firstNonFinite(const State& state);

}  // namespace sinew
