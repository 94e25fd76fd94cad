// Controllers lead joints along curves:  Q = −k (q − q_d) − d (u − u_d), no longer than their limit. (The
// slides print a plus before k, and damp the velocity instead of its error.)
#pragma once

#include "sinew/force/spring_force.h"

namespace sinew {

// Error of the coordinates and of the velocity, and how the two change with the coordinates.
struct TrackingError {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
    Mat3 positionSlope = Mat3::Identity(), velocitySlope = Mat3::Zero();
};
TrackingError trackingError(const Controller& controller, const Joint& joint, const double* q,
                            const double* u, double time);

// What a controller would give if it had no limit, at the coordinates and velocities of its joint.
SpringForce unlimitedForce(const Controller& controller, const Joint& joint, const double* q,
                           const double* u, double time);

}  // namespace sinew
