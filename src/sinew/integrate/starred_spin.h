// How the implicit steps carry rotation, so that spin costs neither direction nor energy.
//
// Source: our own; angular momentum differenced in world axes as in Simo & Wong 1991. Body axes turn with
// the body: components of ω and of a torque in them go round once a turn, and a difference over h sees
// them blurred as soon as hω is not small. So the spin ŝ that a body has at the start is taken out, and
// what is left is slow. With t' the end of the step and ŝ in body axes, held over it,
//     R(t) = A(t) exp((t − t') ŝ)       A: the body without its spin; A(t') = R'
//     ω'   = ŝ + log(A*ᵀ R')/h          discrete velocity; A* of past R exp((t' − t) ŝ) as in implicit.h
// and what the body needs of torque, in body axes, is made of
//     W = (I ω' − R'ᵀ L*)/h             L* of past L = R I ω: kept to rounding where there is no torque
//     B = I (ω' − ω*)/h + ω' × I ω'     the same in body axes: keeps the spin about a symmetry axis z
// free   W, ŝ = (1 − I/Ī) ω, Ī the middle principal moment. Then A turns by L/Ī, fixed in the world: a
//        symmetric body moves exactly, at any step, and any body keeps L.
// held   W + z zᵀ (B − W), ŝ = z zᵀ ω. Joints and contacts make turns other than that about the body's
//        own axis z slow, as if Ī were very large. z is the principal axis, of I + m Σ (|a|² 1 − a aᵀ), a
//        the places of the body's joints (with one, the inertia about it; whichever of them lead inward),
//        whose moment is apart from the other two; where all are alike there is none: W, ŝ = ω.
// A free body so fast that A would turn by more than a radian is taken as held. What is held and tumbles, z
// by more than half a radian in the step, has neither ŝ nor z: W alone gains no energy.
// What is welded to its parent or slides along it has the parent's ŝ and z, and z is that of all bodies
// that so turn as one: about any other axis B hands energy from spin to tumbling.
//
// With ŝ = 0 and B alone this is the plain step; the order is the same for any ŝ. Derivative, times h²:
//     (I + h z zᵀ (ω~I − (Iω)~)) J_r⁻¹(h (ω − ŝ)) − h (1 − z zᵀ) (R'ᵀ L*)~
//
// Cost: two exponentials and a logarithm a body and step. Lost: what the step loses of slow motion
// (precession, nutation); the spin about z only by a torque about z.
#pragma once

#include <span>

#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

// Of what turns as one, in axes of the body that leads it: kept as long as its inertia and the places of
// its joints, from the centre of mass, are the same. Both are those at rest, so that ŝ depends on ω alone;
// whether what slides still lies on z is looked at in each step.
struct SpinAxis {
    int lead = -1;  // of the body itself; what follows is that of its lead
    double mass = 0;
    Vec3 center = Vec3::Zero();  // from the lead's own
    Mat3 total = Mat3::Zero();   // inertia, as found now
    Mat3 inertia = Mat3::Zero();
    Mat3 anchors = Mat3::Zero();  // Σ a aᵀ
    Mat3 found = Mat3::Zero();    // the same, of the joints that were looked at so far
    Vec3 axis = Vec3::Zero();     // z; zero if there is none
    double middle = 0;            // Ī; 0: not set
    bool isSymmetric = true;      // z is a principal axis of each of its bodies, and they lie on it
};

struct StarredSpin {
    Quat orientation = Quat::Identity();  // A*
    Vec3 spin = Vec3::Zero();             // ŝ
    Vec3 momentum = Vec3::Zero();         // L*, world axes
    Vec3 axis = Vec3::Zero();             // z; zero: W alone
    double axial = 0;                     // zᵀ I ω*
    bool isHeld = false;

    Vec3 velocity(const Quat& R, double h) const;
    // h ∂ω'/∂θ'.
    Mat3 velocityRate(const Vec3& w, double h) const;
    Vec3 need(const Mat3& I, const Quat& R, const Vec3& w, double h) const;
    // h² times its derivative; `rate` is velocityRate.
    Mat3 turningInertia(const Mat3& I, const Quat& R, const Vec3& w, const Mat3& rate, double h) const;
};

// What of this the model alone says: all but isSymmetric.
void findSpinAxes(const Model& model, LargeVector<SpinAxis>& axes);
// How ŝ of a lead changes with its ω, for a step of length h that was begun with this ω.
Mat3 spinRate(const SpinAxis& axis, const StarredSpin& star, const Vec3& w, double h);

// Of a step of length h from `state`, by skeletons: backward Euler where parts[skeleton] is 1, else BDF2,
// with state.previous. Bodies in `contacts` are held.
void starSpins(const Model& model, const State& state, double h, std::span<const double> parts,
               std::span<const Contact> contacts, LargeVector<SpinAxis>& axes,
               LargeVector<StarredSpin>& spins);

}  // namespace sinew
