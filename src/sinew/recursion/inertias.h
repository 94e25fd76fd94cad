// Inward: a joint is eliminated, and what its link resists is passed to the parent.
//
// With a' and α' the acceleration that the parent gives the link, and B what resists in the joint itself
// (armature; of linearly implicit steps h D + h² K too), n₀ already less the joint's own torque:
//
//     ball     D = J + B      α = D⁻¹ (B α' − n₀ − G a')
//              M' = M − Gᵀ D⁻¹ G,  G' = B D⁻¹ G,  J' = B D⁻¹ J,  f₀' = f₀ − Gᵀ D⁻¹ n₀,  n₀' = B D⁻¹ n₀
//     hinge    D = zᵀ J z + B     U = J z,  F = Gᵀ z     u̇ = (−z · n₀ − F · a' − U · α') / D
//              M' = M − F Fᵀ/D,  G' = G − U Fᵀ/D,  J' = J − U Uᵀ/D,  f₀' = f₀ − F (z·n₀)/D,  n₀' likewise
//     rigid    all of it
//     other    as a hinge, with k columns S = [linear; angular] at once, and Q − Sᵀ p₀ for −z · n₀
//     free     nothing; it is solved for in accelerations.h
//
// A ball joint without B passes a mass, six numbers, and that is Armstrong & Green's recursion. Written as
// products, G' and J' of a ball joint have no small difference in them. Those of a hinge have, along its
// own axis: a heavy limb would drown a light parent in rounding. But there they are known without,
//     J' z = U B/D      zᵀ G' = Fᵀ B/D      z · n₀' = −B u̇₀
// and are put in their places, unless B is more than the inertia: then these are the differences.
//
// Seen from the parent, with l the way between both points O and k, b what is known of a' and α':
//     a' = a_p + α_p × l + k,  k = ω_p × (ω_p × l) + …      α' = α_p + b,  b = ω_p × ω + …
//     M_p += M',  G_p += G' + l~ M',  J_p += J' − G' l~ + l~ G'ᵀ − l~ M' l~
#pragma once

#include "sinew/recursion/link.h"
#include "sinew/recursion/other_inertias.h"

namespace sinew::recursion {

// Of a ball joint without B: the rest is zero.
template <class T>
SINEW_INLINE void addMassToParent(const Vector3<T>& l, const Symmetric3<T>& M, const Vector3<T>& f,
                                  Link<T>& parent)
{
    const Matrix3<T> lM = crossTimes(l, full(M));
    parent.M = parent.M + M;
    parent.G = parent.G + lM;
    parent.J = parent.J + symmetricTimesMinusCross(lM, l);
    parent.f += f;
    parent.n += cross(l, f);
}

template <class T>
SINEW_INLINE void addToParent(const Vector3<T>& l, const Passed<T>& p, Link<T>& parent)
{
    const Matrix3<T> lM = crossTimes(l, full(p.M));
    parent.M = parent.M + p.M;
    parent.G = parent.G + (p.G + lM);
    // −G' l~ and its transpose.
    const Vector3<T> x = cross(l, p.G.r0), y = cross(l, p.G.r1), z = cross(l, p.G.r2);
    const Symmetric3<T> both{x.x + x.x, y.y + y.y, z.z + z.z, x.y + y.x, x.z + z.x, y.z + z.y};
    parent.J = parent.J + (p.J + both + symmetricTimesMinusCross(lM, l));
    parent.f += p.f;
    parent.n += p.n + cross(l, p.f);
}

// What is known of a' and α' before the parent is accelerated.
template <class T, class F>
SINEW_INLINE Vector3<T> knownLinear(const F& figure, int i)
{
    const LinkData<T>& data = figure.data[i];
    const Link<T>& link = figure.links[i];
    Vector3<T> k = Vector3<T>::zero();
    if (data.parent >= 0) {
        const Vector3<T>& w = figure.links[data.parent].w;
        k = cross(w, cross(w, link.l));
    }
    return data.extra < 0 ? k : k + figure.extras[data.extra].biasLinear;
}
template <class T, class F>
SINEW_INLINE Vector3<T> knownAngular(const F& figure, int i)
{
    const LinkData<T>& data = figure.data[i];
    Vector3<T> b = Vector3<T>::zero();
    if (data.parent >= 0) b = cross(figure.links[data.parent].w, figure.links[i].w);
    return data.extra < 0 ? b : b + figure.extras[data.extra].biasAngular;
}

// Of a ball joint, B in world axes.
template <class T, class F>
SINEW_INLINE JointBlock<T> ballBlock(const F& figure, int i, const Matrix3<T>& R)
{
    const T armature = figure.data[i].armature;
    if (!figure.blocks) return {armature, T(0), Vector3<T>::zero()};
    const JointBlock<T>& own = figure.blocks[i];
    return {armature + own.diagonal, own.weight, R * own.along};
}
template <class T>
SINEW_INLINE Vector3<T> operator*(const JointBlock<T>& B, const Vector3<T>& v)
{
    return B.diagonal * v + (B.weight * dot(B.along, v)) * B.along;
}
template <class T>
SINEW_INLINE Matrix3<T> operator*(const JointBlock<T>& B, const Matrix3<T>& m)
{
    const Vector3<T> row = B.weight * transposeTimes(m, B.along);
    return {B.diagonal * m.r0 + B.along.x * row, B.diagonal * m.r1 + B.along.y * row,
            B.diagonal * m.r2 + B.along.z * row};
}
// Where that is symmetric: its upper half.
template <class T>
SINEW_INLINE Symmetric3<T> symmetricTimes(const JointBlock<T>& B, const Matrix3<T>& m)
{
    const Vector3<T> row = B.weight * transposeTimes(m, B.along);
    return {B.diagonal * m.r0.x + B.along.x * row.x, B.diagonal * m.r1.y + B.along.y * row.y,
            B.diagonal * m.r2.z + B.along.z * row.z, B.diagonal * m.r0.y + B.along.x * row.y,
            B.diagonal * m.r0.z + B.along.x * row.z, B.diagonal * m.r1.z + B.along.y * row.z};
}
template <class T>
SINEW_INLINE Symmetric3<T> operator+(const Symmetric3<T>& m, const JointBlock<T>& B)
{
    return m + (Symmetric3<T>::diagonal(B.diagonal) + B.weight * outer(B.along, B.along));
}

template <class T>
SINEW_INLINE Passed<T> eliminateBall(const JointBlock<T>& B, Link<T>& link)
{
    const Factor3<T> D(link.J + B);
    const Matrix3<T> K = D.solve(link.G), N = D.solve(full(link.J));
    const Vector3<T> e = -D.solve(link.n);
    const Passed<T> passed{link.M - symmetricTransposeTimes(link.G, K), symmetricTimes(B, N), B * K,
                           link.f + transposeTimes(link.G, e), -(B * e)};
    link.G = K;
    link.M = D.keep();
    link.n = e;
    return passed;
}

// One where what B adds is not more than the inertia, else zero.
template <class T>
SINEW_INLINE T isSoft(const T& block, const T& D)
{
    return select(block + block > D, T(0), T(1));
}

template <class T>
SINEW_INLINE Passed<T> eliminateHinge(const T& B, Link<T>& link)
{
    const Vector3<T>& z = link.axis;
    const Vector3<T> U = link.J * z, F = transposeTimes(link.G, z);
    const T D = dot(z, U) + B, inverseD = T(1) / D;
    const Vector3<T> u = inverseD * U, f = inverseD * F;
    const T e = -(inverseD * dot(z, link.n));
    Passed<T> p;
    p.M = link.M - outer(F, f);
    p.J = link.J - outer(U, u);
    p.G = {link.G.r0 - U.x * f, link.G.r1 - U.y * f, link.G.r2 - U.z * f};
    p.f = link.f + e * F;
    p.n = link.n + e * U;
    // What is known along the axis.
    const T soft = isSoft(B, D);
    const Vector3<T> offJ = soft * (B * u - p.J * z), offG = soft * (B * f - transposeTimes(p.G, z));
    p.J = p.J + bothWays(z, offJ - (T(0.5) * dot(z, offJ)) * z);
    p.G = {p.G.r0 + z.x * offG, p.G.r1 + z.y * offG, p.G.r2 + z.z * offG};
    p.n -= (soft * (B * e + dot(z, p.n))) * z;
    link.G = {f, u, {e, e, e}};
    return p;
}

// To the parent, with what is known of its acceleration; that of O stays in f.
template <class T, class F>
SINEW_INLINE void pass(const F& figure, int i, Passed<T>& p)
{
    Link<T>& link = figure.links[i];
    const int parent = figure.data[i].parent;
    const Vector3<T> k = knownLinear<T>(figure, i), b = knownAngular<T>(figure, i);
    link.f = k;
    if (parent < 0) return;
    p.f += p.M * k + transposeTimes(p.G, b);
    p.n += p.G * k + p.J * b;
    addToParent(link.l, p, figure.links[parent]);
}

template <class T, class F>
SINEW_INLINE void eliminateLink(const F& figure, int i)
{
    const LinkData<T>& data = figure.data[i];
    Link<T>& link = figure.links[i];
    switch (figure.kindOf(i)) {
        case LinkKind::ball: {
            if (figure.blocks || data.hasArmature) {
                const Matrix3<T> R = matrixOf(read(figure.bodies[i]).orientation);
                Passed<T> p = eliminateBall(ballBlock<T>(figure, i, R), link);
                pass<T>(figure, i, p);
                return;
            }
            const Factor3<T> D(link.J);
            const Matrix3<T> K = D.solve(link.G);
            const Vector3<T> e = -D.solve(link.n), k = knownLinear<T>(figure, i);
            if (data.parent >= 0) {
                const Symmetric3<T> M = link.M - symmetricTransposeTimes(link.G, K);
                addMassToParent(link.l, M, link.f + transposeTimes(link.G, e) + M * k,
                                figure.links[data.parent]);
            }
            link.G = K;
            link.n = e;
            link.f = k;
            return;
        }
        case LinkKind::hinge: {
            const T block = figure.blocks ? data.armature + figure.blocks[i].diagonal : data.armature;
            Passed<T> p = eliminateHinge(block, link);
            pass<T>(figure, i, p);
            return;
        }
        case LinkKind::rigid: {
            Passed<T> p{link.M, link.J, link.G, link.f, link.n};
            pass<T>(figure, i, p);
            return;
        }
        case LinkKind::free:
            return;
        case LinkKind::other: {
            Passed<T> p = eliminateOther<T>(figure, i);
            pass<T>(figure, i, p);
            return;
        }
    }
}

template <class T, class F>
SINEW_INLINE void eliminate(const F& figure)
{
    for (int i = figure.count - 1; i >= figure.first; --i) eliminateLink<T>(figure, i);
}

}  // namespace sinew::recursion
