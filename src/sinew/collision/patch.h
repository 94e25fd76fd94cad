// The part of a convex shape's surface that looks in a direction: what two bodies touch each other with.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/geometry/shape.h"

namespace sinew {

// The faces of a convex mesh as polygons: triangles in one plane are one face.
struct ConvexFaces {
    struct Face {
        Vec3 normal = Vec3::Zero();  // outwards, of length one
        double area = 0;
        int first = 0, count = 0;  // its part of `corners`
    };
    std::vector<Face> faces;
    std::vector<int> corners;  // vertices, counter-clockwise from outside
};

// O(n²) in the worst case, of a mesh whose faces are all in one plane; about O(n) otherwise.
ConvexFaces convexFaces(const ConvexMesh& mesh);

// A checked shape where it is now. Shape and faces belong to the caller.
struct PlacedShape {
    const Shape* shape = nullptr;
    const ConvexFaces* faces = nullptr;  // of a mesh
    Pose pose;
    Mat3 R = Mat3::Identity();
    double reach = 0;  // from its origin

    PlacedShape(const Shape& form, const ConvexFaces* polygons, const Pose& place);
    // How far it reaches in a direction of length one.
    double along(const Vec3& direction) const;
};

// A point, a line or a flat face, with a ball of radius `round` rolled around it: the surface is that far
// from the corners in the direction asked for.
struct Patch {
    std::vector<Vec3> corners;   // of a face counter-clockwise from outside
    double round = 0;            // of a face 0
    Vec3 normal = Vec3::Zero();  // of a face
    double area = 0;             //
    std::uint32_t id = 0;        // which face or side of the shape

    bool isFace() const { return corners.size() > 2; }
};

// Towards a direction of length one:
//     sphere      its centre, round
//     capsule     its core, round
//     cylinder    a lid, as an octagon with a corner where the rim reaches farthest; of one that lies on
//     its
//                 side, two points of the axis, round: rolling leaves them where they are
//     ellipsoid   the point that reaches farthest
//     box, mesh   of the faces that reach farthest the one that looks there most
void findPatch(const PlacedShape& shape, const Vec3& direction, Patch& patch);

}  // namespace sinew
