// Derivatives through implicit steps against central differences of fourth order of the simulation itself,
// and adjoint against forward.
#include <filesystem>

#include "derivatives/step_case.h"
#include "sinew/figure/chain.h"
#include "sinew/model/springs.h"
#include "support/contact_scenes.h"
#include "support/loops.h"

namespace sinew::implicit_step_test {
namespace {

TEST(ImplicitDerivatives, of_trees_are_those_of_differences)
{
    Random random(31);
    for (int t = 0; t < 40; ++t) {
        const int bodies = 1 + random.below(7);
        const Description d = test::sprungTree(random, bodies, allJoints);
        Case c(d, 0.02, random, 1);
        c.pushInputs(random, 10);
        EXPECT_LT(c.error(random), tolerance) << "tree " << t;
    }
}

// Joints with limits that are met, dry friction, drives with limits, springs between bodies, loads.
Description drivenScene(Random& random, int bodies)
{
    test::TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal};
    options.rootJoints = options.joints;
    Description d = test::randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        joint.stiffness = random.uniform(1, 20);
        joint.damping = random.uniform(0.1, 2);
        const int freedoms = jointTypeInfo(joint.type).freedoms;
        if (random.below(2)) joint.coulomb = 0.5;
        if (joint.type == JointType::spherical) {
            joint.axis = test::randomVector(random).normalized();
            joint.swingLimit = 0.05;
            joint.lower = {-0.05};
            joint.upper = {0.05};
        } else {
            joint.upper.assign(static_cast<std::size_t>(freedoms), 0.01);
        }
        joint.limitStiffness = 300;
        ControllerDescription& controller = d.controllers.emplace_back();
        controller.joint = joint.name;
        controller.stiffness = 30;
        controller.damping = 2;
        for (int k = 0; k < freedoms; ++k) controller.target.emplace_back(random.uniform(-0.5, 0.5));
        if (random.below(2)) controller.limit = 3;
    }
    test::addRandomSprings(random, 50, 3, d);
    ForceDescription& load = d.forces.emplace_back();
    load.body = d.bodies.back().name;
    load.force = Vec3(1, -3, 2);
    load.point = test::randomVector(random);
    return d;
}

TEST(ImplicitDerivatives, of_limits_drives_friction_and_springs_are_those_of_differences)
{
    Random random(32);
    for (int t = 0; t < 30; ++t) {
        Case c(drivenScene(random, 1 + random.below(6)), 0.01, random, 1);
        c.epsilon = 1e-5;
        c.pushInputs(random, 3);
        const double error = c.error(random);
        EXPECT_LT(error, tolerance) << "tree " << t;
    }
}

TEST(ImplicitDerivatives, are_those_of_every_implicit_step)
{
    Random random(34);
    for (const char* integrator : {"implicit", "implicit_euler", "implicit_bdf2"})
        for (const char* coordinates : {"joint", "maximal"}) {
            test::TreeOptions options;
            options.bodies = 5;
            options.joints = {JointType::hinge, JointType::spherical, JointType::slide,
                              JointType::universal};
            Description d = test::randomTree(random, options);
            for (JointDescription& joint : d.joints) {
                joint.stiffness = random.uniform(1, 20);
                joint.damping = random.uniform(0.1, 2);
            }
            Settings settings;
            settings.integrator = integrator;
            settings.coordinates = coordinates;
            Case c(d, 0.01, random, 1, settings);
            c.pushInputs(random, 3);
            EXPECT_LT(c.error(random), tolerance) << integrator << " " << coordinates;
        }
}

Description parallelogram()
{
    return test::swingingParallelogram(0.4, 0.3);
}
Description necklace()
{
    return test::ring(8);
}
Description geared()
{
    ChainOptions options;
    options.links = 3;
    options.joint = JointType::hinge;
    options.horizontal = true;
    Description d = makeChain(options);
    d.couplings.push_back({"joint3", "joint1", 0.5, 0});
    return d;
}

TEST(ImplicitDerivatives, of_loops_and_couplings_are_those_of_differences)
{
    for (Description (*scene)() : {parallelogram, test::bennett, test::spatialFourBar, necklace, geared}) {
        Random random(35);
        const Description d = scene();
        Case c(d, 0.01, random, 0.5);
        c.pushInputs(random, 3);
        c.direction.q.setZero();
        c.epsilon = 1e-3;
        EXPECT_LT(c.error(random), tolerance) << d.bodies.front().name;
    }
}

// Obstacles with springs, whose dampers look at the way made in the step; gravity compensation.
TEST(ImplicitDerivatives, of_soft_obstacles_are_those_of_differences)
{
    Random random(36);
    for (int t = 0; t < 10; ++t) {
        Description d = makeChain(
            {.links = 4, .stiffness = 5, .damping = 0.2, .horizontal = true, .pinned = t % 2 == 0});
        d.gravityCompensation = t % 3 == 0 ? 0.5 : 0;
        ObstacleDescription& plane = d.obstacles.emplace_back(test::ground());
        plane.position = Vec3(0, -0.015, 0);
        plane.stiffness = 300;
        plane.damping = 5;
        Case c(d, 0.005, random, 0.3);
        c.epsilon = 1e-5;
        c.direction.q = 0.1 * c.direction.q;
        c.pushInputs(random, 0.3);
        EXPECT_LT(c.error(random), tolerance) << "chain " << t;
    }
}

// By masses, stiffnesses, dampings and gravity, by compiling other scenes; by targets, by setting others.
TEST(ImplicitDerivatives, by_numbers_of_the_model_are_those_of_differences)
{
    Random random(38);
    for (int t = 0; t < 10; ++t) {
        Description d = drivenScene(random, 4);
        for (JointDescription& joint : d.joints) {
            joint.coulomb = 0;
            joint.upper.clear();
            joint.lower.clear();
            joint.swingLimit.reset();
            joint.limitStiffness.reset();
            joint.axis = jointTypeInfo(joint.type).isBall() ? std::nullopt : joint.axis;
        }
        d.gravityCompensation = t % 2 ? 0.3 : 0;
        Settings settings;
        settings.step = 0.01;
        const Simulation first = Case::make(d, 0.01, {});
        const Model& model = first.model();
        const State start = test::randomState(random, model);
        ModelChange change;
        change.setZero(model);
        for (double& x : change.mass) x = random.normal();
        for (double& x : change.stiffness) x = random.normal();
        for (double& x : change.damping) x = 0.1 * random.normal();
        change.gravity = test::randomVector(random);
        const VecX target = randomTangent(random, model);
        constexpr int steps = 4;
        const auto run = [&](double amount, StepTape* tape) {
            Description other = d;
            other.gravity += amount * change.gravity;
            for (std::size_t b = 0; b < other.bodies.size(); ++b) {
                const double by = 1 + amount * change.mass[model.bodyOrder[b]];
                *other.bodies[b].mass *= by;
                *other.bodies[b].inertia *= by;
            }
            for (std::size_t j = 0; j < other.joints.size(); ++j) {
                other.joints[j].stiffness += amount * change.stiffness[model.linkOfJoint[j]];
                other.joints[j].damping += amount * change.damping[model.linkOfJoint[j]];
            }
            for (ControllerDescription& controller : other.controllers)
                for (std::size_t j = 0; j < other.joints.size(); ++j) {
                    const Joint& joint = model.joints[model.linkOfJoint[j]];
                    if (other.joints[j].name != controller.joint || joint.freedoms() != 1) continue;
                    const double was = controller.target[0].at(0).value;
                    controller.target[0] = Signal(was + amount * target[joint.u]);
                }
            Simulation own = Case::make(other, 0.01, settings);
            own.state.q = start.q;
            own.state.u = start.u;
            bodiesFromJoints(own.model(), own.state);
            own.tape = tape;
            for (int s = 0; s < steps; ++s) EXPECT_TRUE(own.step().ok);
            return own.state;
        };
        StepTape tape;
        const State middle = run(0, &tape);
        MotionChange motion;
        motion.model = change;
        for (int s = 0; s < steps; ++s) {
            InputChange& input = motion.inputs.emplace_back();
            input.target.setZero(model.freedomCount);
            for (const Joint& joint : model.joints)
                if (joint.freedoms() == 1) input.target[joint.u] = target[joint.u];
        }
        StateChange end;
        changeOfMotion(tape, motion, end);
        constexpr double e = 1e-4;
        const auto at = [&](double amount) { return measured(run(amount, nullptr), middle); };
        const VecX truth = (8 * (at(e) - at(-e)) - (at(2 * e) - at(-2 * e))) / (12 * e);
        EXPECT_LT(relativeError(measured(end), truth), tolerance) << "tree " << t;

        StateChange weights;
        weights.setZero(model);
        double sum = 0, size = 0;
        weighBodies(random, end, weights, sum, size);
        MotionGradient gradient;
        adjointOfMotion(tape, weights, gradient);
        double other =
            gradient.model.mass.dot(change.mass) + gradient.model.stiffness.dot(change.stiffness) +
            gradient.model.damping.dot(change.damping) + gradient.model.gravity.dot(change.gravity);
        for (int s = 0; s < steps; ++s) other += gradient.inputs[s].target.dot(motion.inputs[s].target);
        EXPECT_NEAR(sum, other, 1e-11 * (1 + size)) << "tree " << t;
    }
}

// The height of the tip of a chain by the torques of all steps, in other units of length, mass and time.
VecX tipByTorques(double length, double mass, double time, const Quat& turn, const Vec3& shift)
{
    ChainOptions options;
    options.links = 4;
    options.joint = JointType::hinge;
    options.length *= length;
    options.radius *= length;
    options.mass *= mass;
    options.stiffness = 0.5 * mass * length * length / (time * time);
    options.damping = 0.02 * mass * length * length / time;
    options.horizontal = true;
    Description d = makeChain(options);
    d.gravity *= length / (time * time);
    d = test::turned(d, turn, shift);
    Simulation simulation = Case::make(d, 0.02 * time, {});
    const Model& model = simulation.model();
    StepTape tape;
    simulation.tape = &tape;
    for (int s = 0; s < 10; ++s) EXPECT_TRUE(simulation.step().ok);
    StateChange weights;
    weights.setZero(model);
    addPointWeights(simulation.state.bodies.back(), length * Vec3(0.02, 0.01, 0.03), turn * Vec3::UnitY(),
                    weights.bodies.back());
    MotionGradient gradient;
    adjointOfMotion(tape, weights, gradient);
    VecX all(10 * model.freedomCount);
    for (int s = 0; s < 10; ++s)
        all.segment(s * model.freedomCount, model.freedomCount) =
            mass * length / (time * time) * gradient.inputs[s].joint;
    return all;
}

TEST(ImplicitDerivatives, of_turned_moved_and_scaled_scenes_are_the_mapped_ones)
{
    const VecX plain = tipByTorques(1, 1, 1, Quat::Identity(), Vec3::Zero());
    EXPECT_GT(plain.norm(), 1e-3);
    for (const double scale : {1., 0.01, 100.}) {
        EXPECT_LT(relativeError(tipByTorques(scale, 1, 1, test::oblique(), Vec3(1, -2, 3)), plain), 1e-9);
        EXPECT_LT(relativeError(tipByTorques(1, scale, 1, Quat::Identity(), Vec3::Zero()), plain), 1e-9);
        EXPECT_LT(relativeError(tipByTorques(1, 1, scale, Quat::Identity(), Vec3::Zero()), plain), 1e-9);
    }
}

// What the equations are made of is understood wherever an implicit step went: the end of every part solves
// them, and the adjoint is the transpose.
TEST(ImplicitDerivatives, understand_every_shipped_scene)
{
    int understood = 0;
    for (const auto& file : std::filesystem::directory_iterator(SINEW_SCENE_DIR)) {
        if (file.path().extension() != ".json") continue;
        const std::string name = file.path().stem().string();
        const Description d = test::shippedScene(name);
        Simulation simulation = test::started(d);
        if (!stepDerivativesUnsupported(simulation.model()).empty()) continue;
        const Model& model = simulation.model();
        simulation.work->settings.sharpness = 1e3;
        if (model.skeletons.size() > 20) continue;  // walls: many rows in one island
        if (!simulation.advance(0.3).ok) continue;
        StepTape tape;
        simulation.tape = &tape;
        for (int s = 0; s < 5; ++s) EXPECT_TRUE(simulation.step().ok) << name;
        if (tape.steps.front().parts.empty()) continue;
        ++understood;
        Random random(40);
        MotionChange change;
        change.q = randomTangent(random, model);
        change.u = randomTangent(random, model);
        StateChange end, weights;
        changeOfMotion(tape, change, end);
        weights.setZero(model);
        double sum = 0, size = 0;
        weighBodies(random, end, weights, sum, size);
        MotionGradient gradient;
        adjointOfMotion(tape, weights, gradient);
        EXPECT_NEAR(sum, gradient.q.dot(change.q) + gradient.u.dot(change.u), 1e-7 * (1 + size)) << name;
        StepDerivative derivative;
        for (const TapedStep& step : tape.steps)
            for (const StepPart& part : step.parts) {
                derivative.linearize(*step.model, part);
                EXPECT_LT(derivative.residual(), 1e-6) << name;
            }
    }
    EXPECT_GT(understood, 10);
}

}  // namespace
}  // namespace sinew::implicit_step_test
