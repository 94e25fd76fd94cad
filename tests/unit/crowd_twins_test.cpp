// Limbs that are alike and go through a step as one: each link comes to the bits that it would come to by
// itself, whatever the figure.
#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/crowd/crowd.h"
#include "sinew/crowd/twins.h"
#include "support/crowds.h"
#include "support/random_tree.h"

namespace sinew::test::crowd_twins_test {
namespace {

// A body on another, with a ball joint, a hinge or a weld. What the passes decide by is drawn from `shape`,
// numbers from `random`.
void addBone(Random& shape, Random& random, const std::string& parent, const std::string& name,
             Description& d)
{
    const auto at = [&](const std::string& body) {
        return std::find_if(d.bodies.begin(), d.bodies.end(),
                            [&](const BodyDescription& b) { return b.name == body; })
            ->pose.position;
    };
    BodyDescription body;
    body.name = name;
    body.pose = {at(parent) + randomVector(random, 0.4), expRotation(randomVector(random))};
    body.mass = random.uniform(0.5, 2);
    body.inertia = randomInertia(random, *body.mass);
    JointDescription joint;
    joint.name = "to_" + name;
    joint.type = std::array{JointType::spherical, JointType::hinge, JointType::weld}[shape.below(8) % 3];
    joint.first = parent;
    joint.second = name;
    if (shape.below(2)) std::swap(joint.first, joint.second);
    joint.position = 0.5 * (at(parent) + body.pose.position) + randomVector(random, 0.2);
    const JointTypeInfo& info = jointTypeInfo(joint.type);
    if (info.isArticulated()) {
        joint.axis = randomVector(random).normalized();
        joint.stiffness = random.uniform(1, 50);
        joint.damping = 0.02 * joint.stiffness;
        if (shape.below(3) == 0) joint.armature = random.uniform(0.01, 0.1);
        if (shape.below(3) == 0)
            for (int k = 0; k < info.freedoms; ++k) joint.motor.push_back(random.uniform(-0.3, 0.3));
        if (shape.below(3) == 0) {
            joint.limitStiffness = random.uniform(10, 40);
            joint.lower = {random.uniform(-0.4, -0.1)};
            joint.upper = {random.uniform(0.1, 0.4)};
            if (info.isBall()) joint.swingLimit = random.uniform(0.1, 0.6);
        }
        if (info.isBall() && shape.below(4) == 0) joint.twistStiffness = 3 * joint.stiffness;
    }
    d.bodies.push_back(body);
    d.joints.push_back(joint);
}

void addLimb(Random shape, Random& random, const std::string& parent, const std::string& name,
             Description& d)
{
    std::vector<std::string> bones = {parent};
    for (int i = 1 + shape.below(5); i > 0; --i) {
        const int limb = static_cast<int>(bones.size()) - 1;
        const std::string on = limb == 0 ? parent : bones[1 + shape.below(limb)];
        bones.push_back(name + std::to_string(bones.size()));
        addBone(shape, random, on, bones.back(), d);
    }
}

Description rootAlone(Random& random)
{
    Description d;
    BodyDescription root;
    root.name = "root";
    root.mass = 1;
    root.inertia = randomInertia(random, 1);
    d.bodies.push_back(root);
    return d;
}

// Limbs in pairs and limbs alone.
Description figureWithPairs(Random& random)
{
    Description d = rootAlone(random);
    for (int i = 0; i < 4; ++i) {
        Random shape(static_cast<std::uint64_t>(random.below(1 << 20)));
        const std::string on = d.bodies[random.below(static_cast<int>(d.bodies.size()))].name;
        const std::string name = std::string(1, static_cast<char>('a' + i));
        addLimb(shape, random, on, name, d);
        if (random.below(4) > 0) addLimb(shape, random, on, name + "_twin", d);
    }
    return d;
}

TEST(CrowdTwins, come_to_the_bits_of_links_by_themselves)
{
    Random random(1);
    int withTwins = 0;
    for (int t = 0; t < 60; ++t) {
        const Model model = mustCompile(figureWithPairs(random));
        withTwins += !crowd::findTwins(model).empty();
        CrowdSettings settings;
        settings.count = 2;
        settings.step = 1e-3;
        settings.implicitSprings = t % 4 != 0;
        settings.lanes = 1;
        Crowd twins = mustCrowd(model, settings);
        settings.lanes = 2;
        Crowd whole = mustCrowd(model, settings);  // a character in each lane
        ASSERT_EQ(whole.lanes(), 2);
        for (int i = 0; i < settings.count; ++i) {
            const State start = randomState(random, model);
            const double mass = random.uniform(0.5, 2);
            const std::uint64_t seed = static_cast<std::uint64_t>(random.below(1 << 20));
            for (Crowd* crowd : {&twins, &whole}) {
                crowd->write(i, start);
                crowd->scaleMass(i, mass);
                Random own(seed);
                for (int j = 0; j < model.size(); ++j) {
                    const double k = own.uniform(0, 50);
                    crowd->setSpring(i, j, k, 0.01 * k);
                    const Quat rest = expRotation(randomVector(own, 0.3));
                    if (model.joints[j].isBall() && own.below(2))
                        crowd->setTarget(i, j, std::vector{rest.x(), rest.y(), rest.z(), rest.w()});
                }
            }
        }
        for (Crowd* crowd : {&twins, &whole}) crowd->step(40);
        State a = restState(model), b = a;
        for (int i = 0; i < settings.count; ++i) {
            twins.read(i, a);
            whole.read(i, b);
            EXPECT_EQ(numbersOf(a), numbersOf(b)) << "figure " << t << ", character " << i;
        }
    }
    EXPECT_GT(withTwins, 30);
}

// Every link has one place and lane, and what shares a place hangs on what shares a place.
TEST(CrowdTwins, are_limbs_that_are_alike_all_the_way_out)
{
    Random random(2);
    for (int t = 0; t < 60; ++t) {
        const Model model = mustCompile(figureWithPairs(random));
        const std::vector<crowd::TwinPlace> places = crowd::findTwins(model);
        if (places.empty()) continue;
        std::vector<int> placeOf(model.bodies.size(), -1);
        for (std::size_t p = 0; p < places.size(); ++p)
            for (int link : {places[p].first, places[p].second}) {
                int& place = placeOf[static_cast<std::size_t>(link)];
                EXPECT_TRUE(place < 0 || (place == static_cast<int>(p) && !places[p].isPair()));
                place = static_cast<int>(p);
            }
        EXPECT_EQ(std::count(placeOf.begin(), placeOf.end(), -1), 0);
        for (const crowd::TwinPlace& place : places) {
            const int first = model.links[place.first].parent, second = model.links[place.second].parent;
            EXPECT_EQ(model.links[place.first].kind, model.links[place.second].kind);
            if (first != second) {
                EXPECT_EQ(placeOf[static_cast<std::size_t>(first)],
                          placeOf[static_cast<std::size_t>(second)]);
            }
        }
    }
}

// Twins cost a fifth more than a link alone: with one pair among many links they are not worth it.
TEST(CrowdTwins, are_left_alone_where_they_are_few)
{
    Random random(3);
    Description d = rootAlone(random);
    for (int i = 0; i < 12; ++i) {
        Random shape(1);
        addBone(shape, random, d.bodies.back().name, "bone" + std::to_string(i), d);
    }
    for (const char* name : {"left", "right"}) {
        Random shape(1);
        addBone(shape, random, "bone11", name, d);
    }
    EXPECT_TRUE(crowd::findTwins(mustCompile(d)).empty());
}

}  // namespace
}  // namespace sinew::test::crowd_twins_test
