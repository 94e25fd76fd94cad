// Spring bones of VRM, against VRM's own way of moving them.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/gltf/vrm.h"
#include "support/gltf_text.h"

namespace sinew {
namespace {

std::vector<SpringBone> springsOf(const std::string& text)
{
    const Result<GltfFile> file = parseGltf(text, "f.gltf", noFilesBeside);
    EXPECT_TRUE(file) << file.error().text();
    Result<std::vector<SpringBone>> springs = springBones(file.value(), readCharacter(file.value()));
    EXPECT_TRUE(springs) << springs.error().text();
    return springs ? springs.value() : std::vector<SpringBone>();
}

const std::string nodes =
    R"("nodes":[{"name":"head","children":[1]},{"name":"a","children":[2]},)"
    R"({"name":"b","translation":[0,-0.2,0],"children":[3]},{"name":"c","translation":[0,-0.1,0]}])";

std::string oldText(const std::string& group)
{
    return gltfText(nodes + R"(,"extensions":{"VRM":{"secondaryAnimation":{"boneGroups":[{)" + group +
                    "}]}}}");
}

// One turn after another, as VRM's own programs do it for an end that swings by small angles.
struct Swing {
    double frequency, damping;
};
Swing asVrmDoes(double stiffness, double drag, double length)
{
    double now = 0.01, before = 0.01, lastCrossing = 0, halfPeriod = 0, lastPeak = 0, decay = 0;
    int crossings = 0;
    const double frame = 1.0 / 60;
    for (int i = 1; i < 4000 && crossings < 6; ++i) {
        const double next = now + (now - before) * (1 - drag) - now / length * stiffness * frame;
        if ((next < 0) != (now < 0)) {
            const double at = i + now / (now - next);
            if (crossings > 0) halfPeriod = (at - lastCrossing) * frame;
            lastCrossing = at;
            ++crossings;
        }
        if ((next - now) * (now - before) < 0) {
            if (lastPeak > 0) decay = std::log(lastPeak / std::abs(now));
            lastPeak = std::abs(now);
        }
        before = now;
        now = next;
    }
    const double damping = decay / std::sqrt(pi * pi + decay * decay);
    return {1 / (2 * halfPeriod) / std::sqrt(1 - damping * damping), damping};
}

TEST(Vrm, springBonesSwingAsTheyDoThere)
{
    for (const auto [stiffness, drag] : {std::pair(0.01, 0.01), {0.03, 0.02}, {0.05, 0.05}}) {
        const auto springs =
            springsOf(oldText(R"("stiffiness":)" + std::to_string(stiffness) + R"(,"dragForce":)" +
                              std::to_string(drag) + R"(,"hitRadius":0.02,"bones":[1])"));
        ASSERT_EQ(springs.size(), 3u);
        const double lengths[] = {0.2, 0.1, 0.07};
        for (std::size_t i = 0; i < 3; ++i) {
            const Swing swing = asVrmDoes(stiffness, drag, lengths[i]);
            EXPECT_NEAR(springs[i].frequency, swing.frequency, 0.03 * swing.frequency);
            EXPECT_NEAR(springs[i].damping, swing.damping, 0.1 * swing.damping);
            EXPECT_EQ(springs[i].radius, 0.02);
            EXPECT_EQ(springs[i].bone, static_cast<int>(i) + 1);
        }
    }
}

TEST(Vrm, bothVersionsSayTheSame)
{
    const auto before = springsOf(oldText(R"("stiffiness":2,"dragForce":0.3,"bones":[1])"));
    const auto now = springsOf(gltfText(
        nodes + R"(,"extensions":{"VRMC_springBone":{"springs":[{"joints":[)"
                R"({"node":1,"stiffness":2,"dragForce":0.3},{"node":2,"stiffness":2,"dragForce":0.3},)"
                R"({"node":3}]}]}})"));
    ASSERT_EQ(before.size(), 3u);
    ASSERT_EQ(now.size(), 2u);  // the last joint is an end
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(now[i].bone, before[i].bone);
        EXPECT_EQ(now[i].frequency, before[i].frequency);
        EXPECT_EQ(now[i].damping, before[i].damping);
    }
    EXPECT_TRUE(springsOf(gltfText(nodes)).empty());
}

TEST(Vrm, refusesWhatIsWrongWithItsPlace)
{
    const auto refusal = [](const std::string& group) {
        const Result<GltfFile> file = parseGltf(oldText(group), "f.gltf", noFilesBeside);
        const auto springs = springBones(file.value(), readCharacter(file.value()));
        return springs ? "was read" : springs.error().text();
    };
    const std::string place = "f.gltf: /extensions/VRM/secondaryAnimation/boneGroups/0/";
    EXPECT_EQ(refusal(R"("bones":[9])"), place + "bones/0: there is no node 9; the file has 4");
    EXPECT_EQ(refusal(R"("dragForce":2,"bones":[1])"), place + "dragForce: is 2; it must be from 0 to 1");
    EXPECT_EQ(refusal(R"("stiffiness":-1,"bones":[1])"),
              place + "stiffiness: is -1; it must be from 0 to 1000000");
    EXPECT_EQ(refusal(R"("bones":[-1])"), "was read");
}

}  // namespace
}  // namespace sinew
