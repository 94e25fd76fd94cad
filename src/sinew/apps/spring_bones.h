// `--dynamic vrm`: the bones that a VRM avatar calls its springs, as they move there.
#pragma once

#include <optional>

#include "sinew/character/bake.h"
#include "sinew/io/character_file.h"

namespace sinew {

// Puts the names of these bones in the place of the pattern "vrm", and what they are like before the rules
// of the user, which hold where they differ.
std::optional<Diagnostic> expandSpringBones(const CharacterFile& file, BakeOptions& options);

}  // namespace sinew
