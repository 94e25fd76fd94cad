// Inward: what a link resists by itself and what pushes on it; a joint is eliminated, and what its link
// resists is passed to the parent.
//
//     ω = R ω_B      l = R_p arm      M = m 1,  G = m c~,  J = R J_B Rᵀ
//     f₀ = m ω × (ω × c) − F          n₀ = ω × J ω − T − c × F
//
// with c from O to the centre of mass, where F and T act. To that comes what those beyond have passed. With
// a' and α' the acceleration that the parent gives the link, and B what resists in the joint itself
// (armature; of linearly implicit steps h D + h² K too), n₀ less the joint's own torque, which acts on the
// child and against the parent:
//
//     ball     D = J + B      α = D⁻¹ (B α' − n₀ − G a')
//              M' = M − Gᵀ D⁻¹ G,  G' = B D⁻¹ G,  J' = B D⁻¹ J,  f₀' = f₀ − Gᵀ D⁻¹ n₀,  n₀' = B D⁻¹ n₀
//     hinge    D = zᵀ J z + B     U = J z,  F = Gᵀ z     u̇ = (−z · n₀ − F · a' − U · α') / D
//              M' = M − F Fᵀ/D,  G' = G − U Fᵀ/D,  J' = J − U Uᵀ/D,  f₀' = f₀ − F (z·n₀)/D,  n₀' likewise
//     rigid    all of it
//     other    as a hinge, with k columns S = [linear; angular] at once, and Q − Sᵀ p₀ for −z · n₀
//     free     nothing: [M Gᵀ; G J] [a; α] = −[f₀; n₀]
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

#include "sinew/math/lanes.h"
#include "sinew/recursion/given.h"
#include "sinew/recursion/other_inertias.h"
#include "sinew/recursion/twins.h"

namespace sinew::recursion {

// How a link turns, world axes.
template <class T>
struct Turning {
    Matrix3<T> R;
    Vector3<T> w;

    static SINEW_INLINE Turning world()
    {
        return {matrixOf(Quaternion4<T>::identity()), Vector3<T>::zero()};
    }
    template <class Body>
    static SINEW_INLINE Turning of(const Body& body)
    {
        const Matrix3<T> R = matrixOf(body.orientation);
        return {R, R * body.angularVelocity};
    }
};

// The body of a link itself.
template <class T, class F>
SINEW_INLINE void addBody(const F& figure, int i, const Turning<T>& own, Resistance<T>& sum)
{
    const auto& data = figure.data[i];
    const T mass = figure.given.mass(data);
    const Wrench<T> push = figure.given.onBody(i, mass);
    const Vector3<T> c = own.R * converted<T>(data.center), mc = mass * c;
    const Symmetric3<T> I = figure.given.inertia(data);
    const Symmetric3<T> J = data.hasAxes ? turnedDiagonal(own.R, I.xx, I.yy, I.zz) : turned(own.R, I);
    sum.M.xx = sum.M.xx + mass;
    sum.M.yy = sum.M.yy + mass;
    sum.M.zz = sum.M.zz + mass;
    sum.G.r0 = {sum.G.r0.x, sum.G.r0.y - mc.z, sum.G.r0.z + mc.y};
    sum.G.r1 = {sum.G.r1.x + mc.z, sum.G.r1.y, sum.G.r1.z - mc.x};
    sum.G.r2 = {sum.G.r2.x - mc.y, sum.G.r2.y + mc.x, sum.G.r2.z};
    sum.J = sum.J + J;
    sum.f += cross(own.w, cross(own.w, mc)) - push.force;
    sum.n += cross(own.w, J * own.w) - push.torque - cross(c, push.force);
}

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

// l, and what is known of a' and α' before the parent is accelerated.
template <class T, class F>
SINEW_INLINE void setKnown(const F& figure, int i, const Turning<T>& own, const Turning<T>& parent,
                           Link<T>& link)
{
    const auto& data = figure.data[i];
    Vector3<T> arm = converted<T>(data.arm);
    if (data.extra >= 0) {
        Extra<T>& extra = figure.extras[data.extra];
        turnExtra(own.R, own.w, parent.w, extra);
        arm = extra.offset;
    }
    if (data.parent >= 0) {
        link.l = parent.R * arm;
        link.k = cross(parent.w, cross(parent.w, link.l));
        link.b = cross(parent.w, own.w);
    } else {
        link.l = arm;
        link.k = link.b = Vector3<T>::zero();
    }
    if (data.extra < 0) return;
    link.k += figure.extras[data.extra].biasLinear;
    link.b += figure.extras[data.extra].biasAngular;
}

// Of what does not turn with the link: the mass that a ball joint without B passes.
template <class T>
SINEW_INLINE Resistance<T> massSeenFrom(const Vector3<T>& l, const Symmetric3<T>& M, const Vector3<T>& f)
{
    const Matrix3<T> lM = crossTimes(l, full(M));
    return {M, symmetricTimesMinusCross(lM, l), lM, f, cross(l, f)};
}

// What moves with the link at rest, with what is known of its acceleration.
template <class T>
SINEW_INLINE void addKnown(const Link<T>& link, Resistance<T>& r)
{
    r.f += r.M * link.k + transposeTimes(r.G, link.b);
    r.n += r.G * link.k + r.J * link.b;
}
// At the parent's O.
template <class T>
SINEW_INLINE Resistance<T> seenFromParent(const Vector3<T>& l, const Resistance<T>& r)
{
    const Matrix3<T> lM = crossTimes(l, full(r.M));
    // −G' l~ and its transpose.
    const Vector3<T> x = cross(l, r.G.r0), y = cross(l, r.G.r1), z = cross(l, r.G.r2);
    const Symmetric3<T> both{x.x + x.x, y.y + y.y, z.z + z.z, x.y + y.x, x.z + z.x, y.z + z.y};
    return {r.M, r.J + both + symmetricTimesMinusCross(lM, l), r.G + lM, r.f, r.n + cross(l, r.f)};
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
template <class T>
SINEW_INLINE Matrix3<T> full(const JointBlock<T>& B)
{
    return diagonal3(B.diagonal) + product(B.weight * B.along, B.along);
}
template <class T>
SINEW_INLINE Matrix3<T> operator*(const Symmetric3<T>& B, const Matrix3<T>& m)
{
    return full(B) * m;
}
template <class T>
SINEW_INLINE Symmetric3<T> operator+(const Symmetric3<T>& m, const JointBlock<T>& B)
{
    return m + (Symmetric3<T>::diagonal(B.diagonal) + B.weight * outer(B.along, B.along));
}

// Returns what it passes, with what is known of the link's acceleration: if α is the angular one that it
// has with that alone,
//     f₀' + M' k + G'ᵀ b = f₀ + M k + Gᵀ α      n₀' + G' k + J' b = B (b − α)
template <class T, class Block>
SINEW_INLINE Resistance<T> eliminateBall(const Block& B, const Resistance<T>& r, Link<T>& link)
{
    const Factor3<T> D(r.J + B);
    link.K = D.solve(r.G);
    link.X = D.solve(full(B));
    link.e = -D.solve(r.n);
    const Vector3<T> alpha = (link.e - link.K * link.k) + link.X * link.b;
    return {r.M - symmetricTransposeTimes(r.G, link.K), symmetricTransposeTimes(link.X, full(r.J)),
            B * link.K, r.f + (r.M * link.k + transposeTimes(r.G, alpha)), B * (link.b - alpha)};
}

// One where what B adds is not more than the inertia, else zero.
template <class T>
SINEW_INLINE T isSoft(const T& block, const T& D)
{
    return select(block + block > D, T(0), T(1));
}

template <class T>
SINEW_INLINE Resistance<T> eliminateHinge(const T& B, const Vector3<T>& z, const Resistance<T>& r,
                                          Link<T>& link)
{
    const Vector3<T> U = r.J * z, F = transposeTimes(r.G, z);
    const T D = dot(z, U) + B, inverseD = T(1) / D;
    const Vector3<T> u = inverseD * U, f = inverseD * F;
    const T e = -(inverseD * dot(z, r.n));
    Resistance<T> p;
    p.M = r.M - outer(F, f);
    p.J = r.J - outer(U, u);
    p.G = {r.G.r0 - U.x * f, r.G.r1 - U.y * f, r.G.r2 - U.z * f};
    p.f = r.f + e * F;
    p.n = r.n + e * U;
    // What is known along the axis.
    const T soft = isSoft(B, D);
    const Vector3<T> offJ = soft * (B * u - p.J * z), offG = soft * (B * f - transposeTimes(p.G, z));
    p.J = p.J + bothWays(z, offJ - (T(0.5) * dot(z, offJ)) * z);
    p.G = {p.G.r0 + z.x * offG, p.G.r1 + z.y * offG, p.G.r2 + z.z * offG};
    p.n -= (soft * (B * e + dot(z, p.n))) * z;
    link.K = {f, u, z};
    link.e = {e, e, e};
    return p;
}

// L D Lᵀ without exchanges, which is stable for what is positive definite. A direction that nothing resists
// is left out.
template <class T>
SINEW_INLINE void solveFree(const Resistance<T>& r, Vector3<T>& a, Vector3<T>& alpha)
{
    T A[6][6] = {{r.M.xx}, {r.M.xy, r.M.yy}, {r.M.xz, r.M.yz, r.M.zz}};
    const Vector3<T> rows[3] = {r.G.r0, r.G.r1, r.G.r2};
    for (int k = 0; k < 3; ++k) {
        A[3 + k][0] = rows[k].x;
        A[3 + k][1] = rows[k].y;
        A[3 + k][2] = rows[k].z;
    }
    A[3][3] = r.J.xx;
    A[4][3] = r.J.xy;
    A[4][4] = r.J.yy;
    A[5][3] = r.J.xz;
    A[5][4] = r.J.yz;
    A[5][5] = r.J.zz;
    T x[6] = {-r.f.x, -r.f.y, -r.f.z, -r.n.x, -r.n.y, -r.n.z};
    T pivot[6];
    for (int k = 0; k < 6; ++k) {
        pivot[k] = reciprocal(A[k][k]);
        for (int i = k + 1; i < 6; ++i) {
            const T factor = A[i][k] * pivot[k];
            for (int c = k + 1; c <= i; ++c) A[i][c] = A[i][c] - factor * A[c][k];
            x[i] = x[i] - factor * x[k];
        }
    }
    for (int k = 5; k >= 0; --k) {
        x[k] = x[k] * pivot[k];
        for (int i = k + 1; i < 6; ++i) x[k] = x[k] - A[i][k] * pivot[k] * x[i];
    }
    a = {x[0], x[1], x[2]};
    alpha = {x[3], x[4], x[5]};
}

// `r`: what the link resists, on return what the parent resists of it. Roots pass nothing.
template <class T, class F>
SINEW_INLINE void eliminateLink(const F& figure, int i, const Turning<T>& own, const Turning<T>& parent,
                                Resistance<T>& r)
{
    const auto& data = figure.data[i];
    const auto& given = figure.given;
    Link<T>& link = figure.links[i];
    setKnown<T>(figure, i, own, parent, link);
    switch (figure.kindOf(i)) {
        case LinkKind::ball: {
            Vector3<T> torque = Vector3<T>::zero();
            BallPush<T> push;
            if (given.pushesJoints) {
                push = given.onBall(i, data);
                torque = own.R * push.torque;
            }
            if (given.isLimited(i)) {
                const BallLimit<T> limit = given.onBallLimit(i, data);
                torque += own.R * limit.torque;
                r.n -= torque;
                const Symmetric3<T> B =
                    turned(own.R, limit.block) + JointBlock<T>{T(data.armature) + push.block.diagonal,
                                                               push.block.weight, own.R * push.block.along};
                r = seenFromParent(link.l, eliminateBall(B, r, link));
                r.n += torque;
                return;
            }
            if (given.pushesJoints) r.n -= torque;
            if (given.hasBlocks() || data.hasArmature) {
                JointBlock<T> B{T(data.armature), T(0), Vector3<T>::zero()};
                if (given.hasBlocks())
                    B = {B.diagonal + push.block.diagonal, push.block.weight, own.R * push.block.along};
                r = seenFromParent(link.l, eliminateBall(B, r, link));
            } else {
                const Factor3<T> D(r.J);
                link.K = D.solve(r.G);
                link.e = -D.solve(r.n);
                const Symmetric3<T> M = r.M - symmetricTransposeTimes(r.G, link.K);
                r = massSeenFrom(link.l, M, r.f + transposeTimes(r.G, link.e) + M * link.k);
            }
            if (given.pushesJoints) r.n += torque;
            return;
        }
        case LinkKind::hinge: {
            const Vector3<T> z = own.R * converted<T>(data.axis);
            Vector3<T> torque = Vector3<T>::zero();
            T B = T(data.armature);
            if (given.pushesJoints) {
                const HingePush<T> push = given.onHinge(i, data);
                torque = push.torque * z;
                r.n -= torque;
                B = B + push.block;
            }
            r = eliminateHinge(B, z, r, link);
            addKnown(link, r);
            r = seenFromParent(link.l, r);
            if (given.pushesJoints) r.n += torque;
            return;
        }
        case LinkKind::rigid:
            addKnown(link, r);
            r = seenFromParent(link.l, r);
            return;
        case LinkKind::free: {
            T Q[6], apart[6];
            JointBlock<T> block;
            given.onOther(i, data, Q, block, apart);
            const Vector3<T> force = parent.R * readVector(Q), torque = own.R * readVector(Q + 3);
            r.f -= force;
            r.n -= torque;
            link.K = parent.R;
            solveFree(r, link.X.r0, link.X.r1);
            r = Resistance<T>::none();
            r.f = force;
            r.n = torque + cross(link.l, force);
            return;
        }
        case LinkKind::other: {
            T Q[Extra<T>::most], apart[Extra<T>::most];
            for (T& resists : apart) resists = T(data.armature);
            JointBlock<T> block;
            given.onOther(i, data, Q, block, apart);
            r = eliminateOther(apart, r, Q, block, figure.extras[data.extra]);
            addKnown(link, r);
            r = seenFromParent(link.l, r);
            return;
        }
    }
}

template <class T, class F>
SINEW_INLINE Turning<T> turningOf(const F& figure, int i)
{
    return Turning<T>::of(read(figure.bodies[i]));
}

template <class T, class F>
SINEW_INLINE void eliminate(const F& figure)
{
    if (figure.first >= figure.count) return;  // a world of meshes and particles alone
    Resistance<T> sum = Resistance<T>::none();
    Turning<T> own = turningOf<T>(figure, figure.count - 1);
    for (int i = figure.count - 1; i >= figure.first; --i) {
        const auto& data = figure.data[i];
        const int parent = data.parent;
        // In a chain the parent is the next one, and what it needs is at hand.
        if (!data.isFollowed) sum = Resistance<T>::none();
        if (data.gathers) sum += figure.gathered[i];
        const Turning<T> parents = parent < 0 ? Turning<T>::world() : turningOf<T>(figure, parent);
        addBody<T>(figure, i, own, sum);
        figure.given.touch(figure, i, sum);
        eliminateLink<T>(figure, i, own, parents, sum);
        if constexpr (areTwins<T>)
            if (data.joins) joinTwins(figure, i, sum);
        if (parent >= 0 && parent == i - 1) {
            own = parents;
            continue;
        }
        if (data.reportsFirst)
            figure.gathered[parent] = sum;
        else if (parent >= 0)
            figure.gathered[parent] += sum;
        if (i > figure.first) own = turningOf<T>(figure, i - 1);
    }
}

}  // namespace sinew::recursion
