// Sources: Sutherland, Hodgman, "Reentrant polygon clipping" (1974); Ericson, Real-Time Collision Detection
// (2004), section 5.1.9.
#include <algorithm>
#include <cmath>

#include "sinew/collision/manifold.h"

namespace sinew {
namespace {

// A line between the planes over a face's edges.
void clipSegment(const Patch& face, const Patch& line, double slack, std::vector<ClipVertex>& out)
{
    const Vec3 &from = line.corners[0], along = line.corners[1] - from;
    double low = 0, high = 1;
    for (std::size_t j = 0; j < face.corners.size(); ++j) {
        const Vec3& corner = face.corners[j];
        const Vec3 edge = face.corners[(j + 1) % face.corners.size()] - corner;
        const Vec3 outwards = edge.cross(face.normal).normalized();
        const double start = outwards.dot(from - corner), rise = outwards.dot(along);
        if (start <= slack && start + rise <= slack) continue;
        if (start > slack && start + rise > slack) return;
        const double t = -start / rise;
        if (rise > 0)
            high = std::min(high, t);
        else
            low = std::max(low, t);
    }
    if (low > high) return;
    out.push_back({from + low * along, 0, low > 0 ? 2 : 0});
    out.push_back({from + high * along, 1, high < 1 ? 2 : 1});
}

void clipPolygon(const Patch& face, const Patch& other, double slack, ManifoldWork& work)
{
    const int count = static_cast<int>(other.corners.size());
    for (int i = 0; i < count; ++i) work.polygon.push_back({other.corners[i], (i + count - 1) % count, i});
    for (std::size_t j = 0; j < face.corners.size() && !work.polygon.empty(); ++j) {
        const Vec3& corner = face.corners[j];
        const Vec3 edge = face.corners[(j + 1) % face.corners.size()] - corner;
        const Vec3 outwards = edge.cross(face.normal).normalized();
        const int line = count + static_cast<int>(j);
        work.clipped.clear();
        for (std::size_t i = 0; i < work.polygon.size(); ++i) {
            const ClipVertex &p = work.polygon[i], &q = work.polygon[(i + 1) % work.polygon.size()];
            const double atP = outwards.dot(p.point - corner), atQ = outwards.dot(q.point - corner);
            if (atP <= slack) work.clipped.push_back(p);
            if ((atP <= slack) == (atQ <= slack)) continue;
            const double t = std::clamp(atP / (atP - atQ), 0., 1.);
            ClipVertex cut{p.point + t * (q.point - p.point), p.after, line};
            if (atP > slack) std::swap(cut.before, cut.after);
            work.clipped.push_back(cut);
        }
        std::swap(work.polygon, work.clipped);
    }
}

// Whether the patch's corners that reach farthest in the direction are two, and which.
bool hasEdge(const Patch& patch, const Vec3& direction, int& first, int& second)
{
    // What the far end of an edge may lack, as a part of its length.
    constexpr double slope = 0.02;
    const int count = static_cast<int>(patch.corners.size());
    if (count < 2) return false;
    int top = 0;
    for (int i = 1; i < count; ++i)
        if (direction.dot(patch.corners[i]) > direction.dot(patch.corners[top])) top = i;
    int found = -1;
    for (const int other : {(top + 1) % count, (top + count - 1) % count}) {
        const Vec3 edge = patch.corners[other] - patch.corners[top];
        if (other == top || other == found || -direction.dot(edge) > slope * edge.norm()) continue;
        if (found >= 0) return false;
        found = other;
    }
    if (found < 0) return false;
    first = std::min(top, found);
    second = std::max(top, found);
    return true;
}

}  // namespace

std::uint32_t featureOf(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d)
{
    std::uint32_t mixed = 2166136261u;
    for (const std::uint32_t part : {a, b, c, d}) {
        mixed = (mixed ^ part) * 16777619u;
        mixed ^= mixed >> 15;
        mixed *= 0x2c1b3c6du;
    }
    return mixed;
}

void clipOnto(const Patch& face, const Patch& other, const ClipRequest& request, ManifoldWork& work,
              Manifold& manifold)
{
    work.polygon.clear();
    if (other.corners.size() == 1) {
        const Vec3& point = other.corners[0];
        bool isOver = true;
        for (std::size_t j = 0; j < face.corners.size() && isOver; ++j) {
            const Vec3& corner = face.corners[j];
            const Vec3 edge = face.corners[(j + 1) % face.corners.size()] - corner;
            isOver = edge.cross(face.normal).normalized().dot(point - corner) <= request.slack;
        }
        if (isOver) work.polygon.push_back({point, 0, 0});
    } else if (other.corners.size() == 2) {
        clipSegment(face, other, request.slack, work.polygon);
    } else {
        clipPolygon(face, other, request.slack, work);
    }
    for (const ClipVertex& vertex : work.polygon) {
        const double height = face.normal.dot(vertex.point - face.corners[0]);
        ManifoldPoint point;
        point.gap = height - other.round;
        if (!(point.gap < request.reach)) continue;
        const Vec3 foot = vertex.point - height * face.normal;
        point.pointA = request.faceIsA ? foot : vertex.point;
        point.pointB = request.faceIsA ? vertex.point : foot;
        (request.faceIsA ? point.roundB : point.roundA) = other.round;
        point.normal = request.faceIsA ? face.normal : Vec3(-face.normal);
        point.face = request.faceIsA ? Contact::Face::ofA : Contact::Face::ofB;
        // A corner of the other patch is the same one whatever it moves over.
        const bool isCut = std::max(vertex.before, vertex.after) >= static_cast<int>(other.corners.size());
        point.feature = featureOf(other.id + 1, static_cast<std::uint32_t>(vertex.before),
                                  static_cast<std::uint32_t>(vertex.after),
                                  isCut ? 2 * featureOf(face.id, request.salt, 1) + request.faceIsA : 0);
        manifold.push_back(point);
    }
}

void touchAlong(const Separation& separation, const Patch& a, const Patch& b, double reach,
                std::uint32_t salt, Manifold& manifold)
{
    constexpr double parallel = 0.01;  // sine of the angle: more would be a crossing
    const Vec3& n = separation.normal;
    const auto add = [&](const Vec3& pointA, const Vec3& pointB, std::uint32_t which) {
        ManifoldPoint point{pointA, pointB, a.round, b.round, n, 0, 0};
        point.gap = n.dot(pointB - pointA) - a.round - b.round;
        point.feature = featureOf(salt, which, 7);
        if (point.gap < reach) manifold.push_back(point);
    };
    int a0 = 0, a1 = 0, b0 = 0, b1 = 0;
    if (hasEdge(a, n, a0, a1) && hasEdge(b, -n, b0, b1)) {
        const Vec3 &from = a.corners[a0], edge = a.corners[a1] - from;
        const Vec3 &otherFrom = b.corners[b0], other = b.corners[b1] - otherFrom;
        const double square = edge.squaredNorm(), slope = edge.dot(other);
        if (edge.cross(other).squaredNorm() < parallel * parallel * square * other.squaredNorm()) {
            const double start = edge.dot(otherFrom - from) / square, end = start + slope / square;
            const double low = std::max(0., std::min(start, end)),
                         high = std::min(1., std::max(start, end));
            if (low < high) {
                for (const double t : {low, high}) {
                    const double s = std::clamp((t - start) / (end - start), 0., 1.);
                    add(from + t * edge, otherFrom + s * other, t == low ? 1 : 2);
                }
                return;
            }
        }
    }
    add(separation.pointA - a.round * n, separation.pointB + b.round * n, 0);
}

void keepFour(Manifold& manifold, std::size_t first, double noise)
{
    if (manifold.size() <= first + 4) return;
    const auto begin = manifold.begin() + static_cast<std::ptrdiff_t>(first);
    // Of points that are equally good, whatever rests flat has many, the order must not decide: the one
    // that has another farthest from it. (Those two then are both taken, whichever is the first.)
    const auto width = [&](const ManifoldPoint& p) {
        double most = 0;
        for (auto it = begin; it != manifold.end(); ++it)
            most = std::max(most, (it->pointB - p.pointB).squaredNorm());
        return std::sqrt(most);
    };
    // Brings the best of the points from `to` on there.
    const auto choose = [&](std::ptrdiff_t to, auto measure) {
        double most = -HUGE_VAL;
        for (auto it = begin + to; it != manifold.end(); ++it) most = std::max(most, measure(*it));
        auto best = manifold.end();
        double widest = 0;
        for (auto it = begin + to; it != manifold.end(); ++it) {
            if (!(measure(*it) >= most - noise)) continue;
            const double here = width(*it);
            if (best != manifold.end() && here <= widest + noise) continue;
            best = it;
            widest = here;
        }
        std::rotate(begin + to, best, best + 1);
    };
    choose(0, [](const ManifoldPoint& p) { return -p.gap; });
    const Vec3 deepest = begin[0].pointB;
    // A point that is far but high touches only after a turn that brings nearer ones down first.
    constexpr double heightWorth = 2;
    const double least = begin[0].gap;
    const auto height = [&](const ManifoldPoint& p) { return heightWorth * (p.gap - least); };
    choose(1, [&](const ManifoldPoint& p) { return (p.pointB - deepest).norm() - height(p); });
    const Vec3 n = begin[0].normal, far = begin[1].pointB - deepest;
    // The third spans the largest triangle, the fourth most on the other side of the longest edges.
    const double length = far.norm();
    if (!(length > noise)) {
        manifold.resize(first + 1);
        return;
    }
    const Vec3 across = n.cross(far) / length;
    choose(2, [&](const ManifoldPoint& p) { return std::abs(across.dot(p.pointB - deepest)) - height(p); });
    const Vec3 corners[3] = {deepest, begin[1].pointB, begin[2].pointB};
    const double turn = across.dot(corners[2] - deepest) < 0 ? -1 : 1;
    choose(3, [&](const ManifoldPoint& p) {
        double gained = -HUGE_VAL;  // the largest area beyond an edge of the triangle, over its length
        for (int k = 0; k < 3; ++k) {
            const Vec3 edge = corners[(k + 1) % 3] - corners[k];
            gained = std::max(gained, turn * n.dot((p.pointB - corners[k]).cross(edge)) / length);
        }
        return gained - height(p);
    });
    manifold.resize(first + 4);
}

}  // namespace sinew
