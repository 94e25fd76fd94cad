// The narrow phase: where two shapes touch, or are about to, as up to four points that hold them apart.
//
//     separation.cpp        along which direction two convex shapes are nearest, and whether a face has it
//     patch.cpp             what each turns towards the other: a point, a line, a face
//     clip.cpp              the part of one patch that lies over the other, and the best four points of it
//     manifold.cpp          two convex shapes; a convex shape on a half-space
//     manifold_terrain.cpp  a convex shape on the triangles of a height field or a mesh
//
// A point has an anchor on each side and the radius of a ball about it (state/contact.h):
//     gap = normal · (pointB − pointA) − roundA − roundB.
// Everything with gap < reach is wanted, what is still apart too.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/collision/follow.h"
#include "sinew/collision/patch.h"
#include "sinew/collision/terrain_triangles.h"
#include "sinew/geometry/distance.h"
#include "sinew/state/contact.h"

namespace sinew {

struct ManifoldPoint {
    Vec3 pointA = Vec3::Zero(), pointB = Vec3::Zero();  // world
    double roundA = 0, roundB = 0;
    Vec3 normal = Vec3::UnitY();  // from A to B, of length one
    double gap = 0;
    std::uint32_t feature = 0;  // the same from step to step while the same parts touch
    Contact::Face face = Contact::Face::none;
    bool isOnRidge = false;
    Ridge ridge = {};  // of terrain, where it is on one
};
using Manifold = std::vector<ManifoldPoint>;

struct ClipVertex {
    Vec3 point = Vec3::Zero();
    int before = 0, after = 0;  // the lines that meet here: edges of the polygon, then those of the clip
};

// Memory for queries, without meaning; a query takes none from the heap once it has seen the like.
struct ManifoldWork {
    DistanceWork distance;
    Patch patchA, patchB;
    std::vector<ClipVertex> polygon, clipped;
    Manifold found, doubtful;
    Shape prism = ConvexMesh{};
    std::vector<int> triangles;
};

// All replace `manifold`. Of two convex shapes, four points at most.
void findManifold(const PlacedShape& a, const PlacedShape& b, double reach, ManifoldWork& work,
                  Manifold& manifold);
// On terrain, which is B: four points at most on a half-space; on triangles, four to each normal.
void findManifold(const PlacedShape& a, const HalfSpace& ground, const Pose& groundPose, double reach,
                  ManifoldWork& work, Manifold& manifold);
void findManifold(const PlacedShape& a, TerrainTriangles& ground, const Pose& groundPose, double reach,
                  ManifoldWork& work, Manifold& manifold);

// ---- parts that the above share -----------------------------------------------------------------

// How two convex shapes lie: the direction from A to B in which they are farthest apart (or in which the
// way out of each other is shortest), how far that is, and where. If a face has that direction, or one that
// is nearly as good, the face is better: its normal has no noise, and it gives more points.
struct Separation {
    Vec3 normal = Vec3::UnitY();
    double gap = 0;
    Vec3 pointA = Vec3::Zero(), pointB = Vec3::Zero();  // on the surfaces
    enum class Face { none, ofA, ofB } face = Face::none;
};
// Where the gap is `reach` or more the rest may be anything. Uses the work's patches.
Separation separate(const PlacedShape& a, const PlacedShape& b, double reach, ManifoldWork& work);

// How much worse than the best direction that of a face may be, for patches that are more than points.
double facePreference(double gap, double extent);

// A number for a place from numbers for its parts.
std::uint32_t featureOf(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d = 0);

// Adds the points of a patch that lie over a face, with the face's normal. Between them the polygon of
// both, cut along the face's edges; what is outside by less than `slack` counts as inside.
struct ClipRequest {
    bool faceIsA = true;
    double reach = 0, slack = 0;
    std::uint32_t salt = 0;  // of features
};
void clipOnto(const Patch& face, const Patch& other, const ClipRequest& request, ManifoldWork& work,
              Manifold& manifold);

// Adds what touches along a direction that is no face's: two points where edges or cores run beside each
// other, else one between the points given.
void touchAlong(const Separation& separation, const Patch& a, const Patch& b, double reach,
                std::uint32_t salt, Manifold& manifold);

// Keeps four of the points from `first` on: the deepest, and those that span most and are not much higher.
// Differences of less than `noise` are not seen; of equal points the first is kept.
void keepFour(Manifold& manifold, std::size_t first, double noise);

}  // namespace sinew
