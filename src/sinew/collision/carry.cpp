// What contacts had in the last step is where the solver begins in this one.
#include <algorithm>
#include <tuple>

#include "sinew/collision/detect.h"

namespace sinew {
namespace {

constexpr double sameWay = 0.7;  // cosine between the normals
constexpr char isFree = 0, isTaken = 1;

auto pairOf(const Contact& c)
{
    return std::tie(c.colliderA, c.colliderB);
}

// In the axes that move least: the world's, where one of the two is the world.
double squareBetween(const Contact& a, const Contact& b)
{
    return a.bodyB < 0 ? (a.pointB - b.pointB).squaredNorm() : (a.pointA - b.pointA).squaredNorm();
}

void carry(const Contact& before, Contact& now)
{
    now.impulse = before.impulse;
    now.turning = before.turning;
    now.slipping = before.slipping;
}

}  // namespace

void carryImpulses(const std::vector<Contact>& before, std::vector<Contact>& now, double near,
                   std::vector<char>& carried)
{
    // Which of the old ones are taken, then which of the new ones have theirs.
    carried.assign(before.size() + now.size(), isFree);
    char* const taken = carried.data();
    char* const served = taken + before.size();
    std::size_t old = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const auto key = [](const Contact& c) { return std::tie(c.colliderA, c.colliderB, c.feature); };
        while (old < before.size() && key(before[old]) < key(now[i])) ++old;
        if (old < before.size() && before[old].isSamePlace(now[i])) {
            carry(before[old], now[i]);
            taken[old++] = served[i] = isTaken;
        }
    }
    std::size_t first = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (served[i]) continue;
        while (first < before.size() && pairOf(before[first]) < pairOf(now[i])) ++first;
        double least = near * near;
        std::size_t best = before.size();
        for (std::size_t k = first; k < before.size() && pairOf(before[k]) == pairOf(now[i]); ++k) {
            const double square = squareBetween(before[k], now[i]);
            if (taken[k] || !(square < least) || before[k].normal.dot(now[i].normal) < sameWay) continue;
            least = square;
            best = k;
        }
        if (best == before.size()) continue;
        carry(before[best], now[i]);
        taken[best] = isTaken;
    }
}

}  // namespace sinew
