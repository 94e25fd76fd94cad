// The part of inertias.h for joints with any motion subspace of one to three freedoms, by plain loops.
//
//     U = I S,  D = Sᵀ U + B,  y = Q − Sᵀ p₀
//     I' = I − U D⁻¹ Uᵀ,   p₀' = p₀ + U D⁻¹ y,   u̇ = D⁻¹ (y − Uᵀ a')
// and, as it is known without a difference,
//     Sᵀ I' = B D⁻¹ Uᵀ,   Sᵀ p₀' = Q − B D⁻¹ y
// In rows of six the order is linear, angular. Columns of S that slide come first; the directions in which
// they slide, and about which the others turn, are at right angles among each other.
#pragma once

#include "sinew/recursion/given.h"

namespace sinew::recursion {

template <class T>
struct Row6 {
    T at[6];
};

template <class T>
SINEW_INLINE Row6<T> row(const Vector3<T>& linear, const Vector3<T>& angular)
{
    return {{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
}
template <class T>
SINEW_INLINE T dot(const Row6<T>& a, const Row6<T>& b)
{
    T sum = a.at[0] * b.at[0];
    for (int i = 1; i < 6; ++i) sum = sum + a.at[i] * b.at[i];
    return sum;
}

// L D Lᵀ of n × n, positive definite, n ≤ 3.
template <class T>
struct FactorN {
    int n;
    T L[3][3], inverse[3];

    FactorN(int size, const T (&A)[3][3]) : n(size)
    {
        T D[3];
        for (int k = 0; k < n; ++k) {
            for (int r = k; r < n; ++r) {
                L[r][k] = A[r][k];
                for (int j = 0; j < k; ++j) L[r][k] = L[r][k] - L[r][j] * D[j] * L[k][j];
            }
            D[k] = L[k][k];
            inverse[k] = T(1) / D[k];
            for (int r = k + 1; r < n; ++r) L[r][k] = L[r][k] * inverse[k];
        }
    }
    void solve(T (&x)[3]) const
    {
        for (int r = 1; r < n; ++r)
            for (int k = 0; k < r; ++k) x[r] = x[r] - L[r][k] * x[k];
        for (int k = n - 1; k >= 0; --k) {
            x[k] = x[k] * inverse[k];
            for (int r = k + 1; r < n; ++r) x[k] = x[k] - L[r][k] * x[r];
        }
    }
};

// Moves x, of which Sᵀ x is to be `along`, into that place: first along what slides, then about what turns,
// which may move O too. `soft`: one, or zero for no change.
template <class T>
void setAlong(const Extra<T>& joint, const Row6<T> (&S)[3], const T (&along)[3], const T& soft, Row6<T>& x)
{
    for (int k = 0; k < joint.freedoms; ++k) {
        const T error = soft * (along[k] - dot(S[k], x));
        const int first = k < joint.slides ? 0 : 3;
        for (int i = first; i < first + 3; ++i) x.at[i] = x.at[i] + S[k].at[i] * error;
    }
}

// `own`: what resists in each freedom, beside `block`.
template <class T>
Resistance<T> eliminateOther(const T* own, const Resistance<T>& link, const T* Q,
                             const JointBlock<T>& block, Extra<T>& joint)
{
    const int n = joint.freedoms;
    Row6<T> S[3], U[3], scaled[3];  // scaled: D⁻¹ Uᵀ
    T B[3][3], D[3][3];
    const Row6<T> p = row(link.f, link.n);
    for (int k = 0; k < n; ++k) {
        S[k] = row(joint.linear[k], joint.angular[k]);
        U[k] = row(link.M * joint.linear[k] + transposeTimes(link.G, joint.angular[k]),
                   link.G * joint.linear[k] + link.J * joint.angular[k]);
        for (int c = 0; c < n; ++c) B[k][c] = c == k ? own[k] : T(0);
    }
    const T shape[3] = {block.along.x, block.along.y, block.along.z};
    for (int r = 0; r < n; ++r) {
        B[r][r] = B[r][r] + block.diagonal;
        for (int c = 0; c < n; ++c) B[r][c] = B[r][c] + block.weight * shape[r] * shape[c];
    }
    T traceB = T(0), traceD = T(0);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) D[r][c] = dot(S[r], U[c]) + B[r][c];
        traceB = traceB + B[r][r];
        traceD = traceD + D[r][r];
    }
    const FactorN<T> factor(n, D);
    const T soft = select(traceB + traceB > traceD, T(0), T(1));

    T z[3];  // D⁻¹ y
    for (int r = 0; r < n; ++r) z[r] = Q[r] - dot(S[r], p);
    factor.solve(z);
    for (int c = 0; c < 6; ++c) {
        T column[3];
        for (int r = 0; r < n; ++r) column[r] = U[r].at[c];
        factor.solve(column);
        for (int r = 0; r < n; ++r) scaled[r].at[c] = column[r];
    }
    for (int r = 0; r < n; ++r) {
        joint.constant[r] = z[r];
        joint.gainLinear[r] = {scaled[r].at[0], scaled[r].at[1], scaled[r].at[2]};
        joint.gainAngular[r] = {scaled[r].at[3], scaled[r].at[4], scaled[r].at[5]};
    }

    // I', first its columns put right, then its rows.
    Row6<T> I[6] = {row(full(link.M).r0, {link.G.r0.x, link.G.r1.x, link.G.r2.x}),
                    row(full(link.M).r1, {link.G.r0.y, link.G.r1.y, link.G.r2.y}),
                    row(full(link.M).r2, {link.G.r0.z, link.G.r1.z, link.G.r2.z}),
                    row(link.G.r0, full(link.J).r0),
                    row(link.G.r1, full(link.J).r1),
                    row(link.G.r2, full(link.J).r2)};
    T along[6][3];  // B D⁻¹ Uᵀ
    for (int c = 0; c < 6; ++c)
        for (int r = 0; r < n; ++r) {
            along[c][r] = T(0);
            for (int k = 0; k < n; ++k) along[c][r] = along[c][r] + B[r][k] * scaled[k].at[c];
        }
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            for (int k = 0; k < n; ++k) I[r].at[c] = I[r].at[c] - U[k].at[r] * scaled[k].at[c];
    for (int c = 0; c < 6; ++c) {
        Row6<T> column{{I[0].at[c], I[1].at[c], I[2].at[c], I[3].at[c], I[4].at[c], I[5].at[c]}};
        setAlong(joint, S, along[c], soft, column);
        for (int r = 0; r < 6; ++r) I[r].at[c] = column.at[r];
    }
    for (int r = 0; r < 6; ++r) setAlong(joint, S, along[r], soft, I[r]);

    Row6<T> left = p;
    T alongForce[3];
    for (int r = 0; r < n; ++r) {
        alongForce[r] = Q[r];
        for (int k = 0; k < n; ++k) alongForce[r] = alongForce[r] - B[r][k] * z[k];
        for (int j = 0; j < 6; ++j) left.at[j] = left.at[j] + U[r].at[j] * z[r];
    }
    setAlong(joint, S, alongForce, soft, left);

    const auto mean = [&](int r, int c) { return T(0.5) * (I[r].at[c] + I[c].at[r]); };
    return {{I[0].at[0], I[1].at[1], I[2].at[2], mean(0, 1), mean(0, 2), mean(1, 2)},
            {I[3].at[3], I[4].at[4], I[5].at[5], mean(3, 4), mean(3, 5), mean(4, 5)},
            {{mean(3, 0), mean(3, 1), mean(3, 2)},
             {mean(4, 0), mean(4, 1), mean(4, 2)},
             {mean(5, 0), mean(5, 1), mean(5, 2)}},
            {left.at[0], left.at[1], left.at[2]},
            {left.at[3], left.at[4], left.at[5]}};
}

}  // namespace sinew::recursion
