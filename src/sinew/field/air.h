// The velocity of the air where winds, gusts and vortices blow (model/fields.h), for few points or for
// many.
//
// `airVelocity` asks the fields themselves. `Air` has them prepared for one moment, so that a million
// points cost no look at signals, seeds and time: plain loops over numbers, as doubles or floats. Nothing
// here calls the C library's functions that differ from machine to machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "sinew/model/fields.h"

namespace sinew {

// As Vec3 of either kind of number, for those who keep theirs in lists of their own.
template <class S>
struct Triple {
    S x = 0, y = 0, z = 0;
};

namespace field {

// The nearest whole number, up to 2²² as a float and 2⁵¹ as a double: the sum is rounded where its last
// digit is one.
template <class S>
S nearestWhole(S x)
{
    constexpr S big = std::is_same_v<S, float> ? S(12582912) : S(6755399441055744);  // 1.5 · 2²³, 1.5 · 2⁵²
    return (x + big) - big;
}

// Like the sine of so many turns, from −1 to 1, a polynomial of degree five between −½ and ½ with
// continuous second derivatives; and its derivative by turns.
template <class S>
void wave(S turns, S& value, S& slope)
{
    S t = turns - nearestWhole(turns);
    t = std::min(std::max(t, S(-0.5)), S(0.5));
    constexpr S c = S(40.96);
    const S t2 = t * t;
    value = c * t * (S(7. / 48) + t2 * (t2 - S(5. / 6)));
    slope = c * (S(7. / 48) + t2 * (S(5) * t2 - S(2.5)));
}

}  // namespace field

template <class S>
class Air {
public:
    // Of the fields at a time. Keeps its memory.
    void prepare(std::span<const FieldDescription> fields, double time);

    // Nothing blows.
    bool isStill() const { return !hasWind_ && waves_.empty() && vortices_.empty(); }
    // The same everywhere.
    bool isUniform() const { return waves_.empty() && vortices_.empty(); }

    Triple<S> velocity(S x, S y, S z) const
    {
        Triple<S> u = wind_;
        for (const Wave& w : waves_) {
            S value, slope;
            field::wave(w.kx * x + w.ky * y + w.kz * z + w.phase, value, slope);
            u.x += w.ax * value;
            u.y += w.ay * value;
            u.z += w.az * value;
        }
        for (const Vortex& v : vortices_) {
            S dx = x - v.x, dy = y - v.y, dz = z - v.z;
            const S along = v.nx * dx + v.ny * dy + v.nz * dz;
            dx -= along * v.nx;
            dy -= along * v.ny;
            dz -= along * v.nz;
            const S g = v.strength / (v.squaredRadius + (dx * dx + dy * dy + dz * dz));
            u.x += g * (v.ny * dz - v.nz * dy);
            u.y += g * (v.nz * dx - v.nx * dz);
            u.z += g * (v.nx * dy - v.ny * dx);
        }
        return u;
    }

    // Of many points, one wave or vortex after the other over all of them, so that compilers can take
    // several at a time.
    void velocities(int count, const S* x, const S* y, const S* z, S* ux, S* uy, S* uz) const
    {
        for (int i = 0; i < count; ++i) {
            ux[i] = wind_.x;
            uy[i] = wind_.y;
            uz[i] = wind_.z;
        }
        for (const Wave& w : waves_)
            for (int i = 0; i < count; ++i) {
                S value, slope;
                field::wave(w.kx * x[i] + w.ky * y[i] + w.kz * z[i] + w.phase, value, slope);
                ux[i] += w.ax * value;
                uy[i] += w.ay * value;
                uz[i] += w.az * value;
            }
        for (const Vortex& v : vortices_)
            for (int i = 0; i < count; ++i) {
                S dx = x[i] - v.x, dy = y[i] - v.y, dz = z[i] - v.z;
                const S along = v.nx * dx + v.ny * dy + v.nz * dz;
                dx -= along * v.nx;
                dy -= along * v.ny;
                dz -= along * v.nz;
                const S g = v.strength / (v.squaredRadius + (dx * dx + dy * dy + dz * dz));
                ux[i] += g * (v.ny * dz - v.nz * dy);
                uy[i] += g * (v.nz * dx - v.nx * dz);
                uz[i] += g * (v.nx * dy - v.ny * dx);
            }
    }

private:
    struct Wave {
        S ax, ay, az, kx, ky, kz, phase;
    };
    struct Vortex {
        S x, y, z, nx, ny, nz, strength, squaredRadius;
    };
    Triple<S> wind_;
    bool hasWind_ = false;
    std::vector<Wave> waves_;
    std::vector<Vortex> vortices_;
};

extern template class Air<float>;
extern template class Air<double>;

// At one place; `gradient` (row: component, column: direction) is set where it is given.
Vec3 airVelocity(std::span<const FieldDescription> fields, double time, const Vec3& point,
                 Mat3* gradient = nullptr);

// Whether any of them is part of the air's velocity, or draws.
bool hasAir(std::span<const FieldDescription> fields);
bool hasAttractors(std::span<const FieldDescription> fields);

}  // namespace sinew
