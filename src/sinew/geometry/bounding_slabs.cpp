// Slabs: pairs of parallel planes with all points between them.
//
//     Klosowski, Held, Mitchell, Sowizral and Zikan, "Efficient collision detection using bounding volume
//     hierarchies of k-DOPs", 1998
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/point_faults.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Points = std::vector<Vec3>;

// Axes, diagonals of the cube, diagonals of its faces: 6 and 14 planes are the beginning of this list, 26
// all of it.
const Vec3 directionList[] = {{1, 0, 0},  {0, 1, 0},   {0, 0, 1}, {1, 1, 1},  {1, 1, -1},
                              {1, -1, 1}, {1, -1, -1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                              {1, 0, -1}, {0, 1, 1},   {0, 1, -1}};
const Vec3 axesAndFaceDiagonals[] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {1, -1, 0},
                                     {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};

struct SlabSide {
    Vec3 normal;  // unit
    double offset;
};

// Sutherland and Hodgman: the part of a polygon in a half space.
void clip(Points& polygon, const SlabSide& h, Points& scratch)
{
    scratch.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double above = h.normal.dot(p) - h.offset, aboveNext = h.normal.dot(q) - h.offset;
        if (above <= 0) scratch.push_back(p);
        if ((above < 0 && aboveNext > 0) || (above > 0 && aboveNext < 0))
            scratch.push_back(p + above / (above - aboveNext) * (q - p));
    }
    polygon.swap(scratch);
}

double areaOf(const Points& polygon, const Vec3& normal)
{
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 2; i < polygon.size(); ++i)
        sum += (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]);
    return 0.5 * std::abs(normal.dot(sum));
}

struct Extent {
    Vec3 middle = Vec3::Zero();
    double reach = std::numeric_limits<double>::infinity();
};

// A ball that holds all of it: about the parallelepiped of the most upright three slabs. Infinite if no
// three are independent.
Extent extentOf(const BoundingSlabs& s)
{
    constexpr double flattest = 1e-9;
    const std::span<const Vec3> n = s.directions;
    double mostUpright = flattest;
    Extent extent;
    for (std::size_t i = 0; i < n.size(); ++i)
        for (std::size_t j = i + 1; j < n.size(); ++j)
            for (std::size_t k = j + 1; k < n.size(); ++k) {
                const double six = n[i].dot(n[j].cross(n[k]));
                const double upright = std::abs(six) / (n[i].norm() * n[j].norm() * n[k].norm());
                if (!(upright > mostUpright)) continue;
                mostUpright = upright;
                extent = {Vec3::Zero(), 0};
                // The dual basis: dᵢ · nᵢ = 1, and 0 with the others.
                const Vec3 dual[] = {n[j].cross(n[k]) / six, n[k].cross(n[i]) / six,
                                     n[i].cross(n[j]) / six};
                const std::size_t slab[] = {i, j, k};
                for (int m = 0; m < 3; ++m) {
                    extent.middle += (0.5 * s.low[slab[m]] + 0.5 * s.high[slab[m]]) * dual[m];
                    extent.reach += (0.5 * s.high[slab[m]] - 0.5 * s.low[slab[m]]) * dual[m].norm();
                }
            }
    return extent;
}

}  // namespace

std::span<const Vec3> slabDirections(int planes)
{
    SINEW_ASSERT(planes == 6 || planes == 14 || planes == 18 || planes == 26);
    if (planes == 18) return axesAndFaceDiagonals;
    return {directionList, static_cast<std::size_t>(planes / 2)};
}

Result<BoundingSlabs> boundingSlabs(const Points& points, std::span<const Vec3> directions,
                                    const Pose& pose)
{
    if (const auto fault = nothingToBound(points)) return *fault;
    if (directions.empty()) return Diagnostic{"there are no directions, slabs need one", {}, {}};
    for (const Vec3& n : directions)
        if (!n.allFinite() || n.isZero(0))
            return Diagnostic{
                "a direction of the slabs is zero or not finite, it must point somewhere", {}, {}};
    BoundingSlabs slabs{directions, {}, {}};
    fitSlabs(points, pose, slabs);
    return slabs;
}

void fitSlabs(const Points& points, const Pose& pose, BoundingSlabs& slabs)
{
    SINEW_ASSERT(!points.empty());
    const Mat3 R = pose.orientation.toRotationMatrix();
    slabs.low.assign(slabs.directions.size(), std::numeric_limits<double>::infinity());
    slabs.high.assign(slabs.directions.size(), -std::numeric_limits<double>::infinity());
    for (const Vec3& p : points) {
        const Vec3 placed = pose.position + R * p;
        for (std::size_t i = 0; i < slabs.directions.size(); ++i) {
            const double along = slabs.directions[i].dot(placed);
            slabs.low[i] = std::min(slabs.low[i], along);
            slabs.high[i] = std::max(slabs.high[i], along);
        }
    }
}

bool contains(const BoundingSlabs& slabs, const Vec3& point)
{
    for (std::size_t i = 0; i < slabs.directions.size(); ++i) {
        const double along = slabs.directions[i].dot(point);
        if (!(slabs.low[i] <= along && along <= slabs.high[i])) return false;
    }
    return true;
}

bool overlaps(const BoundingSlabs& a, const BoundingSlabs& b)
{
    SINEW_ASSERT(a.directions.data() == b.directions.data() && a.directions.size() == b.directions.size());
    for (std::size_t i = 0; i < a.low.size(); ++i)
        if (a.low[i] > b.high[i] || b.low[i] > a.high[i]) return false;
    return true;
}

// Σ over the faces of area · height above the middle / 3. A face is a square in its plane, larger than the
// whole, cut by all other planes; the face of a plane that only touches is left without area.
double volume(const BoundingSlabs& slabs)
{
    const Extent extent = extentOf(slabs);
    if (!std::isfinite(extent.reach)) return extent.reach;
    std::vector<SlabSide> spaces;  // about the middle
    for (std::size_t i = 0; i < slabs.low.size(); ++i) {
        const double length = slabs.directions[i].norm();
        const Vec3 n = slabs.directions[i] / length;
        const double middle = n.dot(extent.middle);
        spaces.push_back({n, slabs.high[i] / length - middle});
        spaces.push_back({-n, middle - slabs.low[i] / length});
    }
    double sum = 0;
    Points polygon, scratch;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        const SlabSide& face = spaces[i];
        const Directors d = directorsAcross(face.normal);
        const Vec3 foot = face.offset * face.normal;
        polygon.clear();
        for (const auto& [u, v] : {std::pair(1, 1), std::pair(-1, 1), std::pair(-1, -1), std::pair(1, -1)})
            polygon.push_back(foot + 2 * extent.reach * (u * d.first + v * d.second));
        for (std::size_t j = 0; j < spaces.size(); ++j)
            if (j / 2 != i / 2) clip(polygon, spaces[j], scratch);  // not by itself and its parallel
        sum += face.offset * areaOf(polygon, face.normal) / 3;
    }
    return sum;
}

}  // namespace sinew
