// Where a glTF file's bytes are: in its own chunk, in its text, or in files beside it. Not a public header.
#pragma once

#include "sinew/io/gltf/gltf.h"

namespace sinew::gltf {

// "%20" → " ". A '%' that is not followed by two hexadecimal digits stands for itself.
std::string percentDecoded(std::string_view uri);

// Fills in the bytes of all buffers; throws Fault.
void loadBuffers(GltfFile& file, const ReadBeside& readBeside);

}  // namespace sinew::gltf
