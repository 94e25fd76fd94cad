// Robots from URDF files as scenes: one body for every link that can move on its own, y up.
#pragma once

#include <optional>

#include "sinew/io/imported.h"
#include "sinew/io/urdf/robot.h"

namespace sinew {

struct UrdfOptions {
    // Whether the root is bolted to the world. Without a word it is where it has no <inertial> or is called
    // "world"; otherwise the robot floats.
    std::optional<bool> fixedBase = {};
    // Joints hold the pose that they start in, as firmly as the robot's weight asks for and their effort
    // allows.
    bool holds = true;
    // Folders in which meshes are looked for too.
    std::vector<std::string> meshPaths = {};
};

// Meshes are looked for below the folder of the robot's file, in its package (the nearest folder around it
// that is called so, or has a package.xml), and in `meshPaths`.
Result<Imported> urdfScene(const UrdfRobot& robot, const UrdfOptions& options = {});

Result<Imported> readUrdf(const std::string& path, const UrdfOptions& options = {});

}  // namespace sinew
