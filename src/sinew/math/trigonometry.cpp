// sin, cos: x = n π/2 + r with |r| ≤ π/4 in two parts (Cody and Waite: π/2 in three pieces, of which n
// times the first two are exact), then Taylor's series, whose next term is below 1e-19.
//
// atan2: in the first octant, with c the multiple of 1/8 nearest to y/x,
//     atan(y/x) = atan(c) + atan((y − c x) / (x + c y)),
// where the second argument is at most about 1/16 and the series short.
#include "sinew/math/trigonometry.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double largestReduced = 1e6;

// π/2 = first + second + third; the first two have 33 bits, so that 20 bits of n fit beside them.
constexpr double quarterFirst = 0x1.921fb544p+0;
constexpr double quarterSecond = 0x1.0b4611a6p-34;
constexpr double quarterThird = 0x1.3198a2e037073p-69;

constexpr double halfPi = 1.5707963267948966, halfPiRest = 6.123233995736766e-17;
constexpr double wholePi = 3.141592653589793, wholePiRest = 1.2246467991473532e-16;

struct Reduced {
    int quadrant;      // n modulo 4
    double high, low;  // r
};

Reduced reduce(double x)
{
    const double n = std::round(x * (1 / halfPi));
    const double a = x - n * quarterFirst;
    const double b = n * quarterSecond;
    const double difference = a - b;
    // What rounding cost in the difference, and what it left of π/2.
    const double rest = n * quarterThird - ((a - difference) - b);
    const double high = difference - rest;
    return {static_cast<int>(static_cast<long long>(n) & 3), high, (difference - high) - rest};
}

// Σ from the highest: c[0] + z (c[1] + z (…)).
template <int count>
double polynomial(const double (&c)[count], double z)
{
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; --i) sum = sum * z + c[i];
    return sum;
}

double sineOf(const Reduced& r)
{
    static constexpr double c[] = {
        -1. / 6,        1. / 120,        -1. / 5040,          1. / 362880,
        -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000};
    const double z = r.high * r.high;
    return r.high + (r.high * z * polynomial(c, z) + r.low * (1 - 0.5 * z));
}

double cosineOf(const Reduced& r)
{
    static constexpr double c[] = {
        1. / 24,        -1. / 720,         1. / 40320,          -1. / 3628800,
        1. / 479001600, -1. / 87178291200, 1. / 20922789888000, -1. / 6402373705728000};
    const double z = r.high * r.high;
    const double half = 0.5 * z, large = 1 - half;
    return large + (((1 - large) - half) + (z * z * polynomial(c, z) - r.high * r.low));
}

// sin(x + quarters · π/2)
double sineShifted(double x, int quarters)
{
    const Reduced r = reduce(x);
    switch ((r.quadrant + quarters) & 3) {
        case 0:
            return sineOf(r);
        case 1:
            return cosineOf(r);
        case 2:
            return -sineOf(r);
        default:
            return -cosineOf(r);
    }
}

struct TwoPart {
    double high, low;
};

// atan(k/8)
constexpr TwoPart arcs[] = {{0, 0},
                            {0.12435499454676144, -3.1253241424539383e-18},
                            {0.24497866312686414, 1.0698755618734451e-17},
                            {0.35877067027057225, -2.4623815582638635e-17},
                            {0.4636476090008061, 2.2698777452961687e-17},
                            {0.5585993153435624, -5.4556305485916264e-18},
                            {0.6435011087932844, 1.5834785051444286e-17},
                            {0.7188299996216245, -2.1478388444456983e-17},
                            {0.7853981633974483, 3.061616997868383e-17}};

// atan(y/x) for 0 ≤ y ≤ x, x > 0.
TwoPart firstOctant(double y, double x)
{
    static constexpr double c[] = {-1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13, -1. / 15};
    const int k = static_cast<int>(std::round(8 * (y / x)));
    const double base = 0.125 * k;
    const double u = (y - base * x) / (x + base * y);
    const double z = u * u;
    const double rest = u * z * polynomial(c, z);
    // For small angles the quotient itself is the larger part.
    if (k == 0) return {u, rest};
    return {arcs[k].high, arcs[k].low + (u + rest)};
}

}  // namespace

double sine(double x)
{
    return std::abs(x) < largestReduced ? sineShifted(x, 0) : std::sin(x);
}

double cosine(double x)
{
    return std::abs(x) < largestReduced ? sineShifted(x, 1) : std::cos(x);
}

SineCosine sineAndCosine(double x)
{
    if (!(std::abs(x) < largestReduced)) return {std::sin(x), std::cos(x)};
    // Where nothing is to be reduced, which joints hardly leave, no rounding is called.
    const Reduced r = std::abs(x) * (1 / halfPi) < 0.5 ? Reduced{0, x, 0} : reduce(x);
    const double s = sineOf(r), c = cosineOf(r);
    switch (r.quadrant) {
        case 0:
            return {s, c};
        case 1:
            return {c, -s};
        case 2:
            return {-s, -c};
        default:
            return {-c, s};
    }
}

double angleOf(double y, double x)
{
    const double height = std::abs(y), width = std::abs(x);
    const double larger = std::max(height, width);
    // Zeros, infinities, NaN, and what would lose bits below the normal numbers: nothing a motion depends
    // on.
    if (!(larger > 1e-290 && larger < 1e290)) return std::atan2(y, x);

    TwoPart angle;
    if (height <= width) {
        angle = firstOctant(height, width);
    } else {
        angle = firstOctant(width, height);
        angle = {halfPi, (halfPiRest - angle.low) - angle.high};
    }
    if (x < 0) angle = {wholePi, (wholePiRest - angle.low) - angle.high};
    return std::copysign(angle.high + angle.low, y);
}

}  // namespace sinew
