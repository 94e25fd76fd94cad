// Springs between vertices of two spring meshes, which are then solved as one; and springs along which a
// vertex slides: closed forms, momentum, stiffness, and the same physics however it is said.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/integrate/step_work.h"
#include "sinew/io/json/scene.h"
#include "sinew/measure/energy.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/energy_balance.h"
#include "sinew/simulation/simulation.h"
#include "sinew/soft/groups.h"
#include "sinew/soft/relax.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/state.h"

namespace sinew::tied_meshes_test {
namespace {

using Text = std::string;

Text number(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

Text dot(const Text& name, double mass, const Text& place, const Text& more = "")
{
    return R"({"name":")" + name + R"(","mass":)" + number(mass) + R"(,"vertices":[)" + place +
           R"(],"collides":false)" + more + "}";
}

Text scene(const Text& meshes, const Text& springs, const Text& gravity = "[0,-9.81,0]",
           const Text& more = "")
{
    return R"({"sinew":1,"gravity":)" + gravity + R"(,"meshes":[)" + meshes + R"(],"springs":[)" + springs +
           "]" + more + "}";
}

Text tie(const Text& a, int i, const Text& b, int j, const Text& more)
{
    return R"({"first":{"mesh":")" + a + R"(","vertex":)" + std::to_string(i) + R"(},"second":{"mesh":")" +
           b + R"(","vertex":)" + std::to_string(j) + "}," + more + "}";
}

Simulation made(const Text& text, double step, IntegratorId integrator = IntegratorId::implicit)
{
    Result<Description> description = parseScene(text, "scene");
    EXPECT_TRUE(description) << description.error().text();
    Settings settings;
    settings.step = step;
    settings.integrator = integrator;
    Result<Simulation> simulation = Simulation::create(description.value(), settings);
    EXPECT_TRUE(simulation) << simulation.error().text();
    return std::move(simulation.value());
}

Text refusal(const Text& text)
{
    const Result<Description> description = parseScene(text, "scene");
    if (!description) return description.error().text();
    const Result<Model> model = compile(description.value());
    return model ? "" : model.error().pointer + ": " + model.error().message;
}

Vec3 at(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

Vec3 place(const Simulation& s, int mesh, int i = 0)
{
    return at(s.state.meshes[static_cast<std::size_t>(mesh)].x, i);
}

void run(Simulation& s, int steps)
{
    for (int k = 0; k < steps; ++k) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
    }
}

Vec3 momentumOf(const Simulation& s)
{
    Vec3 sum = Vec3::Zero();
    for (std::size_t m = 0; m < s.state.meshes.size(); ++m)
        for (int i = 0; i < s.model().meshes[m].size(); ++i)
            sum += s.model().meshes[m].masses[static_cast<std::size_t>(i)] * at(s.state.meshes[m].v, i);
    for (std::size_t b = 0; b < s.state.bodies.size(); ++b)
        sum += s.model().bodies[b].mass * s.state.bodies[b].velocity;
    return sum;
}

// Two cloths of 5 × 5 side by side, 0.1 m apart, tied at two corners.
Text cloths(const Text& springs, const Text& more = "", const Text& gravity = "[0,0,0]",
            bool turnedRound = false)
{
    const auto cloth = [&](const Text& name, const Text& x, const Text& own) {
        return R"({"name":")" + name +
               R"(","type":"cloth","size":[0.4,0.4],"segments":[4,4],"mass":0.2,"stiffness":2000,"damping":0.5,"collides":false,"position":[)" +
               x + ",0,0]" + own + more + "}";
    };
    const Text left = cloth("left", "-0.25", R"(,"velocity":[0.3,1,0.2])"),
               right = cloth("right", "0.25", R"(,"velocity":[-0.4,0,0.5])");
    return scene(turnedRound ? right + "," + left : left + "," + right, springs, gravity);
}

Text cornerTies(const Text& more)
{
    return tie("left", 4, "right", 0, more) + "," + tie("left", 24, "right", 20, more);
}

// ω = √(k (1/m + 1/M)) about the common centre; by rk4, so that nothing else is seen.
TEST(TiedMeshes, twoPointsSwingAtTheirFrequency)
{
    const Text rk4 = R"(,"step":"rk4")";
    Simulation s = made(scene(dot("a", 0.5, "[0,0,0]", rk4) + "," + dot("b", 1.5, "[2,0,0]", rk4),
                              tie("a", 0, "b", 0, R"("length":1.5,"stiffness":80)"), "[0,0,0]"),
                        1e-3);
    const double w = std::sqrt(80 * (1 / 0.5 + 1 / 1.5));
    for (int k = 1; k <= 1000; ++k) {
        ASSERT_TRUE(s.step().ok);
        EXPECT_NEAR((place(s, 1) - place(s, 0)).norm(), 1.5 + 0.5 * std::cos(w * k * 1e-3), 1e-8);
        EXPECT_NEAR((0.5 * place(s, 0) + 1.5 * place(s, 1)).x() / 2, 1.5, 1e-12);
    }
}

// Newton's, of first order in the step: halving it halves what is off.
TEST(TiedMeshes, newtonComesToTheSameWithTheStep)
{
    const double w = std::sqrt(80 * (1 / 0.5 + 1 / 1.5));
    double off[2];
    for (int fine = 0; fine < 2; ++fine) {
        const int steps = fine ? 800 : 400;
        Simulation s = made(scene(dot("a", 0.5, "[0,0,0]") + "," + dot("b", 1.5, "[2,0,0]"),
                                  tie("a", 0, "b", 0, R"("length":1.5,"stiffness":80)"), "[0,0,0]"),
                            0.2 / steps);
        run(s, steps);
        off[fine] = std::abs((place(s, 1) - place(s, 0)).norm() - (1.5 + 0.5 * std::cos(w * 0.2)));
    }
    EXPECT_LT(off[1], 0.01);
    EXPECT_NEAR(off[1] / off[0], 0.5, 0.05);
}

// A chain of three meshes hangs as low as its springs are stretched: (m₂ + m₃) g/k and m₃ g/k; by every
// step.
TEST(TiedMeshes, aChainHangsAsLowAsItsSpringsAreStretched)
{
    for (const char* step : {"newton", "fast", "quick", "implicit_euler"}) {
        const Text by = R"(,"step":")" + Text(step) + "\"";
        const Text springs = tie("b", 0, "a", 0, R"("stiffness":400,"damping":6)") + "," +
                             tie("b", 0, "c", 0, R"("stiffness":100,"damping":4)");
        const Text meshes = dot("a", 1, "[0,0,0]", by + R"(,"pins":[{"vertices":[0]}])") + "," +
                            dot("c", 0.5, "[0,-2,0]", by) + "," + dot("b", 0.3, "[0,-1,0]", by);
        Simulation s = made(scene(meshes, springs), 0.01);
        EXPECT_EQ(s.model().meshGroups.size(), 1u);
        run(s, 1500);
        EXPECT_NEAR(place(s, 2).y(), -1 - 0.8 * 9.81 / 400, 1e-6) << step;
        EXPECT_NEAR(place(s, 1).y(), -2 - 0.8 * 9.81 / 400 - 0.5 * 9.81 / 100, 1e-6) << step;
    }
}

// An edge of a mesh, and the same between two meshes: the same motion.
TEST(TiedMeshes, moveAsWithinOneMesh)
{
    const Text springs = R"("stiffness":3e4,"damping":2)";
    const Text end = R"(,"collides":false,"mass_by":"vertex",)" + springs;
    const auto step = [](const Text& kind) { return R"(,"step":")" + kind + R"(","tolerance":1e-9)"; };
    for (const char* kind : {"newton", "fast"}) {
        const Text one =
            R"({"name":"one","mass":0.6,"vertices":[[0,0,0],[0.3,0.1,0],[0.5,0,0.2],[0.8,0,0],[1,0.1,0.3],[1.2,0,0]],)"
            R"("edges":[[0,1],[1,2],[0,2],[3,4],[4,5],[3,5],[2,3],[1,4]],"pins":[{"vertices":[0]}])" +
            end + step(kind) + "}";
        const Text a =
            R"({"name":"a","mass":0.3,"vertices":[[0,0,0],[0.3,0.1,0],[0.5,0,0.2]],"edges":[[0,1],[1,2],[0,2]],"pins":[{"vertices":[0]}])" +
            end + step(kind) + "}";
        const Text b =
            R"({"name":"b","mass":0.3,"vertices":[[0.8,0,0],[1,0.1,0.3],[1.2,0,0]],"edges":[[0,1],[1,2],[0,2]])" +
            end + step(kind) + "}";
        Simulation whole = made(scene(one, ""), 1.0 / 60),
                   two = made(scene(a + "," + b,
                                    tie("a", 2, "b", 0, springs) + "," + tie("b", 1, "a", 1, springs)),
                              1.0 / 60),
                   turned = made(scene(b + "," + a,
                                       tie("b", 1, "a", 1, springs) + "," + tie("a", 2, "b", 0, springs)),
                                 1.0 / 60);
        for (int k = 0; k < 60; ++k) {
            run(whole, 1);
            run(two, 1);
            run(turned, 1);
        }
        double moved = 0;
        for (int i = 0; i < 6; ++i) {
            EXPECT_LT((place(whole, 0, i) - place(two, i / 3, i % 3)).norm(), 1e-7) << kind << i;
            EXPECT_LT((place(whole, 0, i) - place(turned, 1 - i / 3, i % 3)).norm(), 1e-7) << kind << i;
            moved =
                std::max(moved, (place(two, i / 3, i % 3) - two.model().meshes[i / 3].rest[i % 3]).norm());
        }
        EXPECT_GT(moved, 0.3);
        EXPECT_NEAR(energy(whole.model(), whole.state).total(), energy(two.model(), two.state).total(),
                    1e-6);
    }
}

TEST(TiedMeshes, keepTheirMomentum)
{
    for (const char* more : {R"("stiffness":500,"damping":2)", R"("stiffness":1e8)",
                             R"("stiffness":3e3,"length":0,"damping":1)",
                             R"("stiffness":800,"acts":"pull","length":0.05,"damping":1)",
                             R"("stiffness":800,"acts":"push","length":0.3,"damping":1)"})
        for (const char* step : {R"(,"step":"newton")", R"(,"step":"fast")", R"(,"step":"quick")"}) {
            Simulation s = made(cloths(cornerTies(more), step), 1.0 / 60);
            const Vec3 start = momentumOf(s);
            run(s, 100);
            EXPECT_LT((momentumOf(s) - start).norm(), 1e-13 * 100) << more << step;
        }
}

TEST(TiedMeshes, areStableHoweverStiff)
{
    for (double stiffness = 1e-3; stiffness < 2e8; stiffness *= 10) {
        Simulation s = made(cloths(cornerTies(R"("stiffness":)" + number(stiffness)),
                                   R"(,"pins":[{"vertices":[2]}])", "[0,-9.81,0]"),
                            1.0 / 60);
        double before = energy(s.model(), s.state).total();
        int caps = 0;
        for (int k = 0; k < 240; ++k) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok) << stiffness;
            caps += s.work->statistics.meshCaps;
            const double now = energy(s.model(), s.state).total();
            EXPECT_LE(now, before + 1e-6) << stiffness << " at " << k;
            before = now;
        }
        EXPECT_EQ(caps, 0) << stiffness;
        const double apart = (place(s, 1, 0) - place(s, 0, 4)).norm();
        EXPECT_LT(std::abs(apart - 0.1), 2 * 0.4 * 9.81 / stiffness + 1e-6) << stiffness;
    }
}

TEST(TiedMeshes, theOrderOfTheMeshesMakesNoDifference)
{
    for (const char* step : {R"(,"tolerance":1e-9)", R"(,"step":"fast","iterations":40)"}) {
        const Text springs = cornerTies(R"("stiffness":1e4,"damping":3)");
        Simulation one = made(cloths(springs, step), 1.0 / 60),
                   other = made(cloths(springs, step, "[0,0,0]", true), 1.0 / 60);
        run(one, 60);
        run(other, 60);
        for (int i = 0; i < 25; ++i)
            for (int m = 0; m < 2; ++m)
                EXPECT_LT((place(one, m, i) - place(other, 1 - m, i)).norm(), 1e-6) << m << " " << i;
    }
}

TEST(TiedMeshes, oneSidedOnesActOnOneSide)
{
    const Text meshes =
        dot("a", 1, "[0,0,0]", R"(,"pins":[{"vertices":[0]}])") + "," + dot("b", 0.5, "[0,-0.5,0]");
    Simulation rope =
        made(scene(meshes, tie("a", 0, "b", 0, R"("length":1,"stiffness":1e4,"damping":30,"acts":"pull")")),
             0.001);
    run(rope, 200);
    EXPECT_NEAR(place(rope, 1).y(), -0.5 - 0.5 * 9.81 * 0.04, 2e-3);  // slack
    run(rope, 5000);
    EXPECT_NEAR(place(rope, 1).y(), -1 - 0.5 * 9.81 / 1e4, 1e-5);
    // Upside down it stands on what only pushes.
    Simulation strut =
        made(scene(dot("a", 1, "[0,0,0]", R"(,"pins":[{"vertices":[0]}])") + "," + dot("b", 0.5, "[0,2,0]"),
                   tie("b", 0, "a", 0, R"("length":1,"stiffness":1e4,"damping":30,"acts":"push")")),
             0.001);
    run(strut, 300);
    EXPECT_NEAR(place(strut, 1).y(), 2 - 0.5 * 9.81 * 0.09, 3e-3);  // falls
    run(strut, 6000);
    EXPECT_NEAR(place(strut, 1).y(), 1 - 0.5 * 9.81 / 1e4, 1e-5);
    // Within one mesh likewise.
    Simulation within = made(
        scene(
            R"({"name":"a","mass":1,"mass_by":"vertex","vertices":[[0,0,0],[0,-0.5,0]],"collides":false,"pins":[{"vertices":[0]}]})",
            tie("a", 0, "a", 1, R"("length":1,"stiffness":1e4,"damping":30,"acts":"pull")")),
        0.001);
    run(within, 5000);
    EXPECT_NEAR(place(within, 0, 1).y(), -1 - 0.5 * 9.81 / 1e4, 1e-5);
}

// Let go at its length at rest it comes to hang m g/k lower, having lost ½ (m g)²/k to the damper.
TEST(TiedMeshes, dampersTakeWhatIsLost)
{
    const auto balance = [](double step) {
        Simulation s = made(
            scene(dot("a", 1, "[0,0,0]", R"(,"pins":[{"vertices":[0]}])") + "," + dot("b", 1, "[0,-1,0]"),
                  tie("a", 0, "b", 0, R"("stiffness":100,"damping":4)")),
            step);
        s.measuresEnergy = true;
        EnergyMeter meter;
        meter.start(s);
        while (s.state.time < 5 - 1e-9) {
            const StepReport report = s.step();
            EXPECT_TRUE(report.ok);
            meter.add(s, report);
        }
        return meter.balance;
    };
    const double lost = 0.5 * 9.81 * 9.81 / 100;
    const EnergyBalance coarse = balance(0.002), fine = balance(0.001);
    EXPECT_NEAR(fine.start - fine.end, lost, 1e-6);
    EXPECT_NEAR(fine.dampers, lost, 0.03 * lost);
    EXPECT_NEAR(fine.unaccounted() / coarse.unaccounted(), 0.5, 0.02);
}

// Turned, moved and scaled: the same physics. Times scale by √s under the same gravity; here gravity is
// scaled instead.
TEST(TiedMeshes, turnedMovedAndScaledTheSame)
{
    const auto build = [](double size, bool turned, const Vec3& by) {
        const auto point = [&](double x, double y, double z) {
            const Vec3 p = size * (turned ? Vec3(-y, x, z) : Vec3(x, y, z)) + by;
            return "[" + number(p.x()) + "," + number(p.y()) + "," + number(p.z()) + "]";
        };
        const auto mesh = [&](const Text& name, double x, const Text& more) {
            return R"({"name":")" + name +
                   R"(","mass":0.3,"mass_by":"vertex","stiffness":900,"damping":1,"tolerance":1e-9,"collides":false,"vertices":[)" +
                   point(x, 0, 0) + "," + point(x + 0.25, 0.125, 0) + "," + point(x + 0.25, 0, 0.25) +
                   R"(],"edges":[[0,1],[1,2],[0,2]])" + more + "}";
        };
        const Text g = number(-10 * size);
        return made(scene(mesh("a", 0, R"(,"pins":[{"vertices":[0]}])") + "," + mesh("b", 0.5, ""),
                          tie("a", 1, "b", 0, R"("stiffness":1e5,"damping":2)") + "," +
                              tie("a", 2, "b", 0, R"("stiffness":50,"acts":"pull")"),
                          turned ? "[" + number(10 * size) + ",0,0]" : "[0," + g + ",0]"),
                    1.0 / 60);
    };
    Simulation plain = build(1, false, Vec3::Zero());
    run(plain, 90);
    const auto compare = [&](double size, bool turned, const Vec3& by, double near) {
        Simulation s = build(size, turned, by);
        run(s, 90);
        for (int m = 0; m < 2; ++m)
            for (int i = 0; i < 3; ++i) {
                const Vec3 p = place(plain, m, i);
                const Vec3 expected = size * (turned ? Vec3(-p.y(), p.x(), p.z()) : p) + by;
                EXPECT_LT((place(s, m, i) - expected).norm(), near * size) << m << i;
            }
    };
    compare(1, true, Vec3::Zero(), 1e-7);
    compare(1, false, Vec3(370, -20, 64), 1e-6);
    compare(64, false, Vec3::Zero(), 1e-6);
    compare(1.0 / 64, false, Vec3::Zero(), 1e-6);
}

// A state that is put into another simulation goes on with the same bits.
TEST(TiedMeshes, goOnFromAState)
{
    for (const char* step : {"", R"(,"step":"fast")"}) {
        const Text text = cloths(cornerTies(R"("stiffness":1e4,"damping":1)"), step, "[0,-9.81,0]");
        Simulation whole = made(text, 1.0 / 60), second = made(text, 1.0 / 60);
        run(whole, 10);
        second.state = whole.state;
        run(whole, 10);
        run(second, 10);
        EXPECT_EQ(stateHash(whole.state), stateHash(second.state));
    }
}

// Each mesh is held by a body of its own; what ties the meshes holds the bodies.
TEST(TiedMeshes, bodiesHangOnEachOtherByTheirMeshes)
{
    const Text bodies =
        R"(,"bodies":[{"name":"low","mass":2,"position":[0,-1,0],"inertia":[0.1,0.1,0.1]}])";
    const Text meshes = dot("a", 0.1, "[0,0,0]", R"(,"pins":[{"vertices":[0]}])") + "," +
                        dot("b", 0.1, "[0,-1,0]", R"(,"pins":[{"vertices":[0],"body":"low"}])");
    for (const char* stiffness : {"500", "1e6"}) {
        Simulation s =
            made(scene(meshes, tie("a", 0, "b", 0, R"("damping":20,"stiffness":)" + Text(stiffness)),
                       "[0,-9.81,0]", bodies),
                 1.0 / 120);
        run(s, 2400);
        EXPECT_NEAR(s.state.bodies[0].position.y(), -1 - 2.1 * 9.81 / std::stod(stiffness), 1e-5);
    }
}

TEST(TiedMeshes, comeToRestTogether)
{
    const Text text = cloths(cornerTies(R"("stiffness":50)"), R"(,"bend":20)", "[0,-9.81,0]");
    const Text pinned = text.substr(0, text.find(R"(,"velocity")")) + R"(,"pins":[{"vertices":[0,20]}])" +
                        text.substr(text.find(R"(,"velocity")"));
    Simulation s = made(pinned, 0.01);
    const TiedMeshes& group = s.model().meshGroups.front();
    ASSERT_EQ(group.members.size(), 2u);
    MeshSurroundings around;
    around.model = &s.model();
    around.start = around.end = &s.state.bodies;
    MeshState memory;
    MeshState state = solvedState(s.model(), group, s.state.meshes, memory);
    const Relaxation found = relax(solvedMesh(s.model(), group), around, state, 1e-6, 60);
    EXPECT_TRUE(found.converged);
    spread(s.model(), group, state, s.state.meshes);
    // The two ties bear the weight of the second cloth.
    Vec3 pull = Vec3::Zero();
    for (const int k : {0, 1}) {
        const Vec3 way = place(s, 0, k ? 24 : 4) - place(s, 1, k ? 20 : 0);
        pull += 50 * (way.norm() - 0.1) / way.norm() * way;
    }
    EXPECT_LT((pull - Vec3(0, 0.2 * 9.81, 0)).norm(), 1e-4);
}

// ---- ends that slide -------------------------------------------------------------------------------

TEST(SlidingTies, forcesAreDerivativesOfTheEnergy)
{
    SpringCurve bow;
    bow.points = {Vec3(-1, 0, 0), Vec3(0, 0.6, 0.1), Vec3(1, 0.2, 0)};
    bow.smooth = true;
    const SpringForm forms[] = {bow, SpringPlane{Vec3(0, 0.1, 0), Vec3(0, 1, 0)},
                                SpringSphere{Vec3(0.1, 0, 0), 0.4},
                                SpringCylinder{Vec3::Zero(), Vec3(0, 0, 1), 0.3}};
    const double h = 0.01;
    const GlidePlace before{{Vec3(0.02, 0, 0.01), Quat::Identity()}, Vec3(0.28, 0.75, 0.13)};
    for (const SpringForm& form : forms)
        for (const double rest : {0.0, 0.2})
            for (int side = 0; side < 3; ++side) {
                MeshGlide glide;
                glide.form = form;
                glide.rest = rest;
                glide.stiffness = 200;
                glide.damping = 3;
                glide.pulls = side != 1;
                glide.pushes = side != 2;
                GlidePlace now{{Vec3(0.1, -0.05, 0.02), Quat(0.9, 0.1, 0.4, 0.1).normalized()},
                               Vec3(0.3, 0.7, 0.1)};
                const Vec3 pull = glidePull(glide, now, before, h);
                const Mat3 block = glideBlock(glide, now, before, h);
                for (int k = 0; k < 3; ++k) {
                    GlidePlace up = now, down = now;
                    up.vertex[k] += 1e-6;
                    down.vertex[k] -= 1e-6;
                    EXPECT_NEAR(
                        (glideEnergy(glide, up, before, h) - glideEnergy(glide, down, before, h)) / 2e-6,
                        pull[k], 1e-5 * (1 + pull.norm()));
                    const Vec3 slope =
                        (glidePull(glide, up, before, h) - glidePull(glide, down, before, h)) / 2e-6;
                    // Where nothing negative was left out.
                    if (pull.dot(now.vertex) > 0 && form.index() != 1)
                        EXPECT_LT((slope - block.col(k)).norm(), 0.05 * (1 + block.norm())) << form.index();
                }
            }
}

// A bead on a wire that leans at 30° runs down it at g sin 30°; across a floor it stays where it is held.
TEST(SlidingTies, aBeadRunsDownItsWire)
{
    Simulation s = made(
        scene(
            dot("bead", 0.2, "[0,0,0]"),
            R"({"first":{"mesh":"bead","vertex":0},"second":{"path":{"points":[[0,0,0],[17.32050807568877,-10,0]]}},"length":0,"stiffness":1e6,"damping":1})"),
        0.001);
    run(s, 1000);
    const Vec3 along = Vec3(std::sqrt(0.75), -0.5, 0);
    EXPECT_NEAR(place(s, 0).dot(along), 0.5 * 9.81 * 0.5, 0.01);
    EXPECT_LT((place(s, 0) - place(s, 0).dot(along) * along).norm(), 1e-5);
}

// It stands on a ball that only pushes as deep as it weighs, and turns off with it when that is a body.
TEST(SlidingTies, onASphereOfABody)
{
    const Text ball = R"({"sphere":{"center":[0,0,0],"radius":1},"body":"ball"})";
    const Text bodies = R"(,"bodies":[{"name":"ball","mass":3,"position":[0,0,0],"inertia":[1,1,1]}])";
    Simulation s = made(
        scene(dot("dot", 0.5, "[0,1.5,0]"),
              R"({"first":{"mesh":"dot","vertex":0},"second":)" + ball + R"(,"length":0.5,"stiffness":60})",
              "[0,0,0]", bodies),
        1e-3, IntegratorId::implicitEuler);
    s.state.meshes[0].v[1] = 1;
    s.state.bodies[0].velocity = Vec3(0, -1.0 / 6, 0);
    run(s, 1);
    const Vec3 first = momentumOf(s);
    run(s, 400);
    EXPECT_LT((momentumOf(s) - first).norm(), 1e-6);
    // Held still it carries the weight.
    Simulation still = made(
        scene(
            dot("dot", 0.5, "[0,1,0]"),
            R"({"first":{"mesh":"dot","vertex":0},"second":{"sphere":{"center":[0,0,0],"radius":1}},"length":0,"stiffness":1e4,"damping":20,"acts":"push"})"),
        0.01);
    run(still, 600);
    EXPECT_LT((place(still, 0) - Vec3(0, 1 - 0.5 * 9.81 / 1e4, 0)).norm(), 1e-6);
}

TEST(TiedMeshes, mistakesAreOneLine)
{
    const Text two = dot("a", 1, "[0,0,0]") + "," + dot("b", 1, "[1,0,0]");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "b", 0, R"("stiffness":5)"))), "");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "b", 3, R"("stiffness":5)"))),
              "/springs/0/second/vertex: there is no vertex 3; the mesh has 1, counted from 0");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "c", 0, R"("stiffness":5)"))),
              "/springs/0/second/mesh: there is no mesh 'c'");
    EXPECT_NE(refusal(scene(two, tie("a", 0, "b", 0, R"("stiffness":-5)"))), "");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "b", 0, R"("length":1)"))),
              "/springs/0: has no spring and no damper; give stiffness or damping");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "b", 0, R"("stiffness":1,"turn_stiffness":1)"))),
              "/springs/0/turn_stiffness: a vertex of a mesh has no orientation that could be turned");
    EXPECT_EQ(refusal(scene(two, tie("a", 0, "b", 0, R"("stiffness":1,"length":0,"acts":"push")"))),
              "/springs/0/acts: is push, and the length is 0: there is nothing to keep apart");
    EXPECT_EQ(refusal(scene(dot("a", 1, "[0,0,0]") + "," + dot("b", 1, "[1,0,0]", R"(,"step":"fast")"),
                            tie("a", 0, "b", 0, R"("stiffness":5)"))),
              "/springs/0: ties mesh 'a', which is stepped by newton, to 'b', which is stepped by fast; "
              "give them the same step");
    const Text verlet = R"(,"step":"position_verlet")";
    EXPECT_EQ(refusal(scene(dot("a", 1, "[0,0,0]", verlet) + "," + dot("b", 1, "[1,0,0]", verlet),
                            tie("a", 0, "b", 0, R"("stiffness":5,"damping":1)"))),
              "/meshes/0/step: position_verlet takes no forces that depend on velocity, such as those of "
              "dampers; use velocity_verlet");
    EXPECT_EQ(
        refusal(
            scene(
                two,
                R"({"first":{"mesh":"a","vertex":0},"second":{"sphere":{"center":[0,0,0],"radius":-1}},"stiffness":1})"))
            .substr(0, 32),
        "/springs/0/second/sphere/radius:");
}

}  // namespace
}  // namespace sinew::tied_meshes_test
