// The angles of a leg between a pose of the body and a pose of the foot: damped least squares (C. Wampler,
// Manipulator inverse kinematic solutions based on vector formulations and damped least-squares methods,
// IEEE Transactions on Systems, Man and Cybernetics 16(1), 1986),
//
//     δ = Jᵀ (J Jᵀ + λ² 1)⁻¹ e,
//
// from the angles that are wanted so far, a fixed number of times. What a leg cannot reach it comes near
// to.
#pragma once

#include <vector>

#include "sinew/model/balance.h"
#include "sinew/model/model.h"

namespace sinew {

// `q`: coordinates of the joints of the leg, where they stand in State::q; they are the start and the
// result. Poses are of frames at the centre of mass, world.
void solveLeg(const Model& model, const BalanceLeg& leg, const Pose& body, const Pose& foot, double* q);

}  // namespace sinew
