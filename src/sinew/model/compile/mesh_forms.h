// The forms of spring meshes that a scene has by a word: cloth, ball, beam. Not a public header.
#pragma once

#include <array>
#include <vector>

#include "sinew/math/types.h"

namespace sinew::compiling {

struct MeshForm {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;
    std::vector<std::array<int, 2>> edges, diagonals, bends;
    std::vector<double> shares;  // of the mass, per vertex, where faces do not tell it
};

MeshForm clothForm(double width, double depth, int columns, int rows);
MeshForm ballForm(double diameter, int divisions);
MeshForm beamForm(const Vec3& size, const std::array<int, 3>& cells);

}  // namespace sinew::compiling
