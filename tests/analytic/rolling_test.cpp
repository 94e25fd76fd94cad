// What rolls and rocks on curved and on many-cornered surfaces: it must not gain energy, and closed forms
// say how it moves.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew::rolling_test {
namespace {

using test::frame;
using test::g;
using test::ground;
using test::penetration;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;
constexpr double pi = std::numbers::pi;

Quat about(const Vec3& axis, double angle)
{
    return Quat(AngleAxis(angle, axis.normalized()));
}

Description onGround(const BodyDescription& body)
{
    Description d;
    d.bodies = {body};
    d.obstacles = {ground()};
    d.contact.emplace();
    d.contact->friction = 0.8;
    return d;
}

double energyOf(const Simulation& s)
{
    return energy(s.model(), s.state).total();
}

// How far its energy rises above that of the start, at most.
double gained(Simulation& s, double duration)
{
    const double start = energyOf(s);
    double most = 0;
    runFor(s, duration, [&](const StepReport&) { most = std::max(most, energyOf(s) - start); });
    return most;
}

// How far an ellipsoid reaches down.
double heightOf(const Vec3& radii, const Quat& orientation)
{
    return radii.cwiseProduct(orientation.conjugate() * Vec3(0, -1, 0)).norm();
}

double tiltOf(const Simulation& s)
{
    const Vec3 x = s.state.bodies[0].orientation * Vec3::UnitX();
    return std::atan2(x.y(), x.x());
}

// ---- rolling --------------------------------------------------------------------------------------

class EllipsoidOfRevolution : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(EllipsoidOfRevolution, rolls_on_as_a_ball_does)
{
    const auto [speed, h] = GetParam();
    constexpr double R = 0.1;
    BodyDescription egg = solid("egg", Ellipsoid{Vec3(R, R, 0.15)}, Vec3(0, R, 0));
    egg.velocity = Vec3(speed, 0, 0);
    egg.angularVelocity = Vec3(0, 0, -speed / R);
    Simulation s = started(onGround(egg), stepping("implicit", h));
    const double start = energy(s.model(), s.state).kinetic;
    EXPECT_LT(gained(s, 5), 1e-6 * start);
    EXPECT_NEAR(s.state.bodies[0].velocity.x(), speed, 1e-6 * speed);
    EXPECT_NEAR(s.state.bodies[0].position.x(), 5 * speed, 1e-6 * 5 * speed);
    EXPECT_LT(penetration(s), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Speeds, EllipsoidOfRevolution,
                         testing::Values(std::pair(0.01, frame), std::pair(2., frame), std::pair(2., 1e-3)),
                         [](const auto& info) { return "case" + std::to_string(info.index); });

// A disc of radius R and thickness w, its axis at the angle α to the vertical, rolls in a circle with the
// rate Ω. With e3 the axis, e2 across it, up, and e1 = e2 × e3, seen from the centre the rim touches at
// r = −R e2 − ½w e3, and
//     ω = ω2 e2 + ω3 e3,  ω2 = Ω sin α           v = −ω × r = (½w ω2 − R ω3) e1 = V e1
//     r × m (Ω ẑ × v + g ẑ) = Ω ẑ × (I1 ω2 e2 + I3 ω3 e3)
// whose e1 component is linear in ω3.
struct SteadyDisc {
    Description scene;
    double period = 0;  // of a round
};

SteadyDisc steadyDisc(double alpha, double rate)
{
    constexpr double R = 0.1, w = 0.01, m = 1;
    constexpr double I3 = 0.5 * m * R * R, I1 = m * (3 * R * R + w * w) / 12;
    const double sine = std::sin(alpha), cosine = std::cos(alpha);
    const double w2 = rate * sine, k = 0.5 * w * w2, arm = R * sine + 0.5 * w * cosine;
    const double left = -m * R * rate * arm - rate * I3 * sine;
    const double right =
        m * g * (R * cosine - 0.5 * w * sine) - rate * I1 * w2 * cosine - m * rate * k * arm;
    const double w3 = right / left;
    const Quat q = about(Vec3::UnitX(), alpha);  // e3 = y turned by α towards z, e1 = x
    const Vec3 e3 = q * Vec3::UnitY(), e2 = q * Vec3(0, 0, -1), e1 = e2.cross(e3);
    SteadyDisc disc;
    BodyDescription body = solid("disc", Cylinder{R, w}, Vec3(0, R * sine + 0.5 * w * cosine, 0), q);
    body.mass = m;
    body.angularVelocity = w2 * e2 + w3 * e3;
    body.velocity = (k - R * w3) * e1;
    disc.scene = onGround(body);
    disc.period = 2 * pi / std::abs(rate);
    return disc;
}

TEST(Disc, rolls_in_the_circle_of_the_closed_form)
{
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        const double h = fine ? 2.5e-4 : 1e-3;
        const SteadyDisc disc = steadyDisc(1.2, 2);
        Simulation s = started(disc.scene, stepping("implicit", h));
        const double start = energyOf(s);
        double most = 0;
        errors[fine] = 0;
        runFor(s, disc.period, [&](const StepReport&) {
            const double lean = std::acos((s.state.bodies[0].orientation * Vec3::UnitY()).y());
            errors[fine] = std::max(errors[fine], std::abs(lean - 1.2));
            most = std::max(most, energyOf(s) - start);
        });
        std::printf("h = %g s: lean off by %.1e rad, energy up by %.1e of %.2f J\n", h, errors[fine], most,
                    start);
        EXPECT_LT(most, 1e-9 * start);
    }
    EXPECT_LT(errors[0], 0.1);
    EXPECT_LT(errors[1], errors[0] / 3);
}

// ---- rocking --------------------------------------------------------------------------------------

Description rocking(const Vec3& radii, double angle)
{
    const Quat q = about(Vec3::UnitZ(), angle);
    return onGround(solid("egg", Ellipsoid{radii}, Vec3(0, heightOf(radii, q), 0), q));
}

TEST(Rocking, never_swings_farther_than_it_began)
{
    for (const double h : {frame, 1e-3})
        for (const Vec3& radii : {Vec3(0.2, 0.1, 0.1), Vec3(0.2, 0.02, 0.2)}) {
            Simulation s = started(rocking(radii, 0.3), stepping("implicit", h));
            double last = energyOf(s), rise = 0, farthest = 0;
            runFor(s, 5, [&](const StepReport&) {
                rise = std::max(rise, energyOf(s) - last);
                last = energyOf(s);
                farthest = std::max(farthest, std::abs(tiltOf(s)));
            });
            EXPECT_LT(farthest, 0.3) << h;
            EXPECT_LT(rise, 1e-8) << h;  // J of 9
        }
}

// Small angles: ½ (I + m b²) θ̇² + ½ m g (a²/b − b) θ², I = m (a² + b²)/5.
TEST(Rocking, has_the_period_of_the_closed_form)
{
    constexpr double a = 0.2, b = 0.1;
    const double wanted = 2 * pi * std::sqrt(((a * a + b * b) / 5 + b * b) / (g * (a * a / b - b)));
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        const double h = fine ? 1e-3 : 2e-3;
        Simulation s = started(rocking(Vec3(a, b, b), 0.001), stepping("implicit", h));
        // Between the first two passages from above, interpolated.
        double last = tiltOf(s), first = 0, second = 0;
        runFor(s, 3 * wanted, [&](const StepReport&) {
            const double now = tiltOf(s);
            if (last > 0 && now <= 0) {
                const double time = s.state.time - h * now / (now - last);
                if (first == 0)
                    first = time;
                else if (second == 0)
                    second = time;
            }
            last = now;
        });
        errors[fine] = std::abs(second - first - wanted) / wanted;
        std::printf("h = %g s: period off by %.1e\n", h, errors[fine]);
        // Backward Euler has z = 1/(1 − iωh): a period longer by (ωh)²/3.
        const double wh = 2 * pi / wanted * h;
        EXPECT_LT(errors[fine], wh * wh);
    }
    EXPECT_LT(errors[1], errors[0] / 2.5);
}

// The same motion, whatever way the scene is turned and however large it is.
TEST(Rocking, is_the_same_turned_and_scaled)
{
    const auto run = [](double size, const Quat& turn) {
        Description d = rocking(size * Vec3(0.2, 0.1, 0.15), 0.3);
        d.contact->tolerance = 1e-10 * size;
        d.gravity = turn * Vec3(0, -g * size, 0);
        d.bodies[0].pose = {turn * d.bodies[0].pose.position, turn * d.bodies[0].pose.orientation};
        d.bodies[0].angularVelocity = turn * Vec3(0.3, 1, 0.5);
        d.obstacles[0].normal = turn * Vec3::UnitY();
        Simulation s = started(d, stepping("implicit", 1e-2));
        runFor(s, 1);
        return Quat(turn.conjugate() * s.state.bodies[0].orientation);
    };
    const Quat wanted = run(1, Quat::Identity());
    for (const double size : {1e-2, 1., 1e2})
        for (const Quat& turn : {Quat::Identity(), about(Vec3(1, -2, 0.5), 2)})
            EXPECT_LT(run(size, turn).angularDistance(wanted), 1e-5) << size;
}

// ---- on what is not a plane -----------------------------------------------------------------------

TEST(Ellipsoid, gains_nothing_on_an_ellipsoid)
{
    for (const double h : {frame, 1e-3}) {
        Description d = onGround(solid("below", Ellipsoid{Vec3(0.3, 0.1, 0.3)}, Vec3(0, 0.1, 0)));
        d.bodies.push_back(solid("above", Ellipsoid{Vec3(0.15, 0.05, 0.1)}, Vec3(0.01, 0.2505, 0.005),
                                 about(Vec3::UnitZ(), 0.02)));
        Simulation s = started(d, stepping("implicit", h));
        EXPECT_LT(gained(s, 3), 1e-8) << h;
    }
}

TEST(Ellipsoid, gains_nothing_on_a_ball)
{
    for (const double h : {frame, 1e-3}) {
        Description d = onGround(solid("seesaw", Ellipsoid{Vec3(0.3, 0.05, 0.2)}, Vec3(0, 0.25, 0)));
        d.bodies[0].angularVelocity = Vec3(0, 0, 1);
        d.obstacles[0].type = ObstacleDescription::Type::sphere;
        d.obstacles[0].radius = 0.2;
        Simulation s = started(d, stepping("implicit", h));
        EXPECT_LT(gained(s, 5), 1e-8) << h;
        EXPECT_GT(s.state.bodies[0].position.y(), 0.2) << h;
    }
}

TEST(Ellipsoid, gains_nothing_on_a_free_box)
{
    Description d = onGround(solid("box", Box{Vec3(2, 0.1, 2)}, Vec3(0, 0.05, 0)));
    d.bodies.push_back(solid("egg", Ellipsoid{Vec3(0.1, 0.1, 0.15)}, Vec3(-0.5, 0.2, 0)));
    d.bodies[1].velocity = Vec3(0.5, 0, 0);
    d.bodies[1].angularVelocity = Vec3(0, 0, -5);
    Simulation s = started(d, stepping("implicit", frame));
    EXPECT_LT(gained(s, 1.5), 1e-8);
    EXPECT_NEAR(test::bodyOf(s, "egg").velocity.x(), 0.5, 1e-6);
}

TEST(Ellipsoid, gains_nothing_on_a_height_field)
{
    HeightField field;
    field.columns = field.rows = 41;
    field.spacing = 0.25;
    for (int k = 0; k < field.rows; ++k)
        for (int i = 0; i < field.columns; ++i) {
            const double x = 0.25 * i - 5, z = 0.25 * k - 5;
            field.heights.push_back(0.06 * (x * x + z * z));
        }
    Description d = onGround(solid("egg", Ellipsoid{Vec3(0.1, 0.1, 0.15)}, Vec3(1, 0.25, 1.2)));
    d.obstacles[0].type = ObstacleDescription::Type::terrain;
    d.obstacles[0].terrain = field;
    d.obstacles[0].position = Vec3(-5, 0, -5);
    Simulation s = started(d, stepping("implicit", frame));
    double last = energyOf(s), rise = 0;
    runFor(s, 5, [&](const StepReport&) {
        rise = std::max(rise, energyOf(s) - last);
        last = energyOf(s);
    });
    EXPECT_LT(rise, 1e-3);  // J, of 20
}

// ---- corners --------------------------------------------------------------------------------------

// Backward Euler gains over a concave potential, as a body has that pivots on a corner: at most ½ N R θ² a
// step, θ the turn (docs/contact.md). That bound is the method's own, and of first order in the step.
TEST(Polygon, that_rolls_gains_no_more_than_the_method)
{
    constexpr int n = 64;
    constexpr double R = 0.1;
    ConvexMesh mesh;
    for (int i = 0; i < n; ++i)
        for (const double z : {-0.05, 0.05}) {
            const double angle = 2 * pi * (i + 0.5) / n;
            mesh.vertices.push_back(Vec3(R * std::sin(angle), -R * std::cos(angle), z));
        }
    for (const double h : {frame, 1. / 240, 1e-3}) {
        BodyDescription body =
            solid("wheel", checkedShape(Shape(mesh)).value(), Vec3(0, R * std::cos(pi / n), 0));
        body.velocity = Vec3(1, 0, 0);
        body.angularVelocity = Vec3(0, 0, -1 / R);
        Simulation s = started(onGround(body), stepping("implicit", h));
        const double lift = s.model().bodies[0].mass * g * R * (1 - std::cos(pi / n));
        double last = energyOf(s), allowed = last + lift, most = 0;
        const double start = last;
        runFor(s, 5, [&](const StepReport&) {
            const double turn = h * s.state.bodies[0].angularVelocity.norm();
            allowed += 0.5 * s.model().bodies[0].mass * g * R * turn * turn;
            last = energyOf(s);
            most = std::max(most, last - allowed);
        });
        std::printf("h = %g s: %.2e J in the end\n", h, last - start);
        EXPECT_LE(most, 0) << h;
    }
}

}  // namespace
}  // namespace sinew::rolling_test
