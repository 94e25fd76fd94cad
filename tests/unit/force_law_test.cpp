// Force laws that the library does not have, in one file: an attractor, which draws bodies called "comet…"
// to the origin, and detents in hinges called "dial…". They are registered, and then everything that adds
// up forces and energies, and every step that can, has to take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/integrate/sleep.h"
#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"
#include "support/random_tree.h"

namespace sinew::force_law_test {
namespace {

bool givesDerivatives = true;

// ---- the attractor: V = −μ m / √(x² + a²), of a point of the body -------------------------------

constexpr double mu = 4, softening = 0.2;
const Vec3 headOfComet(0.1, -0.2, 0.05);  // body axes, from the centre of mass

bool isComet(const Body& body)
{
    return body.name.starts_with("comet");
}

bool hasComet(const Model& model)
{
    return std::any_of(model.bodies.begin(), model.bodies.end(), isComet);
}

// function(body, arm, place of the point, distance √(x² + a²))
template <class Function>
void forEachComet(const Model& model, const State& state, Function&& function)
{
    for (int i = 0; i < model.size(); ++i) {
        if (!isComet(model.bodies[i])) continue;
        const Vec3 arm = state.bodies[i].orientation * headOfComet, x = state.bodies[i].position + arm;
        function(i, arm, x, std::sqrt(x.squaredNorm() + softening * softening));
    }
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    forEachComet(model, state, [&](int body, const Vec3& arm, const Vec3& x, double s) {
        const Vec3 f = -mu * model.bodies[body].mass / (s * s * s) * x;
        forces.body[body] += {f, arm.cross(f)};
    });
}

void addTangents(const Model& model, const State& state, const Forces&, std::vector<BodyTangent>& tangents)
{
    if (!givesDerivatives) return;
    forEachComet(model, state, [&](int body, const Vec3& arm, const Vec3& x, double s) {
        const double k = mu * model.bodies[body].mass / (s * s * s);
        const Mat3 K = k * (Mat3::Identity() - 3 / (s * s) * x * x.transpose());
        addPointTangent(arm, state.bodies[body].angularVelocityWorld(), -k * x, K, Mat3::Zero(),
                        appendTangent(body, tangents));
    });
}

std::size_t mostTangents(const Model& model)
{
    return model.bodies.size();
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    forEachComet(model, state, [&](int body, const Vec3&, const Vec3&, double s) {
        of(body).elastic -= mu * model.bodies[body].mass / s;
    });
}

bool isConstant(const Model&)
{
    return true;
}

void markComets(const Model& model, const MarkBody& mark)
{
    for (int i = 0; i < model.size(); ++i)
        if (isComet(model.bodies[i])) mark(i);
}

const ForceLawInfo attractorLaw = {
    .name = "lure",
    .noun = "attractors",
    .kind = ForceKind::body,
    .isIn = hasComet,
    .isPassive = isConstant,
    .markDriven = markComets,
    .addForces = addForces,
    .addTangents = addTangents,
    .mostTangents = mostTangents,
    .addEnergies = addEnergies,
};

// ---- detents: V = A (1 − cos n q) ---------------------------------------------------------------

constexpr double depth = 0.5;
constexpr int notches = 6;

bool isDial(const Model&, const Joint& joint)
{
    return joint.name.starts_with("dial");
}

void addForce(const JointAt& at, double* Q)
{
    if (isDial(at.model, at.joint)) Q[0] -= depth * notches * std::sin(notches * at.q[0]);
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    if (isDial(at.model, at.joint) && givesDerivatives)
        tangent.stiffness(0, 0) += depth * notches * notches * std::cos(notches * at.q[0]);
}

void addEnergy(const JointAt& at, double& sum)
{
    if (isDial(at.model, at.joint)) sum += depth * (1 - std::cos(notches * at.q[0]));
}

const ForceLawInfo detentLaw = {
    .name = "detent",
    .noun = "the detent",
    .kind = ForceKind::drive,
    .isIn = isInAnyJoint<isDial>,
    .isPassive = isConstant,
    .isInJoint = isDial,
    .addJointForce = addForce,
    .addJointTangent = addTangent,
    .addJointEnergy = addEnergy,
};

// ---- the checks ---------------------------------------------------------------------------------

class ForceLaws : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        if (findForceLaw("lure")) return;
        registerForceLaw(attractorLaw);
        registerForceLaw(detentLaw);
    }
};

Description oneBody(const char* name)
{
    Description d;
    d.gravity = Vec3::Zero();
    BodyDescription body;
    body.name = name;
    body.pose.position = Vec3(1, 0, 0);
    body.mass = 2;
    body.inertia = Mat3(Vec3(0.1, 0.2, 0.25).asDiagonal());
    body.velocity = Vec3(0, 0.3, 1.6);
    body.angularVelocity = Vec3(0.2, -0.5, 0.4);
    d.bodies.push_back(body);
    return d;
}

Description hinged(const char* joint)
{
    Description d = oneBody("hand");
    d.bodies[0].velocity.reset();
    d.bodies[0].angularVelocity = Vec3(0, 0, 4);
    JointDescription hinge;
    hinge.name = joint;
    hinge.type = JointType::hinge;
    hinge.first = "world";
    hinge.second = "hand";
    hinge.position = Vec3(1, 0, 0);
    hinge.axis = Vec3::UnitZ();
    d.joints.push_back(hinge);
    return d;
}

Simulation started(const Description& d, const char* integrator, double step, const char* coordinates = "")
{
    Settings settings;
    settings.integrator = integrator;
    settings.coordinates = coordinates;
    settings.step = step;
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

double totalEnergy(const Simulation& s)
{
    return energy(s.model(), s.state).total();
}

TEST_F(ForceLaws, are_in_the_models_that_they_say_and_in_no_other)
{
    const Model comet = test::mustCompile(oneBody("comet")), stone = test::mustCompile(oneBody("stone"));
    EXPECT_EQ(findForceLaw("lure"), &attractorLaw);
    EXPECT_TRUE(isPassive(comet));
    Forces forces;
    sceneForces(comet, restState(comet), forces);
    EXPECT_GT(forces.body[0].force.norm(), 1);
    sceneForces(stone, restState(stone), forces);
    EXPECT_TRUE(forces.body[0].force.isZero(0));
    std::vector<BodyTangent> tangents;
    bodyForceTangents(stone, restState(stone), forces, tangents);
    EXPECT_TRUE(tangents.empty());
}

State turned(const State& state, int k, double by)
{
    State moved = state;
    BodyState& body = moved.bodies[0];
    if (k < 3)
        body.position[k] += by;
    else
        body.orientation = expRotation(by * Vec3::Unit(k - 3)) * body.orientation;
    // The velocity in the world stays as it is.
    body.angularVelocity = body.orientation.conjugate() * state.bodies[0].angularVelocityWorld();
    return moved;
}

Vec6 forceOn(const Model& model, const State& state)
{
    Forces forces;
    sceneForces(model, state, forces);
    return (Vec6() << forces.body[0].force, forces.body[0].torque).finished();
}

constexpr double e = 1e-6, tolerance = 1e-7;  // central differences of forces of size ten

TEST_F(ForceLaws, on_bodies_are_gradients_of_their_energies_and_have_exact_derivatives)
{
    Random random(1);
    const Model model = test::mustCompile(oneBody("comet"));
    for (int t = 0; t < 10; ++t) {
        const State state = test::randomState(random, model);
        const Vec6 force = forceOn(model, state);
        Forces forces;
        sceneForces(model, state, forces);
        std::vector<BodyTangent> tangents;
        bodyForceTangents(model, state, forces, tangents);
        ASSERT_EQ(tangents.size(), 1u);
        for (int k = 0; k < 6; ++k) {
            const State plus = turned(state, k, e), minus = turned(state, k, -e);
            const double slope = (energy(model, plus).elastic - energy(model, minus).elastic) / (2 * e);
            EXPECT_NEAR(force[k], -slope, tolerance * (1 + std::abs(slope)));
            const Vec6 change = -(forceOn(model, plus) - forceOn(model, minus)) / (2 * e);
            EXPECT_LT((tangents[0].stiffness.col(k) - change).norm(), tolerance * (1 + change.norm()));
        }
        EXPECT_TRUE(tangents[0].damping.isZero(0));
    }
}

TEST_F(ForceLaws, in_joints_are_gradients_of_their_energies_and_have_exact_derivatives)
{
    const Model model = test::mustCompile(hinged("dial"));
    State state = restState(model);
    Forces forces;
    const auto forceAt = [&](double q) {
        state.q[0] = q;
        sceneForces(model, state, forces);
        return forces.joint[0];
    };
    const auto energyAt = [&](double q) {
        state.q[0] = q;
        return energy(model, state).elastic;
    };
    for (const double q : {-0.4, 0.05, 0.3, 1.}) {
        EXPECT_NEAR(forceAt(q), -(energyAt(q + e) - energyAt(q - e)) / (2 * e), tolerance);
        const double change = -(forceAt(q + e) - forceAt(q - e)) / (2 * e);
        state.q[0] = q;
        JointTangent tangent;
        jointForceTangent(model, state, 0, tangent);
        EXPECT_NEAR(tangent.stiffness(0, 0), change, 100 * tolerance);
        EXPECT_TRUE(hasJointTangent(model, 0));
    }
}

// Both laws in explicit and implicit steps and in both coordinates: the same motion, and its energy.
TEST_F(ForceLaws, move_bodies_the_same_way_in_every_step_that_takes_them)
{
    for (const Description& d : {oneBody("comet"), hinged("dial")}) {
        constexpr double duration = 1;
        Simulation fine = started(d, "rk4", 1e-3);
        const double before = totalEnergy(fine);
        ASSERT_TRUE(fine.advance(duration).ok);
        EXPECT_NEAR(totalEnergy(fine), before, 1e-9 * std::abs(before));
        const Vec3 moved = fine.state.bodies[0].position - Vec3(1, 0, 0);
        const Vec3 turn = logRotation(fine.state.bodies[0].orientation);
        EXPECT_GT(moved.norm() + turn.norm(), 1);
        for (const char* coordinates : {"joint", "maximal"}) {
            double missed[2], lost[2];
            for (int i = 0; i < 2; ++i) {
                Simulation s = started(d, "implicit", 2e-3 / (1 + i), coordinates);
                const Advance way = s.advance(duration);
                ASSERT_TRUE(way.ok) << way.last.message;
                const Quat off =
                    fine.state.bodies[0].orientation.conjugate() * s.state.bodies[0].orientation;
                missed[i] = (s.state.bodies[0].position - fine.state.bodies[0].position).norm() +
                            logRotation(off).norm();
                lost[i] = std::abs(totalEnergy(s) - before) / std::abs(before);
            }
            // BDF2 is of second order.
            EXPECT_LT(missed[0], 2e-3) << coordinates;
            EXPECT_LT(missed[1], 0.35 * missed[0]) << coordinates;
            EXPECT_LT(lost[0], 2e-3) << coordinates;
            EXPECT_LT(lost[1], 0.35 * lost[0]) << coordinates;
        }
    }
}

// At steps that are long for the laws.
TEST_F(ForceLaws, come_with_derivatives_that_newtons_method_uses)
{
    Description comet = oneBody("comet"), dial = hinged("dial");
    comet.bodies[0].velocity = Vec3(0, 0, 0.2);
    dial.bodies[0].angularVelocity = Vec3(0, 0, 0.5);
    for (const Description& d : {comet, dial})
        for (const char* coordinates : {"joint", "maximal"}) {
            long iterations[2] = {};
            for (const bool gives : {false, true}) {
                givesDerivatives = gives;
                Simulation s = started(d, "implicit", 0.1, coordinates);
                for (int i = 0; i < 5; ++i) {
                    const StepReport report = s.step();
                    ASSERT_TRUE(report.ok) << report.message;
                    iterations[gives] += report.statistics.newtonIterations;
                }
            }
            EXPECT_LE(iterations[true], 5 * 6) << coordinates;
            EXPECT_GT(2 * iterations[false], 3 * iterations[true]) << coordinates;
        }
}

TEST_F(ForceLaws, keep_awake_what_they_may_move)
{
    Description scene;
    for (const char* name : {"stone", "comet"}) {
        BodyDescription body;
        body.name = name;
        body.pose.position = Vec3(scene.bodies.empty() ? 3 : -3, 0.1, 0);
        body.shapes.push_back({Box{Vec3::Constant(0.2)}, {}, {}, {}});
        scene.bodies.push_back(body);
    }
    scene.obstacles.resize(1);
    scene.contact = ContactDescription{};
    scene.contact->sleeping = true;
    Simulation s = started(scene, "implicit", 1. / 60);
    ASSERT_TRUE(s.advance(2).ok);
    const int stone = s.model().findBody("stone"), comet = s.model().findBody("comet");
    EXPECT_TRUE(isBodyAsleep(s.model(), s.state, stone));
    EXPECT_FALSE(isBodyAsleep(s.model(), s.state, comet));
    EXPECT_LT(s.state.bodies[comet].velocity.norm(), 1e-6);  // friction holds it, so it might have slept
}

TEST_F(ForceLaws, are_refused_in_one_line_by_steps_that_do_not_take_their_kind)
{
    const auto refusal = [](const Description& d) {
        Settings settings;
        settings.integrator = "conservative";
        const Result<Simulation> made = Simulation::create(d, settings);
        return made ? std::string() : made.error().message;
    };
    EXPECT_EQ(refusal(oneBody("comet")),
              "integrator 'conservative' does not support attractors; use implicit");
    EXPECT_EQ(refusal(hinged("dial")),
              "integrator 'conservative' does not support the detent of joint 'dial'; use implicit");
    EXPECT_EQ(refusal(oneBody("stone")), "");
    EXPECT_EQ(refusal(hinged("axle")), "");
}

}  // namespace
}  // namespace sinew::force_law_test
