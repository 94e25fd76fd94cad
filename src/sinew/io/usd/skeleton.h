// The prims of UsdSkel for a rig.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/usd/usd_text.h"
#include "sinew/rig/rig.h"

namespace sinew {

// Joints are named by their paths, so that a skeleton of deep nesting has a text as long as its square.
// What is wrong with one that would fill disks, or nothing.
std::optional<Diagnostic> tooDeepForUsd(const Rig& rig);

// A Skeleton named "Skeleton" with a SkelAnimation "Animation" inside, below the prim at `path` (such as
// /humanoid). times[k] is when codes[k] is; none: the rest pose alone.
void writeSkeleton(UsdText& text, const std::string& path, const Rig& rig, const Clip& clip,
                   const std::vector<double>& times, const std::vector<double>& codes);

}  // namespace sinew
