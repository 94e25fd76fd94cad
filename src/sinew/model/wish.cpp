#include "sinew/model/wish.h"

#include <cmath>

#include "sinew/base/assert.h"
#include "sinew/base/text.h"
#include "sinew/model/model.h"
#include "sinew/model/wishes/types.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(WishDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(Wish)

namespace {

// Constants all of it: it stands before any code runs.
const WishTypeInfo* wishTable[mostWishTypes] = {
    &pointWish,   &surfaceWish, &curveWish, &distanceWish, &uprightWish, &orientationWish, &poseWish,
    &balanceWish, &lookAtWish,  &pinWish,   &velocityWish, &smoothWish,  &curvatureWish,   &shapeWish,
};

std::size_t wishTypeCount()
{
    std::size_t count = 0;
    while (count < mostWishTypes && wishTable[count]) ++count;
    return count;
}

}  // namespace

std::span<const WishTypeInfo* const> wishTypes()
{
    return {wishTable, wishTypeCount()};
}

const WishTypeInfo* findWishType(std::string_view name)
{
    for (const WishTypeInfo* type : wishTypes())
        if (name == type->name) return type;
    return nullptr;
}

void registerWishType(const WishTypeInfo& info)
{
    const std::size_t place = wishTypeCount();
    SINEW_ASSERT(place < mostWishTypes && !findWishType(info.name));
    wishTable[place] = &info;
}

void WishRows::clear()
{
    residual.clear();
    bodies.clear();
    velocities.clear();
    freedoms.clear();
    bends.clear();
    turnBends.clear();
}

double WishRows::energy() const
{
    double sum = 0;
    for (const double r : residual) sum += r * r;
    return 0.5 * sum;
}

void WishRows::byPoint(int row, const WishView& view, const WishPoint& point, const Vec3& slope)
{
    if (point.body < 0) return;
    const Vec3 arm = view.arm(point);
    bodies.push_back({row, point.body, (Vec6() << slope, arm.cross(slope)).finished(), arm, slope});
}

void WishRows::byDirection(int row, int body, const Vec3& direction, const Vec3& slope)
{
    if (body < 0) return;
    const Vec3 none = Vec3::Zero();
    bodies.push_back({row, body, (Vec6() << none, direction.cross(slope)).finished(), direction, slope});
}

void WishRows::byTurn(int row, int body, const Vec3& slope)
{
    if (body < 0) return;
    const Vec3 none = Vec3::Zero();
    bodies.push_back({row, body, (Vec6() << none, slope).finished(), none, none});
}

void WishRows::byVelocity(int row, const WishView& view, const WishPoint& point, const Vec3& slope)
{
    if (point.body < 0) return;
    velocities.push_back({row, point.body, (Vec6() << slope, view.arm(point).cross(slope)).finished()});
}

void evaluateWish(const Wish& wish, const WishView& view, WishRows& rows)
{
    const std::size_t residuals = rows.residual.size(), bodies = rows.bodies.size(),
                      velocities = rows.velocities.size(), freedoms = rows.freedoms.size(),
                      bends = rows.bends.size(), turnBends = rows.turnBends.size();
    wish.type->evaluate(wish, view, rows);
    SINEW_ASSERT(rows.residual.size() == residuals + static_cast<std::size_t>(wish.rows));
    const double root = std::sqrt(wish.weight);
    for (std::size_t i = residuals; i < rows.residual.size(); ++i) rows.residual[i] *= root;
    for (std::size_t i = bodies; i < rows.bodies.size(); ++i) {
        rows.bodies[i].slope *= root;
        rows.bodies[i].pull *= root;
    }
    for (std::size_t i = velocities; i < rows.velocities.size(); ++i) rows.velocities[i].slope *= root;
    for (std::size_t i = freedoms; i < rows.freedoms.size(); ++i) rows.freedoms[i].slope *= root;
    for (std::size_t i = bends; i < rows.bends.size(); ++i) rows.bends[i].bend *= wish.weight;
    for (std::size_t i = turnBends; i < rows.turnBends.size(); ++i) rows.turnBends[i].bend *= wish.weight;
}

std::string wishLabel(const Wish& wish)
{
    if (!wish.name.empty()) return shownName(wish.name);
    return std::string(wish.type->name) + " (/wishes/" + std::to_string(wish.source) + ")";
}

}  // namespace sinew
