// What the surroundings do to something that is as small as a point: the resistance of the medium, and
// attractors. With derivatives, for implicit steps.
#pragma once

#include <cmath>
#include <span>

#include "sinew/model/description.h"
#include "sinew/model/fields.h"

namespace sinew {

// f = −(linear + quadratic |v|) v, v relative to the medium.
template <class S>
struct Resistance {
    S linear = 0;     // 6π η r, N·s/m
    S quadratic = 0;  // ½ ρ c A, N·s²/m²

    // What v is multiplied by: −f = factor v.
    S factor(S speed) const { return linear + quadratic * speed; }
};

// Stokes' law and the quadratic one, added up. Each is for its own range of Reynolds numbers; a scene that
// gives a medium both viscosity and density has the sum, which is right at both ends.
inline Resistance<double> resistanceOf(const MediumDescription& medium, const Drag& drag)
{
    return {6 * pi * medium.viscosity * drag.radius, 0.5 * medium.density * drag.area};
}
// Of a sphere in free flow.
constexpr double sphereCoefficient = 0.47;
inline Drag sphereDrag(double radius, double coefficient = sphereCoefficient)
{
    return {radius, coefficient * pi * radius * radius};
}

// The force, and minus its derivative by the relative velocity.
inline Vec3 resist(const Resistance<double>& resistance, const Vec3& v, Mat3* byVelocity = nullptr)
{
    const double speed = v.norm(), factor = resistance.factor(speed);
    if (byVelocity) {
        *byVelocity = factor * Mat3::Identity();
        if (speed > 0) *byVelocity += resistance.quadratic / speed * (v * v.transpose());
    }
    return -factor * v;
}

// Of all attractors at a place: the acceleration that they give, and the force beside it, which does not
// depend on the mass. `gradient`: of the one and of the other by the place, set where given.
struct Attraction {
    Vec3 acceleration = Vec3::Zero(), force = Vec3::Zero();
};
struct AttractionGradient {
    Mat3 acceleration, force;
};
Attraction attraction(std::span<const FieldDescription> fields, double time, const Vec3& point,
                      AttractionGradient* gradient = nullptr);
// The potential energy of a point of this mass.
double attractionEnergy(std::span<const FieldDescription> fields, double time, const Vec3& point,
                        double mass);

// For many points: strength / s^(exponent + 1), which the way to the attractor is multiplied by.
template <class S>
S attractionFactor(S strength, int exponent, S squaredDistance, S squaredSoftening)
{
    const S s2 = squaredDistance + squaredSoftening;
    if (!(s2 > 0)) return 0;  // at its very place an attractor has no direction
    switch (exponent) {
        case -1:
            return strength;
        case 0:
            return strength / std::sqrt(s2);
        case 1:
            return strength / s2;
        case 2:
            return strength / (s2 * std::sqrt(s2));
        case 3:
            return strength / (s2 * s2);
        default:
            return strength / (s2 * s2 * std::sqrt(s2));
    }
}

}  // namespace sinew
