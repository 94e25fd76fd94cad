// The memory of the recursion, a record per link, and the frames that its passes share.
//
//     Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7; the joint-centred form with classical
//     accelerations is Armstrong & Green's (1985).
//
// All vectors are in world axes. A link is referred to a point O of its own (model/link.h), in which a ball
// joint's motion subspace is [0; 1] and a hinge's [0; z]. Accelerations are classical ones: a of the point
// O of the link, α of the link. What a link and all beyond it resist is
//
//     force on the link at O     f = M a + Gᵀ α + f₀
//     torque about O             n = G a + J α + n₀
//
// with M and J symmetric, six numbers each, and G three rows. World axes spare every transform between
// links, and classical accelerations every linear velocity. The passes:
//
//     velocities.h      outward   ω, arms, rigid inertias, velocity products, forces
//     inertias.h        inward    articulated inertias: joints are eliminated
//     accelerations.h   outward   a, α, u̇
//     placement.h       outward   q, u → places and velocities of bodies
//     loads.h           inward    what joints carry
//
// Each is a function of one link and a loop over it. The number type T is double, float or a vector of
// lanes.
#pragma once

#include "sinew/model/joint.h"
#include "sinew/model/link.h"

namespace sinew::recursion {

// Later passes write over what they do not need any more: 36 numbers stream faster than 60.
template <class T>
struct Link {
    Vector3<T> w;     // ω
    Vector3<T> l;     // from the parent's O to this one
    Vector3<T> axis;  // of a hinge

    Symmetric3<T> M, J;
    Matrix3<T> G;
    Vector3<T> f, n;  // f₀, n₀

    // Once its joint is eliminated (inertias.h):
    //     ball     α = n − G a' + D⁻¹ B α', D factored in M      hinge    u̇ = G₂₀ − G₀ · a' − G₁ · α'
    // where a' and α' are what the parent gives it, but for u̇; f is the part of a' that is known.

    // Once it is accelerated:
    Vector3<T> a() const { return {J.xx, J.yy, J.zz}; }
    Vector3<T> alpha() const { return {J.xy, J.xz, J.yz}; }
    SINEW_INLINE void setAcceleration(const Vector3<T>& a, const Vector3<T>& alpha)
    {
        J = {a.x, a.y, a.z, alpha.x, alpha.y, alpha.z};
    }
};

// What passes a joint to the parent (inertias.h).
template <class T>
struct Passed {
    Symmetric3<T> M, J;
    Matrix3<T> G;
    Vector3<T> f, n;
};

// Beside it, of joints that the table describes (LinkKind::other), of those whose motion may be given, and
// of free ones between two bodies. `others.h` fills the first half in axes of the child, at O; velocities.h
// turns it into world axes.
template <class T>
struct Extra {
    static constexpr int most = 3;

    bool isLed = false;  // its motion is given: it has no freedom left, and `bias` holds S u̇ too
    int freedoms = 0;    // in S; none of ball joints, hinges and free ones
    int slides = 0;      // the first so many slide
    Vector3<T> offset;   // from the parent's O to this one, parent axes
    Vector3<T> rate;     // how fast O moves against the parent
    Vector3<T> biasLinear, biasAngular;      // Ṡ u
    Vector3<T> linear[most], angular[most];  // S

    // Set by elimination: u̇ = constant − gainLinear · a' − gainAngular · α'.
    Vector3<T> gainLinear[most], gainAngular[most];
    T constant[most];
};

// As `others.h` leaves it.
template <class T>
Extra<T> converted(const Extra<double>& from)
{
    Extra<T> to;
    to.isLed = from.isLed;
    to.freedoms = from.freedoms;
    to.slides = from.slides;
    to.offset = sinew::converted<T>(from.offset);
    to.rate = sinew::converted<T>(from.rate);
    to.biasLinear = sinew::converted<T>(from.biasLinear);
    to.biasAngular = sinew::converted<T>(from.biasAngular);
    for (int k = 0; k < from.freedoms; ++k) {
        to.linear[k] = sinew::converted<T>(from.linear[k]);
        to.angular[k] = sinew::converted<T>(from.angular[k]);
    }
    return to;
}

// What resists in a joint itself, in its own freedoms, beside the armature: d 1 + w a aᵀ, leading k × k; of
// ball joints in axes of the child. Springs and dampers are of this form.
template <class T>
struct JointBlock {
    T diagonal, weight;
    Vector3<T> along;
};

// The pose and velocity of a body in any number type; BodyState is that of double.
template <class T>
struct Placed {
    Vector3<T> position;         // of the centre of mass
    Quaternion4<T> orientation;  // body → world
    Vector3<T> velocity;         // of the centre of mass, world axes
    Vector3<T> angularVelocity;  // body axes
};
// Force and torque on a body, at its centre of mass, world axes.
template <class T>
struct Wrench {
    Vector3<T> force, torque;
};

SINEW_INLINE Placed<double> read(const BodyState& body)
{
    return {small(body.position), small(body.orientation), small(body.velocity),
            small(body.angularVelocity)};
}
SINEW_INLINE Wrench<double> read(const Force& f)
{
    return {small(f.force), small(f.torque)};
}
template <class T>
SINEW_INLINE const Placed<T>& read(const Placed<T>& body)
{
    return body;
}
template <class T>
SINEW_INLINE const Wrench<T>& read(const Wrench<T>& wrench)
{
    return wrench;
}
SINEW_INLINE void write(const Placed<double>& placed, BodyState& body)
{
    body.position = large(placed.position);
    body.orientation = large(placed.orientation);
    body.velocity = large(placed.velocity);
    body.angularVelocity = large(placed.angularVelocity);
}
template <class T>
SINEW_INLINE void write(const Placed<T>& placed, Placed<T>& body)
{
    body = placed;
}

template <class T>
SINEW_INLINE Vector3<T> readVector(const T* numbers)
{
    return {numbers[0], numbers[1], numbers[2]};
}
template <class T>
SINEW_INLINE void writeVector(const Vector3<T>& v, T* numbers)
{
    numbers[0] = v.x;
    numbers[1] = v.y;
    numbers[2] = v.z;
}
template <class T>
SINEW_INLINE Quaternion4<T> readQuaternion(const T* numbers)
{
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
}
template <class T>
SINEW_INLINE void writeQuaternion(const Quaternion4<T>& q, T* numbers)
{
    numbers[0] = q.x;
    numbers[1] = q.y;
    numbers[2] = q.z;
    numbers[3] = q.w;
}

// All that the passes read and write. Arrays are per link (`extras`: per extra link), per coordinate (q) or
// per freedom (u and those along it).
template <class T, class BodyArray = const BodyState*, class ForceArray = const Force*>
struct Figure {
    const LinkData<T>* data;
    int count;  // passes go over links [first, count)
    BodyArray bodies;
    ForceArray forces;
    const T* jointForces;         // along u: + on the child, − on the parent
    const JointBlock<T>* blocks;  // null: none has any
    Link<T>* links;
    Extra<T>* extras;
    int first = 0;  // of a skeleton

    SINEW_INLINE bool isLed(int i) const { return data[i].extra >= 0 && extras[data[i].extra].isLed; }
    // As the passes have to treat it.
    SINEW_INLINE LinkKind kindOf(int i) const { return isLed(i) ? LinkKind::rigid : data[i].kind; }
};

}  // namespace sinew::recursion
