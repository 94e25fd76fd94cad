// The memory of the recursion, a record per link, and what its passes share.
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
// links, and classical accelerations every linear velocity; and as poses and angular velocities of bodies
// are known, no pass outward has to come first:
//
//     inertias.h        inward    what links resist; joints are eliminated
//     accelerations.h   outward   a, α, u̇
//     advance.h         outward   the same, and with it a whole semi-implicit step
//     placement.h       outward   q, u → places and velocities of bodies
//     loads.h           inward    what joints carry
//
// Each is a function of one link and a loop over it, which keeps what a link hands to its neighbour in a
// chain at hand. The number type T is double, float or a vector of lanes; the data of the model are single
// numbers of that type. `Given` is what the passes are told by whoever runs them: how heavy links are, and
// what pushes (given.h).
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/model/joint.h"
#include "sinew/model/link.h"

namespace sinew::recursion {

// What a link resists, with those beyond it that have reported: M, G, J, f₀, n₀.
template <class T>
struct Resistance {
    Symmetric3<T> M, J;
    Matrix3<T> G;
    Vector3<T> f, n;

    static SINEW_INLINE Resistance none()
    {
        const Symmetric3<T> flat = Symmetric3<T>::diagonal(T(0));
        const Vector3<T> zero = Vector3<T>::zero();
        return {flat, flat, {zero, zero, zero}, zero, zero};
    }
};
template <class T>
SINEW_INLINE void operator+=(Resistance<T>& a, const Resistance<T>& b)
{
    a.M = a.M + b.M;
    a.J = a.J + b.J;
    a.G += b.G;
    a.f += b.f;
    a.n += b.n;
}

// What the pass inward leaves for those outward. With a' and α' what the parent gives the link:
//
//     a' = a_p + α_p × l + k      α' = α_p + b
//     ball     α = e − K a' + X α'                       X: where something resists in the joint itself
//     hinge    u̇ = e.x − K₀ · a' − K₁ · α', about K₂
//     free     a = X₀, α = X₁; K is the rotation of the parent
template <class T>
struct Link {
    Matrix3<T> K;
    Vector3<T> e;
    Vector3<T> l;     // from the parent's O to this one
    Vector3<T> k, b;  // what is known of a' and α'
    Matrix3<T> X;

    // Once it is accelerated:
    SINEW_INLINE const Vector3<T>& a() const { return K.r0; }
    SINEW_INLINE const Vector3<T>& alpha() const { return K.r1; }
    SINEW_INLINE void setAcceleration(const Vector3<T>& a, const Vector3<T>& alpha)
    {
        K.r0 = a;
        K.r1 = alpha;
    }
};

// Beside it, of joints that the table describes (LinkKind::other), of those whose motion may be given, and
// of free ones between two bodies. `others.h` fills the first half in axes of the child, at O; inertias.h
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

// All that the passes read and write. Arrays are per link, but for `extras`: per extra link.
template <class T, class Given, class BodyArray = const BodyState*>
struct Figure {
    const LinkData<ConstantOf<T>>* data;
    int count;  // passes go over links [first, count)
    BodyArray bodies;
    Given given;
    Link<T>* links;
    Resistance<T>* gathered;  // of links that have others on them than the next one
    Extra<T>* extras;
    int first = 0;  // of a skeleton

    SINEW_INLINE bool isLed(int i) const { return data[i].extra >= 0 && extras[data[i].extra].isLed; }
    // As the passes have to treat it.
    SINEW_INLINE LinkKind kindOf(int i) const { return isLed(i) ? LinkKind::rigid : data[i].kind; }
};

}  // namespace sinew::recursion
