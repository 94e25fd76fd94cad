// Sine and cosine of any number type (math/small.h), by additions and multiplications alone, each lane to
// the bits that the number alone comes to.
//
//     x = n π/2 + r, |r| ≤ π/4      Cody and Waite: π/2 in three pieces, of which n times the first two are
//                                   exact; then Taylor's series
//
// Within two units in the last place, of single and of double numbers. Cost: 60 operations for both.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/math/trigonometry.h"

namespace sinew {

template <class Number>
struct QuarterTurn;
template <>
struct QuarterTurn<double> {
    static constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34,
                            third = 0x1.3198a2e037073p-69;
    static constexpr double largest = 1e6;      // of x, for which n has 20 bits
    static constexpr double rounds = 0x1.8p52;  // what is added to it is rounded to a whole number
    static constexpr int terms = 8;
};
template <>
struct QuarterTurn<float> {
    static constexpr double first = 0x1.92p+0, second = 0x1.fb4p-12, third = 0x1.4442d18p-24;
    static constexpr double largest = 4e3;
    static constexpr double rounds = 0x1.8p23;
    static constexpr int terms = 4;
};

// 1 + x (c₁ + x (c₂ + …)), c of the series of cos √−x for `first` 1, of sin √−x/√−x for 2:
// cₖ = ∏ −1/((2k + first − 2) (2k + first − 1)).
template <int terms, int first>
struct SeriesFromOne {
    double c[terms + 1] = {1};
    constexpr SeriesFromOne()
    {
        for (int k = 1; k <= terms; ++k) c[k] = -c[k - 1] / ((2 * k + first - 2) * (2 * k + first - 1));
    }
    template <class T>
    SINEW_INLINE T at(const T& x) const
    {
        T sum = T(c[terms]);
        for (int k = terms - 1; k >= 0; --k) sum = sum * x + T(c[k]);
        return sum;
    }
};

template <class T>
SINEW_INLINE void sineAndCosine(const T& x, T& sine, T& cosine)
{
    using Number = NumberOf<T>;
    using Quarter = QuarterTurn<Number>;
    const T rounds = T(Quarter::rounds), half = T(0.5), one = T(1), zero = T(0);
    const T n = (x * T(0.63661977236758134308) + rounds) - rounds;
    const T r = ((x - n * T(Quarter::first)) - n * T(Quarter::second)) - n * T(Quarter::third);
    const T square = r * r;
    constexpr SeriesFromOne<Quarter::terms, 1> cosines;
    constexpr SeriesFromOne<Quarter::terms, 2> sines;
    const T s = r * sines.at(square), c = cosines.at(square);
    // n = 2 e + d, d of 0, 1, −1: a quarter turn on or back; and e half turns.
    const T e = (half * n + rounds) - rounds, d = n - (e + e);
    const T f = (half * e + rounds) - rounds, odd = e - (f + f);
    const T sign = one - (odd * odd + odd * odd);
    const auto isWhole = d == zero;
    sine = sign * select(isWhole, s, d * c);
    cosine = sign * select(isWhole, c, -(d * s));

    const T size = select(x < zero, -x, x), limit = T(Quarter::largest);
    if (all(size < limit)) return;
    for (int k = 0; k < laneCount<T>; ++k) {
        if (lane(size, k) < lane(limit, k)) continue;
        const SineCosine far = sineAndCosine(static_cast<double>(lane(x, k)));
        setLane(sine, k, static_cast<Number>(far.sine));
        setLane(cosine, k, static_cast<Number>(far.cosine));
    }
}

}  // namespace sinew
