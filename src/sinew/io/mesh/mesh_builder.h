// What the readers of meshes share: words of a line, numbers, and a mesh that grows face by face under the
// limits. Not a public header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/left_out.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew::meshes {

// Takes the next word off the text, empty at its end. Words are apart by blanks and tabs.
std::string_view nextWord(std::string_view& text);

// Takes the next line off the text, without its end (\n, \r\n or \r).
std::string_view nextLine(std::string_view& text);

// A finite number of a size that geometry can bear, or nothing.
std::optional<double> numberOf(std::string_view word);

// Whether a triangle can be used: three different corners, an area that ground needs (checkedTerrain).
bool hasArea(const TriangleMesh& mesh, const std::array<int, 3>& face);

// Ends the last group and begins another.
void beginGroup(MeshFile& file, std::string_view name);
// Ends the last group; takes those away that have no faces or no name.
void finishGroups(MeshFile& file);

}  // namespace sinew::meshes
