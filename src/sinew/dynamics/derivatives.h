// Exact derivatives of the motion of all bodies, of inverse dynamics and of forward dynamics, by joint
// coordinates, velocities, accelerations and forces; forward (a change goes in, the change of the answer
// comes out) and adjoint (weights on the answer go in, the gradient of their sum comes out).
//
// Source: the recursion of Luh, Walker & Paul 1980 as dynamics/inverse.cpp has it, differentiated line by
// line in the axes of each body. With d, δv, δa the changes of a body's place, velocity and acceleration,
// e = S δq how far its joint moves it against its parent, and D_k S the change of S along freedom k,
//
//     d  = X d_p + S δq
//     δv = X δv_p + Σ (D_k(S u) − S_k × X v_p) δq_k + S δu
//     δa = X δa_p + Σ (D_k(S u̇) + ∂_k(Ṡ u) + v × D_k(S u) − S_k × X a_p) δq_k
//                 + Σ (∂(Ṡ u)/∂u_k + v × S_k) δu_k + S δu̇ + δv × S u
//     δf = I δa + change of v ×* I v + θ × Rᵀ F − Rᵀ δF           θ: the turn in d; F acts on the body
//     δQ = Sᵀ δf + Σ (D_k Sᵀ f) δq_k + armature δu̇ + K δq + D δu    f: all that the joint carries
//     δf_p += Xᵀ (δf + e ×* f)
//
// and forward dynamics from M δu̇ = δQ − (∂Q/∂q δq + ∂Q/∂u δu) at constant u̇. D_k S needs no function of the
// joint's type beside Ṡ u (model/joint.cpp), ∂_k (Ṡ u) has one (JointTypeInfo::biasChange).
//
// A change of q is along its tangent, as in state/jacobian.h. Cost: O(n) for the linearisation, and for
// each right-hand side. Joints: all, but types of a program's own that give a bias without its change.
#pragma once

#include <string>

#include "sinew/dynamics/articulated.h"
#include "sinew/state/force_tangents.h"

namespace sinew {

// A change of how a body moves, or weights on such a change: world axes, centre of mass.
struct BodyChange {
    Motion place, velocity, acceleration;
};

// A link of the linearisation; body axes, centre of mass.
struct LinkDerivatives {
    int parent = -1, freedoms = 0, u = 0;
    Transform X;  // child → parent
    Mat3 R;       // body → world
    Subspace S;
    Subspace velocityByPlace, accelerationByPlace, accelerationByVelocity;  // the sums above, by columns
    Subspace swing;                                                         // S_k ×* f
    Mat6 turned;                         // (row l, column k): f · D_k S_l
    Motion velocity, acceleration, own;  // own: S u
    Force load;                          // f
    Force outside;                       // Rᵀ F
    Force rate;                          // scratch
    double mass = 0, armature = 0;
    Mat3 inertia;
    Motion place, velocityChange, accelerationChange;  // scratch: changes, or weights on them
};

// The equations at a state, linearised, and memory for their products: so those of one linearisation are
// not for two threads at once.
struct DynamicsDerivatives {
    LargeVector<LinkDerivatives> links;
    ForceTangents tangents;
    ArticulatedLinks inertias;  // the factor of M, once it was needed
    bool isFactored = false;
    State state;
    VecX change, still;  // scratch
};

// Why the derivatives of this model are not to be had, naming what is in the way; or an empty string.
std::string derivativesUnsupported(const Model& model);

// Linearises at a state whose joints accelerate by u̇ under these forces on its bodies. `tangents` say how
// the scene's forces change with the state (force/laws.h); without them they are constant.
void linearize(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
               const VecX& acceleration, const ForceTangents& tangents, DynamicsDerivatives& at);

// Of the bodies.
void bodyChanges(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                 const VecX& da, LargeVector<BodyChange>& changes);
void adjointOfBodies(const Model& model, DynamicsDerivatives& at, const LargeVector<BodyChange>& weights,
                     VecX& dq, VecX& du, VecX& da);

// Of inverse dynamics: of the forces Q(q, u, u̇) that the joints need beside those of the scene.
void inverseChange(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                   const VecX& da, VecX& dQ);
void adjointOfInverse(const Model& model, DynamicsDerivatives& at, const VecX& weights, VecX& dq, VecX& du,
                      VecX& da);

// Of forward dynamics: of u̇(q, u, Q), Q beside the forces of the scene likewise.
void forwardChange(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                   const VecX& dQ, VecX& da);
void adjointOfForward(const Model& model, DynamicsDerivatives& at, const VecX& weights, VecX& dq, VecX& du,
                      VecX& dQ);

}  // namespace sinew
