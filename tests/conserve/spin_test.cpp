// What spins: the implicit steps keep spin and its direction (integrate/starred_spin.h), in both
// coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

Simulation started(const Description& d, const char* integrator, double h, const char* coordinates)
{
    Result<Simulation> made = Simulation::create(d, {"", integrator, h, coordinates});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made.value();
}

bool advance(Simulation& s, double duration)
{
    const long steps = std::lround(duration / s.h);
    for (long i = 0; i < steps; ++i)
        if (!s.step().ok) return false;
    return true;
}

Vec3 angularMomentum(const Simulation& s)
{
    Vec3 L = Vec3::Zero();
    for (int i = 0; i < s.model().size(); ++i) {
        const BodyState& b = s.state.bodies[i];
        L += b.position.cross(s.model().bodies[i].mass * b.velocity) +
             b.orientation * (s.model().bodies[i].inertia * b.angularVelocity);
    }
    return L;
}

// Symmetric about y, in no force, with a wobble.
Description freeTop(double transverse, double axial, const Vec3& spin)
{
    Description d;
    d.gravity = Vec3::Zero();
    BodyDescription body;
    body.name = "top";
    body.mass = 1;
    body.inertia = Mat3(Vec3(transverse, axial, transverse).asDiagonal());
    body.angularVelocity = spin;
    d.bodies = {body};
    return d;
}

// It turns about its axis by λ = (1 − I₃/I₁) ω₃ while it goes round L by |L|/I₁.
TEST(Spin, of_a_free_symmetric_body_is_exact_at_any_step)
{
    const Vec3 spin(2, 30, 1);
    const double duration = 1;
    for (const auto& [transverse, axial] : {std::pair(1e-3, 2e-5), std::pair(1e-3, 1.9e-3)})
        for (const char* integrator : {"implicit_euler", "implicit_bdf2"})
            for (const char* coordinates : {"joint", "maximal"}) {
                Simulation s = started(freeTop(transverse, axial, spin), integrator, 1. / 60, coordinates);
                const Vec3 L = angularMomentum(s);
                const double start = energy(s.model(), s.state).total();
                ASSERT_TRUE(advance(s, duration));
                const double lambda = (1 - axial / transverse) * spin.y();
                const Quat exact =
                    expRotation(duration / transverse * L) * expRotation(duration * lambda * Vec3::UnitY());
                EXPECT_LT(logRotation(exact.conjugate() * s.state.bodies[0].orientation).norm(), 1e-9)
                    << integrator << " " << coordinates << " " << axial;
                EXPECT_LT((angularMomentum(s) - L).norm(), 1e-11 * L.norm());
                EXPECT_LT(std::abs(energy(s.model(), s.state).total() - start), 1e-11 * start);
            }
}

// A disc at 3,000 rpm on a stick, on a chain of three links, its axis above the horizontal.
Description topOnChain()
{
    Description d;
    const auto add = [&](const std::string& name, const Vec3& from, const Vec3& to, double mass,
                         const Vec3& moments) {
        BodyDescription body;
        body.name = name;
        body.mass = mass;
        body.pose = {0.5 * (from + to), rotationBetween(Vec3::UnitY(), to - from)};
        body.inertia = Mat3(moments.asDiagonal());
        JointDescription joint;
        joint.name = "to_" + name;
        joint.type = JointType::spherical;
        joint.first = d.bodies.empty() ? "world" : d.bodies.back().name;
        joint.second = name;
        joint.position = from;
        d.bodies.push_back(body);
        d.joints.push_back(joint);
    };
    Vec3 end = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
        const Vec3 next = end + Vec3(1e-3, -0.1, 0);
        add("link" + std::to_string(i), end, next, 0.1, Vec3(8.6e-5, 5e-6, 8.6e-5));
        end = next;
    }
    const Vec3 axis = Vec3(std::sin(1.2), 0.3, 0).normalized();
    add("top", end, end + 0.2 * axis, 1, Vec3(6.25e-4, 1.25e-3, 6.25e-4));
    d.bodies.back().angularVelocity = 100 * std::numbers::pi * axis;
    return d;
}

TEST(Spin, of_a_top_on_a_chain_keeps_its_size_and_its_direction)
{
    const double duration = 5;
    const auto axisOf = [](const Simulation& s) -> Vec3 {
        return s.state.bodies.back().orientation * Vec3::UnitY();
    };
    Simulation reference = started(topOnChain(), "conservative", 1. / 8000, "maximal");
    const double Ly = angularMomentum(reference).y();
    ASSERT_TRUE(advance(reference, duration));
    struct Case {
        const char* integrator;
        double perSecond, degrees, momentum;  // bounds
    };
    for (const Case& c : {Case{"implicit_bdf2", 60, 3, 0.004}, Case{"implicit_bdf2", 240, 2.5, 0.001},
                          Case{"implicit_bdf2", 960, 2, 0.0002}, Case{"implicit_euler", 60, 8, 0.06},
                          Case{"implicit_euler", 960, 3, 0.02}}) {
        Vec3 joint = Vec3::Zero();
        for (const char* coordinates : {"joint", "maximal"}) {
            Simulation s = started(topOnChain(), c.integrator, 1 / c.perSecond, coordinates);
            const double start = energy(s.model(), s.state).total();
            ASSERT_TRUE(advance(s, duration));
            const double off =
                std::acos(std::min(1., axisOf(s).dot(axisOf(reference)))) * 180 / std::numbers::pi;
            const double lost = std::abs(angularMomentum(s).y() / Ly - 1);
            std::printf(
                "%s 1/%.0f s, %s: %.2f degrees off, L about the vertical %.2e off, spin %.6f, %.4f J\n",
                c.integrator, c.perSecond, coordinates, off, lost,
                s.state.bodies.back().angularVelocity.y(), energy(s.model(), s.state).total() - start);
            EXPECT_LT(off, c.degrees);
            EXPECT_LT(lost, c.momentum);
            EXPECT_NEAR(s.state.bodies.back().angularVelocity.y(), 100 * std::numbers::pi, 1e-6);
            EXPECT_LE(energy(s.model(), s.state).total(), start);
            if (joint.isZero(0))
                joint = axisOf(s);
            else
                EXPECT_LT((axisOf(s) - joint).norm(), 1e-5);
        }
    }
}

}  // namespace
}  // namespace sinew
