// A place where two bodies touch, or are about to.
#pragma once

#include <cmath>
#include <cstdint>

#include "sinew/math/types.h"

namespace sinew {

// Each body has an anchor that moves and turns with it, and a ball of radius `round` about that: the
// surface is that far from the anchor in the direction of the other body, however the body turns. (A
// sphere's anchor is its centre, a box's a corner with round = 0; thus what rolls does not sink in over a
// step.)
//
//     gap = n · (x_B − x_A) − round_A − round_B          apart: > 0
struct Contact {
    int bodyA = -1, bodyB = -1;        // tree indices; −1: the world
    int colliderA = 0, colliderB = 0;  // in Model::colliders
    std::uint32_t feature = 0;         // with the colliders, the same from step to step
    Vec3 pointA = Vec3::Zero();        // anchors: body axes, from the centre of mass; of the world, world
    Vec3 pointB = Vec3::Zero();        //
    double roundA = 0, roundB = 0;     // m
    Vec3 normal = Vec3::UnitY();       // world, of length one, from A to B
    double gap = 0;                    // when it was found
    // Whose flat face has the normal, and takes it along when it turns.
    enum class Face { none, ofA, ofB } face = Face::none;
    double friction = 0, restitution = 0;
    double staticFriction = 0;                         // while it does not slip; not less than `friction`
    double rollingFriction = 0, spinningFriction = 0;  // m: torque over normal force
    bool slipping = false;                             // when the step began
    // On B, of the step: along the normal and the two tangents (contactFrame). A gets its opposite.
    Vec3 impulse = Vec3::Zero();  // N·s
    // Of rolling and spinning friction, on B: about the normal and the two tangents.
    Vec3 turning = Vec3::Zero();  // N·m·s
    // Beside `impulse`, likewise: of collisions during the step, which are over.
    Vec3 blow = Vec3::Zero();  // N·s

    // Coulomb's coefficient in the step.
    double gripping() const { return slipping ? friction : staticFriction; }
    bool isSamePlace(const Contact& other) const
    {
        return colliderA == other.colliderA && colliderB == other.colliderB && feature == other.feature;
    }
};

// Rows: the normal and two tangents, by the shortest turn of a fixed frame. They turn continuously with the
// normal but for one direction, which no floor or wall has: what friction did in the last step is a good
// guess for the next.
inline Mat3 contactFrame(const Vec3& n)
{
    const Vec3 e(0.48, 0.6, 0.64);
    const Vec3 f = Vec3(0.6, -0.48, 0) / std::sqrt(0.5904), g = e.cross(f);
    const Vec3 v = e.cross(n);
    const double c = 1 + e.dot(n);
    Mat3 frame;
    frame.row(0) = n;
    if (c < 1e-12) {
        frame.row(1) = -f;
        frame.row(2) = g;
        return frame;
    }
    const auto turned = [&](const Vec3& x) -> Vec3 { return x + v.cross(x) + v.cross(v.cross(x)) / c; };
    frame.row(1) = turned(f);
    frame.row(2) = turned(g);
    return frame;
}

}  // namespace sinew
