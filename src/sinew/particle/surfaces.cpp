// Moments of impact: of planes by the quadratic equation, of other solids by marching along the way by
// the distance that is free (sphere tracing), of triangles by the chord.
#include "sinew/particle/surfaces.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/point_distance.h"

namespace sinew::particle {
namespace {

// Of a height field, in its axes. Beside it there is nothing, and over it a step by the height times the
// cosine of the steepest slope passes no ridge.
Clearance overField(const ParticleSurface& surface, const Terrain& terrain, const Vec3& p)
{
    const HeightField& field = std::get<HeightField>(terrain);
    const double u = p.x() / field.spacing, w = p.z() / field.spacing;
    if (!(u >= 0 && w >= 0 && u <= field.columns - 1 && w <= field.rows - 1))
        return {0.25 * field.spacing, Vec3::Zero()};
    const PointDistance there = distanceTo(terrain, p, 0);
    return {there.distance / there.normal.y() * surface.steepest, there.normal};
}

// Along the normal, at the surface: whether the way goes in there, and if it does not, when it may come
// back.
struct Leave {
    bool isIn = false;
    double back = HUGE_VAL;  // s
};
Leave leaving(double speed, double acceleration, double span)
{
    if (speed < 0) return {true, 0};
    if (!(acceleration < 0)) return {};
    const double back = -2 * speed / acceleration;
    return {back < shortestFlight * span, back};
}

// The first time in [0, span] in which c + b t + ½ a t² gets to zero and falls.
bool firstFall(double c, double b, double a, double span, double& time)
{
    if (c <= 0) {
        const Leave leave = leaving(b, a, span);
        time = leave.isIn ? 0 : leave.back;
        return time <= span;
    }
    // The smaller positive root, in the form that does not cancel.
    const double q = b * b - 2 * a * c;
    if (q < 0) return false;
    const double root = std::sqrt(q);
    if (b < 0)
        time = 2 * c / (root - b);
    else if (a < 0)
        time = -(b + root) / a;
    else
        return false;
    return time <= span;
}

bool planeImpact(const HalfSpace& half, const Way& way, double span, double radius, Impact& impact)
{
    const double c = half.normal.dot(way.x) - half.offset - radius;
    double time = 0;
    if (!firstFall(c, half.normal.dot(way.v), half.normal.dot(way.a), span, time)) return false;
    impact = {time, half.normal, Vec3::Zero(), time == 0 ? std::max(0., -c) : 0};
    return true;
}

bool solidImpact(const ParticleSurface& surface, const StepMotion& motion, double late, const Way& way,
                 double span, double radius, Impact& impact)
{
    constexpr int mostMarches = 64;
    constexpr double near = 1e-6;  // of the way
    const bool isConvex = std::holds_alternative<Shape>(surface.form);
    Placed placed = placedAt(surface, motion, late / motion.h);
    double time = 0;
    for (int march = 0; march < mostMarches && time <= span; ++march) {
        if (surface.body >= 0 && march > 0) placed = placedAt(surface, motion, (late + time) / motion.h);
        const Vec3 x = way.at(time), moved = placed.velocityAt(x), relative = way.velocityAt(time) - moved;
        const Clearance here = clearance(placed, x);
        const double free = here.distance - radius;
        const double fastest = relative.norm() + way.a.norm() * (span - time) +
                               placed.spin.norm() * relative.norm() * (span - time);
        if (!(fastest > 0)) return false;
        if (free > near * fastest * span) {
            time += free / fastest;
            continue;
        }
        const Leave leave = leaving(relative.dot(here.normal), way.a.dot(here.normal), span);
        if (leave.isIn) {
            impact = {time, here.normal, moved, std::max(0., -free)};
            return true;
        }
        // Off a convex form at rest it does not come back sooner than off a plane.
        const bool isSafe = isConvex && surface.body < 0;
        time += isSafe ? leave.back : std::max(std::min(leave.back, span / 8), span / mostMarches);
    }
    return false;
}

bool triangleImpact(const TriangleMesh& mesh, const Placed& placed, const Way& way, double span,
                    double radius, Impact& impact)
{
    const Pose inverse = placed.pose.inverse();
    const Vec3 from = inverse * way.x, to = inverse * way.at(span);
    const Vec3 low = from.cwiseMin(to) - Vec3::Constant(radius),
               high = from.cwiseMax(to) + Vec3::Constant(radius);
    double best = HUGE_VAL;
    for (const auto& face : mesh.faces) {
        const Vec3 &a = mesh.vertices[face[0]], &b = mesh.vertices[face[1]], &c = mesh.vertices[face[2]];
        const Vec3 least = a.cwiseMin(b).cwiseMin(c), most = a.cwiseMax(b).cwiseMax(c);
        if ((least - high).maxCoeff() > 0 || (low - most).maxCoeff() > 0) continue;
        const Vec3 n = (b - a).cross(c - a).normalized();
        const double start = n.dot(from - a) - radius, end = n.dot(to - a) - radius;
        // From the front through to the back; what stands behind is let through.
        if (!(start >= -0.5 * std::abs(end - start) && end < 0 && end < start)) continue;
        const double part = std::clamp(start / (start - end), 0., 1.);
        if (part >= best) continue;
        const Vec3 p = from + part * (to - from) - radius * n;
        const auto isLeft = [&](const Vec3& s, const Vec3& t) { return n.dot((t - s).cross(p - s)) >= 0; };
        if (!isLeft(a, b) || !isLeft(b, c) || !isLeft(c, a)) continue;
        best = part;
        impact = {part * span, placed.pose.orientation * n, Vec3::Zero(), std::max(0., -start)};
    }
    return best <= 1;
}

}  // namespace

Placed placedAt(const ParticleSurface& surface, const StepMotion& motion, double part)
{
    Placed placed;
    placed.surface = &surface;
    placed.pose = surface.pose;
    if (surface.body < 0) return placed;
    const BodyState body = motion.bodyAt(surface.body, part);
    placed.pose = Pose{body.position, body.orientation} * surface.pose;
    placed.center = body.position;
    // As the body moves over the step, which need not be what its velocities say.
    placed.velocity = body.velocity;
    placed.spin = body.angularVelocityWorld();
    return placed;
}

Clearance clearance(const Placed& placed, const Vec3& point)
{
    const Vec3 local = placed.pose.inverse() * point;
    Clearance out;
    if (const auto* shape = std::get_if<Shape>(&placed.surface->form)) {
        const PointDistance there = distanceTo(*shape, local);
        out = {there.distance, there.normal};
    } else {
        const Terrain& terrain = std::get<Terrain>(placed.surface->form);
        if (std::holds_alternative<HeightField>(terrain)) {
            out = overField(*placed.surface, terrain, local);
        } else {
            const PointDistance there = distanceTo(terrain, local, 0);
            out = {there.distance, there.normal};
        }
    }
    out.normal = placed.pose.orientation * out.normal;
    return out;
}

bool isSolid(const ParticleSurface& surface)
{
    const auto* terrain = std::get_if<Terrain>(&surface.form);
    return !terrain || !std::holds_alternative<TriangleMesh>(*terrain);
}

bool firstImpact(const ParticleSurface& surface, const StepMotion& motion, double late, const Way& way,
                 double span, double radius, Impact& impact)
{
    if (const auto* terrain = std::get_if<Terrain>(&surface.form)) {
        if (const auto* half = std::get_if<HalfSpace>(terrain))
            return planeImpact(*half, way, span, radius, impact);
        if (const auto* mesh = std::get_if<TriangleMesh>(terrain))
            return triangleImpact(*mesh, placedAt(surface, motion, 1), way, span, radius, impact);
    }
    return solidImpact(surface, motion, late, way, span, radius, impact);
}

}  // namespace sinew::particle
