// Which points of a skin are soft: by bones, welded where they share a place, firmer toward the border.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <set>
#include <unordered_map>

#include "sinew/base/pattern.h"
#include "sinew/base/text.h"
#include "sinew/character/flesh.h"

namespace sinew {
namespace {

// Points that are nearer than this part of the skin's extent stand in one place: files have them in single
// precision.
constexpr double weldReach = 1e-6;
// And their shares of a bone differ by rounding only.
constexpr double weldShare = 1e-2;
// At the very border flesh yields by this part of what it does inside.
constexpr double leastGive = 0.02;
constexpr std::size_t namesInMessage = 8;

bool sameShares(const std::vector<SkinSurface::Share>& a, const std::vector<SkinSurface::Share>& b)
{
    const auto oneWay = [](const auto& some, const auto& others) {
        return std::all_of(some.begin(), some.end(), [&](const SkinSurface::Share& share) {
            double there = 0;
            for (const SkinSurface::Share& other : others)
                if (other.bind == share.bind) there += other.weight;
            return std::abs(there - share.weight) <= weldShare;
        });
    };
    return oneWay(a, b) && oneWay(b, a);
}

// Finds points within a small reach of each other: cells of that size, and the 26 around each.
class Welder {
public:
    explicit Welder(const SkinSurface& skin) : skin_(skin)
    {
        Vec3 low = Vec3::Constant(INFINITY), high = -low;
        for (const Vec3& p : skin.points) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        reach_ = std::max(weldReach * (high - low).norm(), 1e-300);
        origin_ = low;
    }

    // The first point of those that are one with each.
    std::vector<int> run()
    {
        std::vector<int> first(skin_.points.size());
        for (int p = 0; p < skin_.size(); ++p) {
            first[static_cast<std::size_t>(p)] = find(p);
            if (first[static_cast<std::size_t>(p)] == p) cells_[key(p, 0, 0, 0)].push_back(p);
        }
        return first;
    }

private:
    std::uint64_t key(int point, int dx, int dy, int dz) const
    {
        const Vec3 at = (skin_.points[static_cast<std::size_t>(point)] - origin_) / reach_;
        // Up to 10⁶ cells each way and one beyond: 21 bits.
        const auto cell = [](double x, int d) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x)) + d + 1) & 0x1fffff;
        };
        return cell(at.x(), dx) << 42 | cell(at.y(), dy) << 21 | cell(at.z(), dz);
    }

    int find(int point) const
    {
        const auto p = static_cast<std::size_t>(point);
        for (int d = 0; d < 27; ++d) {
            const auto cell = cells_.find(key(point, d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1));
            if (cell == cells_.end()) continue;
            for (const int other : cell->second) {
                const auto o = static_cast<std::size_t>(other);
                if ((skin_.points[o] - skin_.points[p]).norm() <= reach_ &&
                    sameShares(skin_.shares[o], skin_.shares[p]))
                    return other;
            }
        }
        return point;
    }

    const SkinSurface& skin_;
    double reach_ = 0;
    Vec3 origin_;
    std::unordered_map<std::uint64_t, std::vector<int>> cells_;
};

// Ways along the edges from what is held, and the farthest of each piece of flesh.
void gradeFirmness(const SkinSurface& skin, FleshRegion& region)
{
    const std::size_t count = region.vertices.size();
    const auto place = [&](int v) {
        return skin.points[static_cast<std::size_t>(region.vertices[static_cast<std::size_t>(v)].point)];
    };
    std::vector<std::vector<int>> around(count);
    for (const auto& [a, b] : region.edges) {
        around[static_cast<std::size_t>(a)].push_back(b);
        around[static_cast<std::size_t>(b)].push_back(a);
    }
    std::vector<double> way(count, INFINITY);
    using Reached = std::pair<double, int>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
    for (std::size_t v = static_cast<std::size_t>(region.softCount); v < count; ++v) {
        way[v] = 0;
        open.push({0.0, static_cast<int>(v)});
    }
    while (!open.empty()) {
        const auto [length, v] = open.top();
        open.pop();
        if (length > way[static_cast<std::size_t>(v)]) continue;
        for (const int next : around[static_cast<std::size_t>(v)]) {
            const double there = length + (place(next) - place(v)).norm();
            if (there >= way[static_cast<std::size_t>(next)]) continue;
            way[static_cast<std::size_t>(next)] = there;
            open.push({there, next});
        }
    }
    // Pieces: soft vertices that hang together without what is held.
    std::vector<char> seen(count, 0);
    for (int first = 0; first < region.softCount; ++first) {
        if (seen[static_cast<std::size_t>(first)] != 0) continue;
        std::vector<int> piece{first};
        seen[static_cast<std::size_t>(first)] = 1;
        double deepest = 0;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            deepest = std::max(deepest, way[static_cast<std::size_t>(piece[i])]);
            for (const int next : around[static_cast<std::size_t>(piece[i])])
                if (next < region.softCount && seen[static_cast<std::size_t>(next)]++ == 0)
                    piece.push_back(next);
        }
        if (!(deepest > 0 && std::isfinite(deepest))) continue;  // nothing holds it
        for (const int v : piece) {
            const double s = std::min(1.0, 2 * way[static_cast<std::size_t>(v)] / deepest);
            const double rise = s * s * (3 - 2 * s);
            // Squared: after a jerk it swings out as the root of this, under a steady pull as this itself.
            region.vertices[static_cast<std::size_t>(v)].give = std::max(leastGive, rise * rise);
        }
    }
}

}  // namespace

Diagnostic fleshFault(const FleshOptions& options)
{
    if (!(options.stiffness > 0 && options.stiffness <= 100))
        return settingFault("flesh_stiffness", "must be above 0 and at most 100 Hz");
    if (!(options.damping >= 0 && options.damping <= 10))
        return settingFault("flesh_damping", "must be from 0 to 10");
    if (!(options.targets >= 1 && options.targets <= 256))
        return settingFault("flesh_targets", "must be from 1 to 256");
    return {};
}

Result<FleshRegion> fleshRegion(const Rig& rig, const SkinSurface& skin,
                                const std::vector<std::string>& patterns)
{
    const auto wrong = [](std::string message) { return settingFault("flesh", std::move(message)); };
    if (skin.points.empty()) return wrong("the character has no skin whose points could be soft");
    std::vector<char> isChosen(rig.bones.size(), 0);
    for (const std::string& pattern : patterns) {
        bool any = false;
        std::vector<std::string> known;
        for (std::size_t b = 0; b < rig.bones.size(); ++b) {
            if (!rig.bones[b].joint) continue;
            known.push_back(rig.bones[b].name);
            if (!matchesPattern(pattern, rig.bones[b].name)) continue;
            isChosen[b] = 1;
            any = true;
        }
        if (!any)
            return wrong("no bone matches " + quotedName(pattern) + "; bones are " +
                         listedNames(known, namesInMessage));
    }

    const std::vector<int> first = Welder(skin).run();
    FleshRegion region;
    std::vector<int> vertexOfPoint(skin.points.size(), -1);
    std::vector<char> isUsed(rig.bones.size(), 0);
    const auto boneOf = [&](int point) {
        const auto& shares = skin.shares[static_cast<std::size_t>(point)];
        return shares.empty() ? -1 : skin.binds[static_cast<std::size_t>(shares.front().bind)].bone;
    };
    for (int p = 0; p < skin.size(); ++p) {
        const int head = first[static_cast<std::size_t>(p)], bone = boneOf(head);
        if (bone < 0 || isChosen[static_cast<std::size_t>(bone)] == 0) continue;
        isUsed[static_cast<std::size_t>(bone)] = 1;
        int& vertex = vertexOfPoint[static_cast<std::size_t>(head)];
        if (vertex < 0) {
            vertex = static_cast<int>(region.vertices.size());
            region.vertices.push_back({head, true, 1});
        }
        region.points.push_back(p);
        region.vertexOf.push_back(vertex);
    }
    region.softCount = static_cast<int>(region.vertices.size());
    std::vector<std::string> bare;
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        if (isChosen[b] == 0) continue;
        (isUsed[b] != 0 ? region.bones : bare).push_back(rig.bones[b].name);
    }
    if (region.softCount == 0)
        return wrong("no point of the skin follows one of these bones most: " +
                     listedNames(bare, namesInMessage));

    std::set<std::array<int, 2>> edges;
    for (const std::array<int, 3>& face : skin.faces)
        for (int i = 0; i < 3; ++i) {
            std::array<int, 2> edge = {
                first[static_cast<std::size_t>(face[static_cast<std::size_t>(i)])],
                first[static_cast<std::size_t>(face[(static_cast<std::size_t>(i) + 1) % 3])]};
            if (edge[0] == edge[1] || boneOf(edge[0]) < 0 || boneOf(edge[1]) < 0) continue;
            const auto isSoft = [&](int point) {
                const int v = vertexOfPoint[static_cast<std::size_t>(point)];
                return v >= 0 && v < region.softCount;
            };
            if (!isSoft(edge[0]) && !isSoft(edge[1])) continue;
            for (int& end : edge) {
                int& vertex = vertexOfPoint[static_cast<std::size_t>(end)];
                if (vertex < 0) {
                    vertex = static_cast<int>(region.vertices.size());
                    region.vertices.push_back({end, false, 1});
                }
                end = vertex;
            }
            if (edge[0] > edge[1]) std::swap(edge[0], edge[1]);
            edges.insert(edge);
        }
    region.edges.assign(edges.begin(), edges.end());
    gradeFirmness(skin, region);
    return region;
}

}  // namespace sinew
