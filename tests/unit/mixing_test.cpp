#include "sinew/integrate/mixing.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

// x ← x + f(x), f(x) = (A − 1)(x − end): converges linearly, by 0.9 and −0.8 an iteration.
struct LinearMap {
    VecX end = VecX::Zero(3);
    VecX correction(const VecX& x) const
    {
        VecX f(3);
        f[0] = -0.1 * (x[0] - end[0]) + 0.05 * (x[1] - end[1]);
        f[1] = -1.8 * (x[1] - end[1]);
        f[2] = -0.5 * (x[2] - end[2]) + 0.3 * (x[0] - end[0]);
        return f;
    }
};

// The force of a place is twice its first coordinate.
Vec3 forceAt(const VecX& x)
{
    return {2 * x[0], 0, 0};
}

LinearMap map()
{
    LinearMap m;
    m.end[0] = 1;
    m.end[1] = -2;
    m.end[2] = 0.5;
    return m;
}

TEST(Mixing, ends_a_linear_iteration_after_as_many_steps_as_it_has_dimensions)
{
    const LinearMap m = map();
    const std::vector<double> units = {1, 10, 0.1};
    VecX x = VecX::Zero(3), step(3);
    std::vector<Vec3> force = {Vec3::Zero()}, change(1);
    Mixing mixing;
    for (int i = 0; i < 5; ++i) {
        const VecX f = m.correction(x);
        const std::vector<Vec3> forces = {forceAt(x + f) - force[0]};
        mixing.found(f, units, forces);
        if (!mixing.mix(step, change)) {
            EXPECT_EQ(i, 0);
            step = f;
            change = forces;
        }
        mixing.took(1, step, change);
        x += step;
        force[0] += change[0];
    }
    EXPECT_LT((x - m.end).norm(), 1e-12);
    EXPECT_LT((force[0] - forceAt(m.end)).norm(), 1e-12);
}

TEST(Mixing, learns_from_parts_of_corrections)
{
    const LinearMap m = map();
    const std::vector<double> units = {1, 1, 1};
    VecX x = VecX::Zero(3), step(3);
    std::vector<Vec3> change;
    Mixing mixing;
    const double lengths[] = {0.5, 1, 0.25, 1};
    for (int i = 0; i < 4; ++i) {
        const VecX f = m.correction(x);
        mixing.found(f, units, {});
        mixing.took(lengths[i], f, {});
        x += lengths[i] * f;
    }
    mixing.found(m.correction(x), units, {});
    ASSERT_TRUE(mixing.mix(step, change));
    EXPECT_LT((x + step - m.end).norm(), 1e-12);
}

TEST(Mixing, has_nothing_to_say_at_first_nor_where_nothing_changed)
{
    const std::vector<double> units = {1, 1, 1};
    VecX step(3), f = VecX::Zero(3);
    std::vector<Vec3> change;
    f[1] = 1;
    Mixing mixing;
    mixing.found(f, units, {});
    EXPECT_FALSE(mixing.mix(step, change));
    mixing.took(1, f, {});
    mixing.found(f, units, {});
    EXPECT_FALSE(mixing.mix(step, change));
    mixing.clear();
    mixing.found(f, units, {});
    EXPECT_FALSE(mixing.mix(step, change));
}

}  // namespace
}  // namespace sinew
