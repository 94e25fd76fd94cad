// The broad phase finds what comparing each with each finds, in the order of ids, whatever happened to its
// tree.
#include "sinew/collision/box_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "support/clouds.h"

namespace sinew {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

BoundingBox randomBox(Random& random, double spread, double size)
{
    const Vec3 middle = spread * cloudVector(random);
    const Vec3 half = size * Vec3(random.unit(), random.unit(), random.unit());
    return {middle - half, middle + half};
}

Pairs pairsByBruteForce(const std::map<int, BoundingBox>& boxes)
{
    Pairs pairs;
    for (auto a = boxes.begin(); a != boxes.end(); ++a)
        for (auto b = std::next(a); b != boxes.end(); ++b)
            if (overlaps(a->second, b->second)) pairs.emplace_back(a->first, b->first);
    return pairs;
}

// Balanced by heights: 1.44 log₂ n, and what a removal may leave.
int highestTree(int leaves)
{
    return 2 + static_cast<int>(1.5 * std::log2(leaves + 1));
}

TEST(BoxTree, finds_the_pairs_of_brute_force_while_boxes_come_go_and_move)
{
    for (const double margin : {0., 0.1, 2.}) {
        Random random(20);
        BoxTree tree(margin);
        std::map<int, BoundingBox> boxes;
        Pairs found;
        std::size_t all = 0;
        for (int round = 0; round < 60; ++round) {
            for (int change = 0; change < 20; ++change) {
                const int what = random.below(4);
                if (what < 2 || boxes.size() < 5) {
                    const BoundingBox box = randomBox(random, 2, 0.5);
                    const int id = tree.insert(box);
                    ASSERT_FALSE(boxes.contains(id));
                    boxes[id] = box;
                } else {
                    auto any = std::next(boxes.begin(), random.below(static_cast<int>(boxes.size())));
                    if (what == 2) {
                        const Vec3 by = 0.3 * cloudVector(random);
                        any->second = {any->second.low + by, any->second.high + by};
                        tree.move(any->first, any->second);
                    } else {
                        tree.remove(any->first);
                        boxes.erase(any);
                    }
                }
            }
            tree.pairs(found);
            EXPECT_EQ(found, pairsByBruteForce(boxes));
            EXPECT_EQ(tree.size(), static_cast<int>(boxes.size()));
            EXPECT_LE(tree.height(), highestTree(tree.size()));
            all += found.size();
            std::vector<int> near, expected;
            const BoundingBox probe = randomBox(random, 2, 1);
            tree.query(probe, near);
            for (const auto& [id, box] : boxes)
                if (overlaps(box, probe)) expected.push_back(id);
            EXPECT_EQ(near, expected);
        }
        EXPECT_GT(all, 1000u);
        while (!boxes.empty()) {
            tree.remove(boxes.begin()->first);
            boxes.erase(boxes.begin());
        }
        tree.pairs(found);
        EXPECT_TRUE(found.empty());
        EXPECT_EQ(tree.height(), -1);
    }
}

TEST(BoxTree, stays_low_when_boxes_come_in_a_row_or_in_one_place)
{
    BoxTree row(0.01), place(0.01);
    for (int i = 0; i < 2000; ++i) {
        row.insert({Vec3(i, 0, 0), Vec3(i + 0.5, 1, 1)});
        if (i < 200) place.insert({Vec3::Zero(), Vec3::Ones()});
    }
    EXPECT_LE(row.height(), highestTree(2000));
    EXPECT_LE(place.height(), highestTree(200));
    Pairs found;
    row.pairs(found);
    EXPECT_TRUE(found.empty());
    place.pairs(found);
    EXPECT_EQ(found.size(), 200u * 199 / 2);
    EXPECT_TRUE(place.pairs(found, 200 * 199 / 2));
    EXPECT_FALSE(place.pairs(found, 200 * 199 / 2 - 1));
    EXPECT_LE(found.size(), 200u * 199 / 2);
}

TEST(BoxTree, changes_only_when_a_box_leaves_its_margin)
{
    BoxTree tree(0.5);
    const int id = tree.insert({Vec3::Zero(), Vec3::Ones()});
    tree.insert({Vec3(1.2, 0, 0), Vec3(2, 1, 1)});
    Pairs found;
    tree.pairs(found);
    EXPECT_TRUE(found.empty());  // the margins overlap, the boxes do not
    EXPECT_FALSE(tree.move(id, {Vec3(0.4, 0, 0), Vec3(1.4, 1, 1)}));
    tree.pairs(found);
    EXPECT_EQ(found, (Pairs{{0, 1}}));
    EXPECT_TRUE(tree.move(id, {Vec3(0.6, 0, 0), Vec3(1.6, 1, 1)}));
    EXPECT_EQ(tree.box(id).low.x(), 0.6);
}

TEST(BoxTreeDeathTest, a_box_that_is_not_finite_or_inside_out_is_a_mistake)
{
    BoxTree tree(0.1);
    EXPECT_DEATH(tree.insert({Vec3(std::numeric_limits<double>::quiet_NaN(), 0, 0), Vec3::Ones()}),
                 "isProper");
    EXPECT_DEATH(tree.insert({Vec3::Ones(), Vec3::Zero()}), "isProper");
    EXPECT_DEATH(tree.remove(3), "leaf");
}

}  // namespace
}  // namespace sinew
