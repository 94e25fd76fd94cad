#include "sinew/rig/surface.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew {

Surface surfaceOf(const BodyDescription& body)
{
    Surface whole;
    for (const ShapeDescription& part : body.shapes) append(whole, surfaceOf(part.shape), part.pose);
    return whole;
}

Pose frameOf(const ObstacleDescription& obstacle)
{
    if (obstacle.type == ObstacleDescription::Type::plane)
        return {obstacle.position, rotationBetween(Vec3::UnitY(), obstacle.normal)};
    if (obstacle.type == ObstacleDescription::Type::sphere) return {obstacle.position, Quat::Identity()};
    return {obstacle.position, obstacle.orientation.normalized()};
}

double planeReach(const Trajectory& motion)
{
    constexpr double least = 5, margin = 1.5;  // m
    double farthest = 0;
    for (const Frame& frame : motion)
        for (const Pose& pose : frame.bodies)
            farthest = std::max({farthest, std::abs(pose.position.x()), std::abs(pose.position.z())});
    return std::max(least, margin + farthest);
}

Surface surfaceOf(const ObstacleDescription& obstacle, double planeReach)
{
    switch (obstacle.type) {
        case ObstacleDescription::Type::plane:
            return squareSurface(planeReach);
        case ObstacleDescription::Type::sphere:
            return surfaceOf(Sphere{obstacle.radius});
        case ObstacleDescription::Type::shape:
            return surfaceOf(obstacle.shape);
        case ObstacleDescription::Type::terrain:
            break;
    }
    return surfaceOf(obstacle.terrain, planeReach);
}

}  // namespace sinew
