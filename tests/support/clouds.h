// Sets of points that the tests of bounding volumes and hulls share.
#pragma once

#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/rotation.h"
#include "support/shapes.h"

namespace sinew {

using Points = std::vector<Vec3>;

inline Vec3 cloudVector(Random& random)
{
    return {random.normal(), random.normal(), random.normal()};
}

inline Pose cloudPose(Random& random, double spread)
{
    return {spread * cloudVector(random), expRotation(3 * cloudVector(random))};
}

inline Points randomPoints(Random& random, int count, const Vec3& scale = Vec3::Ones())
{
    Points points;
    for (int i = 0; i < count; ++i) points.push_back(scale.cwiseProduct(cloudVector(random)));
    return points;
}

inline Points cube()
{
    return boxMesh({2, 2, 2}).vertices;
}

// Clouds that trip algorithms: coincident, collinear, coplanar, doubled, on a sphere, a grid; each in a
// pose.
inline std::vector<Points> awkwardClouds(Random& random)
{
    std::vector<Points> clouds = {
        {Vec3(1, 2, 3)}, Points(20, Vec3(1, 2, 3)), cube(), sphereMesh(3).vertices};
    Points line, plane, doubled = randomPoints(random, 12), grid;
    for (int i = 0; i < 30; ++i) {
        line.push_back(Vec3(1, -2, 0.5) * random.normal());
        plane.emplace_back(random.normal(), random.normal(), 0);
    }
    for (int i = 0; i < 20; ++i) doubled.push_back(doubled[random.below(12)]);
    for (int i = 0; i < 64; ++i) grid.emplace_back(i & 3, i >> 2 & 3, i >> 4);
    clouds.insert(clouds.end(), {line, plane, doubled, grid});
    const std::size_t straight = clouds.size();
    for (std::size_t i = 0; i < straight; ++i) {
        const Pose pose = cloudPose(random, 3);
        Points turned;
        for (const Vec3& p : clouds[i]) turned.push_back(pose * p);
        clouds.push_back(turned);
    }
    return clouds;
}

}  // namespace sinew
