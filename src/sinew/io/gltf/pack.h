// A glTF file and all that it refers to as one GLB file, for those who can open one file only: a page, say.
#pragma once

#include <string>

#include "sinew/base/result.h"
#include "sinew/io/gltf/gltf.h"

namespace sinew {

// Whether the file itself holds all that it speaks of, as a GLB does.
bool isSelfContained(const GltfFile& file);

// The bytes of a GLB file with the same content. Buffers become one; pictures in files become part of it.
// Those that `readBeside` does not give, for want of a file or because they lie elsewhere, stay references.
Result<std::string> packedGlb(const GltfFile& file, const ReadBeside& readBeside);

}  // namespace sinew
