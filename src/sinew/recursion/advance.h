// Outward, once joints are eliminated (inertias.h): a semi-implicit step from one end to the other,
//
//     u' = u + h u̇      q' = q ⊕ h u'      bodies placed
//
// link by link: what a link accelerates by (accelerations.h), where its joint goes and where that puts its
// body (placement.h) is done while it is at hand. Same results as those passes one after the other, with a
// third of their way through memory.
#pragma once

#include "sinew/recursion/accelerations.h"
#include "sinew/recursion/placement.h"

namespace sinew::recursion {

constexpr int few = 8;

// Kicks and moves one joint; q and u are all joints'.
template <class T>
SINEW_INLINE void moveJoint(const LinkData<ConstantOf<T>>& data, const Joint& joint, const T& h,
                            const T* rate, T* q, T* u, Relative<T>& relative)
{
    // What was just written is slow to be read in another width: so what is used at once is kept.
    T *ownQ = q + data.q, *ownU = u + data.u;
    if (data.kind == LinkKind::ball) {
        const Vector3<T> v = readVector(ownU) + h * readVector(rate);
        const Quaternion4<T> Q = renormalized(readQuaternion(ownQ) * exponential(h * v));
        writeVector(v, ownU);
        writeQuaternion(Q, ownQ);
        return setTurning(data, Q, v, relative);
    }
    if (data.kind == LinkKind::hinge) {
        const T v = ownU[0] + h * rate[0], angle = ownQ[0] + h * v;
        ownU[0] = v;
        ownQ[0] = angle;
        return setHinge(data, angle, v, relative);
    }
    for (int k = 0; k < data.freedoms; ++k) ownU[k] = ownU[k] + h * rate[k];
    retractJoint(data, ownQ, h, ownU, ownQ);
    setRelative(data, joint, q, u, relative);
}

template <class T, class F, class Bodies>
SINEW_INLINE void advance(const Model& model, const F& figure, const T& h, T* q, T* u, Bodies* bodies)
{
    Frame<T> frame = Frame<T>::world();
    Acceleration<T> last = Acceleration<T>::none();
    T rates[few][6];
    Relative<T> relatives[few];
    for (int begin = figure.first; begin < figure.count; begin += few) {
        const int end = begin + few < figure.count ? begin + few : figure.count;
        for (int i = begin; i < end; ++i) {
            const auto& data = figure.data[i];
            if (data.parent < 0)
                last = Acceleration<T>::none();
            else if (data.parent != i - 1)
                last = accelerationOf(figure.links[data.parent]);
            last = accelerateLink<T>(figure, i, last, rates[i - begin]);
            if (data.gathers) figure.links[i].setAcceleration(last.linear, last.angular);
        }
        for (int i = begin; i < end; ++i)
            moveJoint(figure.data[i], model.joints[i], h, rates[i - begin], q, u, relatives[i - begin]);
        for (int i = begin; i < end; ++i) {
            frame = parentsFrame(figure.data, i, bodies, frame);
            write(placeLink<T>(figure.data[i], relatives[i - begin], frame, frame), bodies[i]);
        }
    }
}

}  // namespace sinew::recursion
