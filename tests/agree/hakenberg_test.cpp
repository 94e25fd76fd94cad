// What Hakenberg's paper says about its own system: rank, the direction of d, conservation, power.
#include <gtest/gtest.h>

#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "sinew/force/laws.h"
#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew::test {
namespace {

struct Solved {
    Model model;
    State state;
    Forces forces;
    Work work;
    Accelerations a;
};

Solved solveRandom(Random& random, int bodies, bool passive)
{
    TreeOptions options;
    options.bodies = bodies;
    Description d = randomTree(random, options);
    d.gravity.setZero();
    for (JointDescription& joint : d.joints) {
        if (passive) continue;
        joint.damping = random.uniform(0, 0.5);
        if (joint.type == JointType::hinge) joint.motor = {random.normal()};
    }
    Solved s{mustCompile(d), {}, {}, {}, {}};
    s.state = randomState(random, s.model);
    sceneForces(s.model, s.state, s.forces);
    s.a.resize(s.model);
    findMethod("hakenberg")->accelerate(s.model, s.state, s.forces, s.work, s.a);
    return s;
}

int expectedRank(const Model& model)
{
    int rank = 0;
    for (const Joint& joint : model.joints)
        rank += joint.type == JointType::hinge ? 5 : joint.type == JointType::spherical ? 3 : 0;
    return rank;
}

TEST(Hakenberg, rank_is_five_per_hinge_and_three_per_ball_joint)
{
    Random random(1);
    for (int bodies : {2, 3, 5, 12, 25, 26, 40, 60, 120}) {  // dense and sparse
        const Solved s = solveRandom(random, bodies, true);
        EXPECT_EQ(s.work.rank, expectedRank(s.model)) << bodies << " bodies";
    }
}

TEST(Hakenberg, d_is_across_the_hinge_and_zero_for_ball_joints)
{
    Random random(2);
    for (int t = 0; t < 20; ++t) {
        const Solved s = solveRandom(random, 2 + random.below(40), true);  // dense and sparse
        int j = 0;
        for (int i = 0; i < s.model.size(); ++i) {
            const Joint& joint = s.model.joints[i];
            if (joint.type == JointType::free) continue;
            const Vec3 d = s.work.solution.segment<3>(6 * j++ + 3);
            if (joint.type == JointType::hinge)
                EXPECT_LT(std::abs(d.dot(s.state.bodies[i].orientation * joint.axis)),
                          1e-12 * (1 + d.norm()));
            else
                EXPECT_LT(d.norm(), 1e-12);
        }
    }
}

TEST(Hakenberg, momenta_and_passive_energy_have_no_rate)
{
    Random random(3);
    for (int t = 0; t < 30; ++t) {
        const Solved s = solveRandom(random, 2 + random.below(40), true);
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        double power = 0, scale = 0;
        for (int i = 0; i < s.model.size(); ++i) {
            const Body& body = s.model.bodies[i];
            const BodyState& b = s.state.bodies[i];
            const Mat3 R = b.orientation.toRotationMatrix();
            const Mat3 I = R * body.inertia * R.transpose();
            const Vec3 w = b.angularVelocityWorld();
            const Vec3 f = body.mass * s.a.body[i].linear;
            const Vec3 l = I * s.a.body[i].angular + w.cross(I * w);
            force += f;
            torque += b.position.cross(f) + l;
            power += b.velocity.dot(f) + w.dot(l);
            scale += f.norm() * (1 + b.position.norm() + b.velocity.norm()) + l.norm() * (1 + w.norm());
        }
        EXPECT_LT(force.norm(), 1e-12 * scale);
        EXPECT_LT(torque.norm(), 1e-12 * scale);
        EXPECT_LT(std::abs(power), 1e-12 * scale);
    }
}

TEST(Hakenberg, power_is_that_of_friction_and_motors)
{
    // dE/dt = Σ e · (R₁ω₁ − R₂ω₂), with e = −μ (R₁ω₁ − R₂ω₂) + β R₁ z written out from the paper.
    Random random(4);
    for (int t = 0; t < 30; ++t) {
        const Solved s = solveRandom(random, 2 + random.below(40), false);
        double rate = 0, expected = 0, scale = 0;
        for (int i = 0; i < s.model.size(); ++i) {
            const Body& body = s.model.bodies[i];
            const BodyState& b = s.state.bodies[i];
            const Mat3 R = b.orientation.toRotationMatrix();
            const Vec3 w = b.angularVelocityWorld();
            rate += body.mass * b.velocity.dot(s.a.body[i].linear) +
                    w.dot(R * body.inertia * R.transpose() * s.a.body[i].angular);
            scale += body.mass * b.velocity.norm() * s.a.body[i].linear.norm();

            const Joint& joint = s.model.joints[i];
            if (joint.type == JointType::free) continue;
            const Vec3 parentW = s.state.bodies[joint.parent].angularVelocityWorld();
            const Vec3 first = joint.childIsFirst ? w : parentW, second = joint.childIsFirst ? parentW : w;
            Vec3 e = -joint.damping * (first - second);
            if (joint.type == JointType::hinge) {
                // The description's axis: reversed in the joint when the child is first. Its motor is
                // given on the second body, so β = −motor.
                const Vec3 z = (joint.childIsFirst ? -1 : 1) * (b.orientation * joint.axis);
                e -= joint.motor[0] * z;
            }
            expected += e.dot(first - second);
        }
        EXPECT_NEAR(rate, expected, 1e-11 * (scale + std::abs(expected)));
    }
}

}  // namespace
}  // namespace sinew::test
