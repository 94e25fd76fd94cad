// What stands and hangs still: forces that statics has in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/state/measure.h"
#include "support/loops.h"

namespace sinew::textbook_statics_test {
namespace {

using test::frame;
using test::ground;
using test::joined;
using test::oblique;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;
using test::turned;
constexpr double g = test::g;

// The sum of all forces of contacts on a body over the last step, and of their moments about the origin.
Force contactWrench(const Simulation& s, int body)
{
    Force sum{Vec3::Zero(), Vec3::Zero()};
    const BodyState& it = s.state.bodies[body];
    for (const Contact& contact : s.state.contacts) {
        const Vec3 onB = contactFrame(contact.normal).transpose() * contact.impulse / s.h;
        if (contact.bodyB == body) {
            const Vec3 place =
                it.position + it.orientation * contact.pointB - contact.roundB * contact.normal;
            sum += {onB, place.cross(onB)};
        } else if (contact.bodyA == body) {
            const Vec3 place =
                it.position + it.orientation * contact.pointA + contact.roundA * contact.normal;
            sum += {-onB, place.cross(-onB)};
        }
    }
    return sum;
}

// A table whose weight is not in the middle: its legs bear it together, with no moment left about its
// centre of mass, whatever each of them bears.
TEST(Table, is_borne_by_its_legs_below_its_centre_of_mass)
{
    constexpr double solved = 1e-6;  // the solver's tolerance over what would be fallen through in a step
    for (const double size : {0.01, 0.2, 5.})
        for (const double h : {frame, frame / 4}) {
            SCOPED_TRACE(testing::Message() << size << " m, " << h << " s");
            Description d;
            d.bodies = {solid("table", Box{size * Vec3(4, 0.2, 2)}, Vec3(0, 2 * size, 0))};
            for (const double x : {-1.8, 1.8})
                for (const double z : {-0.8, 0.8}) {
                    ShapeDescription leg;
                    leg.shape = Box{size * Vec3(0.2, 1.9, 0.2)};
                    leg.pose.position = size * Vec3(x, -1.05, z);
                    d.bodies[0].shapes.push_back(leg);
                }
            d.bodies[0].center = size * Vec3(0.5, -0.2, 0.3);
            d.obstacles = {ground()};
            d.contact.emplace();
            Simulation s = started(d, stepping("implicit", h));
            const LargeVector<BodyState> before = s.state.bodies;
            runFor(s, 0.5);
            const double weight = s.model().bodies[0].mass * g;
            const Force sum = contactWrench(s, 0);
            EXPECT_LT((sum.force - Vec3(0, weight, 0)).norm(), solved * weight);
            const Vec3 moment = sum.torque - s.state.bodies[0].position.cross(sum.force);
            EXPECT_LT(moment.norm(), solved * weight * size);
            EXPECT_LT(test::drift(before, s.state), 1e-9 * size);
        }
}

// Between two pegs: the pull along the span is the same in all links, and link k of n leans by
// tan θ = m g (k − (n − 1)/2)/H.
TEST(Chain, between_two_pegs_hangs_in_the_discrete_catenary)
{
    constexpr int n = 12;
    constexpr double L = 0.1, mass = 0.1, span = 0.8;
    const auto lean = [](int k, double pull) { return std::atan(mass * g * (k - (n - 1) / 2.) / pull); };
    double low = 1e-3, high = 1e3;  // of the pull
    for (int i = 0; i < 100; ++i) {
        const double pull = std::sqrt(low * high);
        double width = 0;
        for (int k = 0; k < n; ++k) width += L * std::cos(lean(k, pull));
        (width < span ? low : high) = pull;
    }
    // Starts in the arc of a circle, n chords of L over the span.
    double bend = 0, most = 2 * pi / n;
    for (int i = 0; i < 100; ++i) {
        const double middle = (bend + most) / 2;
        (L * std::sin(n * middle / 2) / std::sin(middle / 2) > span ? bend : most) = middle;
    }
    Description d;
    Vec3 from(-span / 2, 0, 0);
    for (int k = 0; k < n; ++k) {
        const double angle = (k - (n - 1) / 2.) * bend;
        const Vec3 to = from + L * Vec3(std::cos(angle), std::sin(angle), 0);
        const std::string name = "link" + std::to_string(k), last = "link" + std::to_string(k - 1);
        d.bodies.push_back(test::rod(name, from, to));
        d.bodies.back().mass = mass;
        d.joints.push_back(
            joined("j" + std::to_string(k), JointType::hinge, k ? last : "world", name, from));
        d.joints.back().damping = 0.01;
        from = to;
    }
    d.joints.push_back(joined("end", JointType::hinge, "link" + std::to_string(n - 1), "world", from));
    for (const Quat& turn : {Quat::Identity(), oblique()}) {
        Simulation s = started(turned(d, turn), stepping("implicit_euler", 1. / 30));
        runFor(s, 20);
        const double pull = std::sqrt(low * high);
        double y = 0, off = 0;
        for (int k = 0; k < n; ++k) {
            const double rise = L * std::sin(lean(k, pull));
            const BodyState& link = test::bodyOf(s, "link" + std::to_string(k));
            off = std::max(off, std::abs((turn.conjugate() * link.position).y() - y - rise / 2));
            y += rise;
        }
        EXPECT_LT(off, 1e-7);
        // On the first peg: half the weight, and the pull. What hinges bear across their plane is open.
        const Vec3 load = turn.conjugate() * s.accelerate().load[s.model().findJoint("j0")].force;
        EXPECT_NEAR(load.x(), pull, 1e-6);
        EXPECT_NEAR(load.y(), -n * mass * g / 2, 1e-6);
    }
}

// Two rods and a bar on their ends, which hang from two hinges or, with `up`, stand on them.
Description parallelogram(bool up)
{
    const double end = up ? 1 : -1;
    Description d;
    d.bodies = {test::rod("left", Vec3::Zero(), Vec3(0, end, 0)),
                test::rod("bar", Vec3(0, end, 0), Vec3(1, end, 0)),
                test::rod("right", Vec3(1, 0, 0), Vec3(1, end, 0))};
    d.joints = {joined("a", JointType::hinge, "world", "left", Vec3::Zero()),
                joined("b", JointType::hinge, "left", "bar", Vec3(0, end, 0)),
                joined("c", JointType::hinge, "bar", "right", Vec3(1, end, 0)),
                joined("d", JointType::hinge, "right", "world", Vec3(1, 0, 0))};
    return d;
}

// Hinges with parallel axes close a loop three times over, and what they bear across its plane is open.
// Nothing acts there, so nothing must be told, however the plane lies; and what acts in the plane is the
// same. One that stands would buckle if it were open.
TEST(Parallelogram, bears_nothing_across_its_plane)
{
    constexpr double push = 30, weight = 20000;
    using Pair = std::pair<const char*, const char*>;
    for (const bool up : {false, true})
        for (const auto& [integrator, coordinates] :
             {Pair("implicit", "maximal"), Pair("conservative", "maximal"), Pair("rk4", "joint"),
              Pair("implicit", "joint"), Pair("implicit_euler", "joint")}) {
            const Description d = parallelogram(up);
            const double rounding = 3e-7 * (up ? weight : push);  // of steps that differ by it
            std::vector<Vec3> flat;
            for (const Quat& turn :
                 {Quat::Identity(), oblique(), Quat(AngleAxis(2.1, Vec3(0.3, 1, -2).normalized()))}) {
                SCOPED_TRACE(testing::Message() << integrator << " in " << coordinates << ", up " << up);
                Description scene = turned(d, turn);
                scene.forces = {{"bar", turn * Vec3(push, up ? -weight : 0, 0), Vec3::Zero(), {}}};
                Settings settings = stepping(integrator, up ? 1. / 60 : 1. / 240);
                settings.coordinates = coordinates;
                Simulation s = started(scene, settings);
                runFor(s, up ? 0.05 : 0.5);
                const Accelerations& now = s.accelerate();
                for (std::size_t j = 0; j < 3; ++j) {
                    const Force& load = now.load[s.model().findJoint(d.joints[j].name)];
                    const Vec3 force = turn.conjugate() * load.force,
                               torque = turn.conjugate() * load.torque;
                    EXPECT_LT(std::abs(force.z()), rounding) << d.joints[j].name;
                    EXPECT_LT(torque.head<2>().norm(), rounding) << d.joints[j].name;
                    if (flat.size() < 3)
                        flat.push_back(force);
                    else
                        EXPECT_LT((force - flat[j]).norm(), rounding);
                }
            }
        }
}

}  // namespace
}  // namespace sinew::textbook_statics_test
