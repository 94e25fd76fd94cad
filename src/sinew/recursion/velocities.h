// Outward: where links are to each other and how they turn, what they resist by themselves, and what
// pushes.
//
//     ω = R ω_B      l = R_p arm      M = m 1,  G = m c~,  J = R J_B Rᵀ
//     f₀ = m ω × (ω × c) − F          n₀ = ω × J ω − T − c × F
//
// with c from O to the centre of mass, where F and T act.
//
// A joint's own force acts on the child and against the parent. Of ball joints and hinges it is a torque,
// which is put on both here; so later passes need not know of it. Of `other` joints it waits for
// inertias.h.
#pragma once

#include "sinew/recursion/link.h"

namespace sinew::recursion {

// The record of an extra link, turned to world axes.
template <class T>
SINEW_INLINE void turnExtra(const Matrix3<T>& R, const Vector3<T>& w, const Vector3<T>& parentsW,
                            Extra<T>& extra)
{
    extra.rate = R * extra.rate;
    // d²/dt² of the way of O in the parent: Ṡ u and ω_rel × v_rel as seen from there, and Coriolis' 2 ω_p
    // ×.
    extra.biasLinear = R * extra.biasLinear + cross(parentsW + w, extra.rate);
    extra.biasAngular = R * extra.biasAngular;
    for (int k = 0; k < extra.freedoms; ++k) {
        extra.linear[k] = R * extra.linear[k];
        extra.angular[k] = R * extra.angular[k];
    }
}

template <class T, class F>
SINEW_INLINE void startLink(const F& figure, int i)
{
    const LinkData<T>& data = figure.data[i];
    Link<T>& link = figure.links[i];
    Link<T>* parent = data.parent < 0 ? nullptr : &figure.links[data.parent];
    const Matrix3<T> R = matrixOf(read(figure.bodies[i]).orientation);
    const Wrench<T> push = read(figure.forces[i]);
    const T* Q = figure.jointForces + data.u;

    link.w = R * read(figure.bodies[i]).angularVelocity;
    Vector3<T> arm = data.arm;
    if (data.extra >= 0) {
        Extra<T>& extra = figure.extras[data.extra];
        arm = extra.offset;
        turnExtra(R, link.w, parent ? parent->w : Vector3<T>::zero(), extra);
    }
    link.l = parent ? read(figure.bodies[data.parent]).orientation * arm : arm;

    const Vector3<T> c = R * data.center, mc = data.mass * c;
    link.M = Symmetric3<T>::diagonal(data.mass);
    link.G = crossMatrix(mc);
    link.J = turned(R, data.inertia);
    link.f = cross(link.w, cross(link.w, mc)) - push.force;
    link.n = cross(link.w, link.J * link.w) - push.torque - cross(c, push.force);

    Vector3<T> torque;
    if (data.kind == LinkKind::ball) {
        torque = R * readVector(Q);
    } else if (data.kind == LinkKind::hinge) {
        link.axis = R * data.axis;
        torque = Q[0] * link.axis;
    } else if (data.kind == LinkKind::free) {
        torque = R * readVector(Q + 3);
        Vector3<T> force = readVector(Q);
        if (parent) {
            force = read(figure.bodies[data.parent]).orientation * force;
            parent->f += force;
            parent->n += cross(link.l, force);
        }
        link.f -= force;
    } else {
        return;
    }
    link.n -= torque;
    if (parent) parent->n += torque;
}

template <class T, class F>
SINEW_INLINE void start(const F& figure)
{
    for (int i = figure.first; i < figure.count; ++i) startLink<T>(figure, i);
}

}  // namespace sinew::recursion
