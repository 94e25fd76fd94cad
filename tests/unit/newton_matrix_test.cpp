// Newton's matrix of the implicit step in joint coordinates against finite differences of its residual:
// trees of all joint types with springs, dampers, limits, friction, armature, spin, loads, obstacles and
// targets, anywhere: motors make any pose the end of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/integrate/implicit.h"
#include "sinew/integrate/step_work.h"
#include "support/newton_defect.h"
#include "support/random_tree.h"

namespace sinew::newton_matrix_test {
namespace {

Description figure(Random& random, int what)
{
    test::TreeOptions options;
    options.bodies = what == 0 ? 1 : 2 + random.below(8);
    options.joints = {JointType::hinge, JointType::spherical, JointType::slide,      JointType::universal,
                      JointType::weld,  JointType::planar,    JointType::cylindrical};
    options.rootJoints = {JointType::hinge, JointType::spherical, JointType::universal,
                          JointType::slide, JointType::planar,    JointType::cylindrical};
    Description d = test::randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        if (joint.type == JointType::weld || what < 2) continue;
        joint.stiffness = std::pow(10, random.uniform(-1, 3));
        if (what < 3) continue;
        joint.damping = random.uniform(0, 2);
        joint.armature = random.uniform(0, 0.5);
        if (what < 5) continue;
        const JointTypeInfo& info = jointTypeInfo(joint.type);
        if (!info.isMixed()) joint.coulomb = random.uniform(0, 3);
        const bool isBall = joint.type == JointType::spherical;
        if (isBall) joint.axis = test::randomVector(random).normalized();
        if (isBall) joint.swingLimit = random.uniform(0, 0.2);
        joint.lower.assign(isBall ? 1 : info.freedoms, -random.uniform(0, 0.2));
        joint.upper.assign(isBall ? 1 : info.freedoms, random.uniform(0, 0.2));
        joint.limitStiffness = std::pow(10, random.uniform(1, 3));
    }
    if (what == 6) d.gravityCompensation = random.uniform(0.3, 1);
    if (what == 7)
        for (const JointDescription& joint : d.joints) {
            if (joint.type == JointType::weld) continue;
            ControllerDescription controller;
            controller.joint = joint.name;
            controller.stiffness = std::pow(10, random.uniform(0, 3));
            controller.damping = random.uniform(0, 10);
            if (!jointTypeInfo(joint.type).isMixed())
                controller.limit = std::pow(10, random.uniform(-1, 3));  // some give all they can
            d.controllers.push_back(controller);
        }
    return d;
}

void addSurroundings(Random& random, Model& model, const State& state)
{
    const int body = random.below(model.size());
    const BodyState& s = state.bodies[body];
    model.loads.push_back({body, Vec3(3, 1, -2), Vec3(0.3, 0.2, 1), Vec3(0.1, -0.2, 0.3)});
    Obstacle obstacle;
    obstacle.type = ObstacleDescription::Type::plane;
    obstacle.normal = test::randomVector(random).normalized();
    obstacle.stiffness = 50;
    obstacle.damping = 0.8;
    const Vec3 point(0.2, 0.1, -0.1);
    model.contactPoints.push_back({body, point, 0.1});
    obstacle.position = s.position + s.orientation * point + 0.1 * obstacle.normal;
    model.obstacles.push_back(obstacle);
    Target target;
    target.body = random.below(model.size());
    target.point = point;
    target.stiffness = 20;
    target.damping = 0.7;
    target.turnStiffness = 5;
    target.turnDamping = 0.3;
    target.path.keys = {{0, Vec3(0.3, 0, 0), Quat::Identity()},
                        {2, Vec3(1, 0.5, 0), expRotation(Vec3(0.3, 0.5, 1))}};
    model.targets.push_back(target);
}

TEST(NewtonMatrix, in_joint_coordinates_is_the_derivative_of_the_residual)
{
    Random random(61);
    const char* names[] = {"lone body",
                           "tree",
                           "springs",
                           "dampers and armature",
                           "surroundings",
                           "limits and dry friction",
                           "gravity compensation",
                           "controllers with limits"};
    for (int what = 0; what < 8; ++what)
        for (int t = 0; t < 12; ++t) {
            Model model = test::mustCompile(figure(random, what));
            State start = test::randomState(random, model);
            start.previous = test::randomState(random, model).bodies;
            // Some spin fast.
            if (t % 2) {
                for (double& u : start.u) u *= 10;
                bodiesFromJoints(model, start);
            }
            // As far from the start as fast bodies go: up to some radians.
            State end = start;
            for (const Joint& joint : model.joints) {
                Vec6 move;
                for (double& x : move) x = 0.3 * random.normal();
                jointRetract(joint, start.q.data() + joint.q, move.data(), end.q.data() + joint.q);
            }
            end.time += 0.1;
            if (what == 4) addSurroundings(random, model, end);
            for (const double part : {1., 2. / 3})
                EXPECT_LT(test::newtonDefect(model, start, end, 0.1, part), what < 5 ? 2e-6 : 1e-5)
                    << names[what] << " " << t;
        }
}

}  // namespace
}  // namespace sinew::newton_matrix_test
