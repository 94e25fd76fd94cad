// Joint coordinates ↔ body poses and velocities, momenta, and the way back onto the joints.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Parent of link i as a pointer for the joint functions: null is the world.
inline const BodyState* parentState(const Model& model, const State& state, int link)
{
    const int parent = model.joints[link].parent;
    return parent < 0 ? nullptr : &state.bodies[parent];
}

// q, u → bodies.
void bodiesFromJoints(const Model& model, State& state);
// The same for one link, whose parent has been placed.
void bodyFromJoint(const Model& model, State& state, int link);
// bodies → q, u, as near as the joints allow. Full turns are counted from the q and u that are there, which
// were those of the bodies a time `since` ago.
void jointsFromBodies(const Model& model, State& state, double since = 0);
// u̇ from the accelerations of the bodies.
void jointAccelerationsFromBodies(const Model& model, const State& state, Accelerations& accelerations);
// The same for one joint.
void jointAccelerationFromBodies(const Model& model, const State& state, int link,
                                 Accelerations& accelerations);

// The wrench that a generalised joint force Q (one number per freedom) puts on the child at its centre
// of mass, world axes. The parent gets its opposite, at the same place.
Force jointForceOnChild(const Model& model, const State& state, int link, const double* Q);
// The same wrench with its torque about the parent's centre of mass. Not for joints to the world.
Force atParentCenter(const Model& model, const State& state, int link, const Force& onChild);

// The load convention: all that joint `link` exerts on its child, at the child's centre of mass in
// world axes, restated as what it exerts on its first body at the joint.
Force loadOnFirst(const Model& model, const State& state, int link, const Force& onChild);

// What the description calls coordinate and velocity of a joint (numbers per freedom, second body
// relative to first; a ball joint as a rotation vector), and the generalised force along u that a
// motor in the same terms makes.
void describedCoordinate(const Model& model, const State& state, int link, double* coordinate);
void describedVelocity(const Model& model, const State& state, int link, double* velocity);
void motorForce(const Model& model, const State& state, int link, const double* motor, double* Q);
// And the way in: q and u of one joint from the description's terms. Not for free joints.
void setDescribed(const Joint& joint, const double* coordinate, const double* velocity, double* q,
                  double* u);

// Linear momentum P = m v and angular momentum L = R I ω about the body's own centre of mass, both in
// world axes: the slides' state (x, R, P, L).
Vec3 linearMomentum(const Model& model, const State& state, int body);
Vec3 angularMomentum(const Model& model, const State& state, int body);
void setMomenta(const Model& model, State& state, int body, const Vec3& P, const Vec3& L);

// Moves a slightly violated state back onto the joints by the smallest change in the sense of the
// masses (poses by Newton, then velocities in one solve), so that linear and angular momentum are kept
// by the velocity part. Returns the number of Newton iterations, or −1 if it did not close.
int projectOntoJoints(const Model& model, State& state, double tolerance = 1e-12);

}  // namespace sinew
