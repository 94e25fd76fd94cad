// The forms that <flexcomp> makes by itself: points and what lies between them. Not a public header.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/math/types.h"

namespace sinew::mjcf {

struct FlexForm {
    std::vector<Vec3> points;
    std::vector<std::array<int, 2>> segments;  // of a rope
    std::vector<std::array<int, 3>> faces;     // of a cloth, or the outside of a block
    std::vector<std::array<int, 4>> cells;     // of a block
};

inline constexpr long maxFlexPoints = 200'000;

// Nodes are numbered with the last count fastest, as MuJoCo has them, about the middle.
FlexForm flexGrid(int dimension, const std::array<int, 3>& count, const Vec3& spacing);
// The outside of a grid, as it is ("box"), rounded to an ellipsoid, or round about z ("cylinder"). Of
// dimension 3 with a node in the middle, to which cells go from all faces.
FlexForm flexShell(const std::string& type, int dimension, const std::array<int, 3>& count,
                   const Vec3& spacing);
// A grid of dimension 2 drawn to a disc.
FlexForm flexDisc(const std::array<int, 3>& count, const Vec3& spacing);
// A closed rope in the xy plane.
FlexForm flexCircle(int count, double spacing);

// Cells from the middle to each face.
void fillFromMiddle(FlexForm& form);
// Points of cells alone: the faces that belong to one cell.
void facesFromCells(FlexForm& form);

}  // namespace sinew::mjcf
