// How deep the origin lies in the difference of two convex shapes: the expanding polytope.
#pragma once

#include <array>
#include <vector>

#include "sinew/geometry/simplex.h"

namespace sinew {

struct Penetration {
    double depth = 0;             // the least support of the difference: the shortest way out
    Vec3 normal = Vec3::UnitX();  // in which direction
    DifferencePoint points;       // the deepest points of both
    double gap = 0;               // the depth is at most this much too large
};

// A triangulated convex hull of points of a difference that grows where it is nearest to the origin. It is
// memory without meaning between queries, and takes no more once it is large enough.
class ExpandingPolytope {
public:
    // `start` holds what the distance iteration ended with; its nearest pair stands in for the deepest
    // points where the difference is flat, as of two crossing lines.
    Penetration depth(const CoreDifference& difference, const Simplex& start);

private:
    struct Face {
        std::array<int, 3> corners{},
            neighbors{};  // neighbor k lies across the edge from corner k to k + 1
        Vec3 normal = Vec3::Zero();
        double offset = 0;  // of the plane from the origin, along the normal
        bool isAlive = false, isSeen = false;
    };
    struct RimEdge {
        int from, to, outside;  // the face beyond, which stays
    };

    bool startWith(const CoreDifference& difference, const Simplex& start, Penetration& flat);
    bool addFace(int a, int b, int c, int& index);
    int nearestFace() const;
    bool insert(int vertex, int face);
    bool joinRim(int vertex);
    Penetration answer(int face, double support) const;

    std::vector<DifferencePoint> vertices_;
    std::vector<Vec3> values_;
    std::vector<Face> faces_;
    std::vector<int> free_, open_, seen_, made_, edgeFrom_;
    std::vector<RimEdge> rim_;
    double scale_ = 0;
};

}  // namespace sinew
