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
#include "sinew/recursion/link.h"

namespace sinew::recursion {

template <class T>
struct JointSpring {
    T stiffness, damping;
    Quaternion4<T> rest;  // of ball joints; of others the first numbers
};

// φ = log(q), |φ| ≤ π, as factor · v, and κ. With c₁ = cos(θ/4), c₂ = cos(θ/8) from the cosine by halving,
//     θ = 2 asin(s)/s · |v| / (c₁ c₂),   s = |v| / (4 c₁ c₂) = sin(θ/8) ≤ 0.39
// and the series of asin is short. κ = θ/2 · w/|v| then needs no division.
template <class T>
struct Logarithm {
    Vector3<T> v;  // of the quaternion with w ≥ 0
    T factor, kappa;
};
template <class T>
SINEW_INLINE Logarithm<T> logarithm(const Quaternion4<T>& q)
{
    const T zero = T(0), half = T(0.5), sign = select(q.w < zero, T(-1), T(1));
    const Vector3<T> v{sign * q.x, sign * q.y, sign * q.z};
    const T w = sign * q.w;
    const T c1 = squareRoot(half + half * w), c2 = squareRoot(half + half * c1);
    const T over = T(1) / (c1 * c2);
    const T x = T(0.0625) * (over * over) * dot(v, v);  // s²
    // (2n)! / (4ⁿ n!² (2n + 1))
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
    T series = T(c[18]);
    for (int n = 17; n >= 0; --n) series = series * x + T(c[n]);
    const T factor = (series + series) * over;
    return {v, factor, half * factor * w};
}

// Q and B of one joint. `Q`: room for its freedoms.
template <class T>
SINEW_INLINE void addSpring(const LinkData<T>& data, const JointSpring<T>& spring, const T& h, const T* q,
                            const T* u, T* Q, Symmetric3<T>& block)
{
    const T k = spring.stiffness, d = spring.damping, hk = h * k;
    const Quaternion4<T>& rest = spring.rest;
    switch (data.kind) {
        case LinkKind::ball: {
            const Quaternion4<T> back{-rest.x, -rest.y, -rest.z, rest.w};
            const Logarithm<T> log = logarithm(back * readQuaternion(q));
            const Vector3<T> v = log.v, rate = readVector(u);
            // (1 − κ)/|φ|² φ φᵀ = (1 − κ)/|v|² v vᵀ, of small turns a third of it.
            const T square = dot(v, v);
            const T across = select(square < T(1e-6), T(1. / 3), (T(1) - log.kappa) / square);
            const Vector3<T> turned = log.kappa * rate + (across * dot(v, rate)) * v;
            writeVector(-((k * log.factor) * v + d * rate + hk * turned), Q);
            block = (h * hk) * (Symmetric3<T>::diagonal(log.kappa) + across * outer(v, v)) +
                    Symmetric3<T>::diagonal(h * d);
            return;
        }
        case LinkKind::hinge:
        case LinkKind::other: {
            const T from[3] = {rest.x, rest.y, rest.z};
            for (int i = 0; i < data.freedoms; ++i) Q[i] = -(k * (q[i] - from[i]) + (d + hk) * u[i]);
            block = Symmetric3<T>::diagonal(h * d + h * hk);
            return;
        }
        default:
            for (int i = 0; i < data.freedoms; ++i) Q[i] = T(0);
            block = Symmetric3<T>::diagonal(T(0));
    }
}

}  // namespace sinew::recursion
