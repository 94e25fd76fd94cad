#include "sinew/particle/distributions.h"

#include <bit>
#include <cmath>

namespace sinew::particle {

double logarithm(double x)
{
    // x = m 2ᵉ with m from √½ to √2, and log m = 2 artanh((m − 1)/(m + 1)).
    std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1. / k;
    return exponent * 0.6931471805599453 + 2 * s * sum;
}

double exponential(double x)
{
    // x = n log 2 + r, |r| ≤ ½ log 2.
    const double n = std::floor(x * 1.4426950408889634 + 0.5);
    const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    double sum = 1;
    for (int k = 14; k >= 1; --k) sum = 1 + sum * r / k;
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<int>(n) + 1023) << 52);
}

double normalAt(double u)
{
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                            1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                            6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                            -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                            3.754408661907416e+00};
    constexpr double tail = 0.02425, least = 1e-12;
    const bool isHigh = u > 0.5;
    const double p = isHigh ? 1 - u : u;
    double x = 0;
    if (p < tail) {
        const double q = std::sqrt(-2 * logarithm(p < least ? least : p));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    } else {
        const double q = p - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    x = x < -Spread::cut ? -Spread::cut : x;
    return isHigh ? -x : x;
}

double drawn(const Spread& spread, std::uint64_t seed, std::uint64_t number, Draw what)
{
    if (spread.kind == Spread::Kind::constant) return spread.value;
    const double u = drawnUnit(seed, number, what);
    if (spread.kind == Spread::Kind::uniform) return spread.value + u * (spread.other - spread.value);
    return spread.value + spread.other * normalAt(u);
}

int poisson(double mean, std::uint64_t seed, std::uint64_t number)
{
    constexpr double many = 64, most = 1e9;
    if (!(mean > 0)) return 0;
    if (mean > many) {
        const double u = drawnUnit(seed, number, Draw::births);
        const double count = std::floor((mean < most ? mean : most) + std::sqrt(mean) * normalAt(u) + 0.5);
        return count > 0 ? static_cast<int>(count) : 0;
    }
    // Knuth: as many factors as a product of units stays above e^−mean. In pieces, or that would be tiny.
    int count = 0;
    std::uint64_t factor = 0;
    for (double left = mean; left > 0; left -= 16) {
        const double end = exponential(left < 16 ? -left : -16.);
        double product = 1;
        for (;;) {
            product *= drawnUnit(seed ^ (++factor * 0xa24baed4963ee407ull), number, Draw::births2);
            if (!(product > end)) break;
            ++count;
        }
    }
    return count;
}

}  // namespace sinew::particle
