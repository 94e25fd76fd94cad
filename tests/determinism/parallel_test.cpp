// Work that threads share: all of it is done, and the results have the same bits with any number of them.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "sinew/base/hash.h"
#include "sinew/base/parallel.h"
#include "sinew/crowd/crowd.h"
#include "sinew/figure/chain.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

constexpr int threadCounts[] = {1, 2, 4};

TEST(Parallel, every_round_is_done_once_and_by_a_worker_that_there_is)
{
    for (const int threads : {1, 2, 4, 1000})
        for (const int count : {0, 1, 7, 1000})
            for (const int grain : {1, 3, 2000}) {
                const ThreadScope scope(threads);
                std::vector<int> done(static_cast<std::size_t>(count), 0);
                parallelFor(count, grain, [&](int first, int end, int worker) {
                    EXPECT_TRUE(worker >= 0 && worker < threads);
                    if (count > grain) {
                        EXPECT_EQ(threadsOfScope(), 1);  // loops inside are not shared
                    }
                    for (int i = first; i < end; ++i) ++done[static_cast<std::size_t>(i)];
                });
                for (const int times : done) EXPECT_EQ(times, 1);
            }
    EXPECT_EQ(threadsOfScope(), 1);
}

// Many copies of a description side by side: as many skeletons.
Description manyOf(const Description& one, int count)
{
    Description all = one;
    all.bodies.clear();
    all.joints.clear();
    for (int k = 0; k < count; ++k) {
        const std::string mark = "." + std::to_string(k);
        const Vec3 aside(0, 0, 0.5 * k);
        for (BodyDescription body : one.bodies) {
            body.name += mark;
            body.pose.position += aside;
            all.bodies.push_back(body);
        }
        for (JointDescription joint : one.joints) {
            joint.name += mark;
            if (joint.first != "world") joint.first += mark;
            if (joint.second != "world") joint.second += mark;
            joint.position += aside;
            joint.stiffness = 2 + 0.1 * k;  // no two of them move alike
            joint.damping = 0.01;
            all.joints.push_back(joint);
        }
    }
    return all;
}

Description manyChains()
{
    ChainOptions options;
    options.links = 12;
    options.horizontal = true;
    return manyOf(makeChain(options), 60);
}

// Whether threads have something to share in a model.
int partsOf(const Model& model)
{
    const ThreadScope scope(4);
    std::atomic<int> parts = 0;
    eachSkeletonPart(model, [&](int, int) { ++parts; });
    return parts;
}

std::uint64_t hashAfter(const Description& scene, const Settings& settings, int threads, int steps)
{
    Result<Simulation> made = Simulation::create(scene, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    Simulation& simulation = made.value();
    EXPECT_EQ(partsOf(simulation.model()) > 1, hasThreads());
    simulation.threads = threads;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = simulation.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
    }
    if (scene.contact) {
        EXPECT_FALSE(simulation.state.contacts.empty());
    }
    Hash hash;
    const std::uint64_t state = stateHash(simulation.state);
    hash.add(&state, sizeof state);
    for (const Force& load : simulation.accelerate().load) hash.add(load.torque.x());
    return hash.value();
}

class ParallelSteps : public ::testing::TestWithParam<Settings> {};

TEST_P(ParallelSteps, do_not_depend_on_the_number_of_threads)
{
    const Description scene = manyChains();
    const std::uint64_t alone = hashAfter(scene, GetParam(), 1, 30);
    for (const int threads : threadCounts) EXPECT_EQ(hashAfter(scene, GetParam(), threads, 30), alone);
}

INSTANTIATE_TEST_SUITE_P(Integrators, ParallelSteps,
                         ::testing::Values(Settings{},
                                           Settings{.integrator = "semi_implicit_euler", .step = 1e-3},
                                           Settings{.integrator = "rk4", .step = 1e-3},
                                           Settings{.integrator = "velocity_verlet", .step = 1e-3},
                                           Settings{.integrator = "implicit_euler"},
                                           Settings{.integrator = "implicit", .coordinates = "maximal"}),
                         [](const auto& info) {
                             const std::string name =
                                 info.param.integrator.isMade() ? info.param.integrator.name() : "default";
                             return name + (info.param.coordinates.isMade() ? "_maximal" : "");
                         });

// With contact, where skeletons meet in one solver between the passes that are shared.
TEST(Parallel, bodies_that_touch_come_to_the_same_bits_as_well)
{
    ChainOptions options;
    options.links = 5;
    options.horizontal = true;
    options.pinned = false;
    Description scene = manyOf(makeChain(options), 60);
    ObstacleDescription ground;
    ground.type = ObstacleDescription::Type::plane;
    ground.position = Vec3(0, -0.025, 0);
    scene.obstacles.push_back(ground);
    scene.contact.emplace();
    constexpr int steps = 15;
    const std::uint64_t alone = hashAfter(scene, {}, 1, steps);
    EXPECT_EQ(hashAfter(scene, {}, 4, steps), alone);
}

TEST(Parallel, crowds_come_to_the_same_bits)
{
    ChainOptions options;
    options.links = 8;
    options.horizontal = true;
    options.stiffness = 5;
    options.damping = 0.1;
    const Result<Model> model = compile(makeChain(options));
    ASSERT_TRUE(model);
    const auto hashWith = [&](int threads, bool single) {
        CrowdSettings settings;
        settings.count = 101;
        settings.single = single;
        settings.threads = threads;
        Result<Crowd> made = Crowd::create(model.value(), settings);
        EXPECT_TRUE(made);
        Crowd& crowd = made.value();
        for (int i = 0; i < crowd.size(); ++i) crowd.scaleMass(i, 1 + 0.01 * i);
        for (int k = 0; k < 20; ++k) crowd.step(5);
        Hash hash;
        State state = restState(model.value());
        for (int i = 0; i < crowd.size(); ++i) {
            crowd.read(i, state);
            const std::uint64_t own = stateHash(state);
            hash.add(&own, sizeof own);
        }
        return hash.value();
    };
    for (const bool single : {false, true}) {
        const std::uint64_t alone = hashWith(1, single);
        for (const int threads : threadCounts) EXPECT_EQ(hashWith(threads, single), alone);
    }
}

TEST(Parallel, a_crowd_refuses_numbers_of_threads_that_make_no_sense)
{
    const Result<Model> model = compile(makeChain({}));
    ASSERT_TRUE(model);
    for (const int threads : {0, -1, 1'000'000'000}) {
        CrowdSettings settings;
        settings.threads = threads;
        const Result<Crowd> made = Crowd::create(model.value(), settings);
        ASSERT_FALSE(made);
        EXPECT_NE(made.error().text().find("threads: "), std::string::npos) << made.error().text();
    }
}

}  // namespace
}  // namespace sinew
