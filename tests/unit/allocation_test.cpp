// After its first steps a simulation takes no memory from the heap.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "sinew/base/random.h"
#include "sinew/collision/box_tree.h"
#include "sinew/collision/detect.h"
#include "sinew/figure/chain.h"
#include "sinew/geometry/impact.h"
#include "sinew/geometry/polyhedron.h"
#include "sinew/integrate/step_work.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/posing/pull.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/particle_state.h"
#include "support/ode_systems.h"
#include "support/shapes.h"

// The sanitizers have a heap of their own and do not like another hand in it.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SINEW_COUNTS_ALLOCATIONS

static long allocations = 0;

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept
{
    ++allocations;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept
{
    ++allocations;
    return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept
{
    ++allocations;
    return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    ++allocations;
    return __libc_memalign(alignment, size);
}
}
#endif

namespace sinew {
namespace {

struct Pair {
    const char *solver, *integrator;
    bool prescribes = false;  // a joint in the midst of the chain
};

class Allocation : public testing::TestWithParam<Pair> {};

TEST_P(Allocation, there_is_none_in_a_step)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    ChainOptions options;
    options.links = 12;
    options.stiffness = 20;
    options.damping = 0.1;
    options.horizontal = true;
    Description d = makeChain(options);
    const bool isConservative = std::string_view(GetParam().integrator) == "conservative";
    if (!isConservative) {  // which does not know them
        ObstacleDescription ground;
        ground.position = Vec3(0, -0.3, 0);
        d.obstacles = {ground};
        TargetDescription target;
        target.body = d.bodies.back().name;
        target.stiffness = 10;
        target.path.emplace_back();
        d.targets = {target};
    }
    if (GetParam().prescribes) {
        PrescribedDescription given;
        given.joint = d.joints[4].name;
        given.motion = {Signal(SineSignal{0.1, 2, 0, 0}), 0.,
                        Signal(KeySignal{{{0, 0}, {1, 0.1}}, true, 0})};
        given.blend = 1;
        d.prescribed = {given};
    }
    const bool isImplicit = findIntegrator(GetParam().integrator)->bringsEquations;
    const double step = isImplicit ? 2e-3 : 1e-5;
    Result<Simulation> made = Simulation::create(d, {GetParam().solver, GetParam().integrator, step});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    s.work->settings.slowBand = 3;  // of the one that has it
    s.work->settings.spread = true;
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(s.step().ok);
    const long before = allocations;
    bool ok = true;
    for (int i = 0; i < 50; ++i) ok = s.step().ok && ok;
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(ok);
    // That this can fail: a vector does count.
    const std::vector<double> some(1000, 1.);
    EXPECT_GT(allocations, before + static_cast<long>(some[0]) - 1);
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

INSTANTIATE_TEST_SUITE_P(
    Step, Allocation,
    testing::Values(Pair{"featherstone", "implicit"}, Pair{"featherstone", "implicit_euler"},
                    Pair{"baraff", "implicit"}, Pair{"baraff", "hernandez"}, Pair{"baraff", "conservative"},
                    Pair{"featherstone", "semi_implicit_euler"}, Pair{"featherstone", "rk4"},
                    Pair{"baraff", "semi_implicit_euler"}, Pair{"armstrong_green", "rk4"},
                    Pair{"armstrong_green", "bands"}, Pair{"featherstone", "implicit", true},
                    Pair{"baraff", "implicit", true}, Pair{"baraff", "conservative", true},
                    Pair{"featherstone", "rk4", true}, Pair{"featherstone", "dormand_prince"},
                    Pair{"baraff", "heun"}, Pair{"featherstone", "velocity_verlet", true}),
    [](const auto& info) {
        return std::string(info.param.solver) + "_" + info.param.integrator +
               (info.param.prescribes ? "_prescribed" : "");
    });

TEST(ParticleAllocation, there_is_none_in_a_step)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    ParticlesDescription sparks;
    sparks.name = "sparks";
    sparks.rate = 20000;
    sparks.most = 5000;
    sparks.life = {Spread::Kind::uniform, 0.1, 0.3};
    sparks.velocity.kind = BirthVelocity::Kind::cone;
    sparks.velocity.speed.value = 3;
    sparks.bounce = BounceDescription{};
    sparks.trail = 4;
    Description d;
    d.particles = {sparks};
    d.medium = {1.8e-5, 1.2};
    d.fields.resize(3);
    d.fields[1].type = FieldDescription::Type::gusts;
    d.fields[1].speed = 1;
    d.fields[2].type = FieldDescription::Type::attractor;
    d.fields[2].strength = 1;
    d.obstacles.emplace_back();
    Result<Simulation> made = Simulation::create(d, {});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(s.step().ok);
    const long before = allocations;
    bool ok = true;
    for (int i = 0; i < 100; ++i) ok = s.step().ok && ok;
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(ok);
    EXPECT_GT(s.state.particles[0].died, 1000u);
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

TEST(OdeAllocation, there_is_none_after_the_first_step)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    for (const ode::Scheme& scheme : ode::schemes()) {
        test::Kepler system;
        ode::Work work;
        test::Motion2 m = test::Kepler::start();
        bool ok = true;
        for (int i = 0; i < 2; ++i) ok = ode::step(scheme, system, 0.01 * i, 0.01, m.x, m.v, work) && ok;
        const long before = allocations;
        for (int i = 2; i < 20; ++i) ok = ode::step(scheme, system, 0.01 * i, 0.01, m.x, m.v, work) && ok;
        EXPECT_EQ(allocations, before) << scheme.name;
        EXPECT_TRUE(ok) << scheme.name;
    }
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

TEST(BroadPhaseAllocation, there_is_none_once_it_is_warm)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    constexpr int count = 300;
    Random random(1);
    BoxTree tree(0.05);
    std::vector<Vec3> places;
    for (int i = 0; i < count; ++i) {
        places.emplace_back(random.uniform(0, 5), random.uniform(0, 5), random.uniform(0, 5));
        tree.insert({places.back(), places.back() + Vec3::Ones()});
    }
    std::vector<std::pair<int, int>> pairs;
    std::vector<int> near;
    // To and fro: the second time every list has been as long as it gets.
    const auto swing = [&] {
        for (int step = 0; step < 20; ++step) {
            for (int i = 0; i < count; ++i) {
                const Vec3 low =
                    places[i] + Vec3::Constant(0.03 * (step < 10 ? step : 20 - step) * (i % 5 - 2));
                tree.move(i, {low, low + Vec3::Ones()});
            }
            tree.pairs(pairs);
            tree.query({Vec3::Zero(), Vec3::Constant(3)}, near);
        }
    };
    swing();
    const long before = allocations;
    swing();
    EXPECT_EQ(allocations, before);
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

TEST(AllocationOfQueries, there_is_none_once_they_are_warm)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    const Mesh cube = boxMesh(Vec3(1, 1, 1));
    const Polyhedron polyhedron = makePolyhedron(cube.vertices, cube.faces).value();
    const Shape mesh = ConvexMesh{cube.vertices, cube.faces}, can = Cylinder{0.5, 1};
    DistanceWork work;
    PolyhedronWork polyhedronWork;
    double sum = 0;
    const auto ask = [&] {
        for (const double offset : {0.1, 0.5, 0.99, 1.5}) {
            const Pose pose{Vec3(offset, 0.1, 0.2), Quat(0.8, 0.6, 0, 0)};
            sum += distance(mesh, {}, can, pose, work).distance +
                   distance(mesh, {}, mesh, pose, work).distance;
            sum += polyhedraMeet(polyhedron, {}, polyhedron, pose, polyhedronWork).meet;
        }
        const SteadyMotion coming{{Vec3(4, 0, 0), Quat::Identity()}, Vec3(-1, 0, 0), Vec3(1, 2, 3)};
        sum += firstImpact(mesh, {}, can, coming, 10, 1e-6, work).time;
    };
    ask();
    const long before = allocations;
    ask();
    EXPECT_EQ(allocations, before);
    EXPECT_TRUE(std::isfinite(sum));
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

TEST(AllocationOfDetection, there_is_none_once_it_is_warm)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    Description scene;
    scene.contact = ContactDescription{};
    const Mesh cube = boxMesh(Vec3::Constant(0.3));
    const Shape shapes[] = {
        Sphere{0.2},        Box{Vec3(0.3, 0.2, 0.4)},        Capsule{0.1, 0.3},
        Cylinder{0.2, 0.3}, Ellipsoid{Vec3(0.1, 0.2, 0.15)}, ConvexMesh{cube.vertices, {}}};
    for (int i = 0; i < 36; ++i) {
        BodyDescription body;
        body.name = std::to_string(i);
        body.pose.position = Vec3(0.25 * (i % 6), 0.1 + 0.02 * i, 0.25 * (i / 6));
        body.shapes.push_back({shapes[(i + i / 6) % 6], {}, {}, {}});
        scene.bodies.push_back(body);
    }
    scene.obstacles.resize(2);
    scene.obstacles[1].type = ObstacleDescription::Type::terrain;
    scene.obstacles[1].terrain = HeightField{11, 11, 0.2, std::vector<double>(121, 0.05)};
    const Model model = compile(scene).value();
    State state = restState(model);
    Collisions collisions;
    std::vector<Contact> contacts, before;
    std::vector<char> carried;
    const auto swing = [&] {
        for (int step = 0; step < 20; ++step) {
            for (int i = 0; i < model.size(); ++i)
                state.bodies[i].position =
                    model.bodies[i].rest.position +
                    Vec3::Constant(0.01 * (step < 10 ? step : 20 - step) * (i % 5 - 2));
            collisions.detect(model, state, 0.01, contacts);
            carryImpulses(before, contacts, 0.02, carried);
            before = contacts;
        }
    };
    swing();
    EXPECT_GT(contacts.size(), 30u);
    const long counted = allocations;
    swing();
    EXPECT_EQ(allocations, counted);
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

TEST(AllocationOfPulling, there_is_none_once_it_is_planned)
{
#ifdef SINEW_COUNTS_ALLOCATIONS
    ChainOptions options;
    options.joint = JointType::hinge;
    const Description d = makeChain(options);
    const Model model = compile(d).value();
    State state = initialState(model, d).value();
    const PullPlan plan = planPull(model, model.size() - 1);
    const long before = allocations;
    const PullReport report = pull(model, plan, Vec3::Zero(), Vec3(0.5, -0.4, 0.2), {}, state);
    EXPECT_EQ(allocations, before);
    EXPECT_GT(report.sweeps, 0);
#else
    GTEST_SKIP() << "allocations are not counted in this build";
#endif
}

}  // namespace
}  // namespace sinew
