// The step of a group of characters, one in each lane of the number type: the passes of recursion/.
// Compiled once for each number type, with the instructions that it needs (kernels.h).
//
//     explicit             u' = u + h u̇,  q' = q ⊕ h u'
//     linearly implicit    the same with the Q and B of springs and limits in u̇ (recursion/springs.h,
//     limits.h)
#pragma once

#include "sinew/recursion/advance.h"
#include "sinew/recursion/ground.h"
#include "sinew/recursion/limits.h"
#include "sinew/recursion/springs.h"

namespace sinew::crowd {

// Memory of one group, arrays per link, coordinate or freedom.
template <class T>
struct Group {
    const LinkData<ConstantOf<T>>* data;
    int count;           // of links; twins count as one
    const T* massScale;  // times the model's masses
    const recursion::JointSpring<T>* springs;
    const char* restElsewhere;  // whether a ball joint's spring may rest elsewhere than at q = 0
    const recursion::JointDrive<ConstantOf<T>>* drives;  // null: no joint has any
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
    using Data = LinkData<ConstantOf<T>>;
    using Drive = recursion::JointDrive<ConstantOf<T>>;
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
        recursion::BallPush<T> push{Vector3<T>::zero(), recursion::JointBlock<T>::none()};
        if (!group.drives || !group.drives[i].hasTwist)
            push = recursion::ballSpring(spring, h, fromRest(i, data),
                                         recursion::readVector(group.u + data.u));
        if (group.drives && group.drives[i].hasMotor) push.torque += motorOnBall(i, data);
        return push;
    }
    SINEW_INLINE Quaternion4<T> fromRest(int i, const Data& data) const
    {
        const Quaternion4<T> q = recursion::readQuaternion(group.q + data.q);
        return group.restElsewhere[i] ? conjugate(group.springs[i].rest) * q : q;
    }
    SINEW_INLINE Vector3<T> motorOnBall(int i, const Data& data) const
    {
        const Drive& drive = group.drives[i];
        const Vector3<T> torque{T(drive.motor[0]), T(drive.motor[1]), T(drive.motor[2])};
        if (!drive.isMotorOfParent) return torque;
        return transposeTimes(matrixOf(recursion::readQuaternion(group.q + data.q)), torque);
    }
    SINEW_INLINE bool isLimited(int i) const
    {
        return group.drives && (group.drives[i].hasLimits || group.drives[i].hasTwist);
    }
    SINEW_INLINE recursion::BallLimit<T> onBallLimit(int i, const Data& data) const
    {
        const Drive& drive = group.drives[i];
        const Vector3<T> u = recursion::readVector(group.u + data.u);
        recursion::BallLimit<T> all{Vector3<T>::zero(), Symmetric3<T>::diagonal(T(0))};
        if (drive.hasLimits)
            all = recursion::ballLimit(drive, h, recursion::readQuaternion(group.q + data.q), u);
        if (!drive.hasTwist) return all;
        const recursion::JointSpring<T>& spring = group.springs[i];
        const recursion::BallLimit<T> more =
            recursion::swingTwistSpring(drive, spring.stiffness, spring.damping, h, fromRest(i, data), u);
        return {all.torque + more.torque, all.block + more.block};
    }
    SINEW_INLINE recursion::HingePush<T> onHinge(int i, const Data& data) const
    {
        const recursion::JointSpring<T>& spring = group.springs[i];
        recursion::HingePush<T> push =
            recursion::freedomSpring(spring, h, spring.rest.x, group.q[data.q], group.u[data.u]);
        if (group.drives) addDrive(i, data, 0, push.torque, push.block);
        return push;
    }
    // Motor and limit of a freedom that is not a ball joint's.
    SINEW_INLINE void addDrive(int i, const Data& data, int k, T& Q, T& block) const
    {
        const Drive& drive = group.drives[i];
        if (drive.hasMotor) Q = Q + T(drive.motor[k]);
        if (!drive.hasLimits) return;
        const recursion::HingePush<T> limit =
            recursion::freedomLimit(drive, k, h, group.q[data.q + k], group.u[data.u + k]);
        Q = Q + limit.torque;
        block = block + limit.block;
    }
    SINEW_INLINE void onOther(int i, const Data& data, T* Q, recursion::JointBlock<T>& block, T* own) const
    {
        const recursion::JointSpring<T>& spring = group.springs[i];
        const T rest[3] = {spring.rest.x, spring.rest.y, spring.rest.z};
        block = recursion::JointBlock<T>::none();
        for (int k = 0; k < data.freedoms; ++k) {
            Q[k] = T(0);
            if (data.kind == LinkKind::free) {
                if (group.drives && group.drives[i].hasMotor) Q[k] = T(group.drives[i].motor[k]);
                continue;
            }
            const recursion::HingePush<T> push =
                recursion::freedomSpring(spring, h, rest[k], group.q[data.q + k], group.u[data.u + k]);
            Q[k] = push.torque;
            block.diagonal = push.block;
            if (group.drives) addDrive(i, data, k, Q[k], own[k]);
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
        group.data, group.count, group.bodies, given, group.links, group.gathered, group.extras};
    recursion::eliminate<T>(figure);
    recursion::advance<T>(model, figure, h, group.q, group.u, group.bodies);
}

}  // namespace sinew::crowd
