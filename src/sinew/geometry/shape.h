// The shapes a body can be made of, each about its own origin. The long axis is y, as gravity's is.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/spatial.h"

namespace sinew {

struct Sphere {
    double radius = 0;
};
struct Box {
    Vec3 size = Vec3::Zero();  // full edge lengths
};
// A cylinder of the given length along y with half a sphere on each end.
struct Capsule {
    double radius = 0;
    double length = 0;  // without the caps
};
struct Cylinder {
    double radius = 0;
    double length = 0;
};
struct Ellipsoid {
    Vec3 radii = Vec3::Zero();
};
// A closed convex polyhedron. Faces are triangles, counter-clockwise from outside; where none are
// given, the hull of the vertices is taken.
struct ConvexMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;
};

using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, ConvexMesh>;

// The word for it in scene files: "sphere", "box", ….
const char* shapeName(const Shape& shape);

// The shape, with the hull filled in where a mesh has no faces; or what is wrong with it (a size that
// is not positive, a flat, open or dented mesh). The diagnostic's pointer names the part, such as
// /radius or /faces/3.
Result<Shape> checkedShape(Shape shape);

// Mass properties of a checked shape at density 1, in the shape's axes. All but a mesh have their
// centre of mass at the shape's origin.
Inertia unitDensityInertia(const Shape& shape);

}  // namespace sinew
