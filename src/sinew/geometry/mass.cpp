#include "sinew/geometry/mass.h"

#include "sinew/math/symmetric_eigen.h"

#include <cmath>
#include <cstdio>

namespace sinew {
namespace {

// Inertias are typed with few digits or come out of R I Rᵀ: this much is not a mistake.
constexpr double symmetryTolerance = 1e-9;
// A flat plate meets the triangle inequality as an equality, which five typed digits break.
constexpr double triangleTolerance = 1e-5;
// Below this ratio to the largest, an eigenvalue is rounding (a rod has (radius/length)²).
constexpr double definiteTolerance = 1e-14;

Inertia fromMoments(double mass, const Vec3& center, const Mat3& secondMoment)
{
    return {mass, center, secondMoment.trace() * Mat3::Identity() - secondMoment};
}

Vec3 meanOf(const std::vector<Vec3>& points)
{
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : points) sum += p;
    return sum / static_cast<double>(points.size());
}

template <class... Numbers>
std::string print(const char* format, Numbers... numbers)
{
    char text[256];
    std::snprintf(text, sizeof text, format, numbers...);
    return text;
}

}  // namespace

Inertia meshInertia(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& faces)
{
    if (faces.empty()) return {};
    // The tetrahedra meet in the middle of the mesh and not at the origin, so that a mesh far away
    // loses no digits.
    const Vec3 origin = meanOf(vertices);
    double volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (const auto& face : faces) {
        const Vec3 a = vertices[face[0]] - origin, b = vertices[face[1]] - origin,
                   c = vertices[face[2]] - origin;
        const Vec3 sum = a + b + c;
        const double v = a.dot(b.cross(c)) / 6;
        volume += v;
        // ∫ x = V (a + b + c)/4,  ∫ x xᵀ = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20 over (0, a, b, c)
        first += v / 4 * sum;
        second +=
            v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
    if (volume == 0) return {};
    const Vec3 center = first / volume;
    return fromMoments(volume, origin + center, second - first * center.transpose());
}

Inertia pointsInertia(const std::vector<Vec3>& points, const std::vector<double>& masses)
{
    SINEW_ASSERT(masses.size() == 1 || masses.size() == points.size());
    const auto massOf = [&](std::size_t i) { return masses.size() == 1 ? masses[0] : masses[i]; };
    double mass = 0;
    Vec3 first = Vec3::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        mass += massOf(i);
        first += massOf(i) * points[i];
    }
    if (mass == 0) return {};
    const Vec3 center = first / mass;
    Mat3 second = Mat3::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 d = points[i] - center;
        second += massOf(i) * d * d.transpose();
    }
    return fromMoments(mass, center, second);
}

Inertia withMass(const Inertia& inertia, double mass)
{
    SINEW_ASSERT(inertia.mass > 0);
    return {mass, inertia.center, inertia.rotational * (mass / inertia.mass)};
}

std::string inertiaFault(const Mat3& rotational)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!std::isfinite(rotational(i, j)))
                return print("the inertia's entry (%d, %d) is %g, it must be a finite number", i + 1, j + 1,
                             rotational(i, j));

    const double scale = rotational.cwiseAbs().maxCoeff();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            if (std::abs(rotational(i, j) - rotational(j, i)) > symmetryTolerance * scale)
                return print(
                    "the inertia is not symmetric: entry (%d, %d) is %.9g and (%d, %d) is %.9g, they "
                    "must be equal",
                    j + 1, i + 1, rotational(j, i), i + 1, j + 1, rotational(i, j));

    // Scaled, so that no size of body overflows.
    const Mat3 unit = scale > 0 ? Mat3(rotational / scale) : Mat3(Mat3::Zero());
    const Vec3 moments = SymmetricEigen3(unit).eigenvalues();
    if (!(moments[0] > definiteTolerance * moments[2]))
        return print(
            "the inertia is not positive definite: its smallest principal moment is %.9g, all three "
            "must be positive",
            scale * moments[0]);
    if (moments[0] + moments[1] < (1 - triangleTolerance) * moments[2])
        return print(
            "no body has the principal moments %.9g, %.9g, %.9g: the largest must not exceed the sum "
            "of the other two, %.9g",
            scale * moments[0], scale * moments[1], scale * moments[2], scale * (moments[0] + moments[1]));
    return {};
}

}  // namespace sinew
