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

// Long chains are bound by memory: what is zero, or of no use for a joint, is not written.
// A body of the step, linearised.
struct BodyTerms {
    double h = 0, a = 1, b = 0, mass = 0;
    bool sleeps = false;
    bool looksBack = false;
    bool hasDamping = false, hasStart = false;  // of the extra
    int spinSource = 0;                         // whose δω makes δŝ
    int extra = -1;                             // in StepTerms::extras; −1: none
    Mat3 R, w;                                  // orientation, and ω'~ in world axes
    // δω' by θ', θ, θ₋ (world axes) and by δω of the source.
    Mat3 rateByEnd, rateByStart, rateByOld, rateBySpin;
    // δ(R' t) by these, and by the own δω and δω₋; where the source is the own, its part is in that.
    Mat3 needByEnd, needByStart, needByOld, needBySpin, needByRate, needByOldRate;
    Vec6 inertial;  // N without forces
    Vec6 need;      // N
    Mat3 spin;      // δŝ by δω of the source
};

// Of bodies that forces with derivatives, or contacts, act on.
struct BodyExtra {
    // −∂(F, T), by e' and by (δv', change of R'ω'); and geometry of contacts.
    Six stiffness = Six::Zero(), damping = Six::Zero();
    Six onStart = Six::Zero();  // ∂N by e, of laws that look at the way made
};

// Columns of six, as many as a joint has freedoms, side by side with all else of the link.
struct Columns {
    double* data = nullptr;
    double& operator()(int r, int c) const { return data[6 * c + r]; }
    auto col(int c) const { return view<6>(data + 6 * c); }
};

struct JointTerms {
    int parent = -1, freedoms = 0, u = 0;
    bool carries = true;  // what it bears reaches the parent
    bool hasStiffness = false, hasDamping = false;
    bool isPlain = false;  // no `turned`, no `byFreedoms`
    double armature = 0;   // over h
    Vec3 offset;           // ρ
    Vec6 load;             // F, as the equations of joints have it
    Columns S;
    // δu' by (δv', δω') of child and parent, and by e' of both: a column for each freedom.
    Columns ofOwn, ofParents, byOwn, byParents;
    Columns turned;           // (row, column): F · R ∂S_row by δq_column
    Columns byFreedoms;       // δu' by δq
    Mat3 stiffness, damping;  // −∂Q by δq and by δu'; of a free joint armature is all

    double dampingAt(int r, int c) const
    {
        if (r < 3 && c < 3) return damping(r, c);
        return r == c ? armature : 0;
    }
};

struct StepTerms {
    const Model* model = nullptr;
    const StepPart* part = nullptr;
    LargeVector<BodyTerms> bodies;
    LargeVector<SpinAxis> spinAxes;
    LargeVector<JointTerms> joints;
    LargeVector<double> numbers;  // of the joints' columns
    std::vector<BodyExtra> extras;
    std::vector<PairTangent> pairs;
    std::vector<BodyTangent> tangents;
    std::vector<Vec6> loopForces;  // N, N·m, per loop and row
    VecX residual;                 // of the joints: zero but for what the step left open

    BodyExtra& extraOf(int body);
    void placeNumbers();
};

// All but the constraints: bodies and the joints' motion.
void setBodies(const Model& model, const StepPart& part, StepTerms& terms);
// After the constraints have added their forces and what changes them to the bodies: loads, and what
// follows.
void setJoints(StepTerms& terms);

// ∂N by e', velocities included.
void bodyMatrix(const StepTerms& terms, int body, Six& matrix);
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
