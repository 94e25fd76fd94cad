// Outward: accelerations, of what the parents have and what inertias.h left of each joint.
//
//     a' = a_p + α_p × l + k      α' = α_p + b
//     ball     a = a',  α = e − K a' + X α'               u̇ = α − α', in axes of the child
//     hinge    a = a',  α = α' + z u̇
//     rigid    a = a',  α = α'
//     other    a = a' + S u̇
//     free     as they were solved for                    u̇ = a − a' in axes of the parent, then α − α'
#pragma once

#include "sinew/recursion/inertias.h"

namespace sinew::recursion {

template <class T>
struct Acceleration {
    Vector3<T> linear, angular;

    static SINEW_INLINE Acceleration none() { return {Vector3<T>::zero(), Vector3<T>::zero()}; }
};

// In axes of the child.
template <class T, class F>
SINEW_INLINE Vector3<T> inOwnAxes(const F& figure, int i, const Vector3<T>& v)
{
    return transposeTimes(matrixOf(read(figure.bodies[i]).orientation), v);
}

// Of a link whose parent has `parent`. Sets u̇ of its joint, its own, but of one whose motion is given.
template <class T, class F>
SINEW_INLINE Acceleration<T> accelerateLink(const F& figure, int i, const Acceleration<T>& parent, T* rate)
{
    const auto& data = figure.data[i];
    const Link<T>& link = figure.links[i];
    const Vector3<T> a = parent.linear + cross(parent.angular, link.l) + link.k;
    const Vector3<T> alpha = parent.angular + link.b;
    switch (figure.kindOf(i)) {
        case LinkKind::ball: {
            Vector3<T> all = link.e - link.K * a;
            if (figure.given.hasBlocks() || data.hasArmature || figure.given.isLimited(i))
                all += link.X * alpha;
            writeVector(inOwnAxes<T>(figure, i, all - alpha), rate);
            return {a, all};
        }
        case LinkKind::hinge: {
            rate[0] = link.e.x - dot(link.K.r0, a) - dot(link.K.r1, alpha);
            return {a, alpha + rate[0] * link.K.r2};
        }
        case LinkKind::rigid:
            return {a, alpha};
        case LinkKind::free: {
            writeVector(transposeTimes(link.K, link.X.r0 - a), rate);
            writeVector(inOwnAxes<T>(figure, i, link.X.r1 - alpha), rate + 3);
            return {link.X.r0, link.X.r1};
        }
        default:
            break;
    }
    const Extra<T>& joint = figure.extras[data.extra];
    Acceleration<T> all{a, alpha};
    for (int k = 0; k < joint.freedoms; ++k) {
        rate[k] = joint.constant[k] - dot(joint.gainLinear[k], a) - dot(joint.gainAngular[k], alpha);
        all.linear += rate[k] * joint.linear[k];
        all.angular += rate[k] * joint.angular[k];
    }
    return all;
}

template <class T>
SINEW_INLINE Acceleration<T> accelerationOf(const Link<T>& link)
{
    return {link.a(), link.alpha()};
}

// Of all; `rates` is along u. In a chain the last link is the next one's parent, and at hand.
template <class T, class F>
SINEW_INLINE void accelerate(const F& figure, T* rates)
{
    Acceleration<T> last = Acceleration<T>::none();
    for (int i = figure.first; i < figure.count; ++i) {
        const int parent = figure.data[i].parent;
        if (parent < 0)
            last = Acceleration<T>::none();
        else if (parent != i - 1)
            last = accelerationOf(figure.links[parent]);
        last = accelerateLink<T>(figure, i, last, rates + figure.data[i].u);
        figure.links[i].setAcceleration(last.linear, last.angular);
    }
}

// Of the centre of mass, world axes, once the link is accelerated.
template <class T, class F>
SINEW_INLINE Acceleration<T> bodyAcceleration(const F& figure, int i)
{
    const Link<T>& link = figure.links[i];
    const Turning<T> own = Turning<T>::of(read(figure.bodies[i]));
    const Vector3<T> c = own.R * converted<T>(figure.data[i].center);
    return {link.a() + cross(link.alpha(), c) + cross(own.w, cross(own.w, c)), link.alpha()};
}

}  // namespace sinew::recursion
