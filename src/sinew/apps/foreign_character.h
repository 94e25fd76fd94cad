// Characters that another program reads for us: FBX, by sinew-import (src/import), where that was built.
#pragma once

#include <optional>
#include <string>

#include "sinew/base/result.h"

namespace sinew {

bool isForeignCharacter(const std::string& path);

// IN.fbx → OUT.glb, by a process of its own that may fall. What it wrote counts only if we can read it.
std::optional<Diagnostic> convertForeign(const std::string& input, const std::string& output);

}  // namespace sinew
