// A place and an orientation that move through keys: what targets follow, and prescribed bodies.
//
// Straight: the place is linear in time between keys and the orientation turns evenly. Smooth: cubics with
// continuous velocities; for the orientation in rotation vectors from the key before,
//     R(t) = R_i exp(φ(t)),   φ from 0 to log(R_iᵀ R_i+1) with the keys' angular velocities at its ends.
// Before the first key and after the last one it stands still.
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

struct PathPoint {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), acceleration = Vec3::Zero();  // world
    Quat orientation = Quat::Identity();
    Vec3 spin = Vec3::Zero(), spinRate = Vec3::Zero();  // angular velocity and its rate, world axes
};

struct Path {
    struct Key {
        double time = 0;
        Vec3 position = Vec3::Zero();
        Quat orientation = Quat::Identity();
    };
    std::vector<Key> keys;  // at least one, times rising
    bool smooth = false;

    PathPoint at(double time) const;

private:
    // Of a smooth path at a key; the angular velocity in the key's own axes.
    Vec3 velocityAt(std::size_t key) const;
    Vec3 spinAt(std::size_t key) const;
};

}  // namespace sinew
