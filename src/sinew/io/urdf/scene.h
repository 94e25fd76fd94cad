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
};

// Meshes are looked for below the folder of the robot's file.
Result<Imported> urdfScene(const UrdfRobot& robot, const UrdfOptions& options = {});

Result<Imported> readUrdf(const std::string& path, const UrdfOptions& options = {});

}  // namespace sinew
