// Planar and cylindrical joints, which slide and turn: steps of all kinds move them alike, they look right
// in a mirror, close loops, and what does not know them says so.
#include <gtest/gtest.h>

#include "sinew/math/rotation.h"
#include "sinew/measure/series.h"
#include "sinew/model/mirror.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew::mixed_joints_test {
namespace {

// Springs, limits, dampers, motors and rotors on all joints; some bodies are first, some second.
Description figure(Random& random)
{
    test::TreeOptions options;
    options.bodies = 5;
    options.joints = {JointType::planar, JointType::cylindrical, JointType::hinge};
    options.rootJoints = {JointType::planar, JointType::cylindrical};
    options.mayFloat = false;
    Description d = test::randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        const int k = jointTypeInfo(joint.type).freedoms;
        joint.stiffness = random.uniform(50, 100);
        joint.damping = random.uniform(0.2, 1);
        joint.armature = random.uniform(0, 0.3);
        joint.limitStiffness = 200;
        for (int i = 0; i < k; ++i) {
            joint.rest.push_back(0.2 * random.normal());
            joint.motor.push_back(random.normal());
            joint.coordinate.push_back(0.1 * random.normal());
            joint.velocity.push_back(random.normal());
            joint.lower.push_back(-0.05);
            joint.upper.push_back(0.1);
        }
    }
    return d;
}

Simulation after(const Description& d, const char* solver, const char* integrator, double h, double seconds)
{
    Settings settings;
    settings.solver = solver;
    settings.integrator = integrator;
    settings.step = h;
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    EXPECT_TRUE(made.value().advance(seconds).ok);
    return made.value();
}

double difference(const Simulation& a, const Simulation& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.state.bodies.size(); ++i)
        most = std::max({most, (a.state.bodies[i].position - b.state.bodies[i].position).norm(),
                         a.state.bodies[i].orientation.angularDistance(b.state.bodies[i].orientation)});
    return most;
}

TEST(MixedJoints, move_alike_by_every_step_that_knows_them)
{
    Random random(31);
    constexpr double h = 1e-3, seconds = 0.2;
    for (int t = 0; t < 4; ++t) {
        const Description d = figure(random);
        const Simulation truth = after(d, "featherstone", "rk4", h, seconds);
        // Other coordinates meet the kinks of the limits at other stages.
        EXPECT_LT(difference(after(d, "kkt", "rk4", h, seconds), truth), 1e-6);
        EXPECT_LT(difference(after(d, "featherstone", "semi_implicit_euler", h, seconds), truth), 2e-2);
        // Of second order: a step of half the length is off by a quarter.
        const double whole = difference(after(d, "featherstone", "implicit", h, seconds), truth);
        const double half = difference(after(d, "featherstone", "implicit", h / 2, seconds), truth);
        EXPECT_LT(whole, 5e-3);
        EXPECT_LT(half, 0.4 * whole);
    }
}

TEST(MixedJoints, move_in_a_mirror_as_their_image_does)
{
    Random random(32);
    for (int axis = 0; axis < 3; ++axis) {
        Description d = figure(random), image = d;
        d.gravity = image.gravity = Vec3::Zero();
        for (JointDescription& joint : d.joints)  // one side open, which lists of numbers cannot say
            if (joint.type == JointType::cylindrical && random.below(2)) joint.lower.clear();
        for (std::size_t i = 0; i < d.bodies.size(); ++i) image.bodies[i] = mirrored(d.bodies[i], axis);
        for (std::size_t j = 0; j < d.joints.size(); ++j) image.joints[j] = mirrored(d.joints[j], axis);
        const Simulation a = after(d, "featherstone", "implicit", 1e-2, 0.3),
                         b = after(image, "featherstone", "implicit", 1e-2, 0.3);
        for (const BodyDescription& body : d.bodies) {
            const BodyState &one = a.state.bodies[a.model().findBody(body.name)],
                            &other = b.state.bodies[b.model().findBody(body.name)];
            EXPECT_LT((mirrored(one.position, axis) - other.position).norm(), 1e-8);
            EXPECT_LT((mirrored(one.velocity, axis) - other.velocity).norm(), 1e-7);
        }
    }
}

// Four bodies on universal joints, the last one held by the world.
TEST(MixedJoints, close_loops)
{
    Random random(33);
    for (const JointType type : {JointType::planar, JointType::cylindrical})
        for (const char* integrator : {"implicit", "rk4"}) {
            test::TreeOptions options;
            options.bodies = 4;
            options.joints = {JointType::universal};
            options.rootJoints = {JointType::universal};
            options.mayFloat = false;
            Description d = test::randomTree(random, options);
            d.joints.push_back(test::randomJoint(random, type, "world", "body3", Vec3(0.2, 0.1, 0)));
            d.joints.back().name = "loop";
            const Simulation end = after(d, "featherstone", integrator, 1e-3, 0.3);
            ASSERT_EQ(end.model().loops.size(), 1u);
            ASSERT_EQ(end.model().loops[0].joint.type, type);
            const JointError error = largestJointError(end.model(), end.state);
            EXPECT_LT(error.gap, 1e-6) << jointTypeName(type) << " " << integrator;
            EXPECT_LT(error.misalignment, 1e-6) << jointTypeName(type) << " " << integrator;
        }
}

TEST(MixedJoints, have_columns_in_the_order_of_their_freedoms)
{
    Random random(34);
    test::TreeOptions options;
    options.bodies = 1;
    options.mayFloat = false;
    const auto columns = [&](JointType type) {
        options.rootJoints = {type};
        const std::vector<std::string> all =
            seriesNames(test::mustCompile(test::randomTree(random, options)));
        return std::vector<std::string>(all.begin() + 12,
                                        all.begin() + 12 + 2 * jointTypeInfo(type).freedoms);
    };
    EXPECT_EQ(columns(JointType::planar),
              (std::vector<std::string>{"to_body0.offset0", "to_body0.offset1", "to_body0.angle",
                                        "to_body0.force0", "to_body0.force1", "to_body0.torque"}));
    EXPECT_EQ(columns(JointType::cylindrical),
              (std::vector<std::string>{"to_body0.offset", "to_body0.angle", "to_body0.force",
                                        "to_body0.torque"}));
}

// Limits without a stiffness of their own are as stiff beside the figure whatever its size.
TEST(MixedJoints, have_limits_that_grow_with_the_figure)
{
    Random random(35);
    Description d = figure(random);
    for (JointDescription& joint : d.joints) joint.limitStiffness.reset();
    Description large = d;
    constexpr double size = 4;  // to the last digit
    for (BodyDescription& body : large.bodies) {
        body.pose.position *= size;
        *body.inertia *= size * size;
    }
    for (JointDescription& joint : large.joints) joint.position *= size;
    const Model a = test::mustCompile(d), b = test::mustCompile(large);
    for (int i = 0; i < a.size(); ++i) {
        const Joint &one = a.joints[i], &other = b.joints[i];
        for (int k = 0; k < one.freedoms(); ++k) {
            const double factor = k < one.slides() ? 1 : size * size;
            EXPECT_NEAR(other.limitStiffnessOf(k), factor * one.limitStiffnessOf(k),
                        1e-9 * factor * one.limitStiffnessOf(k));
        }
    }
}

TEST(MixedJoints, are_refused_where_one_number_would_mean_two_things)
{
    Random random(36);
    const auto refusal = [&](const auto& change) {
        Description d;
        do d = figure(random);
        while (d.joints[0].type != JointType::planar);
        change(d);
        const Result<Model> model = compile(d);
        return model ? std::string() : model.error().text();
    };
    EXPECT_EQ(refusal([](Description& d) { d.joints[0].coulomb = 1; }),
              "/joints/0/coulomb: cannot be both a torque and a force, as a planar joint would need; use "
              "damping");
    EXPECT_NE(refusal([](Description& d) {
                  ControllerDescription controller;
                  controller.joint = d.joints[0].name;
                  controller.stiffness = controller.limit.emplace(1);
                  d.controllers.push_back(controller);
              }).find("/controllers/0/limit: cannot be both a torque and a force"),
              std::string::npos);
    EXPECT_NE(refusal([](Description& d) { d.joints[0].axis2 = d.joints[0].axis; }).find("right angles"),
              std::string::npos);
    Settings settings;
    settings.coordinates = "maximal";
    const Result<Simulation> made = Simulation::create(figure(random), settings);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find("in maximal coordinates cannot do joint"), std::string::npos)
        << made.error().text();
}

}  // namespace
}  // namespace sinew::mixed_joints_test
