// Obstacles that push back, for linearly implicit steps: springs and dampers with Coulomb's friction at
// balls and corners of links, added to the blocks of the links themselves. No rows, so that what touches
// costs a link's own block and nothing else.
//
// At depth d, with v and a the velocity and acceleration of the surface, n out of the obstacle, and all of
// it as it will be at the end of the step, which is d − h n·v' deep:
//
//     normal      f = k d' + c (d'⁺ − d⁺)/h,  d' = d − h n·v',  v' = v + h a       never a pull
//                   = f₁ − h H n·a,   f₁ = k (d − h n·v) − c n·v + c/h min(d, 0),  H = h k + c
//     friction    −D v'_t,   D = μ f/max(|v_t|, ε), not more than `drag`, f and v_t as they are now
//
// What is still outside and would come in is met on its way, so that a long step lands it and does not
// throw it. A point at r from O is accelerated by a + α × r + ω × (ω × r): its force is an inertia
//
//     A = h (H n nᵀ + D (1 − n nᵀ))      M += A,  G += r~ A,  J −= r~ A r~
//
// at r. Which places push is decided by f₁ > 0. Friction acts at the surface of a ball, whose depth is that
// of its centre. Each lane comes to the bits that it would come to alone.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/recursion/link.h"

namespace sinew::recursion {

// A ball or corner of a link against one obstacle.
struct GroundPlace {
    Vector3<double> point;  // from O to its centre, own axes
    double radius = 0;
    double stiffness = 0, damping = 0;         // k, c
    double friction = 0, slip = 0, drag = 0;   // μ, ε, the most that D may be
    int stiffnessScale = 0, dampingScale = 0;  // GroundScales
};
// Masses that are `factor` times the model's have springs and dampers that fit: times 1, √factor, factor.
template <class T>
struct GroundScales {
    T by[3];
};

struct GroundObstacle {
    bool isPlane = true;
    Vector3<double> position;  // a point of the plane, or the centre of the sphere
    Vector3<double> normal;    // of the plane
    double radius = 0;         // of the sphere
};

// The places of one link against one obstacle: [first, end).
struct GroundPair {
    int link = 0, obstacle = 0;
    int first = 0, end = 0;
    double reach = 0;  // of its places from the centre of mass, and a little more
};

struct Ground {
    const GroundPair* pairs = nullptr;
    const int* firstPair = nullptr;  // of each link, and behind the last of the last one
    const GroundPlace* places = nullptr;
    const GroundObstacle* obstacles = nullptr;
};

// How a link lies and moves.
template <class T>
struct GroundFrame {
    Matrix3<T> R;
    Vector3<T> position, velocity, w;  // of O, and ω
};

// Out of the obstacle at a place, and how far the place is from its surface.
template <class T>
SINEW_INLINE Vector3<T> normalAt(const GroundObstacle& obstacle, const Vector3<T>& place, T& distance)
{
    const Vector3<T> offset = place - converted<T>(obstacle.position);
    if (obstacle.isPlane) {
        const Vector3<T> n = converted<T>(obstacle.normal);
        distance = dot(n, offset);
        return n;
    }
    const T length = squareRoot(dot(offset, offset)), over = reciprocal(length);
    distance = length - T(obstacle.radius);
    // At the very centre any direction is as good.
    const T none = select(length > T(0), T(0), T(1));
    return {over * offset.x, over * offset.y + none, over * offset.z};
}

template <class T>
SINEW_INLINE T larger(const T& a, const T& b)
{
    return select(a > b, a, b);
}
template <class T>
SINEW_INLINE T smaller(const T& a, const T& b)
{
    return select(a < b, a, b);
}

// What places add to a link: an inertia and a force.
template <class T>
struct GroundSum {
    Symmetric3<T> M, J;
    Matrix3<T> G;
    Vector3<T> f, n;
    T touches;  // not zero where anything pushes

    static SINEW_INLINE GroundSum zero()
    {
        const Vector3<T> none = Vector3<T>::zero();
        const Symmetric3<T> flat = Symmetric3<T>::diagonal(T(0));
        return {flat, flat, {none, none, none}, none, none, T(0)};
    }
};

template <class T>
SINEW_INLINE void addPlace(const GroundPlace& place, const GroundObstacle& obstacle,
                           const GroundScales<T>& scales, const GroundFrame<T>& frame, const T& h,
                           const T& overH, GroundSum<T>& sum)
{
    const T zero = T(0), one = T(1), radius = T(place.radius);
    const Vector3<T> arm = frame.R * converted<T>(place.point);
    T distance;
    const Vector3<T> n = normalAt(obstacle, frame.position + arm, distance);
    const Vector3<T> r = arm - radius * n;
    const Vector3<T> v = frame.velocity + cross(frame.w, r);
    const T depth = radius - distance, vn = dot(n, v), later = depth - h * vn;
    const T outside = select(later > zero, zero, one);
    if (all(outside > zero)) return;

    const T k = T(place.stiffness) * scales.by[place.stiffnessScale];
    const T c = T(place.damping) * scales.by[place.dampingScale];
    const T push = k * later - c * vn + overH * c * smaller(depth, zero);
    const T on = select(push > zero, one - outside, zero);
    if (!any(on > zero)) return;

    T D = zero;
    const Vector3<T> slip = v - vn * n;
    if (place.friction > 0) {
        const T now = larger(select(depth > zero, k * depth - c * vn, zero), zero);
        const T speed = larger(squareRoot(dot(slip, slip)), T(place.slip));
        D = on * smaller(T(place.friction) * now / larger(speed, T(1e-30)), T(place.drag));
    }
    const T normal = on * h * (h * k + c), tangential = h * D;
    const Symmetric3<T> A = Symmetric3<T>::diagonal(tangential) + (normal - tangential) * outer(n, n);
    const Vector3<T> turning = cross(frame.w, cross(frame.w, arm));
    const Vector3<T> f = A * turning + D * slip - (on * push) * n;
    const Matrix3<T> rA = crossTimes(r, full(A));
    sum.M = sum.M + A;
    sum.G = sum.G + rA;
    sum.J = sum.J + symmetricTimesMinusCross(rA, r);
    sum.f += f;
    sum.n += cross(r, f);
    sum.touches = sum.touches + on;
}

// The bits of a link that nothing touches stay, even the sign of a zero.
template <class T>
SINEW_INLINE void addSum(const GroundSum<T>& sum, Resistance<T>& link)
{
    const auto add = [&](T& to, const T& more) { to = select(sum.touches > T(0), to + more, to); };
    const auto addVector = [&](Vector3<T>& to, const Vector3<T>& more) {
        add(to.x, more.x);
        add(to.y, more.y);
        add(to.z, more.z);
    };
    const auto addSymmetric = [&](Symmetric3<T>& to, const Symmetric3<T>& more) {
        add(to.xx, more.xx);
        add(to.yy, more.yy);
        add(to.zz, more.zz);
        add(to.xy, more.xy);
        add(to.xz, more.xz);
        add(to.yz, more.yz);
    };
    addSymmetric(link.M, sum.M);
    addSymmetric(link.J, sum.J);
    addVector(link.G.r0, sum.G.r0);
    addVector(link.G.r1, sum.G.r1);
    addVector(link.G.r2, sum.G.r2);
    addVector(link.f, sum.f);
    addVector(link.n, sum.n);
}

// To what a link resists. `h` is zero for forces as they are now, without the blocks of an implicit step.
template <class T, class Body>
SINEW_INLINE void addGround(const Ground& ground, const GroundScales<T>& scales, int i,
                            const Vector3<T>& center, const Body& body, const T& h, Resistance<T>& link)
{
    const T zero = T(0), overH = select(h > zero, reciprocal(h), zero);
    for (int p = ground.firstPair[i]; p < ground.firstPair[i + 1]; ++p) {
        const GroundPair& pair = ground.pairs[p];
        const GroundObstacle& obstacle = ground.obstacles[pair.obstacle];
        // No place of it can reach the obstacle within the step, in any lane.
        T distance;
        const Vector3<T> n = normalAt(obstacle, body.position, distance);
        const T reach = T(pair.reach);
        const T nearing =
            obstacle.isPlane ? -dot(n, body.velocity) : squareRoot(dot(body.velocity, body.velocity));
        const T speed = nearing + reach * squareRoot(dot(body.angularVelocity, body.angularVelocity));
        if (all(distance > reach + h * larger(speed, zero))) continue;

        const Matrix3<T> R = matrixOf(body.orientation);
        const Vector3<T> c = R * center, w = R * body.angularVelocity;
        const GroundFrame<T> frame{R, body.position - c, body.velocity - cross(w, c), w};
        GroundSum<T> sum = GroundSum<T>::zero();
        for (int k = pair.first; k < pair.end; ++k)
            addPlace(ground.places[k], obstacle, scales, frame, h, overH, sum);
        if (any(sum.touches > zero)) addSum(sum, link);
    }
}

}  // namespace sinew::recursion
