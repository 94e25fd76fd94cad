// Limits of joints, and springs of ball joints that have swing and twist apart, for linearly implicit
// steps. A limit is a spring beyond its place, told by where the joint comes to if it goes on as it does
// now: so a stiff one stops a joint within a step, however fast it comes, and throws nothing back.
//
//     freedom      −k (q + h u − upper), and likewise below     resists h² k
//     ball joint   the same with σ + h ∇σ·u against its cone and τ + h ∇τ·u against its range, along ∇σ
//                  and ∇τ (math/swing_twist.h)
//                  resists h² k ∇σ∇σᵀ,  h² k ∇τ∇τᵀ,  and across ∇σ h² E' cot σ, E' the cone's torque
//
// With h = 0 it is the force as it is now. Cost: 150 operations a ball joint with limits.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/recursion/given.h"
#include "sinew/recursion/springs.h"

namespace sinew::recursion {

// What a joint has beside a plain spring, the same in all lanes. Infinite where there is no limit.
template <class Number>
struct JointDrive {
    bool hasLimits = false;
    bool hasMotor = false;
    bool isMotorOfParent = false;  // of a ball joint: the torque keeps its direction in the parent
    Number stiffness[3], lower[3], upper[3];  // by freedoms; of a ball joint the first is the twist's
    Number swing;
    Vector3<Number> axis;   // of the twist, axes of the child
    bool hasTwist = false;  // swing and twist have springs of their own, from the rest
    Number twistRatio;      // what twists over what swings
    Vector3<Number> springAxis;
    Number motor[6];  // along u; of `isMotorOfParent` in axes of the child at rest
};

// How far what is x now, and will be `next`, is beyond a limit when the step ends; zero where nothing is.
// What is beyond now is led back and not thrown: it may be held for a step.
template <class T>
SINEW_INLINE T beyondAtEnd(const T& x, const T& next, const T& limit)
{
    const T zero = T(0), ahead = next - limit;
    return select(x > limit, ahead, select(next > limit, ahead, zero));
}

// Of a freedom by itself.
template <class T, class Number>
SINEW_INLINE HingePush<T> freedomLimit(const JointDrive<Number>& joint, int k, const T& h, const T& q,
                                       const T& u)
{
    const T zero = T(0), one = T(1), next = q + h * u, stiffness = T(joint.stiffness[k]);
    const T over = beyondAtEnd(q, next, T(joint.upper[k]));
    const T under = beyondAtEnd(-q, -next, T(-joint.lower[k]));
    const T bears = select(over == zero, select(under == zero, zero, one), one);
    return {stiffness * (under - over), h * h * (bears * stiffness)};
}

// 2 atan2(s, c) of a point on the unit circle with c ≥ 0.
template <class T>
SINEW_INLINE T doubledAngle(const T& s, const T& c)
{
    return logarithm(Quaternion4<T>{s, T(0), T(0), c}).factor * s;
}

// How a ball joint has swung and twisted, and how that changes with small turns in axes of the child.
template <class T>
struct SwingAndTwist {
    T swing, twist, cotangent;
    T overSN;                     // zero where it has not swung
    Vector3<T> bySwing, byTwist;  // ∇σ, of length one; ∇τ

    SINEW_INLINE SwingAndTwist(const Quaternion4<T>& q, const Vector3<T>& axis)
    {
        // As math/swing_twist.cpp has it, the last degree before a half turn of swing included.
        const T zero = T(0), one = T(1), least = T(0.01), tiny = T(1e-12);
        const T sign = select(q.w < zero, T(-1), one);
        const Vector3<T> v{sign * q.x, sign * q.y, sign * q.z};
        T w = sign * q.w, p = dot(v, axis);
        const Vector3<T> s = v - p * axis, across = cross(axis, s);
        const T S = squareRoot(dot(s, s)), whole = squareRoot(w * w + p * p);
        const auto isEdge = whole < least, isLost = whole < tiny;
        const T raise = select(isEdge, least / select(isLost, one, whole), one);
        w = select(isLost, least, w * raise);
        p = select(isLost, zero, p * raise);
        const T N = select(isEdge, least, whole), overN = one / N;
        const T round = one / squareRoot(S * S + N * N);
        swing = doubledAngle(S * round, N * round);
        twist = doubledAngle(p * overN, w * overN);
        const auto hasSwung = S > tiny;
        overSN = select(hasSwung, overN / select(hasSwung, S, one), zero);
        bySwing = overSN * (w * s - p * across);
        byTwist = axis + (overN * overN) * (w * across + p * s);
        cotangent = T(0.5) * (N * N - S * S) * overSN;
    }
};

// The spring of a ball joint that has swing and twist apart, at q from where it rests: K as for the limits
// below, in which the cone has no opening.
template <class T, class Number>
SINEW_INLINE BallLimit<T> swingTwistSpring(const JointDrive<Number>& joint, const T& stiffness,
                                           const T& damping, const T& h, const Quaternion4<T>& q,
                                           const Vector3<T>& u)
{
    const T zero = T(0), one = T(1), twisting = T(joint.twistRatio) * stiffness;
    const Vector3<T> axis = converted<T>(joint.springAxis);
    const SwingAndTwist<T> x(q, axis);
    // σ cot σ, one where it has not swung.
    const T product = x.swing * x.cotangent;
    const T across = select(x.overSN > zero, select(product > zero, product, zero), one);
    const Symmetric3<T> flat = Symmetric3<T>::diagonal(one) + (zero - one) * outer(axis, axis);
    const Symmetric3<T> K = (stiffness * across) * flat +
                            (stiffness * (one - across)) * outer(x.bySwing, x.bySwing) +
                            twisting * outer(x.byTwist, x.byTwist);
    const Vector3<T> torque = (stiffness * x.swing) * x.bySwing + (twisting * x.twist) * x.byTwist;
    return {-(torque + h * (K * u) + damping * u), (h * h) * K + Symmetric3<T>::diagonal(h * damping)};
}

// The limits of a ball joint, in axes of the child.
template <class T, class Number>
SINEW_INLINE BallLimit<T> ballLimit(const JointDrive<Number>& joint, const T& h, const Quaternion4<T>& q,
                                    const Vector3<T>& u)
{
    const T zero = T(0), one = T(1), k = T(joint.stiffness[0]), square = h * h * k;
    const Vector3<T> axis = converted<T>(joint.axis);
    const SwingAndTwist<T> x(q, axis);
    const T nextSwing = x.swing + h * dot(x.bySwing, u), nextTwist = x.twist + h * dot(x.byTwist, u);
    const T swung = beyondAtEnd(x.swing, nextSwing, T(joint.swing));
    const T over = beyondAtEnd(x.twist, nextTwist, T(joint.upper[0]));
    const T under = beyondAtEnd(-x.twist, -nextTwist, T(-joint.lower[0]));
    const T swings = select(swung == zero, zero, square);
    const T twists = select(over == zero, select(under == zero, zero, one), one) * square;
    const Vector3<T> round = cross(axis, x.bySwing);
    const T alongCone = square * swung * x.cotangent;
    return {(k * (under - over)) * x.byTwist - (k * swung) * x.bySwing,
            swings * outer(x.bySwing, x.bySwing) + twists * outer(x.byTwist, x.byTwist) +
                select(alongCone > zero, alongCone, zero) * outer(round, round)};
}

}  // namespace sinew::recursion
