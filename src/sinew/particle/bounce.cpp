#include "sinew/particle/bounce.h"

#include <algorithm>
#include <cmath>

#include "sinew/particle/distributions.h"

namespace sinew::particle {
namespace {

constexpr int mostBounces = 8;  // in a step

// What comes back of a velocity. With `lies`, nothing along the normal.
Vec3 reflected(const Vec3& v, const Vec3& normal, const Vec3& surface, const BounceDescription& rule,
               bool lies)
{
    const Vec3 relative = v - surface;
    const double in = relative.dot(normal);
    if (!(in < 0)) return v;
    const double back = lies ? 0 : rule.keep;
    Vec3 along = relative - in * normal;
    const double speed = along.norm(), lost = -rule.friction * (1 + back) * in;
    along *= speed > lost && speed > 0 ? 1 - lost / speed : 0;
    if (rule.friction == 0) along = relative - in * normal;
    return surface + along - back * in * normal;
}

double radiusOf(const ParticleSystem& system, float size)
{
    return system.shape == ParticlesDescription::Shape::sphere ? size : 0;
}

}  // namespace

Bounces::Bounces(const ParticleSystem& system, const StepMotion& motion)
    : system_(system), rule_(*system.bounce), motion_(motion)
{
}

void Bounces::keep(const Lanes& lanes, Before& before)
{
    std::copy_n(lanes.x, lanes.count, before.x);
    std::copy_n(lanes.y, lanes.count, before.y);
    std::copy_n(lanes.z, lanes.count, before.z);
    std::copy_n(lanes.vx, lanes.count, before.vx);
    std::copy_n(lanes.vy, lanes.count, before.vy);
    std::copy_n(lanes.vz, lanes.count, before.vz);
}

// Who may have met something: below a plane, or within the reach of a form. The others, which are most,
// need no closer look. Gives whether there are any.
bool Bounces::findNear(const Before& b, const Lanes& lanes, int* __restrict near) const
{
    const int n = lanes.count;
    const float *x = lanes.x, *y = lanes.y, *z = lanes.z;
    const float radii = system_.shape == ParticlesDescription::Shape::sphere ? 1 : 0;
    for (const ParticleSurface& surface : *system_.surfaces) {
        const auto* terrain = std::get_if<Terrain>(&surface.form);
        const auto* half = terrain ? std::get_if<HalfSpace>(terrain) : nullptr;
        if (half) {
            const float nx = static_cast<float>(half->normal.x()),
                        ny = static_cast<float>(half->normal.y()),
                        nz = static_cast<float>(half->normal.z()), at = static_cast<float>(half->offset);
            for (int i = 0; i < n; ++i) {
                const float now = nx * x[i] + ny * y[i] + nz * z[i];
                const float then = nx * b.x[i] + ny * b.y[i] + nz * b.z[i];
                near[i] |= (now < then ? now : then) - at <= radii * lanes.size[i];
            }
            continue;
        }
        const Placed first = placedAt(surface, motion_, 0), last = placedAt(surface, motion_, 1);
        const Vec3& center = last.pose.position;
        const float sway = static_cast<float>((first.pose.position - center).norm() + surface.reach);
        const float cx = static_cast<float>(center.x()), cy = static_cast<float>(center.y()),
                    cz = static_cast<float>(center.z());
        for (int i = 0; i < n; ++i) {
            const float dx = x[i] - b.x[i], dy = y[i] - b.y[i], dz = z[i] - b.z[i];
            const float ex = x[i] - cx, ey = y[i] - cy, ez = z[i] - cz;
            const float reach =
                1.001f * (sway + radii * lanes.size[i] + std::sqrt(dx * dx + dy * dy + dz * dz));
            near[i] |= ex * ex + ey * ey + ez * ez <= reach * reach;
        }
    }
    int any = 0;
    for (int i = 0; i < n; ++i) any |= near[i];
    return any != 0;
}

void Bounces::apply(const Before& b, const Lanes& lanes, unsigned char* dead) const
{
    int near[mostLanes] = {};
    if (!findNear(b, lanes, near)) return;
    for (int i = 0; i < lanes.count; ++i) {
        if (!near[i]) continue;
        const double h = lanes.h[i];
        if (!(h > 0)) continue;
        Way way{Vec3(b.x[i], b.y[i], b.z[i]), Vec3(b.vx[i], b.vy[i], b.vz[i]), Vec3::Zero()};
        const Vec3 end(lanes.vx[i], lanes.vy[i], lanes.vz[i]);
        const double radius = radiusOf(system_, lanes.size[i]);
        bool isHit = false;
        if (rule_.response == BounceDescription::Response::penalty) {
            way.a = (end - way.v) / h;
            isHit = push(way, h, radius, lanes.size[i]);
        } else if (rule_.atFraction) {
            way.a = (end - way.v) / h;
            isHit = bounce(way, h, radius);
        } else {
            way.x = Vec3(lanes.x[i], lanes.y[i], lanes.z[i]);
            way.v = end;
            isHit = bounceAtStep(way, h, radius);
        }
        if (!isHit) continue;
        dead[i] = static_cast<unsigned char>(dead[i] | (rule_.dies ? 1 : 0));
        lanes.x[i] = static_cast<float>(way.x.x());
        lanes.y[i] = static_cast<float>(way.x.y());
        lanes.z[i] = static_cast<float>(way.x.z());
        lanes.vx[i] = static_cast<float>(way.v.x());
        lanes.vy[i] = static_cast<float>(way.v.y());
        lanes.vz[i] = static_cast<float>(way.v.z());
    }
}

// That a form, wherever it is in this step, is out of reach.
bool Bounces::isFar(const ParticleSurface& surface, const Vec3& x, double path) const
{
    if (surface.reach == 0) return false;
    const double reach = 1.001 * (surface.reach + path);
    if (surface.body < 0) return (x - surface.pose.position).squaredNorm() > reach * reach;
    const BodyState &a = (*motion_.start)[surface.body], &b = (*motion_.end)[surface.body];
    const double sway = (a.position - b.position).norm() + surface.pose.position.norm();
    return (x - b.position).norm() > reach + sway;
}

bool Bounces::bounce(Way& way, double h, double radius) const
{
    bool isHit = false;
    double passed = 0;
    for (int n = 0; n < mostBounces; ++n) {
        Impact first;
        bool isThere = false;
        const double span = h - passed;
        const double path = span * (way.v.norm() + 0.5 * span * way.a.norm()) + radius;
        for (const ParticleSurface& surface : *system_.surfaces) {
            Impact impact;
            if (isFar(surface, way.x, path)) continue;
            if (firstImpact(surface, motion_, motion_.h - span, way, span, radius, impact) &&
                (!isThere || impact.time < first.time)) {
                first = impact;
                isThere = true;
            }
        }
        if (!isThere) break;
        isHit = true;
        way.x = way.at(first.time) + first.inside * first.normal;
        way.v = way.velocityAt(first.time);
        passed += first.time;
        const double in = (way.v - first.surfaceVelocity).dot(first.normal),
                     down = -way.a.dot(first.normal);
        const bool lies =
            n + 1 == mostBounces || (down > 0 && -2 * rule_.keep * in < shortestFlight * down * h);
        way.v = reflected(way.v, first.normal, first.surfaceVelocity, rule_, lies);
        if (rule_.dies) return true;
        if (!lies) continue;
        // It stays on the surface: the push of that takes the normal part of all else, and rubs.
        way.v = reflected(way.v - down * (h - passed) * first.normal, first.normal, first.surfaceVelocity,
                          rule_, true);
        way.a += down * first.normal;
    }
    if (!isHit) return false;
    const double span = h - passed;
    way.x = way.at(span);
    way.v = way.velocityAt(span);
    return true;
}

bool Bounces::bounceAtStep(Way& way, double h, double radius) const
{
    bool isHit = false;
    for (const ParticleSurface& surface : *system_.surfaces) {
        if (isFar(surface, way.x, h * way.v.norm() + radius)) continue;
        if (!isSolid(surface)) {
            // A triangle has no inside: what passed it in the step is put back on it.
            Way back{way.x - h * way.v, way.v, Vec3::Zero()};
            Impact impact;
            if (!firstImpact(surface, motion_, motion_.h - h, back, h, radius, impact)) continue;
            way.x = back.at(impact.time) + impact.inside * impact.normal;
            way.v = reflected(way.v, impact.normal, impact.surfaceVelocity, rule_, false);
            isHit = true;
            continue;
        }
        const Placed placed = placedAt(surface, motion_, 1);
        const Clearance here = clearance(placed, way.x);
        if (!(here.distance < radius)) continue;
        way.v = reflected(way.v, here.normal, placed.velocityAt(way.x), rule_, false);
        way.x += (radius - here.distance) * here.normal;
        isHit = true;
    }
    return isHit;
}

bool Bounces::push(Way& way, double h, double radius, double size) const
{
    constexpr double squaredRate = 1e5;  // 1/s², as obstacles without contact have it
    constexpr double partOfRate = 0.1;   // the part of a step, times the spring's rate
    constexpr int mostParts = 400;
    const double mass = system_.massOf(size);
    const double stiffness = rule_.stiffness ? *rule_.stiffness / mass : squaredRate,
                 rate = std::sqrt(stiffness);
    // The damping ratio with which a rebound keeps the part k of the speed: e^(−πζ/√(1 − ζ²)) = k.
    const double fall = rule_.keep > 0 ? -logarithm(rule_.keep) / pi : 1e6;
    const double damping =
        rule_.damping ? *rule_.damping / mass : 2 * rate * fall / std::sqrt(1 + fall * fall);
    const int parts =
        std::clamp(static_cast<int>(std::min(h * rate / partOfRate, 1. * mostParts)) + 1, 1, mostParts);
    const double dt = h / parts;
    bool isHit = false;
    for (int n = 0; n < parts; ++n) {
        way.v += dt * way.a;
        for (const ParticleSurface& surface : *system_.surfaces) {
            if (isFar(surface, way.x, dt * way.v.norm() + radius)) continue;
            if (!isSolid(surface)) {
                Impact impact;
                const Way straight{way.x, way.v, Vec3::Zero()};
                if (firstImpact(surface, motion_, motion_.h - h + n * dt, straight, dt, radius, impact)) {
                    way.v = reflected(way.v, impact.normal, impact.surfaceVelocity, rule_, false);
                    isHit = true;
                }
                continue;
            }
            const Placed placed = placedAt(surface, motion_, 1 - (h - n * dt) / motion_.h);
            const Clearance here = clearance(placed, way.x);
            const double depth = radius - here.distance;
            if (!(depth > 0)) continue;
            isHit = true;
            const Vec3 relative = way.v - placed.velocityAt(way.x);
            const double rise = relative.dot(here.normal);
            const double gain = std::max(0., dt * (stiffness * depth - damping * rise));
            const Vec3 along = relative - rise * here.normal;
            const double speed = along.norm(), lost = std::min(rule_.friction * gain, speed);
            way.v += gain * here.normal - (speed > 0 ? lost / speed : 0) * along;
        }
        way.x += dt * way.v;
    }
    return isHit;
}

}  // namespace sinew::particle
