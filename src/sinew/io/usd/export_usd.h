// Runs and rigs as USD text: bodies with transforms over time, or a skeleton with an animation (UsdSkel).
// docs/export.md tells what was checked with which program.
//
// y is up in USD as here (the file says so), lengths are in the unit that metersPerUnit tells. Time codes
// count frames: the motion's first is at 0, and there are `fps` to a second.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/base/result.h"
#include "sinew/model/description.h"
#include "sinew/rig/rig.h"
#include "sinew/state/trajectory.h"

namespace sinew {

struct UsdRunOptions {
    // UsdSkel: bones along the joints, one skinned mesh. Otherwise an Xform for each body, with the shapes
    // that USD knows (Capsule, Cube, Sphere, Cylinder; Mesh for the rest) below it.
    bool skeleton = false;
    double fps = 60;  // time codes per second; frames between two codes get fractions of them
    bool obstacles = true;
    // Files to write beside: of particles (io/binary/points_file.h), of spring meshes
    // (io/binary/mesh_file.h). Empty: none.
    std::string particles = {}, meshes = {};
};

// Each gives the size of the file, which is whole or not there.
Result<std::uint64_t> writeRunUsd(const std::string& path, const Description& description,
                                  const Trajectory& motion, const UsdRunOptions& options = {});

// The skeleton and one of its clips, `clip` in rig.clips or −1 for the rest pose alone, sampled `fps` times
// a second.
Result<std::uint64_t> writeRigUsd(const std::string& path, const Rig& rig, int clip, double fps,
                                  double metersPerUnit);

}  // namespace sinew
