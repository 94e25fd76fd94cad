// The generated chain, as a description and as a scene file.
#include "sinew/figure/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/json/scene.h"
#include "sinew/model/model.h"

namespace sinew {
namespace {

TEST(Chain, hanging_links_follow_each_other_down_from_the_origin)
{
    ChainOptions options;
    options.links = 3;
    options.joint = JointType::hinge;
    options.stiffness = 5;
    options.tipRatio = 10;
    const Description chain = makeChain(options);
    ASSERT_EQ(chain.bodies.size(), 3u);
    ASSERT_EQ(chain.joints.size(), 3u);
    EXPECT_EQ(chain.joints[0].first, "world");
    EXPECT_EQ(chain.joints[0].position, Vec3(0, 0, 0));
    EXPECT_EQ(chain.joints[0].stiffness, 5);
    EXPECT_EQ(*chain.joints[0].axis, Vec3(0, 0, 1));
    EXPECT_EQ(*chain.joints[1].axis, Vec3(1, 0, 0));
    EXPECT_EQ(*chain.joints[2].axis, Vec3(0, 0, 1));
    constexpr double rounding = 1e-15;
    EXPECT_LT((chain.bodies[2].pose.position - Vec3(0, -0.25, 0)).norm(), rounding);
    EXPECT_DOUBLE_EQ(*chain.bodies[2].mass, 1);
    EXPECT_DOUBLE_EQ((*chain.bodies[0].inertia)(1, 1), 0.1 * 0.02 * 0.02 / 2);
    EXPECT_DOUBLE_EQ((*chain.bodies[0].inertia)(0, 0), 0.1 * (3 * 0.02 * 0.02 + 0.1 * 0.1) / 12);
    EXPECT_DOUBLE_EQ((*chain.bodies[2].inertia)(0, 0), 10 * (*chain.bodies[0].inertia)(0, 0));
}

TEST(Chain, every_variant_compiles_and_keeps_its_joints_at_the_ends_of_the_links)
{
    for (bool horizontal : {false, true})
        for (bool pinned : {false, true})
            for (JointType type : {JointType::spherical, JointType::hinge})
                for (double radius : {0.02, 0.06}) {  // the second is thicker than long: no room for caps
                    ChainOptions options;
                    options.links = 4;
                    options.horizontal = horizontal;
                    options.pinned = pinned;
                    options.joint = type;
                    options.radius = radius;
                    const Description chain = makeChain(options);
                    const Result<Model> model = compile(chain);
                    ASSERT_TRUE(model) << model.error().text();
                    EXPECT_EQ(chain.joints.size(), pinned ? 4u : 3u);
                    constexpr double rounding = 1e-15;
                    for (const Joint& joint : model.value().joints) {
                        if (!joint.declared) continue;
                        EXPECT_LT((joint.anchorChild - Vec3(0, 0.05, 0)).norm(), rounding);
                        EXPECT_LT(std::abs(joint.axis.y()), rounding);  // across the link
                    }
                    const Result<Description> again = parseScene(writeScene(chain), "f");
                    ASSERT_TRUE(again) << again.error().text();
                    EXPECT_EQ(writeScene(again.value()), writeScene(chain));
                }
}

}  // namespace
}  // namespace sinew
