// The part of increments.h for joints with any motion subspace of one to three freedoms, by plain loops.
// In rows of six the order is linear, angular. Columns of S that slide come first; the directions in which
// they slide, and about which the others turn, are at right angles among each other.
#pragma once

#include "sinew/recursion/general_link.h"
#include "sinew/recursion/other_inertias.h"

namespace sinew::recursion {

template <class T>
struct Blocks {
    Matrix3<T> M, P, G, J;
};

template <class T>
void readBlocks(const Matrix3<T>& M, const Matrix3<T>& P, const Matrix3<T>& G, const Matrix3<T>& J,
                T (&A)[6][6])
{
    for (int r = 0; r < 3; ++r) {
        writeVector(rowOf(M, r), A[r]);
        writeVector(rowOf(P, r), A[r] + 3);
        writeVector(rowOf(G, r), A[3 + r]);
        writeVector(rowOf(J, r), A[3 + r] + 3);
    }
}
template <class T>
void writeBlocks(const T (&A)[6][6], Matrix3<T>& M, Matrix3<T>& P, Matrix3<T>& G, Matrix3<T>& J)
{
    for (int r = 0; r < 3; ++r) {
        rowOf(M, r) = readVector(A[r]);
        rowOf(P, r) = readVector(A[r] + 3);
        rowOf(G, r) = readVector(A[3 + r]);
        rowOf(J, r) = readVector(A[3 + r] + 3);
    }
}

// S as rows.
template <class T>
void readSubspace(const GeneralLink<T>& link, Row6<T> (&S)[3])
{
    for (int k = 0; k < link.freedoms; ++k) S[k] = row(link.linear[k], link.angular[k]);
}

// Moves x, of which Sᵀ x is to be `along`, into that place: first along what slides, then about what turns,
// which may move O too.
template <class T>
void setAlong(const GeneralLink<T>& link, const Row6<T> (&S)[3], const T (&along)[3], Row6<T>& x)
{
    for (int k = 0; k < link.freedoms; ++k) {
        const T error = along[k] - dot(S[k], x);
        const int first = k < link.slides ? 0 : 3;
        for (int i = first; i < first + 3; ++i) x.at[i] = x.at[i] + S[k].at[i] * error;
    }
}

// What it keeps: U, three columns of six, in P and C; D⁻¹ W in G and J; B − Sᵀ C in B. Returns what is left
// of the matrix, if that is wanted.
template <class T>
Blocks<T> factorOther(GeneralLink<T>& link, bool isWanted)
{
    const int n = link.freedoms;
    T I[6][6];
    readBlocks(link.M, link.P, link.G, link.J, I);
    Row6<T> S[3], U[3], W[3], scaled[3];  // scaled: D⁻¹ W
    readSubspace(link, S);
    T B[3][3] = {}, C[3][3] = {}, V[3][3] = {};
    if (link.hasBlocks)
        for (int k = 0; k < n; ++k) {
            writeVector(rowOf(link.B, k), B[k]);
            writeVector(rowOf(link.C, k), C[k]);
            writeVector(rowOf(link.V, k), V[k]);
        }
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < 6; ++i) {
            U[k].at[i] = W[k].at[i] = T(0);
            for (int j = 0; j < 6; ++j) {
                U[k].at[i] = U[k].at[i] + I[i][j] * S[k].at[j];
                W[k].at[i] = W[k].at[i] + I[j][i] * S[k].at[j];
            }
        }
    // Of fewer than three freedoms the rest of D is that of the identity.
    T D[3][3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    T traceB = T(0), traceD = T(0);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) D[r][c] = dot(S[r], U[c]) + B[r][c];
        traceB = traceB + B[r][r];
        traceD = traceD + D[r][r];
    }
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < 3; ++i) {
            U[k].at[3 + i] = U[k].at[3 + i] + C[k][i];
            W[k].at[3 + i] = W[k].at[3 + i] + V[k][i];
        }
    link.factor = LuFactor3<T>(matrixFrom(D));
    const T size = traceB < T(0) ? -traceB : traceB;
    link.isSoft = size + size <= traceD;
    for (int i = 0; i < 6; ++i) {
        T column[3] = {};
        for (int k = 0; k < n; ++k) column[k] = W[k].at[i];
        writeVector(link.factor.solve(readVector(column)), column);
        for (int k = 0; k < n; ++k) scaled[k].at[i] = column[k];
    }
    // B − Sᵀ C and B − V S.
    T less[3][3] = {}, lessOfRows[3][3] = {};
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            less[r][c] = lessOfRows[r][c] = B[r][c];
            for (int i = 0; i < 3; ++i) {
                less[r][c] = less[r][c] - S[r].at[3 + i] * C[c][i];
                lessOfRows[r][c] = lessOfRows[r][c] - V[r][i] * S[c].at[3 + i];
            }
        }
    Blocks<T> left;
    if (isWanted) {
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c)
                for (int k = 0; k < n; ++k) I[r][c] = I[r][c] - U[k].at[r] * scaled[k].at[c];
        if (link.isSoft) {
            // D⁻¹ (B − V S), by columns.
            T share[3][3] = {};
            for (int c = 0; c < n; ++c) {
                T column[3] = {};
                for (int k = 0; k < n; ++k) column[k] = lessOfRows[k][c];
                writeVector(link.factor.solve(readVector(column)), column);
                for (int k = 0; k < n; ++k) share[k][c] = column[k];
            }
            for (int r = 0; r < 6; ++r) {  // I' S
                T along[3] = {};
                for (int c = 0; c < n; ++c) {
                    for (int k = 0; k < n; ++k) along[c] = along[c] + U[k].at[r] * share[k][c];
                    if (r >= 3) along[c] = along[c] - C[c][r - 3];
                }
                Row6<T> x{{I[r][0], I[r][1], I[r][2], I[r][3], I[r][4], I[r][5]}};
                setAlong(link, S, along, x);
                for (int c = 0; c < 6; ++c) I[r][c] = x.at[c];
            }
            for (int c = 0; c < 6; ++c) {  // Sᵀ I'
                T along[3] = {};
                for (int r = 0; r < n; ++r) {
                    for (int k = 0; k < n; ++k) along[r] = along[r] + less[r][k] * scaled[k].at[c];
                    if (c >= 3) along[r] = along[r] - V[r][c - 3];
                }
                Row6<T> x{{I[0][c], I[1][c], I[2][c], I[3][c], I[4][c], I[5][c]}};
                setAlong(link, S, along, x);
                for (int r = 0; r < 6; ++r) I[r][c] = x.at[r];
            }
        }
        writeBlocks(I, left.M, left.P, left.G, left.J);
    }
    for (int k = 0; k < n; ++k) {
        rowOf(link.P, k) = readVector(U[k].at);
        rowOf(link.C, k) = readVector(U[k].at + 3);
        rowOf(link.G, k) = readVector(scaled[k].at);
        rowOf(link.J, k) = readVector(scaled[k].at + 3);
        rowOf(link.B, k) = readVector(less[k]);
    }
    return left;
}

template <class T>
void reduceOther(GeneralLink<T>& link, const T* Q, Vector3<T>& f, Vector3<T>& n)
{
    T right[3] = {}, y[3];
    for (int k = 0; k < link.freedoms; ++k)
        right[k] = Q[k] - dot(link.linear[k], f) - dot(link.angular[k], n);
    link.y = link.factor.solve(readVector(right));
    writeVector(link.y, y);
    for (int k = 0; k < link.freedoms; ++k) {
        f += y[k] * rowOf(link.P, k);
        n += y[k] * rowOf(link.C, k);
    }
    if (!link.isSoft) return;
    Row6<T> S[3], x = row(f, n);
    readSubspace(link, S);
    T along[3] = {};
    for (int k = 0; k < link.freedoms; ++k) along[k] = Q[k] - dot(rowOf(link.B, k), link.y);
    setAlong(link, S, along, x);
    f = readVector(x.at);
    n = readVector(x.at + 3);
}

template <class T>
void moveOther(const GeneralLink<T>& link, T* delta, Vector3<T>& a, Vector3<T>& alpha)
{
    const Vector3<T> given = a, turned = alpha;
    T y[3];
    writeVector(link.y, y);
    for (int k = 0; k < link.freedoms; ++k) {
        delta[k] = y[k] - dot(rowOf(link.G, k), given) - dot(rowOf(link.J, k), turned);
        a += delta[k] * link.linear[k];
        alpha += delta[k] * link.angular[k];
    }
}

}  // namespace sinew::recursion
