#include "sinew/collision/detect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sinew/geometry/distance.h"
#include "support/convex_pairs.h"

namespace sinew::detect_test {
namespace {

constexpr double rounding = 1e-11;
constexpr double h = 1.0 / 60;

Description emptyScene()
{
    Description scene;
    scene.contact = ContactDescription{};
    return scene;
}

void addBody(Description& scene, const Shape& shape, const Pose& pose)
{
    BodyDescription body;
    body.name = "body " + std::to_string(scene.bodies.size());
    body.pose = pose;
    body.shapes.push_back({shape, {}, {}, {}});
    scene.bodies.push_back(body);
}

ObstacleDescription ground()
{
    return {};
}

HeightField hills()
{
    HeightField field{9, 9, 0.5, {}};
    for (int i = 0; i < 81; ++i) field.heights.push_back(0.1 * ((i * 37) % 5));
    return field;
}

// A heap of all shapes on a plane, a height field and a box.
Description heap(int count, std::uint64_t seed)
{
    Random random(seed);
    Description scene = emptyScene();
    for (int i = 0; i < count; ++i) {
        const double x = random.uniform(0.1, 0.4), y = random.uniform(0.1, 0.4);
        const Shape shapes[] = {Sphere{x},      Box{Vec3(x, y, 0.3)},       Capsule{x, y},
                                Cylinder{x, y}, Ellipsoid{Vec3(x, y, 0.2)}, randomHull(random, 12)};
        Pose pose = randomPose(random, 1.2);
        pose.position += Vec3(1.5, 1, 1.5);
        addBody(scene, shapes[i % 6], pose);
    }
    scene.obstacles.push_back(ground());
    ObstacleDescription field;
    field.type = ObstacleDescription::Type::terrain;
    field.terrain = hills();
    scene.obstacles.push_back(field);
    ObstacleDescription block;
    block.type = ObstacleDescription::Type::shape;
    block.shape = Box{Vec3(1, 1, 1)};
    block.position = Vec3(1.2, 0.5, 1.2);
    scene.obstacles.push_back(block);
    return scene;
}

bool isBefore(const Contact& a, const Contact& b)
{
    return std::tie(a.colliderA, a.colliderB, a.feature) < std::tie(b.colliderA, b.colliderB, b.feature);
}

TEST(Detect, finds_every_pair_that_is_near_and_anchors_that_have_its_gap)
{
    const Description scene = heap(60, 1);
    const Model model = compile(scene).value();
    State state = restState(model);
    Random random(2);
    for (BodyState& body : state.bodies) {
        body.velocity = randomDirection(random);
        body.angularVelocity = 3 * randomDirection(random);
    }
    Collisions collisions;
    std::vector<Contact> contacts;
    collisions.detect(model, state, h, contacts);
    EXPECT_TRUE(std::is_sorted(contacts.begin(), contacts.end(), isBefore));

    const auto onWorld = [&](int body, const Vec3& point) {
        if (body < 0) return point;
        return Vec3(state.bodies[body].position + state.bodies[body].orientation * point);
    };
    bool sawPlane = false, sawField = false, sawBlock = false;
    for (const Contact& c : contacts) {
        ASSERT_LT(c.colliderA, c.colliderB);
        EXPECT_TRUE(model.mayCollide(c.colliderA, c.colliderB));
        EXPECT_EQ(c.bodyA, model.colliders[c.colliderA].body);
        EXPECT_EQ(c.bodyB, model.colliders[c.colliderB].body);
        const Vec3 between = onWorld(c.bodyB, c.pointB) - onWorld(c.bodyA, c.pointA);
        EXPECT_NEAR(c.normal.dot(between) - c.roundA - c.roundB, c.gap, rounding);
        EXPECT_NEAR(c.friction, 0.6, rounding);
        sawPlane |= c.colliderB == 60;
        sawField |= c.colliderB == 61;
        sawBlock |= c.colliderB == 62;
    }
    EXPECT_TRUE(sawPlane && sawField && sawBlock);

    // Every pair of bodies by itself.
    DistanceWork work;
    int near = 0;
    for (int a = 0; a < 60; ++a)
        for (int b = a + 1; b < 60; ++b) {
            const Collider &A = model.colliders[a], &B = model.colliders[b];
            const BodyState &bodyA = state.bodies[A.body], &bodyB = state.bodies[B.body];
            const Proximity p =
                distance(std::get<Shape>(A.form), Pose{bodyA.position, bodyA.orientation} * A.pose,
                         std::get<Shape>(B.form), Pose{bodyB.position, bodyB.orientation} * B.pose, work);
            const bool isFound = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) {
                return c.colliderA == a && c.colliderB == b;
            });
            // As far as both centres alone move; the spin makes it more.
            if (p.distance < Collisions::nearby(model, h) + 2 * h * 0.99) {
                ++near;
                EXPECT_TRUE(isFound) << a << " " << b << " at " << p.distance;
            }
            if (p.distance > Collisions::nearby(model, h) + 2 * h * (1 + 3 * 1.5)) EXPECT_FALSE(isFound);
        }
    EXPECT_GT(near, 50);
}

TEST(Detect, gives_the_same_bits_whatever_it_has_seen_before)
{
    const Model model = compile(heap(30, 3)).value();
    State state = restState(model);
    Collisions used;
    std::vector<Contact> first, again;
    for (int i = 0; i < 5; ++i) {
        for (BodyState& body : state.bodies) body.position.x() += 0.1;
        used.detect(model, state, h, again);
    }
    Collisions fresh;
    fresh.detect(model, state, h, first);
    ASSERT_EQ(first.size(), again.size());
    ASSERT_GT(first.size(), 20u);
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_TRUE(first[i].isSamePlace(again[i]));
        EXPECT_EQ(first[i].gap, again[i].gap);
        EXPECT_EQ(first[i].pointA, again[i].pointA);
        EXPECT_EQ(first[i].normal, again[i].normal);
    }
    // Another model, and a state that is none.
    const Model other = compile(heap(10, 4)).value();
    used.detect(other, restState(other), h, again);
    Collisions().detect(other, restState(other), h, first);
    EXPECT_EQ(first.size(), again.size());
    state.bodies[0].position.x() = std::numeric_limits<double>::quiet_NaN();
    fresh.detect(model, state, h, first);
    EXPECT_TRUE(first.empty());
}

TEST(Detect, sees_a_fast_body_before_it_arrives)
{
    Description scene = emptyScene();
    addBody(scene, Sphere{0.1}, {Vec3(0, 0.6, 0), Quat::Identity()});
    scene.obstacles.push_back(ground());
    const Model model = compile(scene).value();
    State state = restState(model);
    Collisions collisions;
    std::vector<Contact> contacts;
    collisions.detect(model, state, h, contacts);
    EXPECT_TRUE(contacts.empty());
    state.bodies[0].velocity = Vec3(0, -40, 0);
    collisions.detect(model, state, h, contacts);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, 0.5, rounding);
    EXPECT_NEAR(contacts[0].roundA, 0.1, 0);
    EXPECT_EQ(contacts[0].pointA, Vec3(0, 0, 0));
}

TEST(Detect, carries_impulses_to_the_same_places_and_to_near_ones)
{
    const auto contact = [](int b, std::uint32_t feature, double x, double impulse) {
        Contact c;
        c.bodyA = 0;
        c.colliderB = b;
        c.feature = feature;
        c.pointB = Vec3(x, 0, 0);
        c.impulse = Vec3(impulse, 0, 0);
        return c;
    };
    const std::vector<Contact> before{contact(1, 1, 0, 1), contact(1, 5, 0.1, 2), contact(1, 9, 0.2, 3),
                                      contact(2, 1, 0, 4)};
    std::vector<Contact> now{contact(1, 1, 0.5, 0), contact(1, 4, 0.105, 0), contact(1, 6, 0.101, 0),
                             contact(1, 7, 0.25, 0), contact(3, 1, 0, 0)};
    std::vector<char> carried;
    carryImpulses(before, now, 0.02, carried);
    EXPECT_EQ(now[0].impulse.x(), 1);  // the same, wherever it has gone
    EXPECT_EQ(now[1].impulse.x(), 2);  // the nearest
    EXPECT_EQ(now[2].impulse.x(), 0);  // it has been taken
    EXPECT_EQ(now[3].impulse.x(), 0);  // too far
    EXPECT_EQ(now[4].impulse.x(), 0);  // another pair
}

TEST(Detect, of_a_stack_keeps_every_feature_from_step_to_step)
{
    Description scene = emptyScene();
    for (int i = 0; i < 5; ++i)
        addBody(scene, Box{Vec3(0.5, 0.2, 0.5)}, {Vec3(0.01 * i, 0.1 + 0.2 * i, 0), Quat::Identity()});
    scene.obstacles.push_back(ground());
    const Model model = compile(scene).value();
    State state = restState(model);
    Collisions collisions;
    std::vector<Contact> first, now;
    collisions.detect(model, state, h, first);
    ASSERT_EQ(first.size(), 20u);
    Random random(5);
    for (int step = 0; step < 50; ++step) {
        for (BodyState& body : state.bodies) {
            body.position += 1e-6 * randomDirection(random);
            body.orientation =
                (body.orientation * Quat(1, 1e-7 * random.normal(), 1e-7 * random.normal(), 0))
                    .normalized();
        }
        collisions.detect(model, state, h, now);
        ASSERT_EQ(now.size(), 20u);
        for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(now[i].isSamePlace(first[i])) << step;
    }
}

}  // namespace
}  // namespace sinew::detect_test
