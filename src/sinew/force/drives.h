// What drives a joint beside its spring: torque functions, controllers, motors that follow a script, and
// dry friction.
//
//     torque function   Q = −∇ E(x)                     x an angle from its centre (Armstrong & Green, fig.
//     2) free play         Q = −d u                        while x is in the zone of free play controller
//     Q = −k (q − q_d) − d (u − u_d)  no longer than its limit
//                       (the slides print a plus before k, and damp the velocity instead of its error)
//     dry friction      Q = −c u / √(u² + ε²)           a small ε, so that it creeps where it would stick
#pragma once

#include "sinew/force/laws.h"
#include "sinew/force/limited.h"

namespace sinew {

// Adds the force, per freedom, and minus its derivatives if asked for. Motors are not in it.
void addDriveForce(const Model& model, const State& state, int link, bool active, double* Q);
void addDriveTangent(const Model& model, const State& state, int link, bool active, JointTangent& tangent);
// What a controller would give if it had no limit, at the coordinates and velocities of its joint.
SpringForce unlimitedForce(const Controller& controller, const Joint& joint, const double* q,
                           const double* u, double time);
// √(u² + ε²) of dry friction.
double drySpeed(const Model& model, const Joint& joint, const Vec3& u);
// The torque of a joint's motors in the description's terms, one per freedom.
Vec6 motorTorque(const Model& model, const State& state, int link);

// Whether all of a joint's drives are springs that do not change with time.
bool isPassive(const JointDrives& drives);

}  // namespace sinew
