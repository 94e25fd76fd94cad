// The equations of an implicit step (integrate/implicit.h), linearised about its end: what each body needs,
// by its own motion at the end and before, and what each joint makes of it. Not a public header.
//
// Of a body, with e' = (δp', θ') its change at the end, world axes, e and e₋ those at the start and a step
// before, δω in body axes, h its length of the step, a, b = 1, 0 (backward Euler) or 4/3, −1/3 (BDF2):
//     δv' = (δp' − a δp − b δp₋)/h
//     δω' = J_r⁻¹ Rᵀθ'/h + (start) + δŝ                       the differential of ŝ + log(A*ᵀ R')/h
//     δN  = (m (δv' − a δv − b δv₋)/h − δF,  δ(R' t) − δT)     t: need of starred_spin.h
// Of a joint, with ρ the way from the parent's centre to the own, f and n the load F that it carries,
//     e'  = X e'_p + S δq                                     X = [1, −ρ~; 0, 1]
//     δF  = δN + Σ Xᵀ δF_c + (0, (δp_c − δp) × f_c)           over its children c
//     δr  = Sᵀ δF + Σ (θ' × S_k + R ∂S_k δq) · F − δQ + armature (δu' − δu*)/h
// and u' a function of the discrete velocities of both bodies.
#pragma once

#include "sinew/derivative/changes.h"
#include "sinew/force/laws.h"
#include "sinew/integrate/starred_spin.h"
#include "sinew/integrate/step_tape.h"

namespace sinew::stepping {

using Six = Matrix<6, 6>;

// A body of the step, linearised.
struct BodyTerms {
    double h = 0, a = 1, b = 0, mass = 0;
    bool sleeps = false;
    int spinSource = 0;  // whose δω makes δŝ
    Mat3 spin;           // δŝ = spin · δω of the source
    Mat3 R, w;           // orientation, and ω'~ in world axes
    // δω' by θ', θ, θ₋ (world axes) and δŝ.
    Mat3 rateByEnd, rateByStart, rateByOld, rateBySpin;
    // δ(R' t) by these, and by δω and δω₋.
    Mat3 needByEnd, needByStart, needByOld, needBySpin, needByRate, needByOldRate;
    Six stiffness, damping;  // −∂(F, T), by e' and by (δv', change of R'ω'); and geometry of contacts
    bool hasTangent = false, hasDamping = false;
    Six onStart;  // ∂N by e, of laws that look at the way made
    bool looksBack = false;
    Six matrix;     // ∂N by e', velocities included
    Vec6 inertial;  // N without forces
    Vec6 need;      // N
};

struct JointTerms {
    int parent = -1, freedoms = 0, u = 0;
    bool carries = true;  // what it bears reaches the parent
    Vec3 offset;          // ρ
    Six S;                // columns
    Vec6 load;            // F, as the equations of joints have it
    Six turned;           // (row, column): F · R ∂S_row by δq_column
    // δu' by (δv', δω') of child and parent, by e' of both, and by δq.
    Six ofOwn, ofParents, byOwn, byParents, byFreedoms;
    Six stiffness, damping;  // −∂Q by δq and by δu'
    double armature = 0;     // over h
    bool hasDamping = false;
};

struct StepTerms {
    const Model* model = nullptr;
    const StepPart* part = nullptr;
    LargeVector<BodyTerms> bodies;
    LargeVector<JointTerms> joints;
    std::vector<PairTangent> pairs;
    std::vector<BodyTangent> tangents;
    std::vector<Vec6> loopForces;  // N, N·m, per loop and row
    VecX residual;                 // of the joints: zero but for what the step left open
};

// All but the constraints: bodies and the joints' motion.
void setBodies(const Model& model, const StepPart& part, StepTerms& terms);
// After the constraints have added their forces and what changes them to the bodies: loads, and what
// follows.
void setJoints(StepTerms& terms);

// Of state changes: δŝ of all bodies.
Vec3 spinChange(const StepTerms& terms, int body, const LargeVector<BodySlot>& start);
// What of (δv', δω') of a body is not by e'; the adjoint of that adds.
Vec6 knownRate(const StepTerms& terms, int body, const StateChange& start);
void addKnownRateWeights(const StepTerms& terms, int body, const Vec6& weights, StateChange& start);
// (δv', δω') of a body.
Vec6 rateChange(const StepTerms& terms, int body, const Vec6& end, const StateChange& start);
// Adjoint of that: adds.
void addRateWeights(const StepTerms& terms, int body, const Vec6& weights, Vec6& end, StateChange& start);
// What is known of δN: all but that by e', its velocities included.
Vec6 knownNeed(const StepTerms& terms, int body, const StateChange& start);
void addNeedWeights(const StepTerms& terms, int body, const Vec6& weights, StateChange& start);

}  // namespace sinew::stepping
