// How far a joint is from what its torque functions and controllers want: what their forces and their
// energy are made of.
#pragma once

#include "sinew/math/swing_twist.h"
#include "sinew/state/state.h"

namespace sinew {

// A ball joint's rotation from the centre of a function, and the axis of its twist.
struct FromCenter {
    Quat rotation;
    Vec3 axis;
    SwingTwist angles;
};
FromCenter fromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time);
// The angle that a function is of.
double angleFromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time);

// Error of the coordinates and of the velocity, and how the two change with the coordinates.
struct TrackingError {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
    Mat3 positionSlope = Mat3::Identity(), velocitySlope = Mat3::Zero();
};
TrackingError trackingError(const Controller& controller, const Joint& joint, const double* q,
                            const double* u, double time);

// 1 without a signal.
double weightAt(const std::optional<Signal>& weight, double time);

// The energy in torque functions and controllers.
double driveEnergy(const Model& model, const State& state, int link);

}  // namespace sinew
