// Triangle meshes out of OBJ, STL and COLLADA files, and what the engine can make of them: convex shapes of
// bodies, and ground for them to stand on.
//
// OBJ and STL say neither units nor which way is up: numbers are taken as metres, axes as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/geometry/shape.h"
#include "sinew/geometry/terrain.h"

namespace sinew {

// Faces [first, first + count) of a mesh: a group or object of an OBJ file, a solid of an STL file.
struct MeshGroup {
    std::string name;
    int first = 0, count = 0;
};

struct MeshFile {
    // Every face has three different corners and an area. An OBJ file may have vertices alone.
    TriangleMesh mesh;
    std::vector<MeshGroup> groups;  // those that have faces and a name
    // One line each: what of the file is not in the mesh.
    std::vector<Diagnostic> notes;
};

inline constexpr int maxMeshVertices = 4'000'000;
inline constexpr int maxMeshFaces = 4'000'000;

// `fileName` is for messages only.
Result<MeshFile> parseObj(std::string_view text, const std::string& fileName);
// Binary or text: its size tells, whatever word it begins with. Corners at the same place become one
// vertex.
Result<MeshFile> parseStl(std::string_view bytes, const std::string& fileName);

// Everything in its scene, in metres; which way is up is not heeded, as robots' meshes are meant.
Result<MeshFile> parseDae(std::string_view text, const std::string& fileName);

// The ending of a name, in small letters, is one of those that can be read: obj, stl and dae.
bool isMeshEnding(std::string_view ending);
// By the ending of its name.
Result<MeshFile> parseMesh(std::string_view text, const std::string& fileName);
Result<MeshFile> readMesh(const std::string& path);

// A convex mesh around all vertices that faces use (of all, where there are no faces).
struct HullShape {
    ConvexMesh shape;
    // Of a mesh with more vertices than `maxHullVertices` the outermost in evenly spread directions are
    // taken. This is how far, at most, another one sticks out; 0 where all were taken.
    double leftOut = 0;  // m
};
inline constexpr int maxHullVertices = 1000;
Result<HullShape> hullShape(const TriangleMesh& mesh, const Vec3& scale = Vec3::Ones());

// The mesh as ground; an odd number of negative factors turns the faces, so that outside stays outside.
// What has no area after scaling is an error (geometry/terrain.h).
Result<Terrain> meshTerrain(TriangleMesh mesh, const Vec3& scale = Vec3::Ones());

}  // namespace sinew
