// Many simulations of one model: they share it, and who changes it has a copy for itself.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <thread>
#include <vector>

#include "scenes.h"
#include "sinew/base/shared_value.h"
#include "sinew/simulation/live.h"
#include "support/sanitized.h"

namespace sinew::shared_model_test {
namespace {

using test::arm;
using test::boxOnFloor;
using test::refusal;
using test::started;

std::shared_ptr<const Model> compiled(const Description& d)
{
    Result<Model> model = compile(d);
    EXPECT_TRUE(model) << refusal(model);
    return std::make_shared<const Model>(std::move(model.value()));
}

Simulation startedOf(const std::shared_ptr<const Model>& model, const Description& d)
{
    Result<Simulation> made = Simulation::create(model, d, {});
    EXPECT_TRUE(made) << refusal(made);
    return std::move(made.value());
}

// An arm that follows a path of very many keys.
Description longPath(int keys)
{
    Description d = arm();
    TargetDescription& target = d.targets.emplace_back();
    target.body = "fore";
    target.stiffness = 10;
    for (int i = 0; i < keys; ++i) target.path.push_back({0.01 * i, Vec3(0.75, 0.001 * (i % 100), 0), {}});
    return d;
}

double bytesInUse()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

TEST(SharedModel, is_one_for_all_simulations_of_it_and_gives_the_same_bits)
{
    const Description d = arm();
    const std::shared_ptr<const Model> model = compiled(d);
    Simulation one = startedOf(model, d), two = startedOf(model, d), copy = one;
    EXPECT_EQ(one.sharedModel(), model);
    EXPECT_EQ(&one.model(), model.get());
    EXPECT_EQ(&two.model(), model.get());
    EXPECT_EQ(&copy.model(), model.get());
    Simulation plain = started(d);
    ASSERT_TRUE(one.advance(0.5).ok && two.advance(0.5).ok && copy.advance(0.5).ok &&
                plain.advance(0.5).ok);
    EXPECT_EQ(stateHash(one.state), stateHash(plain.state));
    EXPECT_EQ(stateHash(two.state), stateHash(plain.state));
    EXPECT_EQ(stateHash(copy.state), stateHash(plain.state));
    EXPECT_EQ(&two.model(), model.get());
    // The model of a simulation will do as well.
    EXPECT_EQ(&startedOf(plain.sharedModel(), d).model(), &plain.model());
}

TEST(SharedModel, of_another_scene_or_none_is_refused)
{
    const Description d = arm();
    EXPECT_EQ(refusal(Simulation::create(compiled(d), boxOnFloor(), {})),
              "the model is not compiled from this description");
    EXPECT_EQ(refusal(Simulation::create(nullptr, d, {})), "there is no model");
}

TEST(SharedModel, costs_its_memory_once)
{
    if (test::isSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
    const Description d = longPath(100000);
    const double before = bytesInUse();
    const std::shared_ptr<const Model> model = compiled(d);
    const double ofModel = bytesInUse() - before;
    ASSERT_GT(ofModel, 5e6);
    std::vector<Simulation> many;
    for (int i = 0; i < 20; ++i) many.push_back(startedOf(model, d));
    for (Simulation& each : many) ASSERT_TRUE(each.advance(0.1).ok);
    const double ofMany = bytesInUse() - before - ofModel;
    EXPECT_LT(ofMany, 0.5 * ofModel) << "20 simulations take " << ofMany << " bytes";
    // Who changes it pays, and nobody else.
    ASSERT_EQ(refusal(many[3].setMotor("elbow", 0.1)), "");
    const double ofChange = bytesInUse() - before - ofModel - ofMany;
    EXPECT_GT(ofChange, 0.5 * ofModel);
    EXPECT_LT(ofChange, 1.2 * ofModel);
}

TEST(SharedModel, is_changed_for_the_one_that_changes_it)
{
    const Description d = arm();
    const std::shared_ptr<const Model> model = compiled(d);
    Simulation pushed = startedOf(model, d), other = startedOf(model, d), plain = started(d);
    ASSERT_EQ(refusal(pushed.setMotor("elbow", 2)), "");
    const Model* own = &pushed.model();
    EXPECT_NE(own, model.get());
    EXPECT_FALSE(model->joints.back().hasMotor);
    // The copy is made once.
    ASSERT_EQ(refusal(pushed.setMotor("elbow", 3)), "");
    EXPECT_EQ(&pushed.model(), own);
    ASSERT_TRUE(pushed.advance(0.5).ok && other.advance(0.5).ok && plain.advance(0.5).ok);
    EXPECT_EQ(stateHash(other.state), stateHash(plain.state));
    EXPECT_NE(stateHash(pushed.state), stateHash(plain.state));
    // A copy of the simulation shares what was changed, until it changes it.
    Simulation twin = pushed;
    EXPECT_EQ(&twin.model(), own);
    ASSERT_EQ(refusal(twin.setMotor("elbow", 4)), "");
    EXPECT_EQ(pushed.model().joints.back().motor[0], 3);
    EXPECT_EQ(twin.model().joints.back().motor[0], 4);
    // A reset shares the scene's again.
    pushed.reset();
    EXPECT_EQ(&pushed.model(), model.get());
    ASSERT_TRUE(pushed.advance(0.5).ok);
    EXPECT_EQ(stateHash(pushed.state), stateHash(plain.state));
}

TEST(SharedModel, that_somebody_kept_does_not_change_under_hands)
{
    Result<LiveSimulation> made = LiveSimulation::create(arm(), {});
    ASSERT_TRUE(made);
    LiveSimulation& live = made.value();
    const std::shared_ptr<const Model> kept = live.simulation().sharedModel();
    ASSERT_EQ(refusal(live.grab(1, Vec3::Zero(), Vec3(1, 1, 0))), "");
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(live.step().ok);
    EXPECT_TRUE(kept->targets.empty());
    EXPECT_EQ(live.simulation().model().targets.size(), 1u);
}

TEST(SharedModel, serves_simulations_in_threads)
{
    const Description d = arm();
    const std::shared_ptr<const Model> model = compiled(d);
    Simulation plain = started(d);
    ASSERT_TRUE(plain.advance(0.2).ok);
    std::vector<std::uint64_t> hashes(4);
    std::vector<std::thread> threads;
    for (std::uint64_t& hash : hashes)
        threads.emplace_back([&hash, &model, &d] {
            Simulation s = startedOf(model, d);
            (void)s.setMotor("elbow", 1);
            s.reset();
            if (s.advance(0.2).ok) hash = stateHash(s.state);
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, stateHash(plain.state));
}

TEST(SharedValue, is_copied_by_who_changes_it_while_others_have_it)
{
    SharedValue<int> one(1);
    const int* place = &*one;
    one.change() = 2;
    EXPECT_EQ(&*one, place);
    SharedValue<int> two = one;
    two.change() = 3;
    EXPECT_EQ(*one, 2);
    EXPECT_EQ(*two, 3);
    one.change() = 4;  // alone again
    EXPECT_EQ(&*one, place);
    // What somebody else made may be a constant, though it is held here alone.
    SharedValue<int> foreign(std::make_shared<const int>(5));
    const std::weak_ptr<const int> theirs = foreign.shared();
    foreign.change() = 6;
    EXPECT_TRUE(theirs.expired());
    EXPECT_EQ(*foreign, 6);
}

}  // namespace
}  // namespace sinew::shared_model_test
