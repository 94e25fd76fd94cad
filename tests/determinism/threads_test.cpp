// Simulations in threads of one program do not see each other: each ends with the bits that it has alone.
// Under `make tsan` this test looks for what they would share.
#include <gtest/gtest.h>

#include <thread>

#include "sinew/io/json/scene.h"
#include "support/contact_scenes.h"

namespace sinew {
namespace {

// Read, compiled and simulated, all of it in the thread that calls.
std::uint64_t hashAfter(const std::string& name, double duration)
{
    const Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json");
    if (!scene) return 0;
    Result<Simulation> simulation = Simulation::create(scene.value(), {});
    if (!simulation) return 0;
    Simulation& s = simulation.value();
    while (s.state.time < duration)
        if (!s.step().ok) return 0;
    return stateHash(s.state);
}

TEST(Threads, do_not_see_each_other)
{
    const std::vector<std::string> scenes = {"humanoid", "stairs", "fourbar",
                                             "pyramid",  "hand",   "necklace"};
    constexpr double duration = 0.25;
    std::vector<std::uint64_t> alone, together(2 * scenes.size());
    for (const std::string& scene : scenes) {
        alone.push_back(hashAfter(scene, duration));
        ASSERT_NE(alone.back(), 0u) << scene;
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < together.size(); ++i)
        threads.emplace_back([&, i] { together[i] = hashAfter(scenes[i % scenes.size()], duration); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < together.size(); ++i)
        EXPECT_EQ(together[i], alone[i % scenes.size()]) << scenes[i % scenes.size()];
}

}  // namespace
}  // namespace sinew
