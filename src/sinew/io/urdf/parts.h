// The parts of turning a robot into a scene. Not a public header.
#pragma once

#include <map>

#include "sinew/io/urdf/scene.h"

namespace sinew::urdf {

// Hulls of mesh files, each read once.
class MeshShelf {
public:
    explicit MeshShelf(const std::string& robotFile) : from_(robotFile) {}
    // The shape of a geometry; nothing where its file cannot be had, which a note then tells.
    Result<std::optional<Shape>> shapeOf(const UrdfGeometry& geometry, LeftOut& leftOut);

private:
    Result<std::optional<ConvexMesh>> hullOf(const UrdfMesh& mesh, int line, LeftOut& leftOut);

    std::string from_;
    std::map<std::string, std::optional<ConvexMesh>> hulls_;
};

// An inertia that a solid body can have, by as small a change as it takes; `change` says what was done.
Mat3 solidInertia(const Mat3& inertia, double mass, std::string& change);

}  // namespace sinew::urdf
