// Points of bodies keep the shape that they have at rest, wherever it goes: the residuals are by how much
// their distances differ from those at rest, for each two of them. A mirror image has the same distances.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace shape_wish {
namespace {

constexpr int mostShapePoints = 100;  // their pairs are the rows

void compile(const WishDescription&, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    const int n = static_cast<int>(wish.points.size()) - 1;
    check.require(n >= 2, pointer + "/points", "has fewer than 2 points");
    check.require(n <= mostShapePoints, pointer + "/points", "has more than 100 points");
    if (check.failed()) return;
    const auto atRest = [&](int i) {
        const WishPoint& p = wish.points[static_cast<std::size_t>(i) + 1];
        return p.body < 0 ? p.point : model.bodies[p.body].rest * p.point;
    };
    wish.matrix.setZero(n, n);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k) wish.matrix(i, k) = (atRest(i) - atRest(k)).norm();
    wish.rows = n * (n - 1) / 2;
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    for (int i = 0; i < wish.matrix.rows(); ++i)
        for (int k = 0; k < i; ++k) {
            const WishPoint &a = wish.points[static_cast<std::size_t>(i) + 1],
                            &b = wish.points[static_cast<std::size_t>(k) + 1];
            const Vec3 d = view.place(a) - view.place(b);
            const double length = d.norm();
            const int row = out.add(length - wish.matrix(i, k));
            if (!(length > 0)) continue;
            out.byPoint(row, view, a, d / length);
            out.byPoint(row, view, b, -d / length);
        }
}

}  // namespace
}  // namespace shape_wish

const WishTypeInfo shapeWish = {
    .name = "shape",
    .about = "points keep the distances that they have at rest",
    .needed = wish_keys::points,
    .compile = shape_wish::compile,
    .evaluate = shape_wish::evaluate,
};

}  // namespace sinew
