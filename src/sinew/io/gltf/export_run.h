// A run as a GLB file: its bodies with their shapes, its obstacles, its motion. docs/export.md tells what
// other programs make of it.
//
// glTF has y up, metres and seconds as we do, so numbers stay as they are; they are kept in single
// precision.
#pragma once

#include "sinew/io/gltf/glb.h"
#include "sinew/model/description.h"
#include "sinew/rig/reduce.h"
#include "sinew/state/trajectory.h"

namespace sinew {

struct GlbRunOptions {
    // Bones along the joints, and one skin around them: opens as an armature. Otherwise every body is a
    // node of its own with its place in the world.
    bool skeleton = false;
    // How far the written motion may be from the run's at any of its frames. Of a skeleton that is against
    // the parent, so that errors of a chain add up. All zero: every frame is a key.
    KeyBounds bounds{1e-4, 5e-4, 0};
    bool obstacles = true;
    // A file of spring meshes (io/binary/mesh_file.h) to write beside, each with its frames as morph
    // targets; empty: none. Of more than `mostMorphs` frames one in so many.
    std::string meshes = {};
    static constexpr std::uint64_t mostMorphs = 240;
};

// The motion has at least one frame; with one alone the file has no animation. Frames need not be evenly
// spaced (resampled() makes them so).
Result<Glb> runGlb(const Description& description, const Trajectory& motion,
                   const GlbRunOptions& options = {});

// The names, each changed where an earlier one is the same or it is empty: chest, chest.001, ….
std::vector<std::string> ownNames(std::vector<std::string> names);

}  // namespace sinew
