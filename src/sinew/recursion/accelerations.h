// Outward: accelerations, of what the parents have and what inertias.h left of each joint.
//
//     a' = a_p + α_p × l + k      α' = α_p + b
//     ball     a = a',  α = e − K a' + D⁻¹ B α'           u̇ = α − α', in axes of the child
//     hinge    a = a',  α = α' + z u̇
//     rigid    a = a',  α = α'
//     other    a = a' + S u̇
//     free     [M Gᵀ; G J] [a; α] = −[f₀; n₀]             u̇ = a − a' in axes of the parent, then α − α'
#pragma once

#include "sinew/recursion/inertias.h"

namespace sinew::recursion {

template <class T>
struct Acceleration {
    Vector3<T> linear, angular;
};

// L D Lᵀ without exchanges, which is stable for what is positive definite. A direction that nothing resists
// is left out.
template <class T>
SINEW_INLINE Acceleration<T> solveFree(const Link<T>& link)
{
    T A[6][6] = {{link.M.xx}, {link.M.xy, link.M.yy}, {link.M.xz, link.M.yz, link.M.zz}};
    const Vector3<T> rows[3] = {link.G.r0, link.G.r1, link.G.r2};
    for (int r = 0; r < 3; ++r) {
        A[3 + r][0] = rows[r].x;
        A[3 + r][1] = rows[r].y;
        A[3 + r][2] = rows[r].z;
    }
    A[3][3] = link.J.xx;
    A[4][3] = link.J.xy;
    A[4][4] = link.J.yy;
    A[5][3] = link.J.xz;
    A[5][4] = link.J.yz;
    A[5][5] = link.J.zz;
    T x[6] = {-link.f.x, -link.f.y, -link.f.z, -link.n.x, -link.n.y, -link.n.z};
    T pivot[6];
    for (int k = 0; k < 6; ++k) {
        pivot[k] = reciprocal(A[k][k]);
        for (int r = k + 1; r < 6; ++r) {
            const T factor = A[r][k] * pivot[k];
            for (int c = k + 1; c <= r; ++c) A[r][c] = A[r][c] - factor * A[c][k];
            x[r] = x[r] - factor * x[k];
        }
    }
    for (int k = 5; k >= 0; --k) {
        x[k] = x[k] * pivot[k];
        for (int r = k + 1; r < 6; ++r) x[k] = x[k] - A[r][k] * pivot[k] * x[r];
    }
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// Of a link whose parent has `parent`. Writes u̇ of its joint, but for one whose motion is given.
template <class T, class F>
SINEW_INLINE Acceleration<T> accelerateLink(const F& figure, int i, const Acceleration<T>& parent, T* rates)
{
    const LinkData<T>& data = figure.data[i];
    Link<T>& link = figure.links[i];
    T* rate = rates + data.u;
    Vector3<T> a = link.f, alpha = knownAngular<T>(figure, i);
    if (data.kind == LinkKind::free) a = knownLinear<T>(figure, i);  // f is still in use
    a += parent.linear + cross(parent.angular, link.l);
    alpha += parent.angular;
    switch (figure.kindOf(i)) {
        case LinkKind::ball: {
            const Matrix3<T> R = matrixOf(read(figure.bodies[i]).orientation);
            Vector3<T> all = link.n - link.G * a;
            if (figure.blocks || data.hasArmature)
                all += Factor3<T>::kept(link.M).solve(ballBlock<T>(figure, i, R) * alpha);
            writeVector(transposeTimes(R, all - alpha), rate);
            alpha = all;
            break;
        }
        case LinkKind::hinge: {
            rate[0] = link.G.r2.x - dot(link.G.r0, a) - dot(link.G.r1, alpha);
            alpha += rate[0] * link.axis;
            break;
        }
        case LinkKind::rigid:
            break;
        case LinkKind::free: {
            const Acceleration<T> all = solveFree(link);
            Vector3<T> linear = all.linear - a;
            if (data.parent >= 0)
                linear = transposeTimes(matrixOf(read(figure.bodies[data.parent]).orientation), linear);
            const Matrix3<T> R = matrixOf(read(figure.bodies[i]).orientation);
            writeVector(linear, rate);
            writeVector(transposeTimes(R, all.angular - alpha), rate + 3);
            a = all.linear;
            alpha = all.angular;
            break;
        }
        case LinkKind::other: {
            const Extra<T>& joint = figure.extras[data.extra];
            const Vector3<T> linear = a, angular = alpha;
            for (int k = 0; k < joint.freedoms; ++k) {
                rate[k] = joint.constant[k] - dot(joint.gainLinear[k], linear) -
                          dot(joint.gainAngular[k], angular);
                a += rate[k] * joint.linear[k];
                alpha += rate[k] * joint.angular[k];
            }
            break;
        }
    }
    link.setAcceleration(a, alpha);
    return {a, alpha};
}

// In a chain the last link is the next one's parent, and at hand.
template <class T, class F>
SINEW_INLINE void accelerate(const F& figure, T* rates)
{
    const Acceleration<T> world{Vector3<T>::zero(), Vector3<T>::zero()};
    Acceleration<T> last = world;
    for (int i = figure.first; i < figure.count; ++i) {
        const int parent = figure.data[i].parent;
        if (parent < 0)
            last = world;
        else if (parent != i - 1)
            last = {figure.links[parent].a(), figure.links[parent].alpha()};
        last = accelerateLink<T>(figure, i, last, rates);
    }
}

// Of the centre of mass, world axes, once the link is accelerated.
template <class T, class F>
SINEW_INLINE Acceleration<T> bodyAcceleration(const F& figure, int i)
{
    const Link<T>& link = figure.links[i];
    const Vector3<T> c = read(figure.bodies[i]).orientation * figure.data[i].center;
    return {link.a() + cross(link.alpha(), c) + cross(link.w, cross(link.w, c)), link.alpha()};
}

}  // namespace sinew::recursion
