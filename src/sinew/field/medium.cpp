#include "sinew/field/medium.h"

#include <cmath>

namespace sinew {
namespace {

double strengthOf(const FieldDescription& field, double time)
{
    return field.signal ? field.strength * field.signal->at(time).value : field.strength;
}

// The natural logarithm by additions, multiplications and divisions alone: 2 artanh((m − 1)/(m + 1)) of the
// mantissa, √½ ≤ m < √2, within a few units in the last place.
double logarithm(double x)
{
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2;
        --exponent;
    }
    const double y = (m - 1) / (m + 1), y2 = y * y;
    double sum = 0;
    for (int n = 23; n >= 1; n -= 2) sum = sum * y2 + 1. / n;
    return 2 * y * sum + exponent * 0.69314718055994531;
}

// V with −V' = −strength r / s^(exponent + 1).
double potential(double strength, int exponent, double s2)
{
    if (!(s2 > 0)) return 0;
    const double s = std::sqrt(s2);
    switch (exponent) {
        case -1:
            return 0.5 * strength * s2;
        case 0:
            return strength * s;
        case 1:
            return 0.5 * strength * logarithm(s2);
        case 2:
            return -strength / s;
        case 3:
            return -0.5 * strength / s2;
        default:
            return -strength / (3 * s2 * s);
    }
}

}  // namespace

Attraction attraction(std::span<const FieldDescription> fields, double time, const Vec3& point,
                      AttractionGradient* gradient)
{
    Attraction sum;
    if (gradient) gradient->acceleration = gradient->force = Mat3::Zero();
    for (const FieldDescription& field : fields) {
        if (field.moves()) continue;
        const Vec3 d = field.position - point;
        const double e2 = field.softening * field.softening, d2 = d.squaredNorm();
        const double g = attractionFactor(strengthOf(field, time), field.exponent, d2, e2);
        (field.byMass ? sum.acceleration : sum.force) += g * d;
        if (!gradient || !(d2 + e2 > 0)) continue;
        Mat3& own = field.byMass ? gradient->acceleration : gradient->force;
        own += (field.exponent + 1) * g / (d2 + e2) * (d * d.transpose()) - g * Mat3::Identity();
    }
    return sum;
}

double attractionEnergy(std::span<const FieldDescription> fields, double time, const Vec3& point,
                        double mass)
{
    double sum = 0;
    for (const FieldDescription& field : fields) {
        if (field.moves()) continue;
        const double s2 = (field.position - point).squaredNorm() + field.softening * field.softening;
        sum += (field.byMass ? mass : 1) * potential(strengthOf(field, time), field.exponent, s2);
    }
    return sum;
}

}  // namespace sinew
