// Springs and dampers of joints for linearly implicit steps, which solve once with the forces as they
// change along the step:
//
//     Q = τ − h K u         B = h D + h² K         K = −∂τ/∂q,  D = −∂τ/∂u
//
//     ball     τ = −k φ − d u,  φ = log(rest⁻¹ q)       K = k (κ 1 + (1 − κ)/|φ|² φ φᵀ)
//     others   τ = −k (q − rest) − d u,  by freedoms     K = k 1
//
// with κ = |φ|/2 cot |φ|/2. Of a ball joint K is the symmetric part of the derivative (math/rotation.h),
// and positive for all |φ| < π.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/recursion/given.h"

namespace sinew::recursion {

template <class T>
struct JointSpring {
    T stiffness, damping;
    Quaternion4<T> rest;  // of ball joints; of others the first numbers
};

// asin(s)/s of x = s², so many terms of it: (2n)! / (4ⁿ n!² (2n + 1)) xⁿ.
template <int terms, class T>
SINEW_INLINE T arcSineSeries(const T& x)
{
    constexpr double c[] = {1,
                            1. / 6,
                            3. / 40,
                            5. / 112,
                            35. / 1152,
                            63. / 2816,
                            231. / 13312,
                            143. / 10240,
                            6435. / 557056,
                            12155. / 1245184,
                            46189. / 5505024,
                            88179. / 12058624,
                            676039. / 104857600,
                            1300075. / 226492416,
                            5014575. / 973078528,
                            9694845. / 2080374784,
                            300540195. / 70866960384,
                            583401555. / 150323855360,
                            2268783825. / 635655159808};
    // Even and odd terms by themselves: half as long to wait for.
    const T square = x * x;
    T last = T(c[terms - 1]), before = T(c[terms - 2]);
    for (int n = terms - 3; n >= 0; --n) {
        const T next = last * square + T(c[n]);
        last = before;
        before = next;
    }
    return before + x * last;
}

// φ = log(q), |φ| ≤ π, as factor · v, and κ = θ/2 · w/|v|.
//
// Up to half a radian θ = 2 asin |v|. Beyond, with c₁ = cos(θ/4) and c₂ = cos(θ/8) from the cosine by
// halving,
//     θ = 2 asin(s)/s · |v| / (c₁ c₂),   s = |v| / (4 c₁ c₂) = sin(θ/8) ≤ 0.39
// Each lane takes the one that is its own, whatever the others do.
template <class T>
struct Logarithm {
    Vector3<T> v;  // of the quaternion with w ≥ 0
    T square;      // |v|²
    T factor, kappa;
};
template <class T>
SINEW_INLINE Logarithm<T> logarithm(const Quaternion4<T>& q)
{
    const T zero = T(0), half = T(0.5), near = T(0.0625), sign = select(q.w < zero, T(-1), T(1));
    const Vector3<T> v{sign * q.x, sign * q.y, sign * q.z};
    const T w = sign * q.w, square = dot(v, v);
    constexpr bool isSingle = sizeof(NumberOf<T>) == sizeof(float);
    T factor = arcSineSeries < isSingle ? 7 : 13 > (square);
    factor = factor + factor;
    if (!all(square < near)) {
        const T c1 = squareRoot(half + half * w), c2 = squareRoot(half + half * c1);
        const T over = T(1) / (c1 * c2);
        const T series = arcSineSeries < isSingle ? 9 : 19 > (T(0.0625) * (over * over) * square);
        factor = select(square < near, factor, (series + series) * over);
    }
    return {v, square, factor, half * factor * w};
}

// Q and B of a ball joint that has turned by q from where its spring rests, and turns by u.
template <class T>
SINEW_INLINE BallPush<T> ballSpring(const JointSpring<T>& spring, const T& h, const Quaternion4<T>& q,
                                    const Vector3<T>& u)
{
    const T k = spring.stiffness, d = spring.damping, hk = h * k;
    const Logarithm<T> log = logarithm(q);
    const Vector3<T>& v = log.v;
    // (1 − κ)/|φ|² φ φᵀ = (1 − κ)/|v|² v vᵀ, of small turns a third of it.
    const T across = select(log.square < T(1e-6), T(1. / 3), (T(1) - log.kappa) / log.square);
    const Vector3<T> turned = log.kappa * u + (across * dot(v, u)) * v;
    return {-((k * log.factor) * v + d * u + hk * turned), {h * (hk * log.kappa + d), h * hk * across, v}};
}
// Of a freedom by itself.
template <class T>
SINEW_INLINE HingePush<T> freedomSpring(const JointSpring<T>& spring, const T& h, const T& rest, const T& q,
                                        const T& u)
{
    const T k = spring.stiffness, d = spring.damping, hk = h * k;
    return {-(k * (q - rest) + (d + hk) * u), h * d + h * hk};
}

}  // namespace sinew::recursion
