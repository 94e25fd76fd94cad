// Outward: joint coordinates and velocities → places and velocities of bodies; and coordinates moved along
// a tangent vector, q ⊕ δ.
//
//     R   = R_p R_rest Q(q)                               x = x_O + R c
//     x_O = x_O,p + R_p arm                               v = v_O + ω × R c
//     v_O = v_O,p + ω_p × R_p arm + R_p v_rel             ω_B = Rᵀ ω_p + ω_rel
//
// ball     Q = q, ω_rel = u
// hinge    Q = exp(q z), ω_rel = u z
// free     Q = q, arm = t from the parent's centre of mass, v_rel = ṫ
// other    by the table
//
// Rotations stay of length one by a step of Newton's method in place of a root. A quaternion and its
// opposite are the same rotation; the relative one is taken as Quaternion(matrix) would have it, so that
// orientations do not depend on how coordinates came about.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/math/rotation.h"
#include "sinew/math/small_trigonometry.h"
#include "sinew/model/model.h"
#include "sinew/recursion/link.h"
#include "sinew/recursion/twins.h"

namespace sinew::recursion {

// exp(φ), a rotation vector. Below a quarter of a radian the series have all digits; a step hardly turns a
// joint further.
template <class T>
SINEW_INLINE Quaternion4<T> exponential(const Vector3<T>& phi)
{
    const T square = dot(phi, phi), limit = T(0.0625);
    const T x = T(0.25) * square;  // of the half angle
    const T sine =                 // sin(θ/2)/θ
        T(0.5) + x * (T(-1. / 12) + x * (T(1. / 240) + x * (T(-1. / 10080) + x * T(1. / 725760))));
    const T cosine =
        T(1) +
        x * (T(-0.5) + x * (T(1. / 24) + x * (T(-1. / 720) + x * (T(1. / 40320) + x * T(-1. / 3628800)))));
    Quaternion4<T> q{sine * phi.x, sine * phi.y, sine * phi.z, cosine};
    if (all(square < limit)) return q;
    for (int k = 0; k < laneCount<T>; ++k) {
        if (lane(square, k) < lane(limit, k)) continue;
        using Number = decltype(lane(square, k));
        const Quat far = expRotation({lane(phi.x, k), lane(phi.y, k), lane(phi.z, k)});
        setLane(q.x, k, static_cast<Number>(far.x()));
        setLane(q.y, k, static_cast<Number>(far.y()));
        setLane(q.z, k, static_cast<Number>(far.z()));
        setLane(q.w, k, static_cast<Number>(far.w()));
    }
    return q;
}
// exp(q z), z of length one.
template <class T>
SINEW_INLINE Quaternion4<T> turnAbout(const Vector3<T>& z, const T& angle)
{
    T sine, cosine;
    sineAndCosine(T(0.5) * angle, sine, cosine);
    return {sine * z.x, sine * z.y, sine * z.z, cosine};
}

// The sign of Quaternion(matrix): w if it is large, else the largest is positive.
template <class T>
SINEW_INLINE Quaternion4<T> withSign(const Quaternion4<T>& q)
{
    const T zero = T(0), half = T(0.5);
    if (all(q.w > half)) return q;
    const auto size = [&](const T& x) { return select(x < zero, -x, x); };
    T largest = q.x;
    largest = select(size(q.y) > size(largest), q.y, largest);
    largest = select(size(q.z) > size(largest), q.z, largest);
    largest = select(size(q.w) > half, q.w, largest);
    const T sign = select(largest < zero, T(-1), T(1));
    return {sign * q.x, sign * q.y, sign * q.z, sign * q.w};
}

// q ⊕ length · δ of one joint, in place or not; all are the joint's own.
template <class T>
SINEW_INLINE void retractJoint(const LinkData<ConstantOf<T>>& data, const T* q, const T& length, const T* d,
                               T* result)
{
    switch (data.kind) {
        case LinkKind::free:
            writeVector(readVector(q) + length * readVector(d), result);
            q += 3;
            d += 3;
            result += 3;
            [[fallthrough]];
        case LinkKind::ball:
            writeQuaternion(renormalized(readQuaternion(q) * exponential(length * readVector(d))), result);
            return;
        default:
            for (int k = 0; k < data.freedoms; ++k) result[k] = q[k] + length * d[k];
    }
}
// The same of those of all joints.
template <class T>
SINEW_INLINE void retractLink(const LinkData<ConstantOf<T>>& data, const T* from, const T* delta, T* to)
{
    retractJoint(data, from + data.q, T(1), delta + data.u, to + data.q);
}

// How a body moves against its parent.
template <class T>
struct Relative {
    Quaternion4<T> rotation;  // child → parent
    Vector3<T> arm;           // from the parent's O to this one, parent axes
    Vector3<T> spin;          // child axes
    bool slides;              // O moves in the parent:
    Vector3<T> rate;          // how fast, parent axes
};

// By the table. `arm` leads to the parent's anchor.
inline Relative<double> otherRelative(const Joint& joint, const Vector3<double>& arm, const double* q,
                                      const double* u)
{
    const Transform X = jointTransform(joint, q);
    Subspace S;
    jointSubspace(joint, q, X, S);
    Vec6 motion = Vec6::Zero();
    for (int c = 0; c < joint.freedoms(); ++c) motion += S.col(c) * u[c];
    const Vec3 spin = motion.tail<3>();
    const Vec3 moved = X.r + X.R * joint.anchorChild - joint.anchorParent;
    return {small(Quat(X.R)), arm + small(moved), small(spin), true,
            small(Vec3(X.R * (motion.head<3>() + spin.cross(joint.anchorChild))))};
}
template <class T>
Relative<T> otherRelative(const Joint& joint, const Vector3<T>& arm, const T* q, const T* u)
{
    Relative<T> all;
    all.slides = true;
    for (int k = 0; k < laneCount<T>; ++k) {
        double places[3] = {}, rates[3] = {};
        for (int c = 0; c < joint.freedoms(); ++c) {
            places[c] = static_cast<double>(lane(q[c], k));
            rates[c] = static_cast<double>(lane(u[c], k));
        }
        const Vector3<double> own{static_cast<double>(lane(arm.x, k)), static_cast<double>(lane(arm.y, k)),
                                  static_cast<double>(lane(arm.z, k))};
        const Relative<double> r = otherRelative(joint, own, places, rates);
        setLane(all.rotation, k, r.rotation);
        setLane(all.arm, k, r.arm);
        setLane(all.spin, k, r.spin);
        setLane(all.rate, k, r.rate);
    }
    return all;
}

// Its rotation alone.
SINEW_INLINE Quaternion4<double> relativeRotation(const LinkData<double>& data, const Joint& joint,
                                                  const double* q)
{
    Quaternion4<double> Q = Quaternion4<double>::identity();
    switch (data.kind) {
        case LinkKind::ball:
            Q = readQuaternion(q + data.q);
            break;
        case LinkKind::hinge:
            Q = turnAbout(data.axis, q[data.q]);
            break;
        case LinkKind::rigid:
            break;
        case LinkKind::free:
            Q = readQuaternion(q + data.q + 3);
            break;
        case LinkKind::other:
            return small(Quat(jointTransform(joint, q + data.q).R));
    }
    return withSign(data.isTurnedAtRest ? data.rest * Q : Q);
}

// The relative rotation Q of a joint at its place, as `relative.rotation` has it.
template <class T>
SINEW_INLINE Quaternion4<T> fromRest(const LinkData<ConstantOf<T>>& data, const Quaternion4<T>& Q)
{
    return withSign(data.isTurnedAtRest ? converted<T>(data.rest) * Q : Q);
}
// Of ball joints and others that only turn.
template <class T>
SINEW_INLINE void setTurning(const LinkData<ConstantOf<T>>& data, const Quaternion4<T>& q,
                             const Vector3<T>& u, Relative<T>& relative)
{
    relative.rotation = fromRest(data, q);
    relative.arm = converted<T>(data.arm);
    relative.spin = u;
    relative.slides = false;
}
template <class T>
SINEW_INLINE void setHinge(const LinkData<ConstantOf<T>>& data, const T& q, const T& u,
                           Relative<T>& relative)
{
    const Vector3<T> axis = converted<T>(data.axis);
    setTurning(data, turnAbout(axis, q), u * axis, relative);
}
template <class T>
SINEW_INLINE void setRelative(const LinkData<ConstantOf<T>>& data, const Joint& joint, const T* q,
                              const T* u, Relative<T>& relative)
{
    q += data.q;
    u += data.u;
    switch (data.kind) {
        case LinkKind::ball:
            return setTurning(data, readQuaternion(q), readVector(u), relative);
        case LinkKind::hinge:
            return setHinge(data, q[0], u[0], relative);
        case LinkKind::rigid:
            return setTurning(data, Quaternion4<T>::identity(), Vector3<T>::zero(), relative);
        case LinkKind::free:
            setTurning(data, readQuaternion(q + 3), readVector(u + 3), relative);
            relative.arm += readVector(q);
            relative.slides = true;
            relative.rate = readVector(u);
            return;
        case LinkKind::other:
            relative = otherRelative(joint, converted<T>(data.arm), q, u);
            return;
    }
}

// A link as those that hang on it see it.
template <class T>
struct Frame {
    Quaternion4<T> orientation;
    Matrix3<T> R;
    Vector3<T> w;                   // world axes
    Vector3<T> position, velocity;  // of O

    static SINEW_INLINE Frame world()
    {
        const Vector3<T> zero = Vector3<T>::zero();
        const Quaternion4<T> one = Quaternion4<T>::identity();
        return {one, matrixOf(one), zero, zero, zero};
    }
    static SINEW_INLINE Frame of(const LinkData<ConstantOf<T>>& data, const Placed<T>& body)
    {
        const Matrix3<T> R = matrixOf(body.orientation);
        const Vector3<T> w = R * body.angularVelocity, c = R * converted<T>(data.center);
        return {body.orientation, R, w, body.position - c, body.velocity - cross(w, c)};
    }
};

// That of a link's parent. In a chain `last`, of the link before, which is at hand.
template <class T, class Bodies>
SINEW_INLINE Frame<T> parentsFrame(const LinkData<ConstantOf<T>>* links, int i, const Bodies* bodies,
                                   const Frame<T>& last)
{
    const auto& data = links[i];
    if (data.parent < 0) return Frame<T>::world();
    if (data.parent != i - 1) return Frame<T>::of(links[data.parent], read(bodies[data.parent]));
    if constexpr (areTwins<T>)
        if (data.joins) {
            const Frame<T> second = Frame<T>::of(links[data.parent], read(bodies[data.parent]));
            return {last.orientation, withSecond(last.R, second.R), withSecond(last.w, second.w),
                    withSecond(last.position, second.position), withSecond(last.velocity, second.velocity)};
        }
    return last;
}

// The body of a link, whose parent has been placed, and its frame, which may take the place of the
// parent's.
template <class T>
SINEW_INLINE Placed<T> placeLink(const LinkData<ConstantOf<T>>& data, const Relative<T>& relative,
                                 const Frame<T>& parent, Frame<T>& frame)
{
    const Quaternion4<T> orientation = renormalized(parent.orientation * relative.rotation);
    const Matrix3<T> R = matrixOf(orientation);
    const Vector3<T> arm = parent.R * relative.arm, c = R * converted<T>(data.center);
    const Vector3<T> w = parent.w + R * relative.spin;
    const Vector3<T> angularVelocity = transposeTimes(R, parent.w) + relative.spin;
    Vector3<T> velocity = parent.velocity + cross(parent.w, arm);
    if (relative.slides) velocity += parent.R * relative.rate;
    frame = {orientation, R, w, parent.position + arm, velocity};
    return {frame.position + c, orientation, velocity + cross(w, c), angularVelocity};
}

// The bodies [begin, count), whole skeletons. `delta`, where it is not null, moves q away from `from`
// first: a few joints at a time, because a number that was just written is slow to be read in another
// width.
template <class T, class Bodies>
SINEW_INLINE void placeSome(const Model& model, const LinkData<ConstantOf<T>>* links, const T* from,
                            const T* delta, T* q, const T* u, Bodies* bodies, int begin, int count)
{
    constexpr int few = 16;
    Frame<T> last = Frame<T>::world();
    for (int first = begin; first < count; first += few) {
        const int end = first + few < count ? first + few : count;
        if (delta)
            for (int i = first; i < end; ++i) retractLink(links[i], from, delta, q);
        for (int i = first; i < end; ++i) {
            const LinkData<ConstantOf<T>>& data = links[i];
            last = parentsFrame(links, i, bodies, last);
            Relative<T> relative;
            setRelative(data, model.joints[i], q, u, relative);
            write(placeLink<T>(data, relative, last, last), bodies[i]);
        }
    }
}

// All bodies of a model.
template <class T, class Bodies>
SINEW_INLINE void placeAll(const Model& model, const LinkData<ConstantOf<T>>* links, const T* from,
                           const T* delta, T* q, const T* u, Bodies* bodies)
{
    placeSome(model, links, from, delta, q, u, bodies, 0, model.size());
}

// The same by themselves: for numbers alone that is faster than as a part of something else.
template <class T, class Bodies>
void place(const Model& model, const LinkData<ConstantOf<T>>* links, const T* from, const T* delta, T* q,
           const T* u, Bodies* bodies)
{
    placeAll(model, links, from, delta, q, u, bodies);
}
template <class T, class Bodies>
void place(const Model& model, const LinkData<ConstantOf<T>>* links, const T* from, const T* delta, T* q,
           const T* u, Bodies* bodies, int begin, int end)
{
    placeSome(model, links, from, delta, q, u, bodies, begin, end);
}

}  // namespace sinew::recursion
