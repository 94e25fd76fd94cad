// Source: van den Bergen, Collision Detection in Interactive 3D Environments (2003), section 4.3.8.
//
// The depth is the least support min_n h(n) of the difference over unit directions n. A polytope inside the
// difference has the least offset of its planes below that; the support point in the direction of that
// plane either lies on the plane, and then the offset is the least support, or makes the polytope larger
// there.
//
// Offsets are signed. So nothing depends on the origin being inside the first tetrahedron, where rounding
// of the distance iteration would have a say: a plane that has the origin on its outer side is simply the
// first one to grow. Where the shapes do not meet at all the depth comes out negative, as the widest gap.
//
// A face in whose plane the new point lies counts as seen. Then no rim edge is in line with the new point,
// and differences of boxes, full of coplanar corners, give no triangles without area.
//
// Cost: n expansions O(n²), n being about 10 for polyhedra. Curved surfaces end at the tolerance, or at the
// bound on expansions with the gap that is left.
#include "sinew/geometry/expanding_polytope.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// All in units of the largest coordinate of the difference that was seen.
constexpr double enoughGrowth = 1e-11;  // growth below it ends the search
constexpr double coplanar = 1e-13;      // rounding of offsets
constexpr double flat = 1e-12;          // a difference thinner than this has no inside
constexpr double aboutAsNear = 1e-9;
constexpr double aboutParallel = 1 - 1e-6;  // the cosine
constexpr int mostExpansions = 500;
// Of the tetrahedron that the distance iteration leaves behind, height over extent from which it is used.
constexpr double wellShaped = 1e-3;

double heightOver(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c)
{
    return std::abs((b - a).cross(c - a).normalized().dot(p - a));
}

// The weights of the foot of the origin on the plane of a triangle; some are negative if it is beside it.
std::array<double, 3> weightsBelow(const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 u = b - a, v = c - a, normal = u.cross(v);
    const double square = normal.squaredNorm();
    const double s = v.cross(a).dot(normal) / square, t = a.cross(u).dot(normal) / square;
    return {1 - s - t, s, t};
}

}  // namespace

bool ExpandingPolytope::addFace(int a, int b, int c, int& index)
{
    const Vec3 u = values_[b] - values_[a], v = values_[c] - values_[a];
    const Vec3 across = u.cross(v);
    const double area = across.norm();
    if (!(area > 0)) return false;
    if (free_.empty()) {
        index = static_cast<int>(faces_.size());
        faces_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Face& face = faces_[index];
    face.corners = {a, b, c};
    face.normal = across / area;
    // The mean of the three, each of which has another rounding.
    face.offset = face.normal.dot(values_[a] + values_[b] + values_[c]) / 3;
    face.isAlive = true;
    face.isSeen = false;
    return true;
}

// Four points that span a volume; or, where there are none, the answer for a flat difference.
bool ExpandingPolytope::startWith(const CoreDifference& difference, const Simplex& start,
                                  Penetration& answer)
{
    vertices_.clear();
    values_.clear();
    faces_.clear();
    free_.clear();
    const auto take = [&](const DifferencePoint& p) {
        vertices_.push_back(p);
        values_.push_back(p.value());
        scale_ = std::max(scale_, values_.back().cwiseAbs().maxCoeff());
    };
    // The farther one of the supports both ways, by the measure.
    const auto takeFarther = [&](const Vec3& direction, auto measure) {
        const DifferencePoint p = difference.support(direction), q = difference.support(-direction);
        const bool isFirst = measure(p.value()) >= measure(q.value());
        take(isFirst ? p : q);
        return isFirst ? measure(p.value()) : measure(q.value());
    };
    scale_ = 0;
    answer = {0, Vec3::UnitX(), start.nearestPair(), 0};
    if (start.count == 4) {
        for (const DifferencePoint& p : start.points) take(p);
        const auto& w = values_;
        const double extent = std::max({(w[1] - w[0]).norm(), (w[2] - w[0]).norm(), (w[3] - w[0]).norm()});
        if (std::min({heightOver(w[0], w[1], w[2], w[3]), heightOver(w[1], w[2], w[3], w[0]),
                      heightOver(w[2], w[3], w[0], w[1]), heightOver(w[3], w[0], w[1], w[2])}) >
            wellShaped * extent)
            return true;
        vertices_.clear();
        values_.clear();
    }
    take(difference.support(Vec3::UnitX()));
    double extent = 0;
    Vec3 along = Vec3::UnitX();
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1., 1.}) {
            const Vec3 offset = difference.support(sign * Vec3::Unit(axis)).value() - values_[0];
            if (offset.norm() > extent) {
                extent = offset.norm();
                along = sign * Vec3::Unit(axis);
            }
        }
    if (!(extent > flat * scale_)) return false;
    take(difference.support(along));
    const Vec3 line = (values_[1] - values_[0]).normalized();
    const auto offLine = [&](const Vec3& p) { return line.cross(p - values_[0]).norm(); };
    const Directors across = directorsAcross(line);
    answer.normal = across.first;
    double width = takeFarther(across.first, offLine);
    if (!(width > wellShaped * extent)) {
        const DifferencePoint first = vertices_.back();
        vertices_.pop_back();
        values_.pop_back();
        const double other = takeFarther(across.second, offLine);
        if (other < width) {
            vertices_.back() = first;
            values_.back() = first.value();
        }
        width = std::max(width, other);
    }
    if (!(width > flat * scale_)) return false;
    answer.normal = (values_[1] - values_[0]).cross(values_[2] - values_[0]).normalized();
    const auto offPlane = [&](const Vec3& p) { return std::abs(answer.normal.dot(p - values_[0])); };
    return takeFarther(answer.normal, offPlane) > flat * scale_;
}

int ExpandingPolytope::nearestFace() const
{
    int nearest = -1;
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f)
        if (faces_[f].isAlive && (nearest < 0 || faces_[f].offset < faces_[nearest].offset)) nearest = f;
    return nearest;
}

// Replaces the faces that the vertex sees, which hang together from `face` on. False if rounding got in the
// way; the polytope is of no more use then.
bool ExpandingPolytope::insert(int vertex, int face)
{
    const Vec3& p = values_[vertex];
    open_.assign(1, face);
    seen_.clear();
    rim_.clear();
    faces_[face].isSeen = true;
    while (!open_.empty()) {
        const int f = open_.back();
        open_.pop_back();
        seen_.push_back(f);
        for (int k = 0; k < 3; ++k) {
            const int n = faces_[f].neighbors[k];
            if (faces_[n].isSeen || faces_[n].normal.dot(p) < faces_[n].offset - coplanar * scale_)
                continue;
            faces_[n].isSeen = true;
            open_.push_back(n);
        }
    }
    for (const int f : seen_)
        for (int k = 0; k < 3; ++k)
            if (const int n = faces_[f].neighbors[k]; !faces_[n].isSeen)
                rim_.push_back({faces_[f].corners[k], faces_[f].corners[(k + 1) % 3], n});
    for (const int f : seen_) {
        faces_[f].isAlive = false;
        free_.push_back(f);
    }
    return rim_.size() >= 3 && joinRim(vertex);
}

bool ExpandingPolytope::joinRim(int vertex)
{
    made_.clear();
    for (const RimEdge& edge : rim_) {
        int f = 0;
        if (!addFace(edge.from, edge.to, vertex, f)) return false;
        made_.push_back(f);
        Face& outside = faces_[edge.outside];
        for (int k = 0; k < 3; ++k)
            if (outside.corners[k] == edge.to && outside.corners[(k + 1) % 3] == edge.from)
                outside.neighbors[k] = f;
    }
    // Along the rim one edge begins where another ends, and no two begin at one place.
    edgeFrom_.assign(values_.size(), -1);
    for (std::size_t i = 0; i < rim_.size(); ++i) {
        if (edgeFrom_[rim_[i].from] >= 0) return false;
        edgeFrom_[rim_[i].from] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < rim_.size(); ++i) {
        const int following = edgeFrom_[rim_[i].to];
        if (following < 0) return false;
        faces_[made_[i]].neighbors[0] = rim_[i].outside;
        faces_[made_[i]].neighbors[1] = made_[following];
        faces_[made_[following]].neighbors[2] = made_[i];
    }
    return true;
}

Penetration ExpandingPolytope::answer(int face, double support) const
{
    Penetration result;
    result.depth = support;
    result.normal = faces_[face].normal;
    result.gap = std::max(0., support - faces_[face].offset);
    // A side of the difference is several triangles, flat or slightly bent; the one that has the foot of
    // the origin has the deepest points.
    bool isFirst = true;
    double best = 0;
    for (const Face& f : faces_) {
        if (!f.isAlive || f.offset > faces_[face].offset + aboutAsNear * scale_) continue;
        if (&f != &faces_[face] && f.normal.dot(result.normal) < aboutParallel) continue;
        std::array<double, 3> weights =
            weightsBelow(values_[f.corners[0]], values_[f.corners[1]], values_[f.corners[2]]);
        const double least = std::min({weights[0], weights[1], weights[2]});
        if (!isFirst && least <= best) continue;
        isFirst = false;
        best = least;
        result.points = {};
        double sum = 0;
        for (double& weight : weights) sum += weight = std::max(0., weight);
        for (int k = 0; k < 3; ++k) {
            result.points.a += weights[k] / sum * vertices_[f.corners[k]].a;
            result.points.b += weights[k] / sum * vertices_[f.corners[k]].b;
        }
    }
    return result;
}

Penetration ExpandingPolytope::depth(const CoreDifference& difference, const Simplex& start)
{
    Penetration best;
    if (!startWith(difference, start, best)) {
        best.depth = best.normal.dot(difference.support(best.normal).value());
        return best;
    }
    // Outward: the fourth corner is below the first three.
    if ((values_[1] - values_[0]).cross(values_[2] - values_[0]).dot(values_[3] - values_[0]) > 0) {
        std::swap(values_[0], values_[1]);
        std::swap(vertices_[0], vertices_[1]);
    }
    int f = 0;
    if (!addFace(0, 1, 2, f) || !addFace(0, 3, 1, f) || !addFace(1, 3, 2, f) || !addFace(2, 3, 0, f))
        return best;
    faces_[0].neighbors = {1, 2, 3};
    faces_[1].neighbors = {3, 2, 0};
    faces_[2].neighbors = {1, 3, 0};
    faces_[3].neighbors = {2, 1, 0};
    bool hasAnswer = false;
    for (int expansion = 0;; ++expansion) {
        const int nearest = nearestFace();
        const DifferencePoint point = difference.support(faces_[nearest].normal);
        const Vec3 value = point.value();
        const double support = faces_[nearest].normal.dot(value);
        scale_ = std::max(scale_, value.cwiseAbs().maxCoeff());
        const double growth = support - faces_[nearest].offset;
        if (growth <= enoughGrowth * scale_) return answer(nearest, support);
        if (!hasAnswer || support < best.depth) {
            best = answer(nearest, support);
            hasAnswer = true;
        }
        best.gap = std::max(0., best.depth - faces_[nearest].offset);
        if (expansion == mostExpansions) return best;
        vertices_.push_back(point);
        values_.push_back(value);
        if (!insert(static_cast<int>(values_.size()) - 1, nearest)) return best;
    }
}

}  // namespace sinew
