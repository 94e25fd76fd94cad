#include "sinew/particle/emitter.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/trigonometry.h"
#include "sinew/particle/distributions.h"

namespace sinew::particle {
namespace {

constexpr double turn = 6.283185307179586;

// One random number after the other of a birth.
struct Dice {
    std::uint64_t seed, number;
    double unit(Draw what) const { return drawnUnit(seed, number, what); }
    double of(const Spread& spread, Draw what) const { return drawn(spread, seed, number, what); }
};

struct Place {
    Vec3 point = Vec3::Zero(), normal = Vec3::UnitY();  // in the emitter's frame
};

Vec3 onSphere(double u, double v)
{
    const double y = 1 - 2 * u, r = std::sqrt(std::max(0., 1 - y * y));
    return {r * cosine(turn * v), y, r * sine(turn * v)};
}

// The cube root of a number from 0 to 1, by Newton's iteration from above: it falls until it stands.
double cubeRoot(double x)
{
    double root = 1;
    for (int i = 0; i < 200; ++i) {
        const double next = root - (root * root * root - x) / (3 * root * root);
        if (!(next < root)) break;
        root = next;
    }
    return root;
}

Place placeIn(const Emitter& emitter, const Dice& dice)
{
    using Type = EmitterDescription::Type;
    const double u = dice.unit(Draw::place), v = dice.unit(Draw::place2), w = dice.unit(Draw::place3);
    if (emitter.type == Type::disc) {
        const double r = emitter.surface ? emitter.radius : emitter.radius * std::sqrt(u);
        return {Vec3(r * cosine(turn * v), 0, r * sine(turn * v)), Vec3::UnitY()};
    }
    if (emitter.type == Type::sphere) {
        const Vec3 n = onSphere(u, v);
        return {n * (emitter.surface ? emitter.radius : emitter.radius * cubeRoot(w)), n};
    }
    if (emitter.triangles.empty()) return {};
    const auto isBefore = [](const Emitter::Triangle& t, double part) { return t.upTo <= part; };
    auto found = std::lower_bound(emitter.triangles.begin(), emitter.triangles.end(), u, isBefore);
    if (found == emitter.triangles.end()) --found;
    // Folded, so that both halves of the parallelogram lie in the triangle.
    const double a = v + w > 1 ? 1 - v : v, b = v + w > 1 ? 1 - w : w;
    return {found->corner + a * found->edge1 + b * found->edge2, found->normal};
}

// A direction at right angles to a unit vector, always the same one.
Vec3 across(const Vec3& n)
{
    const Vec3 a = n.cwiseAbs();
    const Vec3 axis = a.x() <= a.y() && a.x() <= a.z() ? Vec3::UnitX()
                      : a.y() <= a.z()                 ? Vec3::UnitY()
                                                       : Vec3::UnitZ();
    return n.cross(axis).normalized();
}

Vec3 velocityOf(const BirthVelocity& velocity, const Dice& dice)
{
    using Kind = BirthVelocity::Kind;
    constexpr Draw axes[] = {Draw::velocityX, Draw::velocityY, Draw::velocityZ};
    Vec3 v = velocity.value;
    if (velocity.kind == Kind::box)
        for (int i = 0; i < 3; ++i) v[i] += dice.unit(axes[i]) * (velocity.other[i] - velocity.value[i]);
    if (velocity.kind == Kind::normal)
        for (int i = 0; i < 3; ++i) v[i] += velocity.other[i] * normalAt(dice.unit(axes[i]));
    if (velocity.kind != Kind::cone) return v;
    const double c = 1 - dice.unit(Draw::tilt) * (1 - cosine(velocity.angle));
    const double s = std::sqrt(std::max(0., 1 - c * c)), angle = turn * dice.unit(Draw::turn);
    const Vec3 p = across(velocity.direction), q = velocity.direction.cross(p);
    return dice.of(velocity.speed, Draw::speed) *
           (c * velocity.direction + s * (cosine(angle) * p + sine(angle) * q));
}

// Bursts at times in [from, to).
int burstsIn(const std::vector<Burst>& bursts, double from, double to)
{
    constexpr double slack = 1e-9;  // s: the end of a step is only as good as its sum
    double sum = 0;
    for (const Burst& burst : bursts) {
        // How many of them there were before a time.
        const auto before = [&](double time) {
            const double since = time - slack - burst.time;
            if (since < 0) return 0.;
            return burst.every > 0 ? std::floor(since / burst.every) + 1 : 1.;
        };
        sum += burst.count * (before(to) - before(from));
    }
    return static_cast<int>(std::min(sum, 1e9));
}

}  // namespace

BodyState StepMotion::bodyAt(int body, double part) const
{
    const BodyState &a = (*start)[body], &b = (*end)[body];
    BodyState out = b;
    out.position = a.position + part * (b.position - a.position);
    out.velocity = a.velocity + part * (b.velocity - a.velocity);
    out.angularVelocity = a.angularVelocity + part * (b.angularVelocity - a.angularVelocity);
    // Straight in the quaternion, which is exact enough for the turn of one step.
    const double sign = a.orientation.coeffs().dot(b.orientation.coeffs()) < 0 ? -1 : 1;
    const Vec4 q = (1 - part) * sign * a.orientation.coeffs() + part * b.orientation.coeffs();
    out.orientation = Quat(q[3], q[0], q[1], q[2]).normalized();
    return out;
}

Birth birthOf(const ParticleSystem& system, std::uint64_t number, const StepMotion& motion, double part)
{
    const Emitter& emitter = system.emitter;
    const Dice dice{system.seed, number};
    const Place place = placeIn(emitter, dice);
    const Vec3 own =
        velocityOf(system.velocity, dice) + dice.of(system.outward, Draw::outward) * place.normal;
    Birth birth{emitter.pose * place.point, emitter.pose.orientation * own};
    if (emitter.body < 0) return birth;
    const BodyState body = motion.bodyAt(emitter.body, part);
    const Vec3 arm = body.orientation * birth.position;
    birth.position = body.position + arm;
    birth.velocity = body.orientation * birth.velocity +
                     emitter.inherit * (body.velocity + body.angularVelocityWorld().cross(arm));
    return birth;
}

double momentOf(const ParticleSystem& system, std::uint64_t number, int k, int count)
{
    if (system.births == ParticlesDescription::Births::even) return (k + 0.5) / count;
    return drawnUnit(system.seed, number, Draw::moment);
}

int birthsIn(const ParticleSystem& system, double time, double h, std::uint64_t step)
{
    using Births = ParticlesDescription::Births;
    constexpr double most = 1e9;
    int count = burstsIn(system.bursts, time, time + h);
    const double begin = std::max(time, system.from), end = std::min(time + h, system.until);
    if (!(end > begin)) return count;
    const double rate = std::max(0., system.rate.at(0.5 * (begin + end)).value);
    const auto unit = [&](Draw what) { return drawnUnit(system.seed, step, what); };
    double mean = rate * (end - begin);
    if (system.births == Births::poisson) {
        count += poisson(mean, system.seed, step);
    } else if (system.births == Births::uniform) {
        mean += (end - begin) * system.rateSpread * (2 * unit(Draw::births) - 1);
        // A part of a particle is one with that probability.
        count += static_cast<int>(std::min(std::max(0., std::floor(mean + unit(Draw::births2))), most));
    } else if (system.rate.isConstant()) {
        const auto before = [&](double t) { return std::floor(rate * (t - system.from) + 1e-6); };
        count += static_cast<int>(std::min(before(end) - before(begin), most));
    } else {
        count += static_cast<int>(std::min(std::floor(mean + unit(Draw::births2)), most));
    }
    return count;
}

}  // namespace sinew::particle
