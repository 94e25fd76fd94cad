// The parts of character.h. Not a public header; all functions throw Fault.
#pragma once

#include <array>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/character.h"
#include "sinew/io/gltf/cursor.h"

namespace sinew::gltf {

inline void note(GltfCharacter& character, std::string pointer, std::string message)
{
    character.notes.push_back(faultAt(std::move(pointer), std::move(message)));
}

// A matrix as scale, then rotation, then shift. What leans (shear) or is flat cannot be told so.
BoneTransform decomposed(const Mat4& matrix, const std::string& pointer);

// A name for each that is no other's; where there is none, the one of `otherwise`. Control characters
// become
// '_'.
std::vector<std::string> uniqueNames(const std::vector<std::string>& names,
                                     const std::vector<std::string>& otherwise);

// From the space of the mesh into each joint's frame.
std::vector<Mat4> bindMatrices(const GltfFile& file, const Skin& skin, std::size_t skinIndex,
                               Budget& budget);

// Corners by vertices of the primitive; none of points and lines.
std::vector<std::array<int, 3>> triangles(const GltfFile& file, const Primitive& primitive,
                                          std::size_t vertexCount, Budget& budget);

// Both need bones and the maps between bones and nodes.
void addClips(const GltfFile& file, Budget& budget, GltfCharacter& character);
void addFlesh(const GltfFile& file, Budget& budget, GltfCharacter& character);

}  // namespace sinew::gltf
