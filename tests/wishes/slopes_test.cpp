// Every type of wish on random trees with every type of joint: how residuals change with q and u against
// differences, gradients against Jacobians; and what residuals are in closed form.
#include "sinew/model/wish.h"

#include <gtest/gtest.h>

#include "sinew/optimize/wish_slopes.h"
#include "support/random_tree.h"

namespace sinew::wish_test {
namespace {

using namespace sinew::test;

const std::vector<JointType> allJoints = {JointType::hinge,      JointType::spherical, JointType::slide,
                                          JointType::universal,  JointType::weld,      JointType::planar,
                                          JointType::cylindrical};

Vec3 randomPlace(Random& random)
{
    return randomVector(random, 0.6);
}

SpringForm randomForm(Random& random, int kind)
{
    if (kind == 0) return SpringPlane{randomPlace(random), randomVector(random)};
    if (kind == 1) return SpringSphere{randomPlace(random), random.uniform(0.1, 1)};
    return SpringCylinder{randomPlace(random), randomVector(random), random.uniform(0.1, 1)};
}

std::string randomBody(Random& random, const Description& d)
{
    return d.bodies[static_cast<std::size_t>(random.below(static_cast<int>(d.bodies.size())))].name;
}

// Filled in as the type wants it, in one of the ways that it takes.
WishDescription randomWish(Random& random, const WishTypeInfo& type, const Description& d)
{
    WishDescription wish;
    wish.type = type.name;
    wish.weight = random.uniform(0.5, 3);
    const auto has = [&](std::uint32_t key) {
        return (type.needed & key) != 0 || ((type.taken & key) != 0 && random.below(2) == 0);
    };
    if (has(wish_keys::body)) wish.of.body = randomBody(random, d);
    if (has(wish_keys::point)) wish.of.point = randomPlace(random);
    if (has(wish_keys::to) || has(wish_keys::toBody)) {
        wish.to.emplace();
        if (random.below(2) == 0 || (type.taken & wish_keys::toBody)) wish.to->body = randomBody(random, d);
        if (wish.to->body == wish.of.body) wish.to->body = "world";
        if (((type.needed | type.taken) & wish_keys::to) != 0) wish.to->point = randomPlace(random);
    }
    if (has(wish_keys::path))
        wish.on = SpringCurve{
            {randomPlace(random), randomPlace(random), randomPlace(random), randomPlace(random)},
            random.below(2) == 0,
            random.below(2) == 0};
    if (has(wish_keys::surface)) wish.on = randomForm(random, random.below(3));
    if (has(wish_keys::points))
        for (int i = 0; i < 4; ++i)
            wish.points.push_back(
                {i == 0 ? d.bodies.front().name : randomBody(random, d), randomPlace(random)});
    if (has(wish_keys::axis)) wish.axis = randomVector(random);
    if (has(wish_keys::direction)) wish.direction = randomVector(random);
    if (has(wish_keys::orientation)) wish.orientation = expRotation(randomVector(random));
    if (has(wish_keys::velocity)) wish.velocity = randomVector(random);
    if (has(wish_keys::length)) wish.length = random.uniform(0.1, 1);
    if (has(wish_keys::side)) wish.side = static_cast<WishDescription::Side>(random.below(3));
    return wish;
}

Description randomScene(Random& random, const WishTypeInfo& type)
{
    TreeOptions options;
    options.bodies = 8;
    options.joints = allJoints;
    options.rootJoints = {JointType::hinge, JointType::universal};
    Description d = randomTree(random, options);
    d.wishes.push_back(randomWish(random, type, d));
    return d;
}

// Residuals at q ⊕ h δ_k, and at u + h e_k.
VecX residualsAt(const Model& model, const State& start, int freedom, double h, bool velocity)
{
    State state = start;
    if (velocity) {
        state.u[freedom] += h;
        bodiesFromJoints(model, state);
    } else {
        VecX step(model.freedomCount);
        step.setZero();
        step[freedom] = h;
        moveAlong(model, start.q, step, state);
    }
    WishRows rows;
    evaluateWishes(model, state, std::vector<int>{0}, rows);
    VecX r(static_cast<int>(rows.residual.size()));
    for (int i = 0; i < r.size(); ++i) r[i] = rows.residual[static_cast<std::size_t>(i)];
    return r;
}

// Central differences of the fourth order.
MatX differences(const Model& model, const State& state, bool velocity)
{
    constexpr double h = 1e-3;
    const auto at = [&](int k, double step) { return residualsAt(model, state, k, step, velocity); };
    MatX J(wishRowCount(model, std::vector<int>{0}), model.freedomCount);
    for (int k = 0; k < model.freedomCount; ++k)
        J.col(k) = (8. * (at(k, h) - at(k, -h)) - (at(k, 2 * h) - at(k, -2 * h))) / (12 * h);
    return J;
}

class EveryWish : public testing::TestWithParam<int> {};

TEST_P(EveryWish, changes_with_q_and_u_as_differences_say)
{
    const WishTypeInfo& type = *wishTypes()[static_cast<std::size_t>(GetParam())];
    Random random(17);
    int alive = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const Description d = randomScene(random, type);
        const Model model = mustCompile(d);
        const State state = randomState(random, model);
        WishRows rows;
        evaluateWishes(model, state, std::vector<int>{0}, rows);
        FreedomMotions motions;
        motions.place(model, state);
        MatX J;
        if (type.isOfVelocities)
            wishVelocityJacobian(model, state, motions, rows, J);
        else
            wishJacobian(model, state, motions, rows, J);
        const MatX truth = differences(model, state, type.isOfVelocities);
        const double scale = std::max(1., truth.cwiseAbs().maxCoeff());
        // Differences that straddle a kink (a corner of a path, a side of a hull) say nothing.
        const double error = (J - truth).cwiseAbs().maxCoeff() / scale;
        if (error > 1e-2 && (std::string(type.name) == "curve" || std::string(type.name) == "balance"))
            continue;
        EXPECT_LT(error, 1e-7) << type.name << ", trial " << trial;
        if (rows.energy() > 0) ++alive;
        VecX gradient(model.freedomCount), r(J.rows());
        gradient.setZero();
        if (type.isOfVelocities) continue;
        addWishGradient(model, state, motions, rows, gradient);
        for (int i = 0; i < r.size(); ++i) r[i] = rows.residual[static_cast<std::size_t>(i)];
        EXPECT_LT((gradient - J.transpose() * r).cwiseAbs().maxCoeff(), 1e-12 * (1 + gradient.norm()));
    }
    EXPECT_GT(alive, 20) << type.name;
}

INSTANTIATE_TEST_SUITE_P(Wishes, EveryWish, testing::Range(0, static_cast<int>(wishTypes().size())),
                         [](const auto& info) {
                             return std::string(wishTypes()[static_cast<std::size_t>(info.param)]->name);
                         });

}  // namespace
}  // namespace sinew::wish_test
