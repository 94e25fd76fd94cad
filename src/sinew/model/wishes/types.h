// The rows of the table of wish types, one file each. Not a public header.
#pragma once

#include "sinew/math/rotation.h"
#include "sinew/model/check.h"
#include "sinew/model/model.h"
#include "sinew/model/wish.h"

namespace sinew {

extern const WishTypeInfo pointWish, surfaceWish, curveWish, distanceWish, uprightWish, orientationWish,
    poseWish, balanceWish, lookAtWish, pinWish, velocityWish, smoothWish, curvatureWish, shapeWish;

namespace wishes {

// Three rows at a point, one along each axis of the world; `sign` −1: as it moves the other way.
inline void byPlace(int firstRow, const WishView& view, const WishPoint& point, const Mat3& slopes,
                    WishRows& out)
{
    for (int i = 0; i < 3; ++i) out.byPoint(firstRow + i, view, point, slopes.row(i).transpose());
}

// Three rows of a vector.
inline int addVector(const Vec3& value, WishRows& out)
{
    const int row = out.add(value[0]);
    out.add(value[1]);
    out.add(value[2]);
    return row;
}

// What counts of a length that is off by `error`; zero where the wish is fulfilled.
inline bool counts(WishDescription::Side side, double error)
{
    if (side == WishDescription::Side::atLeast) return error < 0;
    if (side == WishDescription::Side::atMost) return error > 0;
    return true;
}

}  // namespace wishes
}  // namespace sinew
