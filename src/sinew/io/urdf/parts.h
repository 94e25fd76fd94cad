// The parts of turning a robot into a scene. Not a public header.
#pragma once

#include <map>
#include <unordered_map>

#include "sinew/io/urdf/scene.h"

namespace sinew::urdf {

// Hulls of mesh files, each read once.
class MeshShelf {
public:
    MeshShelf(const std::string& robotFile, const std::vector<std::string>& folders)
        : from_(robotFile), folders_(folders)
    {
    }
    // The shape of a geometry; nothing where its file cannot be had, which a note then tells.
    Result<std::optional<Shape>> shapeOf(const UrdfGeometry& geometry, LeftOut& leftOut);

private:
    Result<std::optional<ConvexMesh>> hullOf(const UrdfMesh& mesh, int line, LeftOut& leftOut);

    std::string from_;
    const std::vector<std::string>& folders_;
    std::map<std::string, std::optional<ConvexMesh>> hulls_;
};

// Controllers toward the start for those of the scene's joints that have a place in `efforts`; how many.
// Its value is the most that a joint gives, or nothing.
std::size_t holdPose(const std::unordered_map<std::string, std::optional<double>>& efforts,
                     Description& scene);

// An inertia that a solid body can have, by as small a change as it takes; `change` says what was done.
Mat3 solidInertia(const Mat3& inertia, double mass, std::string& change);

}  // namespace sinew::urdf
