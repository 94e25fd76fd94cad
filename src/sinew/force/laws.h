// The forces of a scene, added up into Forces, and their derivatives: over all laws that the model has
// (force/law.h).
#pragma once

#include <vector>

#include "sinew/force/law.h"
#include "sinew/force/spring_force.h"
#include "sinew/state/force_tangents.h"

namespace sinew {

// Sets `forces` to all forces of the scene at this state.
void sceneForces(const Model& model, const State& state, Forces& forces);

// Whether gravity is all that these are in any state, so that nobody has to write them down.
bool isWeightAlone(const Model& model);

// Sets the tangent of all laws of a joint, at the state's coordinates, velocities and time; or without
// limits.
void jointForceTangent(const Model& model, const State& state, int link, JointTangent& tangent,
                       bool limits = true);
// Whether a joint has a law that depends on its coordinates or velocities.
bool hasJointTangent(const Model& model, int link);

// Whether any law may act in a joint; most have none, and need not be asked for.
bool mayHaveForces(const Model& model, int link);

// Of all laws that act on bodies, and of what pushes from outside. `forces` are those at the same state.
void bodyForceTangents(const Model& model, const State& state, const Forces& forces,
                       std::vector<BodyTangent>& tangents);
// Of all laws between bodies. `believed`: law.h; empty: the forces themselves.
void pairForceTangents(const Model& model, const State& state, std::span<const Vec3> believed,
                       std::vector<PairTangent>& tangents);
// All of them at once. `forces` are those of sceneForces() at the same state.
void sceneTangents(const Model& model, const State& state, const Forces& forces, ForceTangents& tangents);

// Of the drives of one joint alone: adds their force, per freedom, or minus its derivatives, as if the
// joint were not switched off; and their energy.
void addDriveForce(const Model& model, const State& state, int link, double* Q);
void addDriveTangent(const Model& model, const State& state, int link, JointTangent& tangent);
double driveEnergy(const Model& model, const State& state, int link);

// Whether nothing in the scene does work on the figure from outside or changes with time.
bool isPassive(const Model& model);
// Whether a joint is switched on or off in (from, to].
bool switchesBetween(const Model& model, double from, double to);

}  // namespace sinew
