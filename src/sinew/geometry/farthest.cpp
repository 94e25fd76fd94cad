// Directions are halved again and again until those of a set are alike, and each half takes along only the
// points that can be farthest for one of its own.
//
// Let all directions of a set be within r of c, and q be farthest along c. A point p can be farthest along
// one of them only if c · (q − p) ≤ r |q − p|. On a round body that leaves a cap about q whose size falls
// with r; on a flat face it leaves the face, whose directions are all one. Needles and discs are made round
// first, which changes directions, but not which point is farthest.
#include "sinew/geometry/farthest.h"

#include <algorithm>
#include <span>

namespace sinew {
namespace {

// What is this near, in units of the extent, is taken for equal: somewhat more than rounding.
constexpr double alike = 1e-14;
// How thin points that are to be made round may be, squared. Flat ones stay flat.
constexpr double thinnestSpread = 1e-16;
// So many products are faster formed than avoided.
constexpr std::size_t fewProducts = 256;

class FarthestSearch {
public:
    FarthestSearch(const std::vector<Vec3>& points, const std::vector<Vec3>& directions)
        : farthest_(directions.size(), 0)
    {
        Vec3 middle = Vec3::Zero();
        for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
        Mat3 spread = Mat3::Zero();
        for (const Vec3& p : points) spread += (p - middle) * (p - middle).transpose();
        // L of spread = L Lᵀ: where L⁻¹ p is the point, Lᵀ d is the direction.
        spread.diagonal().array() += thinnestSpread * spread.trace();
        const Mat3 L = choleskyFactor(spread);
        for (const Vec3& p : points) {
            points_.push_back(solveLower(L, p - middle));
            extent_ = std::max(extent_, points_.back().norm());
        }
        for (const Vec3& d : directions) directions_.push_back((L.transpose() * d).normalized());
    }

    std::vector<int> run()
    {
        std::vector<int> all(directions_.size()), candidates(points_.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = static_cast<int>(i);
        search(all, candidates);
        return std::move(farthest_);
    }

private:
    int best(const Vec3& direction, const std::vector<int>& candidates) const
    {
        int found = candidates[0];
        double most = direction.dot(points_[found]);
        for (const int i : candidates)
            if (const double along = direction.dot(points_[i]); along > most) {
                most = along;
                found = i;
            }
        return found;
    }

    void search(std::span<int> set, const std::vector<int>& candidates)
    {
        if (set.size() * candidates.size() <= fewProducts || set.size() <= 1) {
            for (const int d : set) farthest_[d] = best(directions_[d], candidates);
            return;
        }
        Vec3 low = directions_[set[0]], high = low;
        for (const int d : set) {
            low = low.cwiseMin(directions_[d]);
            high = high.cwiseMax(directions_[d]);
        }
        const Vec3 middle = 0.5 * (low + high);
        const double radius = 0.5 * (high - low).norm();
        const int top = best(middle, candidates);
        if (radius <= alike) {
            for (const int d : set) farthest_[d] = top;
            return;
        }
        std::vector<int> kept;
        for (const int i : candidates) {
            const Vec3 below = points_[top] - points_[i];
            if (middle.dot(below) <= radius * below.norm() + alike * extent_) kept.push_back(i);
        }
        int axis = 0;
        (high - low).maxCoeff(&axis);
        const auto half = set.begin() + static_cast<std::ptrdiff_t>(set.size() / 2);
        std::nth_element(set.begin(), half, set.end(), [&](int a, int b) {
            const double x = directions_[a][axis], y = directions_[b][axis];
            return x < y || (x == y && a < b);
        });
        search({set.begin(), half}, kept);
        search({half, set.end()}, kept);
    }

    std::vector<Vec3> points_, directions_;
    std::vector<int> farthest_;
    double extent_ = 0;
};

}  // namespace

std::vector<int> farthestPoints(const std::vector<Vec3>& points, const std::vector<Vec3>& directions)
{
    if (points.empty() || directions.empty()) return std::vector<int>(directions.size(), 0);
    return FarthestSearch(points, directions).run();
}

}  // namespace sinew
