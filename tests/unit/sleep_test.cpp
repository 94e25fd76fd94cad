// What has come to rest is not computed until something touches it.
#include <gtest/gtest.h>

#include "sinew/integrate/sleep.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

BodyDescription box(const char* name, const Vec3& place)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = place;
    body.shapes.push_back({Box{Vec3::Constant(0.2)}, {}, {}, {}});
    return body;
}

// Two boxes on each other, and one that falls on them from far above.
Simulation pile()
{
    Description scene;
    scene.bodies = {box("low", Vec3(0, 0.1, 0)), box("high", Vec3(0, 0.3, 0)), box("late", Vec3(0, 12, 0))};
    scene.obstacles.resize(1);
    scene.contact = ContactDescription{};
    scene.contact->sleeping = true;
    return std::move(Simulation::create(scene, {}).value());
}

TEST(Sleep, a_pile_at_rest_falls_asleep_and_stands_still)
{
    Simulation s = pile();
    while (s.state.time < 1) ASSERT_TRUE(s.step().ok);
    ASSERT_TRUE(isBodyAsleep(s.model(), s.state, 0));
    ASSERT_TRUE(isBodyAsleep(s.model(), s.state, 1));
    EXPECT_FALSE(isBodyAsleep(s.model(), s.state, 2));
    const Vec3 before = s.state.bodies[1].position;
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(s.step().ok);
    EXPECT_LT((s.state.bodies[1].position - before).norm(), 1e-14);  // poses are rounded anew in each step
    EXPECT_FALSE(s.state.contacts.empty());                          // which are remembered
}

TEST(Sleep, what_falls_on_the_pile_wakes_all_of_it_and_all_sleep_again)
{
    Simulation s = pile();
    bool woke = false;
    while (s.state.time < 4) {
        ASSERT_TRUE(s.step().ok);
        if (s.state.time > 1.2)
            woke |= !isBodyAsleep(s.model(), s.state, 0) && !isBodyAsleep(s.model(), s.state, 1);
    }
    EXPECT_TRUE(woke);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(isBodyAsleep(s.model(), s.state, i)) << i;
        EXPECT_GT(s.state.bodies[i].position.y(), 0.09) << i;  // and nothing went through anything
    }
}

}  // namespace
}  // namespace sinew
