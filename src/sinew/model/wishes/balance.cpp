// The centre of mass of a figure over its feet, seen along gravity: r = c − f, f the nearest place of the
// convex hull of the feet, in two axes across gravity; zero over the hull.
//
// Over a corner a, r = c − a. Beside an edge from a to b of length L, with tangent t, outward normal n,
// s = n · (c − a) and the part λ of the edge at which f is,
//     dr = n n · (dc − (1 − λ) da − λ db) − (s/L) t n · (db − da),
// for the edge turns with its ends. Ericson, Real-Time Collision Detection (2004), section 5.1.2.
#include <algorithm>
#include <cmath>

#include "sinew/model/wishes/types.h"

namespace sinew {
namespace balance_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    wish.direction = check.direction(Vec3(-model.gravity), "/gravity");
    if (source.of.body == "world") {
        const auto foot = std::find_if(wish.points.begin(), wish.points.end(),
                                       [](const WishPoint& p) { return p.body >= 0; });
        check.require(foot != wish.points.end(), pointer, "needs the body whose centre of mass is meant");
        if (check.failed()) return;
        wish.points[0] = {foot->body, Vec3::Zero()};
    }
    const Skeleton& figure = model.skeletons[model.skeletonOf[wish.points[0].body]];
    double mass = 0;
    for (int i = figure.first; i < figure.first + figure.count; ++i) mass += model.bodies[i].mass;
    check.require(mass > 0, pointer, "the figure has no mass");
}

// The places of feet in the plane, and their hull, counter-clockwise, as numbers of feet.
struct Feet {
    std::vector<Vec2> places;
    std::vector<int> hull;
};

double crossOf(const Vec2& a, const Vec2& b)
{
    return a[0] * b[1] - a[1] * b[0];
}

void findHull(Feet& feet)
{
    std::vector<int> order(feet.places.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto place = [&](int i) -> const Vec2& { return feet.places[static_cast<std::size_t>(i)]; };
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return place(a)[0] != place(b)[0] ? place(a)[0] < place(b)[0] : place(a)[1] < place(b)[1];
    });
    // Andrew's chains: below from left to right, above back again.
    std::vector<int>& hull = feet.hull;
    const auto add = [&](int i, std::size_t start) {
        while (hull.size() >= start + 2 && crossOf(place(hull.back()) - place(hull[hull.size() - 2]),
                                                   place(i) - place(hull[hull.size() - 2])) <= 0)
            hull.pop_back();
        hull.push_back(i);
    };
    for (const int i : order) add(i, 0);
    const std::size_t start = hull.size() - 1;
    for (std::size_t i = order.size() - 1; i-- > 0;) add(order[i], start);
    if (hull.size() > 1) hull.pop_back();
}

// The nearest place of the hull: at `part` of the way from foot a to foot b; a = −1: c is over the hull.
struct Nearest {
    int a = -1, b = -1;
    double part = 0, squared = HUGE_VAL;
};

Nearest nearestOf(const Feet& feet, const Vec2& c)
{
    Nearest best;
    const std::size_t corners = feet.hull.size();
    bool isOver = corners > 2;
    for (std::size_t k = 0; k < corners; ++k) {
        const int i = feet.hull[k], j = feet.hull[(k + 1) % corners];
        const Vec2 a = feet.places[static_cast<std::size_t>(i)],
                   edge = feet.places[static_cast<std::size_t>(j)] - a;
        if (crossOf(edge, c - a) < 0) isOver = false;
        const double square = edge.squaredNorm();
        const double part = square > 0 ? std::clamp(edge.dot(c - a) / square, 0., 1.) : 0.;
        const double squared = (c - a - part * edge).squaredNorm();
        if (squared < best.squared) best = {i, j, part, squared};
    }
    if (isOver) best.a = -1;
    return best;
}

// By the centre of mass: by those of its bodies, each with its share.
void byCenter(int row, const WishView& view, const Skeleton& figure, double mass, const Vec3& slope,
              WishRows& out)
{
    for (int i = figure.first; i < figure.first + figure.count; ++i)
        if (const double own = view.model.bodies[i].mass; own > 0)
            out.byPoint(row, view, {i, Vec3::Zero()}, own / mass * slope);
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const Model& model = view.model;
    const Skeleton& figure = model.skeletons[model.skeletonOf[wish.points[0].body]];
    double mass = 0;
    Vec3 center = Vec3::Zero();
    for (int i = figure.first; i < figure.first + figure.count; ++i) {
        mass += model.bodies[i].mass;
        center += model.bodies[i].mass * view.bodies[i].position;
    }
    const Directors across = directorsAcross(wish.direction);
    const auto inPlane = [&](const Vec3& p) { return Vec2(across.first.dot(p), across.second.dot(p)); };
    const auto inSpace = [&](const Vec2& v) { return Vec3(v[0] * across.first + v[1] * across.second); };
    const Vec2 c = inPlane(Vec3(center / mass));
    Feet feet;
    for (std::size_t i = 1; i < wish.points.size(); ++i)
        feet.places.push_back(inPlane(view.place(wish.points[i])));
    findHull(feet);
    const Nearest nearest = nearestOf(feet, c);
    if (nearest.a < 0) {
        out.add(0);
        out.add(0);
        return;
    }
    const auto placeOf = [&](int foot) { return feet.places[static_cast<std::size_t>(foot)]; };
    const auto pointOf = [&](int foot) -> const WishPoint& {
        return wish.points[static_cast<std::size_t>(foot) + 1];
    };
    const Vec2 edge = placeOf(nearest.b) - placeOf(nearest.a);
    const Vec2 r = c - placeOf(nearest.a) - nearest.part * edge;
    const bool isCorner = !(nearest.part > 0 && nearest.part < 1);
    const double length = isCorner ? 1 : edge.norm(), s = r.norm();
    const Vec2 t = edge / length, n = s > 0 ? Vec2(r / s) : Vec2(t[1], -t[0]);
    for (int i = 0; i < 2; ++i) {
        const int row = out.add(r[i]);
        const Vec2 along = isCorner ? Vec2(Vec2::Unit(i)) : Vec2(n[i] * n);
        const Vec2 turning = isCorner ? Vec2(Vec2::Zero()) : Vec2((s / length) * t[i] * n);
        byCenter(row, view, figure, mass, inSpace(along), out);
        out.byPoint(row, view, pointOf(nearest.a), inSpace(turning - (1 - nearest.part) * along));
        out.byPoint(row, view, pointOf(nearest.b), inSpace(-turning - nearest.part * along));
    }
}

}  // namespace
}  // namespace balance_wish

const WishTypeInfo balanceWish = {
    .name = "balance",
    .about = "the centre of mass of a figure is over its feet",
    .needed = wish_keys::points,
    .taken = wish_keys::body,
    .compile = balance_wish::compile,
    .rows = 2,
    .evaluate = balance_wish::evaluate,
};

}  // namespace sinew
