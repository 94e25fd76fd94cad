// The passes over the links that derivatives (dynamics/derivatives.h) are made of. Not a public header.
#pragma once

#include "sinew/dynamics/derivatives.h"

namespace sinew::linearization {

// Outward: changes of the motion of body i, whose parent has its own.
void moveOut(DynamicsDerivatives& at, int i, const VecX& dq, const VecX& du, const VecX& da);
// Inward, the adjoint of that: adds to the gradients what the weights in link i come to, and the rest to
// the weights of its parent.
void weighIn(DynamicsDerivatives& at, int i, VecX& dq, VecX& du, VecX& da);

// From the axes of a body, which moves itself, to the world's; and the adjoint.
BodyChange toWorld(const LinkDerivatives& link);
void addFromWorld(const BodyChange& weights, LinkDerivatives& link);

// With the forces that change with the places and velocities of bodies: subtracts what they change by from
// `rate`; and the adjoint, from the weights there.
void subtractForceChanges(DynamicsDerivatives& at);
void addForceWeights(DynamicsDerivatives& at);
// Of the forces of one joint: adds what they fall by, along its freedoms; and the adjoint.
void addJointTangent(const DynamicsDerivatives& at, int i, const double* q, const double* u, double* Q);
void addJointTangentAdjoint(const DynamicsDerivatives& at, int i, const double* weights, double* dq,
                            double* du);

// M⁻¹ Q.
void accelerate(const Model& model, DynamicsDerivatives& at, const VecX& Q, VecX& result);

}  // namespace sinew::linearization
