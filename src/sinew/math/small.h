// Vectors of three, matrices of three by three and unit quaternions over any number type: double, float, a
// vector of lanes (math/lanes.h). Plain structs and functions, without loops and calls, for the passes of
// recursion/. Everything else computes with the matrices of math/types.h.
//
// A number type T has + − · / and comparisons among its own, T(double), and `select` and `squareRoot`
// below.
#pragma once

#include <cmath>

#include "sinew/math/types.h"

#if defined(__CUDACC__)
#define SINEW_INLINE __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define SINEW_INLINE inline __attribute__((always_inline))
#else
#define SINEW_INLINE inline
#endif

namespace sinew {

// ---- numbers ------------------------------------------------------------------------------------

SINEW_INLINE double select(bool which, double yes, double no)
{
    return which ? yes : no;
}
SINEW_INLINE float select(bool which, float yes, float no)
{
    return which ? yes : no;
}
SINEW_INLINE double squareRoot(double x)
{
    return std::sqrt(x);
}
SINEW_INLINE float squareRoot(float x)
{
    return std::sqrt(x);
}
// 1/x, of zero: zero.
template <class T>
SINEW_INLINE T reciprocal(T x)
{
    return select(x == T(0), T(0), T(1) / x);
}

// Of a vector of lanes, what is in each of them.
template <class T>
struct NumberOfType {
    using Number = T;
};
template <class T>
using NumberOf = typename NumberOfType<T>::Number;

// ---- vectors ------------------------------------------------------------------------------------

template <class T>
struct Vector3 {
    T x, y, z;

    static SINEW_INLINE Vector3 zero() { return {T(0), T(0), T(0)}; }
};

template <class T>
SINEW_INLINE Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
SINEW_INLINE Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
SINEW_INLINE Vector3<T> operator-(const Vector3<T>& a)
{
    return {-a.x, -a.y, -a.z};
}
template <class T>
SINEW_INLINE Vector3<T> operator*(const T& s, const Vector3<T>& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
SINEW_INLINE void operator+=(Vector3<T>& a, const Vector3<T>& b)
{
    a = a + b;
}
template <class T>
SINEW_INLINE void operator-=(Vector3<T>& a, const Vector3<T>& b)
{
    a = a - b;
}
template <class T>
SINEW_INLINE T dot(const Vector3<T>& a, const Vector3<T>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SINEW_INLINE Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- matrices -----------------------------------------------------------------------------------

// Symmetric, six numbers.
template <class T>
struct Symmetric3 {
    T xx, yy, zz, xy, xz, yz;

    static SINEW_INLINE Symmetric3 diagonal(const T& d) { return {d, d, d, T(0), T(0), T(0)}; }
};

template <class T>
SINEW_INLINE Symmetric3<T> operator+(const Symmetric3<T>& a, const Symmetric3<T>& b)
{
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class T>
SINEW_INLINE Symmetric3<T> operator-(const Symmetric3<T>& a, const Symmetric3<T>& b)
{
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class T>
SINEW_INLINE Symmetric3<T> operator*(const T& s, const Symmetric3<T>& a)
{
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}
template <class T>
SINEW_INLINE Vector3<T> operator*(const Symmetric3<T>& m, const Vector3<T>& v)
{
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class T>
SINEW_INLINE T trace(const Symmetric3<T>& m)
{
    return m.xx + m.yy + m.zz;
}
// a bᵀ + b aᵀ.
template <class T>
SINEW_INLINE Symmetric3<T> bothWays(const Vector3<T>& a, const Vector3<T>& b)
{
    const T x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
    return {x + x, y + y, z + z, a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}
// a bᵀ where that is symmetric.
template <class T>
SINEW_INLINE Symmetric3<T> outer(const Vector3<T>& a, const Vector3<T>& b)
{
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z};
}

// Any, three rows.
template <class T>
struct Matrix3 {
    Vector3<T> r0, r1, r2;
};

template <class T>
SINEW_INLINE Vector3<T>& rowOf(Matrix3<T>& m, int k)
{
    return k == 0 ? m.r0 : k == 1 ? m.r1 : m.r2;
}
template <class T>
SINEW_INLINE const Vector3<T>& rowOf(const Matrix3<T>& m, int k)
{
    return k == 0 ? m.r0 : k == 1 ? m.r1 : m.r2;
}
template <class T>
SINEW_INLINE Vector3<T> columnOf(const Matrix3<T>& m, int k)
{
    if (k == 0) return {m.r0.x, m.r1.x, m.r2.x};
    if (k == 1) return {m.r0.y, m.r1.y, m.r2.y};
    return {m.r0.z, m.r1.z, m.r2.z};
}
template <class T>
SINEW_INLINE Matrix3<T> operator+(const Matrix3<T>& a, const Matrix3<T>& b)
{
    return {a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2};
}
template <class T>
SINEW_INLINE Matrix3<T> operator-(const Matrix3<T>& a, const Matrix3<T>& b)
{
    return {a.r0 - b.r0, a.r1 - b.r1, a.r2 - b.r2};
}
template <class T>
SINEW_INLINE Vector3<T> operator*(const Matrix3<T>& m, const Vector3<T>& v)
{
    return {dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)};
}
// mᵀ v.
template <class T>
SINEW_INLINE Vector3<T> transposeTimes(const Matrix3<T>& m, const Vector3<T>& v)
{
    return {m.r0.x * v.x + m.r1.x * v.y + m.r2.x * v.z, m.r0.y * v.x + m.r1.y * v.y + m.r2.y * v.z,
            m.r0.z * v.x + m.r1.z * v.y + m.r2.z * v.z};
}
template <class T>
SINEW_INLINE Matrix3<T> operator*(const Matrix3<T>& a, const Matrix3<T>& b)
{
    return {transposeTimes(b, a.r0), transposeTimes(b, a.r1), transposeTimes(b, a.r2)};
}
template <class T>
SINEW_INLINE Matrix3<T> full(const Symmetric3<T>& s)
{
    return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
template <class T>
SINEW_INLINE Matrix3<T> transpose(const Matrix3<T>& m)
{
    return {{m.r0.x, m.r1.x, m.r2.x}, {m.r0.y, m.r1.y, m.r2.y}, {m.r0.z, m.r1.z, m.r2.z}};
}
// aᵀ b where that is symmetric: its upper half.
template <class T>
SINEW_INLINE Symmetric3<T> symmetricTransposeTimes(const Matrix3<T>& a, const Matrix3<T>& b)
{
    return {a.r0.x * b.r0.x + a.r1.x * b.r1.x + a.r2.x * b.r2.x,
            a.r0.y * b.r0.y + a.r1.y * b.r1.y + a.r2.y * b.r2.y,
            a.r0.z * b.r0.z + a.r1.z * b.r1.z + a.r2.z * b.r2.z,
            a.r0.x * b.r0.y + a.r1.x * b.r1.y + a.r2.x * b.r2.y,
            a.r0.x * b.r0.z + a.r1.x * b.r1.z + a.r2.x * b.r2.z,
            a.r0.y * b.r0.z + a.r1.y * b.r1.z + a.r2.y * b.r2.z};
}
// v~, with v~ x = v × x.
template <class T>
SINEW_INLINE Matrix3<T> crossMatrix(const Vector3<T>& v)
{
    const T zero = T(0);
    return {{zero, -v.z, v.y}, {v.z, zero, -v.x}, {-v.y, v.x, zero}};
}
// v~ m.
template <class T>
SINEW_INLINE Matrix3<T> crossTimes(const Vector3<T>& v, const Matrix3<T>& m)
{
    return {v.y * m.r2 - v.z * m.r1, v.z * m.r0 - v.x * m.r2, v.x * m.r1 - v.y * m.r0};
}
// −m v~ where that is symmetric: its upper half.
template <class T>
SINEW_INLINE Symmetric3<T> symmetricTimesMinusCross(const Matrix3<T>& m, const Vector3<T>& v)
{
    return {v.y * m.r0.z - v.z * m.r0.y, v.z * m.r1.x - v.x * m.r1.z, v.x * m.r2.y - v.y * m.r2.x,
            v.z * m.r0.x - v.x * m.r0.z, v.x * m.r0.y - v.y * m.r0.x, v.x * m.r1.y - v.y * m.r1.x};
}
// m v~.
template <class T>
SINEW_INLINE Matrix3<T> timesCross(const Matrix3<T>& m, const Vector3<T>& v)
{
    return {cross(m.r0, v), cross(m.r1, v), cross(m.r2, v)};
}
// a bᵀ.
template <class T>
SINEW_INLINE Matrix3<T> product(const Vector3<T>& a, const Vector3<T>& b)
{
    return {a.x * b, a.y * b, a.z * b};
}
template <class T>
SINEW_INLINE Matrix3<T> operator*(const T& s, const Matrix3<T>& m)
{
    return {s * m.r0, s * m.r1, s * m.r2};
}
template <class T>
SINEW_INLINE void operator+=(Matrix3<T>& a, const Matrix3<T>& b)
{
    a = a + b;
}
template <class T>
SINEW_INLINE void operator-=(Matrix3<T>& a, const Matrix3<T>& b)
{
    a = a - b;
}
template <class T>
SINEW_INLINE Matrix3<T> diagonal3(const T& d)
{
    const T zero = T(0);
    return {{d, zero, zero}, {zero, d, zero}, {zero, zero, d}};
}
// a bᵀ of matrices.
template <class T>
SINEW_INLINE Matrix3<T> timesTranspose(const Matrix3<T>& a, const Matrix3<T>& b)
{
    return {b * a.r0, b * a.r1, b * a.r2};
}
template <class T>
SINEW_INLINE T trace(const Matrix3<T>& m)
{
    return m.r0.x + m.r1.y + m.r2.z;
}
// R s Rᵀ.
template <class T>
SINEW_INLINE Symmetric3<T> turned(const Matrix3<T>& R, const Symmetric3<T>& s)
{
    const Vector3<T> r0 = s * R.r0, r1 = s * R.r1, r2 = s * R.r2;
    return {dot(r0, R.r0), dot(r1, R.r1), dot(r2, R.r2), dot(r0, R.r1), dot(r0, R.r2), dot(r1, R.r2)};
}

// The same of a diagonal one: with r the columns of R, whose r rᵀ add up to 1,
//     R diag(s) Rᵀ = s_x 1 + (s_y − s_x) r₁ r₁ᵀ + (s_z − s_x) r₂ r₂ᵀ
template <class T>
SINEW_INLINE Symmetric3<T> turnedDiagonal(const Matrix3<T>& R, const T& xx, const T& yy, const T& zz)
{
    const Vector3<T> r1 = columnOf(R, 1), r2 = columnOf(R, 2);
    return Symmetric3<T>::diagonal(xx) + (outer((yy - xx) * r1, r1) + outer((zz - xx) * r2, r2));
}

// L D Lᵀ of a positive definite matrix. To solve with it is as good as if the matrix differed by rounding.
// With an inverse it would not be: what a heavy limb puts into a matrix and into its right side would not
// cancel.
template <class T>
struct Factor3 {
    T i0, i1, i2;  // of D, one over it
    T l10, l20, l21;

    SINEW_INLINE explicit Factor3(const Symmetric3<T>& m)
    {
        i0 = T(1) / m.xx;
        l10 = m.xy * i0;
        l20 = m.xz * i0;
        const T y = m.yy - l10 * m.xy, yz = m.yz - l20 * m.xy, z = m.zz - l20 * m.xz;
        // i2 is one over z − yz²/y; as a quotient by itself it need not wait for i1.
        i1 = T(1) / y;
        l21 = yz * i1;
        i2 = y / (z * y - yz * yz);
    }
    // Kept where a symmetric matrix was.
    static SINEW_INLINE Factor3 kept(const Symmetric3<T>& in)
    {
        return {in.xx, in.yy, in.zz, in.xy, in.xz, in.yz};
    }
    SINEW_INLINE Symmetric3<T> keep() const { return {i0, i1, i2, l10, l20, l21}; }

    SINEW_INLINE Vector3<T> solve(const Vector3<T>& b) const
    {
        const T y1 = b.y - l10 * b.x, y2 = b.z - l20 * b.x - l21 * y1;
        const T z = y2 * i2, y = y1 * i1 - l21 * z;
        return {b.x * i0 - l10 * y - l20 * z, y, z};
    }
    SINEW_INLINE Matrix3<T> solve(const Matrix3<T>& b) const
    {
        const Vector3<T> y1 = b.r1 - l10 * b.r0, y2 = b.r2 - l20 * b.r0 - l21 * y1;
        const Vector3<T> z = i2 * y2, y = i1 * y1 - l21 * z;
        return {i0 * b.r0 - l10 * y - l20 * z, y, z};
    }

private:
    SINEW_INLINE Factor3(T a, T b, T c, T d, T e, T f) : i0(a), i1(b), i2(c), l10(d), l20(e), l21(f) {}
};

// L U of any matrix, rows exchanged so that the largest pivot comes first. To solve with it is as good as
// if the matrix differed by rounding. Of single numbers, not of lanes.
template <class T>
struct LuFactor3 {
    Vector3<T> u0;    // first row of U; its x: one over it
    T u11, u12, u22;  // u11 and u22: one over them
    T l10, l20, l21;
    int first, second, third;  // where the rows were

    LuFactor3() = default;
    SINEW_INLINE explicit LuFactor3(const Matrix3<T>& m)
    {
        const auto size = [](T x) { return x < T(0) ? -x : x; };
        Vector3<T> r1 = m.r1, r2 = m.r2;
        u0 = m.r0;
        first = 0, second = 1, third = 2;
        if (size(r1.x) > size(u0.x)) {
            swap(u0, r1);
            swap(first, second);
        }
        if (size(r2.x) > size(u0.x)) {
            swap(u0, r2);
            swap(first, third);
        }
        u0.x = T(1) / u0.x;
        l10 = r1.x * u0.x;
        l20 = r2.x * u0.x;
        u11 = r1.y - l10 * u0.y;
        u12 = r1.z - l10 * u0.z;
        T below = r2.y - l20 * u0.y;
        u22 = r2.z - l20 * u0.z;
        if (size(below) > size(u11)) {
            swap(u11, below);
            swap(u12, u22);
            swap(l10, l20);
            swap(second, third);
        }
        u11 = T(1) / u11;
        l21 = below * u11;
        u22 = T(1) / (u22 - l21 * u12);
    }

    SINEW_INLINE Vector3<T> solve(const Vector3<T>& b) const
    {
        const T at[3] = {b.x, b.y, b.z};
        const T y0 = at[first], y1 = at[second] - l10 * y0, y2 = at[third] - l20 * y0 - l21 * y1;
        const T z = y2 * u22, y = (y1 - u12 * z) * u11;
        return {(y0 - u0.y * y - u0.z * z) * u0.x, y, z};
    }
    SINEW_INLINE Matrix3<T> solve(const Matrix3<T>& b) const
    {
        const Vector3<T> at[3] = {b.r0, b.r1, b.r2};
        const Vector3<T> y0 = at[first], y1 = at[second] - l10 * y0, y2 = at[third] - l20 * y0 - l21 * y1;
        const Vector3<T> z = u22 * y2, y = u11 * (y1 - u12 * z);
        return {u0.x * (y0 - u0.y * y - u0.z * z), y, z};
    }

private:
    template <class Any>
    static SINEW_INLINE void swap(Any& a, Any& b)
    {
        const Any was = a;
        a = b;
        b = was;
    }
};

// ---- rotations ----------------------------------------------------------------------------------

// Of length one, as it is stored.
template <class T>
struct Quaternion4 {
    T x, y, z, w;

    static SINEW_INLINE Quaternion4 identity() { return {T(0), T(0), T(0), T(1)}; }
};

template <class T>
SINEW_INLINE Quaternion4<T> conjugate(const Quaternion4<T>& q)
{
    return {-q.x, -q.y, -q.z, q.w};
}
// First the right one.
template <class T>
SINEW_INLINE Quaternion4<T> operator*(const Quaternion4<T>& a, const Quaternion4<T>& b)
{
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
            a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class T>
SINEW_INLINE Vector3<T> operator*(const Quaternion4<T>& q, const Vector3<T>& v)
{
    const Vector3<T> u{q.x, q.y, q.z};
    const Vector3<T> half = cross(u, v), across = half + half;
    return v + q.w * across + cross(u, across);
}
template <class T>
SINEW_INLINE Matrix3<T> matrixOf(const Quaternion4<T>& q)
{
    const T tx = q.x + q.x, ty = q.y + q.y, tz = q.z + q.z;
    const T twx = tx * q.w, twy = ty * q.w, twz = tz * q.w;
    const T txx = tx * q.x, txy = ty * q.x, txz = tz * q.x;
    const T tyy = ty * q.y, tyz = tz * q.y, tzz = tz * q.z;
    const T one = T(1);
    return {{one - (tyy + tzz), txy - twz, txz + twy},
            {txy + twz, one - (txx + tzz), tyz - twx},
            {txz - twy, tyz + twx, one - (txx + tyy)}};
}
// To length one, of what is so but for a few roundings: one step of Newton's method for 1/|q|.
template <class T>
SINEW_INLINE Quaternion4<T> renormalized(const Quaternion4<T>& q)
{
    const T s = T(1.5) - T(0.5) * (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {s * q.x, s * q.y, s * q.z, s * q.w};
}

// ---- from one number type to another ------------------------------------------------------------

template <class T, class S>
SINEW_INLINE Vector3<T> converted(const Vector3<S>& v)
{
    return {T(v.x), T(v.y), T(v.z)};
}
template <class T, class S>
SINEW_INLINE Quaternion4<T> converted(const Quaternion4<S>& q)
{
    return {T(q.x), T(q.y), T(q.z), T(q.w)};
}
template <class T, class S>
SINEW_INLINE Symmetric3<T> converted(const Symmetric3<S>& m)
{
    return {T(m.xx), T(m.yy), T(m.zz), T(m.xy), T(m.xz), T(m.yz)};
}

// ---- from and to the matrices of math/types.h ---------------------------------------------------

SINEW_INLINE Vector3<double> small(const Vec3& v)
{
    return {v[0], v[1], v[2]};
}
SINEW_INLINE Quaternion4<double> small(const Quat& q)
{
    return {q.x(), q.y(), q.z(), q.w()};
}
// Of a symmetric matrix.
SINEW_INLINE Symmetric3<double> smallSymmetric(const Mat3& m)
{
    return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
}
SINEW_INLINE Matrix3<double> small(const Mat3& m)
{
    return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}
SINEW_INLINE Mat3 large(const Matrix3<double>& m)
{
    Mat3 all;
    all << m.r0.x, m.r0.y, m.r0.z, m.r1.x, m.r1.y, m.r1.z, m.r2.x, m.r2.y, m.r2.z;
    return all;
}
SINEW_INLINE Vec3 large(const Vector3<double>& v)
{
    return {v.x, v.y, v.z};
}
SINEW_INLINE Quat large(const Quaternion4<double>& q)
{
    return {q.w, q.x, q.y, q.z};
}

}  // namespace sinew
