// Derivatives through implicit steps against central differences of fourth order of the simulation itself,
// and adjoint against forward.
#include <gtest/gtest.h>

#include "sinew/derivative/motion_derivative.h"
#include "sinew/figure/chain.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "support/contact_scenes.h"
#include "support/loops.h"
#include "support/random_tree.h"

namespace sinew::implicit_step_test {
namespace {

constexpr double tolerance = 1e-7;
constexpr double rounding = 1e-10;  // adjoint against forward: sums of the same products in another order

const std::vector<JointType> allJoints = {JointType::hinge,     JointType::spherical,  JointType::slide,
                                          JointType::universal, JointType::weld,       JointType::free,
                                          JointType::planar,    JointType::cylindrical};

VecX randomTangent(Random& random, const Model& model, double scale = 1)
{
    VecX x(model.freedomCount);
    for (double& value : x) value = scale * random.normal();
    return x;
}

State moved(const Model& model, const State& from, const VecX& dq, const VecX& du, double amount)
{
    State state = from;
    const VecX delta = amount * dq;
    for (const Joint& joint : model.joints)
        jointRetract(joint, from.q.data() + joint.q, delta.data() + joint.u, state.q.data() + joint.q);
    state.u = from.u + amount * du;
    bodiesFromJoints(model, state);
    return state;
}

// Places, turns against `middle`, velocities (body axes), joint velocities.
VecX measured(const State& state, const State& middle)
{
    const int n = static_cast<int>(state.bodies.size());
    VecX x(12 * n + state.u.size());
    for (int i = 0; i < n; ++i) {
        const BodyState &b = state.bodies[i], &m = middle.bodies[i];
        x.segment<3>(12 * i) = b.position;
        x.segment<3>(12 * i + 3) = logRotation(b.orientation * m.orientation.conjugate());
        x.segment<3>(12 * i + 6) = b.velocity;
        x.segment<3>(12 * i + 9) = b.angularVelocity;
    }
    for (int k = 0; k < state.u.size(); ++k) x[12 * n + k] = state.u[k];
    return x;
}

VecX measured(const StateChange& change)
{
    const int n = static_cast<int>(change.bodies.size());
    VecX x(12 * n + change.u.size());
    for (int i = 0; i < n; ++i) x.segment<12>(12 * i) = change.bodies[i];
    for (int k = 0; k < change.u.size(); ++k) x[12 * n + k] = change.u[k];
    return x;
}

// The largest difference as a part of the largest change; and where it is.
double relativeError(const VecX& a, const VecX& truth)
{
    double worst = 0, scale = 1e-3;
    for (int i = 0; i < truth.size(); ++i) {
        worst = std::max(worst, std::abs(a[i] - truth[i]));
        scale = std::max(scale, std::abs(truth[i]));
    }
    return worst / scale;
}

// A scene, a direction of its start and of what acts on it, and how many steps.
struct Case {
    Simulation simulation;  // at the start
    int steps = 4;
    MotionChange direction;
    double epsilon = 1e-4;

    Case(const Description& scene, double h, Random& random, double speed = 0.3,
         const Settings& settings = {})
        : simulation(make(scene, h, settings))
    {
        const Model& model = simulation.model();
        simulation.state.u = simulation.state.u + randomTangent(random, model, speed);
        bodiesFromJoints(model, simulation.state);
        direction.q = randomTangent(random, model);
        direction.u = randomTangent(random, model);
    }
    static Simulation make(const Description& scene, double h, Settings settings)
    {
        settings.step = h;
        Result<Simulation> made = Simulation::create(scene, settings);
        EXPECT_TRUE(made) << (made ? "" : made.error().text());
        // Differences divide what Newton's method leaves open by a small number.
        made.value().work->settings.sharpness = 1e3;
        return std::move(made.value());
    }
    void pushInputs(Random& random, double scale)
    {
        const Model& model = simulation.model();
        for (int s = 0; s < steps; ++s) {
            InputChange& input = direction.inputs.emplace_back();
            input.setZero(model);
            for (const Joint& joint : model.joints)
                if (joint.freedoms() == 1) input.joint[joint.u] = scale * random.normal();
            for (Force& f : input.body)
                f = {test::randomVector(random, scale), test::randomVector(random, scale)};
        }
    }

    static void push(const InputChange& input, double amount, Simulation& to)
    {
        const Model& model = to.model();
        for (int i = 0; i < model.size(); ++i) {
            const Force force = input.body[i] * amount;
            EXPECT_FALSE(to.setBodyForce(model.bodies[i].name, force.force, force.torque));
            const Joint& joint = model.joints[i];
            if (joint.freedoms() != 1) continue;
            EXPECT_FALSE(to.setJointForce(joint.name, {amount * input.joint[joint.u]}));
        }
    }

    // Where the motion ends when the start and the inputs are moved so far along the direction.
    State run(double amount, StepTape* tape = nullptr) const
    {
        Simulation own = simulation;
        const Model& model = own.model();
        own.state = moved(model, own.state, direction.q, direction.u, amount);
        own.tape = tape;
        for (int s = 0; s < steps; ++s) {
            if (!direction.inputs.empty()) push(direction.inputs[static_cast<std::size_t>(s)], amount, own);
            const StepReport report = own.step();
            EXPECT_TRUE(report.ok) << report.message;
        }
        return own.state;
    }

    // Forward against differences, adjoint against forward; returns the error of the former.
    double error(Random& random) const
    {
        StepTape tape;
        const State middle = run(0, &tape);
        const auto at = [&](double e) { return measured(run(e), middle); };
        const double e = epsilon;
        const VecX near = at(e) - at(-e), far = at(2 * e) - at(-2 * e);
        const VecX truth = (8 * near - far) / (12 * e);
        StateChange end;
        changeOfMotion(tape, direction, end);
        const double worst = relativeError(measured(end), truth);

        StateChange weights;
        weights.setZero(simulation.model());
        weights.q = randomTangent(random, simulation.model());
        weights.u = randomTangent(random, simulation.model());
        double sum = weights.q.dot(end.q) + weights.u.dot(end.u), size = std::abs(sum);
        for (std::size_t i = 0; i < end.bodies.size(); ++i) {
            for (double& w : weights.bodies[i]) w = random.normal();
            sum += weights.bodies[i].dot(end.bodies[i]);
            size += weights.bodies[i].norm() * end.bodies[i].norm();
        }
        MotionGradient gradient;
        adjointOfMotion(tape, weights, gradient);
        double other = gradient.q.dot(direction.q) + gradient.u.dot(direction.u);
        for (std::size_t s = 0; s < direction.inputs.size(); ++s) {
            other += gradient.inputs[s].joint.dot(direction.inputs[s].joint);
            for (std::size_t i = 0; i < end.bodies.size(); ++i)
                other += gradient.inputs[s].body[i].vector().dot(direction.inputs[s].body[i].vector());
        }
        EXPECT_NEAR(sum, other, rounding * (1 + size));

        StepDerivative derivative;
        for (const TapedStep& step : tape.steps)
            for (const StepPart& part : step.parts) {
                derivative.linearize(*step.model, part);
                EXPECT_LT(derivative.residual(), 1e-7);
            }
        return worst;
    }
};

TEST(ImplicitDerivatives, of_trees_are_those_of_differences)
{
    Random random(31);
    for (int t = 0; t < 40; ++t) {
        test::TreeOptions options;
        options.bodies = 1 + random.below(7);
        options.joints = allJoints;
        options.rootJoints = allJoints;
        Description d = test::randomTree(random, options);
        for (JointDescription& joint : d.joints) {
            if (!jointTypeInfo(joint.type).isArticulated()) continue;
            joint.stiffness = random.uniform(1, 20);
            joint.damping = random.uniform(0.1, 2);
            if (random.below(2)) joint.armature = random.uniform(0.1, 1);
        }
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
    for (int k = 0; k < 2; ++k) {
        SpringDescription& spring = d.springs.emplace_back();
        spring.name = "spring" + std::to_string(k);
        spring.first.body = d.bodies[random.below(bodies)].name;
        spring.second.body = k || bodies == 1 ? "world" : d.bodies[random.below(bodies)].name;
        if (spring.second.body == spring.first.body) spring.second.body = "world";
        spring.first.form = SpringPoint{test::randomVector(random)};
        spring.second.form = SpringPoint{test::randomVector(random, 2)};
        spring.stiffness = 50;
        spring.damping = 3;
        spring.length = 0.3;
    }
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

struct ContactCase {
    const char* name;
    Description (*scene)();
    double friction = 0.6, speed = 0.3, rolling = 0;
    Vec3 velocity = Vec3::Zero();
};

Description onGround(const Shape& shape, double height, const Quat& turned = Quat::Identity())
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("one", shape, Vec3(0.1, height, -0.2), turned));
    return d;
}
constexpr double deep = 2e-3;
Description ball()
{
    return onGround(Sphere{0.1}, 0.1 - deep);
}
Description box()
{
    return onGround(Box{{0.3, 0.2, 0.4}}, 0.1 - deep);
}
Description capsule()
{
    return onGround(Capsule{0.1, 0.4}, 0.1 - deep, expRotation(Vec3(pi / 2, 0, 0)));
}
Description ellipsoid()
{
    return onGround(Ellipsoid{{0.1, 0.15, 0.2}}, 0.15 - deep, expRotation(Vec3(0.02, 0.1, 0.03)));
}
Description cylinder()
{
    return onGround(Cylinder{0.1, 0.4}, 0.2186, expRotation(Vec3(0.3, 0, 0)));
}
Description ballOnBox()
{
    Description d = box();
    d.bodies.push_back(test::solid("two", Sphere{0.05}, Vec3(0.12, 0.25 - 2 * deep, -0.18)));
    return d;
}
Description boxOnBox()
{
    Description d = box();
    d.bodies.push_back(test::solid("two", Box{{0.1, 0.1, 0.1}}, Vec3(0.12, 0.25 - 2 * deep, -0.18),
                                   expRotation(Vec3(0, 0.3, 0))));
    return d;
}
Description capsules()
{
    Description d = capsule();
    d.bodies.push_back(test::solid("two", Capsule{0.05, 0.4}, Vec3(0.12, 0.25 - 2 * deep, -0.2),
                                   expRotation(Vec3(0, 0, 1.5))));
    return d;
}
Description balls()
{
    Description d = ball();
    d.bodies.push_back(test::solid("two", Sphere{0.05}, Vec3(0.12, 0.25 - 2.5 * deep, -0.2)));
    return d;
}
Description legs()
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("hip", Box{{0.3, 0.1, 0.1}}, Vec3(0, 0.5, 0)));
    for (const int side : {-1, 1}) {
        const std::string name = side < 0 ? "left" : "right";
        d.bodies.push_back(test::solid(name, Capsule{0.05, 0.3}, Vec3(side * 0.15, 0.25, 0)));
        d.bodies.push_back(
            test::solid(name + " foot", Box{{0.08, 0.05, 0.2}}, Vec3(side * 0.15, 0.025 - deep, 0.03)));
        d.joints.push_back(
            test::joined(name + " hip", JointType::spherical, "hip", name, Vec3(side * 0.15, 0.45, 0)));
        d.joints.push_back(test::joined(name + " ankle", JointType::spherical, name, name + " foot",
                                        Vec3(side * 0.15, 0.05, 0)));
    }
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 200;
        joint.damping = 5;
    }
    return d;
}

// Three balls, which bear each its own load, under a figure.
Description tripod()
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("base", Box{{0.3, 0.1, 0.3}}, Vec3(0, 0.2, 0)));
    for (const Vec3& place : {Vec3(0.2, -0.2 + 0.05 - deep, 0), Vec3(-0.1, -0.2 + 0.05 - deep, 0.15),
                              Vec3(-0.1, -0.2 + 0.05 - deep, -0.15)}) {
        ShapeDescription& shape = d.bodies.back().shapes.emplace_back();
        shape.shape = Sphere{0.05};
        shape.pose.position = place;
    }
    return d;
}
Description stool()
{
    Description d = tripod();
    d.bodies.push_back(test::solid("arm", Capsule{0.03, 0.3}, Vec3(0, 0.5, 0)));
    d.joints.push_back(test::joined("shoulder", JointType::spherical, "base", "arm", Vec3(0, 0.3, 0)));
    d.bodies.push_back(test::solid("hand", Sphere{0.05}, Vec3(0.1, 0.7, 0)));
    d.joints.push_back(test::joined("wrist", JointType::hinge, "arm", "hand", Vec3(0, 0.7, 0)));
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 20;
        joint.damping = 1;
    }
    return d;
}

TEST(ImplicitDerivatives, with_contact_are_those_of_differences)
{
    const ContactCase cases[] = {
        {"ball rolls", ball},
        {"ball slips", ball, 0.1, 0.1, 0, {1, 0, 0.5}},
        {"ball with rolling friction", ball, 0.6, 0.3, 0.01},
        {"box rests", box, 0.6, 0.02},
        {"box slips", box, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"box without friction", box, 0, 0.02, 0, {1, 0, 0.5}},
        {"capsule rolls", capsule},
        {"capsule slips", capsule, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"ellipsoid rolls", ellipsoid},
        {"cylinder", cylinder},
        {"ball on box", ballOnBox, 0.6, 0.02},
        {"box on box", boxOnBox, 0.6, 0.02},
        {"capsules", capsules, 0.6, 0.02},
        {"balls", balls, 0.6, 0.02},
        {"legs", legs, 0.6, 0.02},
        {"legs slip", legs, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"tripod rests", tripod, 0.6, 0.02},
        {"tripod slips", tripod, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"stool slips", stool, 0.2, 0.02, 0, {1, 0, 0.5}},
    };
    for (const ContactCase& one : cases) {
        Random random(33);
        Description d = one.scene();
        d.contact.emplace();
        d.contact->friction = one.friction;
        d.contact->rollingFriction = d.contact->spinningFriction = one.rolling;
        d.contact->tolerance = 1e-13;
        Case c(d, 0.01, random, one.speed);
        const Model& model = c.simulation.model();
        for (int i = 0; i < model.size(); ++i)
            if (model.joints[i].isFree())
                c.simulation.state.u.segment<3>(model.joints[i].u) += one.velocity;
        c.direction.q = 0.1 * c.direction.q;
        c.direction.u = 0.1 * c.direction.u;
        c.epsilon = 1e-4;
        c.pushInputs(random, 0.3);
        std::printf("%-28s %.1e\n", one.name, c.error(random));
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
            std::printf("%s %s %.1e\n", integrator, coordinates, c.error(random));
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
        for (double e : {1e-3, 1e-4, 1e-5}) {
            c.epsilon = e;
            std::printf("%s %.0e %.1e\n", d.bodies.front().name.c_str(), e, c.error(random));
        }
    }
}

}  // namespace
}  // namespace sinew::implicit_step_test
