// What can be told of contacts after a step: where they are, how deep, and what they bear.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Whether the step found a force there; others were only near.
inline bool bearsForce(const Contact& contact)
{
    return contact.impulse[0] + contact.blow[0] > 0;
}

// Between the two surfaces at the present poses, along the contact's normal; inside each other: < 0.
double contactGap(const Contact& contact, const State& state);
// Midway between the two surfaces, world.
Vec3 contactPlace(const Contact& contact, const State& state);
// On B, world axes, N: the mean over the step of length h that found the impulse.
Vec3 contactForce(const Contact& contact, double h);

// A contact as outputs have it: the second is always a body, the first a body or an obstacle.
struct ContactReading {
    int first = 0, second = 0;  // in Model::colliders
    Vec3 place = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  // toward the second
    Vec3 force = Vec3::Zero();   // on the second, N
    double gap = 0;
};
ContactReading readContact(const Contact& contact, const State& state, double h);

// Contacts that bear a force.
int contactCount(const State& state);

}  // namespace sinew
