// What the passes are told by whoever runs them (link.h): how heavy links are, what pushes on their bodies,
// and what pushes and resists in their joints. Such a type has
//
//     mass(data), inertia(data)                  of a link, which may be more or less than the model's
//     onBody(i, mass)                            force and torque at the centre of mass, world axes
//     pushesJoints, hasBlocks()                  whether there is anything of what follows
//     onBall(i, data), onHinge(i, data), onOther(i, data, Q, block, own)
//                                                along u, and what resists there
//     isLimited(i), onBallLimit(i, data)         of ball joints, beside it, with any block (limits.h)
//     touch(figure, i, resistance)               what pushes on a link from outside and resists there
//
// A joint's own force acts on the child and against the parent.
#pragma once

#include "sinew/recursion/link.h"

namespace sinew::recursion {

// What resists in a joint itself, in its own freedoms, beside the armature: d 1 + w a aᵀ, leading k × k; of
// ball joints in axes of the child. Springs and dampers are of this form.
template <class T>
struct JointBlock {
    T diagonal, weight;
    Vector3<T> along;

    static SINEW_INLINE JointBlock none() { return {T(0), T(0), Vector3<T>::zero()}; }
};
template <class T>
struct BallPush {
    Vector3<T> torque;
    JointBlock<T> block;
};
template <class T>
struct HingePush {
    T torque, block;
};
// In axes of the child, with any symmetric block.
template <class T>
struct BallLimit {
    Vector3<T> torque;
    Symmetric3<T> block;
};

// The masses of the model, no limits, and obstacles nowhere.
template <class T>
struct PlainLinks {
    SINEW_INLINE T mass(const LinkData<T>& data) const { return data.mass; }
    SINEW_INLINE const Symmetric3<T>& inertia(const LinkData<T>& data) const { return data.inertia; }
    static constexpr bool isLimited(int) { return false; }
    SINEW_INLINE BallLimit<T> onBallLimit(int, const LinkData<T>&) const
    {
        return {Vector3<T>::zero(), Symmetric3<T>::diagonal(T(0))};
    }
    template <class F>
    SINEW_INLINE void touch(const F&, int, Resistance<T>&) const
    {
    }
};

// Nothing but gravity.
template <class T>
struct WeightAlone : PlainLinks<T> {
    static constexpr bool pushesJoints = false;
    Vector3<T> gravity;

    SINEW_INLINE explicit WeightAlone(const Vector3<T>& g) : gravity(g) {}
    SINEW_INLINE Wrench<T> onBody(int, const T& mass) const { return {mass * gravity, Vector3<T>::zero()}; }
    static constexpr bool hasBlocks() { return false; }
    SINEW_INLINE BallPush<T> onBall(int, const LinkData<T>&) const
    {
        return {Vector3<T>::zero(), JointBlock<T>::none()};
    }
    SINEW_INLINE HingePush<T> onHinge(int, const LinkData<T>&) const { return {T(0), T(0)}; }
    SINEW_INLINE void onOther(int, const LinkData<T>& data, T* Q, JointBlock<T>& block, T*) const
    {
        for (int k = 0; k < data.freedoms; ++k) Q[k] = T(0);
        block = JointBlock<T>::none();
    }
};

// All that somebody has written down before.
template <class T, class ForceArray = const Force*>
struct Written : PlainLinks<T> {
    static constexpr bool pushesJoints = true;
    ForceArray forces;            // per link
    const T* jointForces;         // along u
    const JointBlock<T>* blocks;  // per link; null: none has any

    SINEW_INLINE Written(ForceArray f, const T* Q, const JointBlock<T>* B = nullptr)
        : forces(f), jointForces(Q), blocks(B)
    {
    }
    SINEW_INLINE Wrench<T> onBody(int i, const T&) const { return read(forces[i]); }
    SINEW_INLINE bool hasBlocks() const { return blocks != nullptr; }
    SINEW_INLINE BallPush<T> onBall(int i, const LinkData<T>& data) const
    {
        return {readVector(jointForces + data.u), blocks ? blocks[i] : JointBlock<T>::none()};
    }
    SINEW_INLINE HingePush<T> onHinge(int i, const LinkData<T>& data) const
    {
        return {jointForces[data.u], blocks ? blocks[i].diagonal : T(0)};
    }
    SINEW_INLINE void onOther(int i, const LinkData<T>& data, T* Q, JointBlock<T>& block, T*) const
    {
        for (int k = 0; k < data.freedoms; ++k) Q[k] = jointForces[data.u + k];
        block = blocks ? blocks[i] : JointBlock<T>::none();
    }
};

}  // namespace sinew::recursion
