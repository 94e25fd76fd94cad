// Inward and outward: the answer δ of a tree-shaped matrix to forces Q along the freedoms, for matrices
// that need not be symmetric (general_link.h).
//
// Joints are eliminated inward. With a' and α' the motion that the parent gives the link,
//
//     ball     D = J + B,  K = D⁻¹ G,  X = D⁻¹ (B − V)          δ = y − K a' − (1 − X) α'
//              M' = M − P K     P' = P X     G' = (B − C) K     J' = (J + C) X − C
//              y = D⁻¹ (Q − n)  f' = f + P y                    n' = Q − (B − C) y
//     others   U = [M P; G J] S + [0; C],  W = Sᵀ [M P; G J] + [0 V],  D = Sᵀ U + B − Sᵀ C
//              I' = I − U D⁻¹ W     y = D⁻¹ (Q − Sᵀ p)     p' = p + U y      δ = y − D⁻¹ W (a', α')
//     free     [M P; G J] (a, α) = S Q − p; only S Q reaches the parent
//
// A ball joint without B, C and V passes a mass. Written as products, its J' and P' and G' have no small
// difference in them: what a heavy limb resists would drown a light parent in rounding. The others have,
// along their own freedoms, but there the results are known without,
//     I' S = U D⁻¹ (B − V S) − C      Sᵀ I' = (B − Sᵀ C) D⁻¹ W − V      Sᵀ p' = Q − (B − Sᵀ C) y
// and are put in their places; of a ball joint and of more than one freedom unless B is more than the
// inertia, when these are the differences.
//
// It must not be made symmetric on the way: what rounding adds goes through the same congruence as I itself
// and dies out, as long as W is really of the row.
//
// Cost: about 600 operations a link for the factor, 100 for a right-hand side.
#pragma once

#include "sinew/recursion/general_others.h"

namespace sinew::recursion {

// Seen from the parent.
template <class T>
SINEW_INLINE void addToParent(const Vector3<T>& l, const Matrix3<T>& M, const Matrix3<T>& P,
                              const Matrix3<T>& G, const Matrix3<T>& J, GeneralLink<T>& parent)
{
    const Matrix3<T> across = P - timesCross(M, l);
    const Matrix3<T> lG = G + crossTimes(l, M);
    parent.M += M;
    parent.P += across;
    parent.G += lG;
    parent.J += J + crossTimes(l, across) - timesCross(G, l);
}
template <class T>
SINEW_INLINE void addMassToParent(const Vector3<T>& l, const Matrix3<T>& M, GeneralLink<T>& parent)
{
    const Matrix3<T> across = timesCross(M, l);
    parent.M += M;
    parent.P -= across;
    parent.G += crossTimes(l, M);
    parent.J -= crossTimes(l, across);
}

template <class T>
SINEW_INLINE void factorBall(GeneralLink<T>& link, GeneralLink<T>* parent)
{
    if (!link.hasBlocks) {
        link.factor = LuFactor3<T>(link.J);
        link.G = link.factor.solve(link.G);
        link.isSoft = true;
        if (parent) addMassToParent(link.l, link.M - link.P * link.G, *parent);
        return;
    }
    const Matrix3<T> D = link.J + link.B;
    link.factor = LuFactor3<T>(D);
    const Matrix3<T> K = link.factor.solve(link.G);
    const T traceB = trace(link.B), size = traceB < T(0) ? -traceB : traceB;
    link.isSoft = size + size <= trace(D);
    // X, and what is left of the parent's turn, each by the solve in which it is small.
    Matrix3<T> X, kept;
    if (link.isSoft) {
        X = link.factor.solve(link.B - link.V);
        kept = diagonal3(T(1)) - X;
    } else {
        kept = link.factor.solve(link.J + link.V);
        X = diagonal3(T(1)) - kept;
    }
    const Matrix3<T> own = link.J + link.C, less = link.B - link.C;
    if (parent) addToParent(link.l, link.M - link.P * K, link.P * X, less * K, own * X - link.C, *parent);
    link.G = K;
    link.J = kept;
    link.C = link.isSoft ? less : own;
}

template <class T>
SINEW_INLINE void factorHinge(GeneralLink<T>& link, GeneralLink<T>* parent)
{
    const Vector3<T> z = link.angular[0], Jz = link.J * z, zJ = transposeTimes(link.J, z);
    const Vector3<T> F = link.P * z, zG = transposeTimes(link.G, z), zero = Vector3<T>::zero();
    const T B = link.hasBlocks ? link.B.r0.x : T(0), inertia = dot(z, Jz), D = inertia + B;
    const Vector3<T> C = link.hasBlocks ? link.C.r0 : zero, V = link.hasBlocks ? link.V.r0 : zero;
    const Vector3<T> U = Jz + C, W = zJ + V;
    const T over = T(1) / D, Cz = dot(z, C), Vz = dot(z, V);
    const Vector3<T> g = over * zG, w = over * W;
    if (parent) {
        Matrix3<T> P = link.P - product(F, w), G = link.G - product(U, g), J = link.J - product(U, w);
        P += product((over * (B - Vz)) * F - P * z, z);
        G += product(z, (B - Cz) * g - transposeTimes(G, z));
        J += product((over * (B - Vz)) * Jz - (over * (inertia + Vz)) * C - J * z, z);
        J += product(z, (over * (B - Cz)) * zJ - (over * (inertia + Cz)) * V - transposeTimes(J, z));
        addToParent(link.l, link.M - product(F, g), P, G, J, *parent);
    }
    const T size = B < T(0) ? -B : B;
    link.isSoft = size + size <= D;
    // Kept: columns, then rows.
    link.P.r0 = F;
    link.P.r1 = U;
    link.G.r0 = g;
    link.G.r1 = w;
    link.M.r0 = {over, B - Cz, T(0)};
}

// L U with exchanges, in place.
template <class T>
void factorFree(GeneralLink<T>& link)
{
    T A[6][6];
    readBlocks(link.M, link.P, link.G, link.J, A);
    for (int k = 0; k < 6; ++k) {
        int best = k;
        const auto size = [&](int r) { return A[r][k] < T(0) ? -A[r][k] : A[r][k]; };
        for (int r = k + 1; r < 6; ++r)
            if (size(r) > size(best)) best = r;
        link.exchanged[k] = static_cast<std::int8_t>(best);
        if (best != k)
            for (int c = 0; c < 6; ++c) {
                const T was = A[k][c];
                A[k][c] = A[best][c];
                A[best][c] = was;
            }
        A[k][k] = reciprocal(A[k][k]);  // a direction that nothing resists is left out
        for (int r = k + 1; r < 6; ++r) {
            A[r][k] = A[r][k] * A[k][k];
            for (int c = k + 1; c < 6; ++c) A[r][c] = A[r][c] - A[r][k] * A[k][c];
        }
    }
    writeBlocks(A, link.M, link.P, link.G, link.J);
}
template <class T>
void solveFree(const GeneralLink<T>& link, const Vector3<T>& f, const Vector3<T>& n, Vector3<T>& a,
               Vector3<T>& alpha)
{
    T A[6][6], x[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
    readBlocks(link.M, link.P, link.G, link.J, A);
    for (int k = 0; k < 6; ++k) {
        const int other = link.exchanged[k];
        const T was = x[k];
        x[k] = x[other];
        x[other] = was;
    }
    for (int r = 1; r < 6; ++r)
        for (int c = 0; c < r; ++c) x[r] = x[r] - A[r][c] * x[c];
    for (int r = 5; r >= 0; --r) {
        for (int c = r + 1; c < 6; ++c) x[r] = x[r] - A[r][c] * x[c];
        x[r] = x[r] * A[r][r];
    }
    a = {x[0], x[1], x[2]};
    alpha = {x[3], x[4], x[5]};
}

template <class T>
SINEW_INLINE void factorLink(GeneralLink<T>& link, GeneralLink<T>* parent)
{
    switch (link.kind) {
        case LinkKind::ball:
            factorBall(link, parent);
            return;
        case LinkKind::hinge:
            factorHinge(link, parent);
            return;
        case LinkKind::rigid:
            if (parent) addToParent(link.l, link.M, link.P, link.G, link.J, *parent);
            return;
        case LinkKind::free:
            factorFree(link);
            return;
        case LinkKind::other: {
            const Blocks<T> left = factorOther(link, parent != nullptr);
            if (parent) addToParent(link.l, left.M, left.P, left.G, left.J, *parent);
            return;
        }
    }
}

// Inward: f and n are what the joints beyond have left.
template <class T>
SINEW_INLINE void reduceLink(GeneralLink<T>& link, GeneralLink<T>* parent, const T* forces)
{
    const T* Q = forces + link.u;
    Vector3<T> f = link.f, n = link.n;
    switch (link.kind) {
        case LinkKind::ball: {
            const Vector3<T> own = link.R * readVector(Q);
            link.y = link.factor.solve(own - n);
            if (!parent) return;
            f += link.P * link.y;
            if (!link.hasBlocks)
                n = own;
            else if (link.isSoft)
                n = own - link.C * link.y;
            else
                n += link.C * link.y;
            break;
        }
        case LinkKind::hinge: {
            const Vector3<T>& z = link.angular[0];
            const T y = (Q[0] - dot(z, n)) * link.M.r0.x;
            link.y.x = y;
            if (!parent) return;
            f += y * link.P.r0;
            n += y * link.P.r1;
            if (link.isSoft) n += (Q[0] - link.M.r0.y * y - dot(z, n)) * z;
            break;
        }
        case LinkKind::rigid:
            if (!parent) return;
            break;
        case LinkKind::free:
            f = readVector(Q);
            if (parent) f = parent->R * f;
            n = link.R * readVector(Q + 3);
            link.y = f;
            link.yTurning = n;
            if (!parent) return;
            break;
        case LinkKind::other:
            reduceOther(link, Q, f, n);
            if (!parent) return;
            break;
    }
    parent->f += f;
    parent->n += n + cross(link.l, f);
}

// Outward.
template <class T>
SINEW_INLINE void moveLink(GeneralLink<T>& link, const GeneralLink<T>* parent, T* result)
{
    Vector3<T> a = Vector3<T>::zero(), alpha = a;
    if (parent) {
        a = parent->a + cross(parent->alpha, link.l);
        alpha = parent->alpha;
    }
    T* delta = result + link.u;
    switch (link.kind) {
        case LinkKind::ball: {
            Vector3<T> own = link.y - link.G * a - (link.hasBlocks ? link.J * alpha : alpha);
            writeVector(transposeTimes(link.R, own), delta);
            alpha += own;
            break;
        }
        case LinkKind::hinge:
            delta[0] = link.y.x - dot(link.G.r0, a) - dot(link.G.r1, alpha);
            alpha += delta[0] * link.angular[0];
            break;
        case LinkKind::rigid:
            break;
        case LinkKind::free: {
            const Vector3<T> given = a, turned = alpha;
            solveFree(link, link.y - link.f, link.yTurning - link.n, a, alpha);
            const Vector3<T> moved = a - given;
            writeVector(parent ? transposeTimes(parent->R, moved) : moved, delta);
            writeVector(transposeTimes(link.R, alpha - turned), delta + 3);
            break;
        }
        case LinkKind::other:
            moveOther(link, delta, a, alpha);
            break;
    }
    link.a = a;
    link.alpha = alpha;
}

// δ of the links [first, end), whose roots are among them, where f and n hold what is already there, as
// forces on the links with the other sign. `factors`: the matrices are still to be factorised.
template <bool factors, class T>
void solveLoadedIncrements(GeneralLink<T>* links, int first, int end, const T* Q, T* result)
{
    for (int i = end - 1; i >= first; --i) {
        GeneralLink<T>* parent = links[i].parent < 0 ? nullptr : &links[links[i].parent];
        if constexpr (factors) factorLink(links[i], parent);
        reduceLink(links[i], parent, Q);
    }
    for (int i = first; i < end; ++i)
        moveLink(links[i], links[i].parent < 0 ? nullptr : &links[links[i].parent], result);
}
// The same where there are none.
template <bool factors, class T>
void solveIncrements(GeneralLink<T>* links, int first, int end, const T* Q, T* result)
{
    for (int i = first; i < end; ++i) links[i].f = links[i].n = Vector3<T>::zero();
    solveLoadedIncrements<factors>(links, first, end, Q, result);
}

}  // namespace sinew::recursion
