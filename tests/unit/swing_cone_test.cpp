#include "sinew/math/swing_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/dynamics/methods.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/measure/energy.h"
#include "sinew/model/model.h"
#include "sinew/simulation/simulation.h"

namespace sinew::swing_cone_test {
namespace {

using Random = std::mt19937;

double between(Random& random, double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 vectorIn(Random& random, double size)
{
    return {between(random, -size, size), between(random, -size, size), between(random, -size, size)};
}

SwingCone coneIn(Random& random, bool isOfBody)
{
    SwingCone cone;
    cone.axis = vectorIn(random, 1).normalized();
    cone.axes = expRotation(vectorIn(random, 2)).toRotationMatrix();
    for (double& reach : cone.reach) reach = between(random, 0.2, 2.5);
    cone.isOfBody = isOfBody;
    return cone;
}

TEST(SwingCone, a_round_one_is_a_swing_limit)
{
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        SwingCone cone = coneIn(random, i % 2 == 0);
        cone.reach.fill(0.7);
        const Vec3 across = Vec3(0.3, 1, -0.2).cross(cone.axis).normalized();
        cone.axes << across, cone.axis.cross(across), cone.axis;
        const Quat q = expRotation(vectorIn(random, 1.5));
        const SwingTwist angles = swingTwist(q, cone.axis);
        const ConeReach reach = coneReach(cone, q);
        EXPECT_NEAR(reach.beyond, angles.swing - 0.7, 1e-12);
        EXPECT_LT((reach.gradient - swingTwistGradient(q, cone.axis, {1, 0, 0, 0})).norm(), 1e-10);
        if (angles.swing > 0.05) {
            EXPECT_LT((reach.hessian - swingTwistHessian(q, cone.axis, {1, 0, 0, 0})).norm(), 1e-9);
        }
    }
}

TEST(SwingCone, the_edge_is_where_the_four_reaches_say)
{
    SwingCone cone;
    cone.axis = Vec3(0, -1, 0);
    cone.axes << Vec3(0, 0, 1), cone.axis.cross(Vec3(0, 0, 1)), cone.axis;
    cone.reach = {2.1, 0.3, 0.5, 0.9};
    for (int side = 0; side < 4; ++side) {
        const Vec3 to = (side % 2 == 0 ? 1. : -1.) * cone.axes.col(side / 2);
        const Vec3 about = cone.axis.cross(to);
        EXPECT_NEAR(beyondCone(cone, expRotation(cone.reach[side] * about)), 0, 1e-14) << side;
        // What twists about the axis first changes nothing.
        EXPECT_NEAR(beyondCone(cone, expRotation(0.2 * about) * expRotation(0.6 * cone.axis)),
                    0.2 - cone.reach[side], 1e-14);
    }
    // In between, an ellipse of the angles.
    const double r = 1 / std::sqrt(0.5 / (2.1 * 2.1) + 0.5 / (0.9 * 0.9));
    const Vec3 to = (cone.axes.col(0) - cone.axes.col(1)).normalized();
    EXPECT_NEAR(beyondCone(cone, expRotation(r * cone.axis.cross(to))), 0, 1e-14);
}

TEST(SwingCone, derivatives_are_slopes)
{
    Random random(2);
    constexpr double e = 1e-5;
    int looked = 0;
    for (int i = 0; i < 400; ++i) {
        const SwingCone cone = coneIn(random, i % 2 == 0);
        const Quat q = expRotation(vectorIn(random, 2.5));
        // Second derivatives jump where two quarters meet, and φ has none at the centre.
        const Quat turn = cone.isOfBody ? Quat(q.conjugate()) : q;
        const Vec3 b = cone.axes.transpose() * (turn * cone.axis);
        if (std::abs(b.x()) < 0.02 || std::abs(b.y()) < 0.02) continue;
        ++looked;
        const ConeReach at = coneReach(cone, q);
        EXPECT_EQ(at.beyond, beyondCone(cone, q));
        Vec3 slope;
        Mat3 bend;
        for (int k = 0; k < 3; ++k) {
            const Quat more = expRotation(Vec3(e * Vec3::Unit(k))), less = more.conjugate();
            slope[k] = (beyondCone(cone, q * more) - beyondCone(cone, q * less)) / (2 * e);
            bend.col(k) =
                (coneReach(cone, q * more).gradient - coneReach(cone, q * less).gradient) / (2 * e);
        }
        EXPECT_LT((at.gradient - slope).norm(), 1e-7 * (1 + at.hessian.norm()));
        EXPECT_LT((at.hessian - bend).norm(), 1e-5 * (1 + at.hessian.squaredNorm()));
    }
    EXPECT_GT(looked, 300);
}

// The same joint told from either side has the same cone.
TEST(SwingCone, does_not_ask_which_body_is_the_child)
{
    Random random(3);
    for (int i = 0; i < 100; ++i) {
        SwingCone outside = coneIn(random, false), ofBody = outside;
        ofBody.isOfBody = true;
        const Quat q = expRotation(vectorIn(random, 2));
        EXPECT_NEAR(beyondCone(outside, q), beyondCone(ofBody, q.conjugate()), 1e-14);
        // A turn on the right of q⁻¹ is one on the left of q.
        const Vec3 g = coneReach(outside, q).gradient, back = coneReach(ofBody, q.conjugate()).gradient;
        EXPECT_LT((back + q * g).norm(), 1e-11 * (1 + g.norm()));
    }
}

Description hip()
{
    Description scene;
    scene.gravity = Vec3::Zero();
    BodyDescription thigh;
    thigh.name = "thigh";
    thigh.pose.position = Vec3(0, -0.2, 0);
    thigh.mass = 8;
    thigh.shapes.emplace_back().shape = Box{Vec3(0.1, 0.4, 0.12)};
    scene.bodies = {thigh};
    JointDescription joint;
    joint.name = "hip";
    joint.first = "world";
    joint.second = "thigh";
    joint.axis = Vec3(0, -1, 0);
    joint.swingCone = SwingConeDescription{{}, Vec3(0, 0, 1), {2.09, 0.35, 0.44, 0.79}};
    joint.lower = {-0.6};
    joint.upper = {0.7};
    scene.joints = {joint};
    scene.run.step = 1.0 / 60;
    return scene;
}

// Thrown every way, it comes back from the cone's edge without energy that it did not have.
TEST(SwingCone, a_thigh_stays_within_and_gains_no_energy)
{
    Random random(4);
    double most[4] = {};
    for (const char* coordinates : {"joint", "maximal"})
        for (int run = 0; run < 12; ++run) {
            Description scene = hip();
            scene.run.coordinates = coordinates;
            const double direction = 2 * 3.141592653589793 * run / 12;
            const Vec3 spin = 6 * Vec3(std::cos(direction), 0, std::sin(direction));
            scene.joints[0].velocity = {spin.x(), spin.y() + between(random, -1, 1), spin.z()};
            Result<Simulation> made = Simulation::create(scene, {});
            ASSERT_TRUE(made) << made.error().text();
            Simulation& simulation = made.value();
            const Joint& joint = simulation.model().joints[0];
            const double start = energy(simulation.model(), simulation.state).total();
            for (int step = 0; step < 120; ++step) {
                const StepReport report = simulation.step();
                ASSERT_TRUE(report.ok) << direction;
                const Quat q = rotationIn(simulation.state.q.data());
                // The limit is a spring of 200 Hz: at 6 rad/s it gives way by some hundredths.
                EXPECT_LT(beyondCone(*joint.cone, q), 0.03) << direction << " " << step;
                EXPECT_LE(energy(simulation.model(), simulation.state).total(), start * (1 + 1e-9));
                const Vec3 to = q * Vec3(0, -1, 0);
                const double tilt = std::acos(std::clamp(-to.y(), -1., 1.));
                if (std::abs(to.x()) < 0.3 * std::abs(to.z()))
                    most[to.z() > 0 ? 0 : 1] = std::max(most[to.z() > 0 ? 0 : 1], tilt);
                if (std::abs(to.z()) < 0.3 * std::abs(to.x()))
                    most[to.x() < 0 ? 2 : 3] = std::max(most[to.x() < 0 ? 2 : 3], tilt);
            }
        }
    // Each side is reached, and farther to one than to the other.
    EXPECT_GT(most[0], 1.7);
    EXPECT_NEAR(most[1], 0.35, 0.07);
    EXPECT_NEAR(most[2], 0.44, 0.08);
    EXPECT_NEAR(most[3], 0.79, 0.1);
}

// A torque function that begins at the cone is that spring.
TEST(SwingCone, a_torque_function_of_the_cone)
{
    Description limited = hip(), driven = hip();
    limited.joints[0].limitStiffness = 300;
    driven.joints[0].limitStiffness = 300;
    TorqueDescription function;
    function.joint = "hip";
    function.part = TorqueDescription::Part::cone;
    function.free = {-3.2, 0};
    function.slope = {0, 300};
    driven.torques = {function};
    Random random(5);
    const Result<Model> one = compile(limited), two = compile(driven);
    ASSERT_TRUE(one) << one.error().text();
    ASSERT_TRUE(two) << two.error().text();
    int beyond = 0;
    for (int i = 0; i < 50; ++i) {
        State state = initialState(one.value(), limited).value();
        const Quat q = expRotation(vectorIn(random, 1.2));
        state.q.head(4) = q.coeffs();
        beyond += beyondCone(*one.value().joints[0].cone, q) > 0;
        const double once = energy(one.value(), state).elastic, twice = energy(two.value(), state).elastic;
        const SwingTwist angles = swingTwist(q, one.value().joints[0].axis);
        const double twist = beyondLimits(angles.twist, -0.6, 0.7);
        EXPECT_NEAR(twice, 2 * once - 150 * twist * twist, 1e-10 * (1 + twice));
    }
    EXPECT_GT(beyond, 10);
}

void expectFault(const Description& scene, const char* pointer, const char* part)
{
    const Result<Model> model = compile(scene);
    ASSERT_FALSE(model);
    const std::string text = model.error().text();
    EXPECT_NE(text.find(pointer), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(SwingCone, what_cannot_be_is_told_in_one_line)
{
    Description scene = hip();
    scene.joints[0].swingLimit = 1;
    expectFault(scene, "/joints/0/swing_cone", "exclude each other");
    scene = hip();
    scene.joints[0].swingCone->reach[2] = 0;
    expectFault(scene, "/joints/0/swing_cone/reach/2", "it must be from");
    scene = hip();
    scene.joints[0].swingCone->toward = Vec3(0, 2, 0);
    expectFault(scene, "/joints/0/swing_cone/toward", "along the centre");
    scene = hip();
    scene.joints[0].swingCone->center = Vec3::Zero();
    expectFault(scene, "/joints/0/swing_cone/center", "");
    scene = hip();
    scene.joints[0].type = JointType::hinge;
    scene.joints[0].lower.clear();
    scene.joints[0].upper.clear();
    expectFault(scene, "/joints/0/swing_cone", "is for ball joints");
    scene = hip();
    scene.joints[0].axis.reset();
    scene.joints[0].lower.clear();
    scene.joints[0].upper.clear();
    expectFault(scene, "/joints/0/swing_cone", "needs the axis");
    scene = hip();
    scene.joints[0].swingCone.reset();
    TorqueDescription function;
    function.joint = "hip";
    function.part = TorqueDescription::Part::cone;
    function.free = {-1, 0};
    function.slope = {0, 1};
    scene.torques = {function};
    expectFault(scene, "/torques/0/part", "has no swing_cone");
}

}  // namespace
}  // namespace sinew::swing_cone_test
