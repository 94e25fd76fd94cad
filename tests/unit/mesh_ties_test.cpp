// Springs of a scene that end at a vertex of a spring mesh: derivatives, closed forms, both ways, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/json/scene.h"
#include "sinew/measure/energy.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "sinew/soft/potential.h"
#include "sinew/state/mesh_state.h"

namespace sinew::mesh_ties_test {
namespace {

// A single point mass of 0.5 kg, "dot", and what else is said.
std::string sceneWith(const std::string& springs, const std::string& more = "",
                      const char* gravity = "[0,-9.81,0]")
{
    return R"({"sinew":1,"gravity":)" + std::string(gravity) +
           R"(,"meshes":[{"name":"dot","mass":0.5,"vertices":[[0,0,0]],"collides":false},)"
           R"({"name":"pair","mass":1,"mass_by":"vertex","vertices":[[5,0,0],[6,0,0],[7,0,0]],"edges":[[0,1]],"collides":false}],)"
           R"("springs":[)" +
           springs + "]" + more + "}";
}

Simulation simulationOf(const std::string& text, double step,
                        IntegratorId integrator = IntegratorId::implicit)
{
    Result<Description> scene = parseScene(text, "scene");
    EXPECT_TRUE(scene) << scene.error().text();
    Settings settings;
    settings.step = step;
    settings.integrator = integrator;
    Result<Simulation> made = Simulation::create(scene.value(), settings);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

std::string refusal(const std::string& springs)
{
    const Result<Description> scene = parseScene(sceneWith(springs), "scene");
    if (!scene) return scene.error().text();
    const Result<Model> model = compile(scene.value());
    return model ? "" : model.error().pointer + ": " + model.error().message;
}

Vec3 vertex(const Simulation& simulation, int mesh, int i)
{
    const VecX& x = simulation.state.meshes[static_cast<std::size_t>(mesh)].x;
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

TEST(MeshTies, forcesAreDerivativesOfTheEnergy)
{
    const double h = 0.01;
    for (int way = 0; way < 4; ++way) {
        MeshPin tie;
        tie.isTie = true;
        tie.rest = way == 3 ? 0 : 0.7;
        tie.stiffness = 300;
        tie.damping = 2;
        tie.pulls = way != 1;
        tie.pushes = way != 2;
        int acted = 0;
        for (const double length : {0.3, 0.65, 0.75, 1.4})
            for (const double before : {0.5, 0.72, 1.2}) {
                const Vec3 to = length * Vec3(0.6, 0, 0.8), from = before * Vec3(0, 1, 0);
                const Vec3 pull = pinPull(tie, to, from, h);
                acted += pull.norm() > 0;
                for (int k = 0; k < 3; ++k) {
                    Vec3 step = Vec3::Zero();
                    step[k] = 1e-6;
                    const double slope =
                        (pinEnergy(tie, to + step, from, h) - pinEnergy(tie, to - step, from, h)) / 2e-6;
                    EXPECT_NEAR(slope, pull[k], 1e-5 * (1 + pull.norm()));
                    const Vec3 bend =
                        (pinPull(tie, to + step, from, h) - pinPull(tie, to - step, from, h)) / 2e-6;
                    // What pushes has its negative part left out.
                    if (pull.dot(to) >= 0)
                        EXPECT_LT((bend - pinBlock(tie, to, from, h).col(k)).norm(),
                                  1e-4 * (1 + bend.norm()));
                }
            }
        EXPECT_GT(acted, 2) << way;
        EXPECT_EQ(acted == 12, way == 0 || way == 3) << way;
    }
}

TEST(MeshTies, aPointHangsAsLowAsItsSpringIsStretched)
{
    Simulation hung = simulationOf(
        sceneWith(
            R"({"first":{"mesh":"dot","vertex":0},"second":{"point":[0,1,0]},"stiffness":50,"damping":5})"),
        0.01);
    for (int k = 0; k < 600; ++k) ASSERT_TRUE(hung.step().ok);
    EXPECT_LT((vertex(hung, 0, 0) - Vec3(0, -0.5 * 9.81 / 50, 0)).norm(), 1e-6);
    // A rope of 2 m is slack until it has fallen so far.
    Simulation rope = simulationOf(
        sceneWith(
            R"({"second":{"mesh":"dot","vertex":0},"first":{"point":[0,1,0]},"length":2,"stiffness":1e4,"damping":30,"acts":"pull"})"),
        0.001);
    for (int k = 0; k < 400; ++k) ASSERT_TRUE(rope.step().ok);
    EXPECT_NEAR(vertex(rope, 0, 0).y(), -0.5 * 9.81 * 0.4 * 0.4, 2e-3);
    for (int k = 0; k < 4000; ++k) ASSERT_TRUE(rope.step().ok);
    EXPECT_NEAR(vertex(rope, 0, 0).y(), -1 - 0.5 * 9.81 / 1e4, 1e-4);
}

// Two masses on a spring, one of them a body: they swing at √(k (1/m + 1/M)) about their common centre.
TEST(MeshTies, aBodyIsPulledAsMuchAsTheMesh)
{
    const std::string text = sceneWith(
        R"({"first":{"mesh":"dot","vertex":0},"second":"ball","length":1.5,"stiffness":80})",
        R"(,"bodies":[{"name":"ball","mass":2,"position":[2,0,0],"inertia":[0.1,0.1,0.1]}])", "[0,0,0]");
    const double h = 1e-3, w = std::sqrt(80 * (1 / 0.5 + 1 / 2.0));
    // A mesh is stepped by Euler's; so must be the body for impulses to be the same to rounding.
    Simulation both = simulationOf(text, h, IntegratorId::implicitEuler);
    double worst = 0, drift = 0;
    for (int k = 1; k <= 600; ++k) {
        ASSERT_TRUE(both.step().ok);
        const Vec3 dot = vertex(both, 0, 0), ball = both.state.bodies[0].position;
        worst = std::max(worst, std::abs((ball - dot).norm() - (1.5 + 0.5 * std::cos(w * k * h))));
        const VecX& v = both.state.meshes[0].v;
        drift = std::max(drift, (0.5 * Vec3(v[0], v[1], v[2]) + 2 * both.state.bodies[0].velocity).norm());
        EXPECT_LT(Vec3(dot.y(), dot.z(), ball.y()).norm(), 1e-12);
    }
    EXPECT_LT(worst, 0.05);  // of 0.5 m, by steps of first order
    EXPECT_LT(drift, 1e-6);  // of momenta up to 2.8 kg·m/s
    EXPECT_NEAR(energy(both.model(), simulationOf(text, h).state).elastic, 0.5 * 80 * 0.25, 1e-9);
}

// Far from the centre of mass the body turns, and stiff springs at frame-sized steps keep still.
TEST(MeshTies, stiffOnesHoldAtLongSteps)
{
    Simulation held = simulationOf(
        sceneWith(
            R"({"first":{"mesh":"dot","vertex":0},"second":{"body":"bar","point":[0,0.5,0]},"stiffness":1e7,"damping":10})",
            R"(,"bodies":[{"name":"bar","mass":1,"position":[1,0.5,0],"inertia":[0.1,0.1,0.1]}],)"
            R"("joints":[{"name":"pivot","type":"hinge","first":"world","second":"bar","position":[1,0.5,0],"axis":[0,0,1]}])"),
        1.0 / 60);
    // The dot hangs at the end of the bar's arm, which swings down with it.
    for (int k = 0; k < 300; ++k) {
        ASSERT_TRUE(held.step().ok);
        const BodyState& bar = held.state.bodies[0];
        const Vec3 end = bar.position + Vec3(bar.orientation * Vec3(-1, 0, 0));
        EXPECT_NEAR((vertex(held, 0, 0) - end).norm(), 0.5, 1e-3);
        ASSERT_TRUE(std::isfinite(end.norm()));
    }
}

TEST(MeshTies, verticesOfOneMeshCanBeTied)
{
    Simulation tied = simulationOf(
        sceneWith(
            R"({"first":{"mesh":"pair","vertex":1},"second":{"mesh":"pair","vertex":2},"length":0.8,"stiffness":100,"damping":3})",
            "", "[0,0,0]"),
        0.01);
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(tied.step().ok);
    EXPECT_NEAR((vertex(tied, 1, 2) - vertex(tied, 1, 1)).norm(), 0.8, 1e-6);
}

TEST(MeshTies, areWrittenAsTheyAreRead)
{
    const std::string text =
        sceneWith(R"({"first":{"mesh":"dot","vertex":0},"second":{"point":[0,1,0]},"stiffness":50})");
    const std::string once = writeScene(parseScene(text, "a").value());
    EXPECT_NE(once.find("\"mesh\""), std::string::npos);
    EXPECT_EQ(writeScene(parseScene(once, "b").value()), once);
}

TEST(MeshTies, mistakesAreOneLine)
{
    const auto with = [](const std::string& first, const std::string& second,
                         const std::string& more = R"("stiffness":5)") {
        return R"({"first":)" + first + R"(,"second":)" + second + "," + more + "}";
    };
    const std::string dot = R"({"mesh":"dot","vertex":0})", top = R"({"point":[0,1,0]})";
    EXPECT_EQ(refusal(with(dot, top)), "");
    EXPECT_EQ(refusal(with(R"({"mesh":"dott","vertex":0})", top)),
              "/springs/0/first/mesh: there is no mesh 'dott'");
    EXPECT_EQ(refusal(with(R"({"mesh":"dot","vertex":3})", top)),
              "/springs/0/first/vertex: there is no vertex 3; the mesh has 1, counted from 0");
    EXPECT_EQ(refusal(with(top, R"({"mesh":"dot"})")),
              "/springs/0/second/vertex: is missing; a spring holds on to one vertex");
    EXPECT_EQ(refusal(with(R"({"vertex":0})", top)), "/springs/0/first/vertex: goes with mesh");
    EXPECT_EQ(refusal(with(R"({"mesh":"dot","vertex":0,"point":[0,0,0]})", top)),
              "/springs/0/first: is on a mesh and on a body; give one of them");
    EXPECT_EQ(refusal(with(dot, R"("world")")),
              "/springs/0/second/point: is missing; an end in the world needs it");
    EXPECT_EQ(refusal(with(dot, top, R"("turn_stiffness":5,"stiffness":1)")),
              "/springs/0/turn_stiffness: a vertex of a mesh has no orientation that could be turned");
    EXPECT_NE(refusal(with(dot, top, R"("stiffness":-5)")), "");
    EXPECT_EQ(refusal(with(dot, top, R"("length":1)")),
              "/springs/0: has no spring and no damper; give stiffness or damping");
    EXPECT_EQ(refusal(with(dot, dot)), "/springs/0: ties a vertex to itself");
    EXPECT_EQ(refusal(with(dot, top, R"("stiffness":5,"length":0,"acts":"push")")),
              "/springs/0/acts: is push, and the length is 0: there is nothing to keep apart");
}

}  // namespace
}  // namespace sinew::mesh_ties_test
