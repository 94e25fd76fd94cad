// The step of a group of characters, one in each lane of the number type: the passes of recursion/ one
// after the other. Compiled once for each number type, with the instructions that it needs (kernels.h).
//
//     explicit             u' = u + h u̇,  q' = q ⊕ h u'
//     linearly implicit    the same with the springs' Q and B in u̇ (recursion/springs.h)
#pragma once

#include "sinew/recursion/accelerations.h"
#include "sinew/recursion/ground.h"
#include "sinew/recursion/placement.h"
#include "sinew/recursion/springs.h"
#include "sinew/recursion/velocities.h"

namespace sinew::crowd {

// Memory of one group, all arrays per link, coordinate or freedom.
template <class T>
struct Group {
    const recursion::JointSpring<T>* springs;
    const LinkData<T>* data;
    T *q, *u, *jointForces, *rates, *delta;
    recursion::Placed<T>* bodies;
    recursion::Wrench<T>* forces;
    recursion::JointBlock<T>* blocks;
    recursion::Link<T>* links;
    recursion::Extra<T>* extras;
    recursion::Ground ground;
    const recursion::GroundScales<T>* scales;
};

template <class T>
SINEW_INLINE void stepGroup(const Model& model, const Group<T>& group, double seconds, bool isImplicit)
{
    const T h = T(seconds);
    const Vector3<T> gravity = converted<T>(small(model.gravity));
    for (int i = 0; i < model.size(); ++i) {
        const LinkData<T>& data = group.data[i];
        group.forces[i] = {data.mass * gravity, Vector3<T>::zero()};
        recursion::addSpring(data, group.springs[i], isImplicit ? h : T(0), group.q + data.q,
                             group.u + data.u, group.jointForces + data.u, group.blocks[i]);
    }
    const recursion::Figure<T, const recursion::Placed<T>*, const recursion::Wrench<T>*> figure{
        group.data,   model.size(),      group.bodies,
        group.forces, group.jointForces, isImplicit ? group.blocks : nullptr,
        group.links,  group.extras};
    recursion::start<T>(figure);
    if (group.ground.count > 0)
        recursion::addGround(figure, group.ground, *group.scales, isImplicit ? h : T(0));
    recursion::eliminate<T>(figure);
    recursion::accelerate<T>(figure, group.rates);
    for (int k = 0; k < model.freedomCount; ++k) {
        group.u[k] = group.u[k] + h * group.rates[k];
        group.delta[k] = h * group.u[k];
    }
    recursion::placeAll(model, group.data, group.q, group.delta, group.q, group.u, group.bodies);
}

}  // namespace sinew::crowd
