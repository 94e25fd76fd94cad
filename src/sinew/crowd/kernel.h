// The step of a group of characters, one in each lane of the number type: the passes of recursion/.
// Compiled once for each number type, with the instructions that it needs (kernels.h).
//
//     explicit             u' = u + h u̇,  q' = q ⊕ h u'
//     linearly implicit    the same with the springs' Q and B in u̇ (recursion/springs.h)
#pragma once

#include "sinew/recursion/advance.h"
#include "sinew/recursion/ground.h"
#include "sinew/recursion/springs.h"

namespace sinew::crowd {

// Memory of one group, arrays per link, coordinate or freedom.
template <class T>
struct Group {
    const LinkData<NumberOf<T>>* data;
    const T* massScale;  // times the model's masses
    const recursion::JointSpring<T>* springs;
    const char* restElsewhere;  // whether a ball joint's spring may rest elsewhere than at q = 0
    T *q, *u;
    recursion::Placed<T>* bodies;
    recursion::Link<T>* links;
    recursion::Resistance<T>* gathered;
    recursion::Extra<T>* extras;
    recursion::Ground ground;
    const recursion::GroundScales<T>* scales;
};

// What the passes are told of a group (recursion/given.h).
template <class T>
struct OfGroup {
    using Data = LinkData<NumberOf<T>>;
    static constexpr bool pushesJoints = true;

    const Group<T>& group;
    Vector3<T> gravity;
    T mass_, h;  // h: zero for springs that are not implicit
    bool isImplicit;

    SINEW_INLINE T mass(const Data& data) const { return mass_ * T(data.mass); }
    SINEW_INLINE Symmetric3<T> inertia(const Data& data) const
    {
        return mass_ * converted<T>(data.inertia);
    }
    SINEW_INLINE recursion::Wrench<T> onBody(int, const T& mass) const
    {
        return {mass * gravity, Vector3<T>::zero()};
    }
    SINEW_INLINE bool hasBlocks() const { return isImplicit; }
    SINEW_INLINE recursion::BallPush<T> onBall(int i, const Data& data) const
    {
        const recursion::JointSpring<T>& spring = group.springs[i];
        Quaternion4<T> q = recursion::readQuaternion(group.q + data.q);
        if (group.restElsewhere[i]) q = conjugate(spring.rest) * q;
        return recursion::ballSpring(spring, h, q, recursion::readVector(group.u + data.u));
    }
    SINEW_INLINE recursion::HingePush<T> onHinge(int i, const Data& data) const
    {
        const recursion::JointSpring<T>& spring = group.springs[i];
        return recursion::freedomSpring(spring, h, spring.rest.x, group.q[data.q], group.u[data.u]);
    }
    SINEW_INLINE void onOther(int i, const Data& data, T* Q, recursion::JointBlock<T>& block) const
    {
        const recursion::JointSpring<T>& spring = group.springs[i];
        const T rest[3] = {spring.rest.x, spring.rest.y, spring.rest.z};
        block = recursion::JointBlock<T>::none();
        for (int k = 0; k < data.freedoms; ++k) {
            Q[k] = T(0);
            if (data.kind == LinkKind::free) continue;
            const recursion::HingePush<T> push =
                recursion::freedomSpring(spring, h, rest[k], group.q[data.q + k], group.u[data.u + k]);
            Q[k] = push.torque;
            block.diagonal = push.block;
        }
    }
    template <class F>
    SINEW_INLINE void touch(const F& figure, int i, recursion::Resistance<T>& sum) const
    {
        recursion::addGround(group.ground, *group.scales, i, converted<T>(figure.data[i].center),
                             figure.bodies[i], h, sum);
    }
};

template <class T>
SINEW_INLINE void stepGroup(const Model& model, const Group<T>& group, double seconds, bool isImplicit)
{
    const T h = T(seconds);
    const OfGroup<T> given{group, converted<T>(small(model.gravity)), *group.massScale,
                           isImplicit ? h : T(0), isImplicit};
    const recursion::Figure<T, OfGroup<T>, const recursion::Placed<T>*> figure{
        group.data, model.size(), group.bodies, given, group.links, group.gathered, group.extras};
    recursion::eliminate<T>(figure);
    recursion::advance<T>(model, figure, h, group.q, group.u, group.bodies);
}

}  // namespace sinew::crowd
