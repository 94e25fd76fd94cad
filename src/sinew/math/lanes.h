// Several numbers that are computed with at once: a number type for the templates of math/small.h and
// recursion/. Each lane comes to the bits that the number alone would.
//
// What is constant, such as the mass of a link, is one number for all lanes where they are characters of
// one model. Where they are limbs of one character each lane has its own: `constantsDiffer`.
#pragma once

#include <cstdint>
#include <cstring>

#include "sinew/math/small.h"

namespace sinew {

template <class Number, int N, bool constantsDiffer = false>
struct Lanes {
    typedef Number Vector __attribute__((vector_size(N * sizeof(Number))));
    using Mask = decltype(Vector{} < Vector{});

    Vector v;

    Lanes() = default;
    SINEW_INLINE explicit Lanes(double all)
    {
        for (int i = 0; i < N; ++i) v[i] = static_cast<Number>(all);
    }
    SINEW_INLINE explicit Lanes(Vector lanes) : v(lanes) {}

    SINEW_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
    SINEW_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
    SINEW_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
    SINEW_INLINE friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v / b.v); }
    SINEW_INLINE friend Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
    SINEW_INLINE friend Mask operator<(const Lanes& a, const Lanes& b) { return a.v < b.v; }
    SINEW_INLINE friend Mask operator>(const Lanes& a, const Lanes& b) { return a.v > b.v; }
    SINEW_INLINE friend Mask operator==(const Lanes& a, const Lanes& b) { return a.v == b.v; }
};

template <class Number, int N, bool differ>
SINEW_INLINE Lanes<Number, N, differ> select(typename Lanes<Number, N, differ>::Mask which,
                                             const Lanes<Number, N, differ>& yes,
                                             const Lanes<Number, N, differ>& no)
{
    return Lanes<Number, N, differ>(which ? yes.v : no.v);
}
template <class Number, int N, bool differ>
SINEW_INLINE Lanes<Number, N, differ> squareRoot(const Lanes<Number, N, differ>& x)
{
    Lanes<Number, N, differ> root;
    for (int i = 0; i < N; ++i) root.v[i] = std::sqrt(x.v[i]);
    return root;
}

template <class N, int count, bool differ>
struct NumberOfType<Lanes<N, count, differ>> {
    using Number = N;
};
// In which constants are.
template <class T>
struct ConstantOfType {
    using Constant = NumberOf<T>;
};
template <class N, int count>
struct ConstantOfType<Lanes<N, count, true>> {
    using Constant = Lanes<N, count, true>;
};
template <class T>
using ConstantOf = typename ConstantOfType<T>::Constant;

// How many numbers there are in a number type, and each of them.
template <class T>
inline constexpr int laneCount = 1;
template <class Number, int N, bool differ>
inline constexpr int laneCount<Lanes<Number, N, differ>> = N;

SINEW_INLINE double lane(double x, int)
{
    return x;
}
SINEW_INLINE float lane(float x, int)
{
    return x;
}
template <class Number, int N, bool differ>
SINEW_INLINE Number lane(const Lanes<Number, N, differ>& x, int i)
{
    return x.v[i];
}
SINEW_INLINE void setLane(double& x, int, double value)
{
    x = value;
}
SINEW_INLINE void setLane(float& x, int, float value)
{
    x = value;
}
template <class Number, int N, bool differ>
SINEW_INLINE void setLane(Lanes<Number, N, differ>& x, int i, Number value)
{
    x.v[i] = value;
}
// Of vectors and quaternions, from double.
template <class T>
SINEW_INLINE void setLane(Vector3<T>& v, int i, const Vector3<double>& value)
{
    using Number = decltype(lane(v.x, i));
    setLane(v.x, i, static_cast<Number>(value.x));
    setLane(v.y, i, static_cast<Number>(value.y));
    setLane(v.z, i, static_cast<Number>(value.z));
}
template <class T>
SINEW_INLINE void setLane(Quaternion4<T>& q, int i, const Quaternion4<double>& value)
{
    using Number = decltype(lane(q.x, i));
    setLane(q.x, i, static_cast<Number>(value.x));
    setLane(q.y, i, static_cast<Number>(value.y));
    setLane(q.z, i, static_cast<Number>(value.z));
    setLane(q.w, i, static_cast<Number>(value.w));
}
// Whether a condition holds in all of them.
SINEW_INLINE bool all(bool condition)
{
    return condition;
}
template <class Mask>
SINEW_INLINE bool all(const Mask& mask)
{
    std::uint64_t words[sizeof(Mask) / 8];  // of ones or zeros each lane
    std::memcpy(words, &mask, sizeof words);
    std::uint64_t every = words[0];
    for (const std::uint64_t word : words) every &= word;
    return every == ~std::uint64_t(0);
}
// Whether it does in one of them.
SINEW_INLINE bool any(bool condition)
{
    return condition;
}
template <class Mask>
SINEW_INLINE bool any(const Mask& mask)
{
    std::uint64_t words[sizeof(Mask) / 8];
    std::memcpy(words, &mask, sizeof words);
    std::uint64_t some = 0;
    for (const std::uint64_t word : words) some |= word;
    return some != 0;
}

}  // namespace sinew
