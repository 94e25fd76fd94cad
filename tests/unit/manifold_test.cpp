#include "sinew/collision/manifold.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdio>
#include <set>

#include "sinew/geometry/support.h"
#include "support/convex_pairs.h"

namespace sinew::manifold_test {
namespace {

// What double precision leaves of shapes about a metre in size.
constexpr double rounding = 1e-12;
// Curved sides: what distance() leaves of the depth, and a slope of the normal that such a depth has.
constexpr double curved = 1e-7;
constexpr double curvedNormal = 1e-3;

// A shape with the polygons of its faces, where it is a mesh.
struct Form {
    Shape shape;
    ConvexFaces faces;

    template <class S>
    requires std::constructible_from<Shape, S> Form(S s) : shape(checkedShape(Shape(std::move(s))).value())
    {
        if (const auto* mesh = std::get_if<ConvexMesh>(&shape)) faces = convexFaces(*mesh);
    }
    PlacedShape at(const Pose& pose) const { return {shape, &faces, pose}; }
    bool isCurved() const
    {
        return std::holds_alternative<Cylinder>(shape) || std::holds_alternative<Ellipsoid>(shape);
    }
};

Pose at(double x, double y, double z)
{
    return {Vec3(x, y, z), Quat::Identity()};
}
Quat turn(double angle, const Vec3& axis)
{
    return Quat(AngleAxis(angle, axis.normalized()));
}

ConvexMesh cubeMesh(double size)
{
    ConvexMesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.vertices.push_back(0.5 * size * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    return mesh;
}

Manifold touch(const Form& a, const Pose& poseA, const Form& b, const Pose& poseB, double reach)
{
    ManifoldWork work;
    Manifold manifold;
    findManifold(a.at(poseA), b.at(poseB), reach, work, manifold);
    return manifold;
}
Manifold touch(const Form& a, const Pose& pose, const HalfSpace& ground, double reach)
{
    ManifoldWork work;
    Manifold manifold;
    findManifold(a.at(pose), ground, {}, reach, work, manifold);
    return manifold;
}
Manifold touch(const Form& a, const Pose& pose, const Terrain& terrain, double reach,
               const Pose& groundPose = {})
{
    const Result<Terrain> ground = checkedTerrain(terrain);
    ManifoldWork work;
    Manifold manifold;
    TerrainTriangles triangles(ground.value());
    findManifold(a.at(pose), triangles, groundPose, reach, work, manifold);
    return manifold;
}

const ManifoldPoint& deepest(const Manifold& manifold)
{
    return *std::min_element(manifold.begin(), manifold.end(),
                             [](const auto& p, const auto& q) { return p.gap < q.gap; });
}

// The header's promise about every point.
void expectSound(const Manifold& manifold, double reach)
{
    std::set<std::uint32_t> features;
    for (const ManifoldPoint& p : manifold) {
        EXPECT_NEAR(p.normal.norm(), 1, rounding);
        EXPECT_NEAR(p.normal.dot(p.pointB - p.pointA) - p.roundA - p.roundB, p.gap, 1e-11);
        EXPECT_LT(p.gap, reach);
        EXPECT_TRUE(features.insert(p.feature).second) << "two points have one name";
    }
}

double distanceTo(const Form& form, const Pose& pose, const Vec3& point)
{
    DistanceWork work;
    return distance(form.shape, pose, Sphere{0}, {point, Quat::Identity()}, work).distance;
}

std::vector<Form> someShapes(Random& random)
{
    const auto size = [&] { return random.uniform(0.2, 1); };
    std::vector<Form> shapes;
    shapes.emplace_back(Sphere{size()});
    shapes.emplace_back(Box{Vec3(size(), size(), size())});
    shapes.emplace_back(Capsule{size(), size()});
    shapes.emplace_back(Cylinder{size(), size()});
    shapes.emplace_back(Ellipsoid{Vec3(size(), size(), size())});
    shapes.emplace_back(randomHull(random, 20));
    return shapes;
}

TEST(Manifold, of_any_two_shapes_agrees_with_their_distance)
{
    constexpr double reach = 0.05;
    Random random(1);
    DistanceWork work;
    int touching = 0, byFace = 0;
    double worst = 0, worstCurved = 0, worstPoint = 0;
    for (int round = 0; round < 60; ++round) {
        const std::vector<Form> first = someShapes(random), second = someShapes(random);
        for (const Form& a : first)
            for (const Form& b : second) {
                const Pose poseA = randomPose(random, 1);
                Pose poseB = randomPose(random, 0);
                // As near as contacts are: slid along the line between the two, to a gap of −5 to 5 cm.
                const Vec3 way = randomDirection(random);
                poseB.position = poseA.position + 3 * way;
                const double far = distance(a.shape, poseA, b.shape, poseB, work).distance;
                poseB.position -= (far - random.uniform(0, 0.02)) * way;
                for (int i = 0; i < 4; ++i) {
                    const Proximity p = distance(a.shape, poseA, b.shape, poseB, work);
                    poseB.position -= (p.distance - random.uniform(-0.03, 0.03)) * p.normal;
                }
                const Proximity p = distance(a.shape, poseA, b.shape, poseB, work);
                const Manifold manifold = touch(a, poseA, b, poseB, reach);
                if (p.distance >= reach || p.distance < -0.1) continue;
                ++touching;
                ASSERT_FALSE(manifold.empty()) << shapeName(a.shape) << " " << shapeName(b.shape);
                ASSERT_LE(manifold.size(), 4u);
                expectSound(manifold, reach);
                const bool isCurved = a.isCurved() || b.isCurved();
                const double extent = std::min(reachOf(a.shape), reachOf(b.shape));
                const ManifoldPoint& deep = deepest(manifold);
                // A face may be preferred to a direction that is slightly better.
                const bool isSame = deep.normal.dot(p.normal) > 1 - 1e-10;
                byFace += !isSame;
                const double error = std::abs(deep.gap - p.distance);
                EXPECT_LT(error, (isSame ? 0 : 1.1 * facePreference(p.distance, extent)) +
                                     (isCurved ? curved : 1e-9) + p.gap)
                    << shapeName(a.shape) << " " << shapeName(b.shape) << " at " << p.distance;
                if (isSame)
                    (isCurved ? worstCurved : worst) = std::max(isCurved ? worstCurved : worst, error);
                for (const ManifoldPoint& q : manifold) {
                    const Vec3 onA = q.pointA + q.roundA * q.normal, onB = q.pointB - q.roundB * q.normal;
                    worstPoint =
                        std::max({worstPoint, distanceTo(a, poseA, onA), distanceTo(b, poseB, onB)});
                }
            }
    }
    std::printf(
        "%d pairs, %d by a face that is nearly best; gap off by %.1e, of curved ones %.1e; "
        "points outside by %.1e\n",
        touching, byFace, worst, worstCurved, worstPoint);
    EXPECT_GT(touching, 1500);
    EXPECT_LT(worstPoint, curvedNormal);
}

TEST(Manifold, is_turned_around_when_the_shapes_are_exchanged)
{
    Random random(2);
    int compared = 0;
    for (int round = 0; round < 30; ++round) {
        const std::vector<Form> first = someShapes(random), second = someShapes(random);
        for (const Form& a : first)
            for (const Form& b : second) {
                const Pose poseA = randomPose(random, 1), poseB = randomPose(random, 0.5);
                const Manifold there = touch(a, poseA, b, poseB, 0.02),
                               back = touch(b, poseB, a, poseA, 0.02);
                if (there.empty() || deepest(there).gap < -0.1) continue;  // deep: several ways out
                ++compared;
                ASSERT_FALSE(back.empty());
                const bool isCurved = a.isCurved() || b.isCurved();
                EXPECT_NEAR(deepest(there).gap, deepest(back).gap, isCurved ? curved : 1e-9);
                EXPECT_LT((deepest(there).normal + deepest(back).normal).norm(),
                          isCurved ? curvedNormal : 1e-6);
            }
    }
    EXPECT_GT(compared, 50);
}

TEST(Manifold, of_two_boxes_face_to_face_has_four_quiet_points)
{
    const Form box(Box{Vec3(1, 1, 1)}), wide(Box{Vec3(3, 1, 2)}), mesh(cubeMesh(1));
    for (const Form* lower : {&box, &wide, &mesh})
        for (const Form* upper : {&box, &mesh})
            for (const double angle : {0., 1e-9, -1e-9})
                for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.3, 1, -0.2)})
                    for (const double aside : {0., 1e-9, 0.2}) {
                        const Pose pose{Vec3(aside, 1, -0.5 * aside), turn(angle, axis)};
                        const Manifold m = touch(*lower, {}, *upper, pose, 0.01);
                        ASSERT_EQ(m.size(), 4u);
                        expectSound(m, 0.01);
                        Vec3 low = m[0].pointB, high = low;
                        for (const ManifoldPoint& p : m) {
                            EXPECT_NEAR(p.gap, 0, angle == 0 ? rounding : 2e-9);
                            EXPECT_LT((p.normal - Vec3::UnitY()).norm(), angle == 0 ? rounding : 2e-9);
                            low = low.cwiseMin(p.pointB);
                            high = high.cwiseMax(p.pointB);
                        }
                        EXPECT_NEAR((high - low).x(), lower == &wide ? 1 : 1 - aside, 1e-5);
                        EXPECT_NEAR((high - low).z(), lower == &wide ? 1 : 1 - 0.5 * aside, 1e-5);
                    }
}

TEST(Manifold, of_a_box_that_slides_and_turns_on_another_keeps_its_features)
{
    const Form floor(Box{Vec3(4, 1, 4)}), box(Box{Vec3(0.5, 0.3, 0.4)}), mesh(cubeMesh(0.3));
    for (const Form* body : {&box, &mesh}) {
        std::set<std::uint32_t> names;
        for (int i = 0; i < 200; ++i) {
            const double wobble = 1e-4 * ((i * 7) % 11 - 5);
            const Pose pose{Vec3(0.005 * i - 0.5, 0.65 - 1e-5, 0.003 * i - 0.3),
                            turn(0.002 * i, Vec3::UnitY()) * turn(wobble, Vec3(1, 0, 1))};
            const Manifold m = touch(floor, {}, *body, pose, 0.01);
            EXPECT_EQ(m.size(), 4u);
            for (const ManifoldPoint& p : m) names.insert(p.feature);
        }
        EXPECT_EQ(names.size(), 4u);
    }
}

TEST(Manifold, on_a_plane_has_as_many_points_as_the_shape_stands_on)
{
    const HalfSpace ground{Vec3::UnitY(), 0.5};
    const double reach = 0.01;
    const Quat lying = turn(pi / 2, Vec3::UnitX());
    const auto count = [&](const Form& form, double height, const Quat& q) {
        const Manifold m = touch(form, {Vec3(3, 0.5 + height, -2), q}, ground, reach);
        expectSound(m, reach);
        for (const ManifoldPoint& p : m) {
            EXPECT_NEAR(p.gap, 0, rounding);
            EXPECT_EQ(p.normal, Vec3(0, -1, 0));
        }
        return m.size();
    };
    EXPECT_EQ(count(Sphere{0.3}, 0.3, lying), 1u);
    EXPECT_EQ(count(Capsule{0.1, 1}, 0.1, lying), 2u);
    EXPECT_EQ(count(Capsule{0.1, 1}, 0.6, Quat::Identity()), 1u);
    EXPECT_EQ(count(Box{Vec3(1, 2, 3)}, 1, Quat::Identity()), 4u);
    EXPECT_EQ(count(Box{Vec3(1, 1, 1)}, std::sqrt(0.5), turn(pi / 4, Vec3::UnitX())), 2u);
    EXPECT_EQ(count(Cylinder{0.2, 1}, 0.2, lying), 2u);
    EXPECT_EQ(count(Cylinder{0.2, 1}, 0.5, Quat::Identity()), 4u);
    EXPECT_EQ(count(cubeMesh(1), 0.5, Quat::Identity()), 4u);
    EXPECT_EQ(count(Ellipsoid{Vec3(0.1, 0.2, 0.3)}, 0.2, Quat::Identity()), 1u);
    // The same when the ground is a box.
    const Form slab(Box{Vec3(10, 1, 10)});
    const auto onSlab = [&](const Form& form, double height, const Quat& q) {
        const Manifold m = touch(form, {Vec3(3, 0.5 + height, -2), q}, slab, {}, reach);
        expectSound(m, reach);
        for (const ManifoldPoint& p : m) EXPECT_NEAR(p.gap, 0, 1e-9);
        for (const ManifoldPoint& p : m) EXPECT_LT((p.normal - Vec3(0, -1, 0)).norm(), 1e-9);
        return m.size();
    };
    EXPECT_EQ(onSlab(Sphere{0.3}, 0.3, lying), 1u);
    EXPECT_EQ(onSlab(Capsule{0.1, 1}, 0.1, lying), 2u);
    EXPECT_EQ(onSlab(Cylinder{0.2, 1}, 0.2, lying), 2u);
    EXPECT_EQ(onSlab(Cylinder{0.2, 1}, 0.5, Quat::Identity()), 4u);
    EXPECT_EQ(onSlab(cubeMesh(1), 0.5, Quat::Identity()), 4u);
    EXPECT_EQ(onSlab(Ellipsoid{Vec3(0.1, 0.2, 0.3)}, 0.2, Quat::Identity()), 1u);
}

TEST(Manifold, of_round_shapes_has_its_anchors_inside)
{
    const Form capsule(Capsule{0.1, 1}), can(Cylinder{0.2, 1});
    const Quat lying = turn(pi / 2, Vec3::UnitX());
    Manifold m = touch(capsule, {}, capsule, at(0.2, 0.3, 0), 0.01);  // side by side
    ASSERT_EQ(m.size(), 2u);
    for (const ManifoldPoint& p : m) {
        EXPECT_NEAR(p.roundA, 0.1, 0);
        EXPECT_NEAR(p.gap, 0, rounding);
        EXPECT_NEAR(p.pointA.x(), 0, rounding);
        EXPECT_NEAR(p.pointB.x(), 0.2, rounding);
    }
    EXPECT_NEAR(std::abs(m[0].pointA.y() - m[1].pointA.y()), 0.7, rounding);
    EXPECT_EQ(touch(capsule, {}, capsule, {Vec3(0.2, 0, 0), lying}, 0.01).size(), 1u);  // crosswise
    EXPECT_EQ(touch(can, {}, can, at(0.4, 0.5, 0), 0.01).size(), 2u);
    EXPECT_EQ(touch(can, {}, can, at(0.1, 1, 0), 0.01).size(), 4u);  // end on end
    // A cylinder that rolls keeps its anchors on the axis, and when it tips the point below them is the
    // rim.
    for (const double tilt : {0., 0.01, 0.3}) {
        const Pose pose{Vec3(0, 0.19, 0), turn(tilt, Vec3::UnitX()) * lying * turn(0.7, Vec3::UnitY())};
        m = touch(can, pose, HalfSpace{}, 1);
        ASSERT_EQ(m.size(), 2u);
        for (const ManifoldPoint& p : m) {
            const Vec3 local = pose.inverse() * p.pointA,
                       rim = pose.inverse() * (p.pointA + p.roundA * p.normal);
            EXPECT_LT(std::hypot(local.x(), local.z()), rounding);
            EXPECT_NEAR(std::hypot(rim.x(), rim.z()), 0.2, rounding);
            EXPECT_NEAR(std::abs(rim.y()), 0.5, rounding);
        }
    }
}

// ---- terrain ------------------------------------------------------------------------------------

HeightField flatField(int columns, int rows, double spacing, double slope = 0)
{
    HeightField field{columns, rows, spacing, {}};
    for (int k = 0; k < rows; ++k)
        for (int i = 0; i < columns; ++i) field.heights.push_back(slope * i * spacing);
    return field;
}

// The same as a mesh.
TriangleMesh meshOf(const HeightField& field)
{
    TriangleMesh mesh;
    for (int k = 0; k < field.rows; ++k)
        for (int i = 0; i < field.columns; ++i)
            mesh.vertices.push_back(
                Vec3(i * field.spacing, field.heights[k * field.columns + i], k * field.spacing));
    for (int k = 0; k + 1 < field.rows; ++k)
        for (int i = 0; i + 1 < field.columns; ++i) {
            const int n = k * field.columns + i, below = n + field.columns;
            mesh.faces.push_back({n, below, n + 1});
            mesh.faces.push_back({n + 1, below, below + 1});
        }
    return mesh;
}

TEST(Manifold, on_a_flat_field_or_mesh_is_that_on_a_half_space)
{
    constexpr double slope = 0.3, reach = 0.01;
    const HeightField field = flatField(21, 21, 0.1, slope);
    const HalfSpace plane{Vec3(-slope, 1, 0).normalized(), 0};
    Random random(3);
    int touching = 0;
    for (int round = 0; round < 40; ++round)
        for (const Form& form : someShapes(random)) {
            Pose pose = randomPose(random, 0);
            pose.position = Vec3(1 + random.uniform(-0.02, 0.02), 0, 1 + random.uniform(-0.02, 0.02));
            const Vec3 local = pose.orientation.conjugate() * -plane.normal;
            const double low =
                -plane.normal.dot(pose.position + pose.orientation * coreSupport(form.shape, local)) +
                coreMargin(form.shape);
            pose.position += (low + random.uniform(-0.02, 0.008)) * plane.normal;
            const Manifold wanted = touch(form, pose, plane, reach);
            ASSERT_FALSE(wanted.empty());
            for (const Terrain& terrain : {Terrain(field), Terrain(meshOf(field))}) {
                const Manifold found = touch(form, pose, terrain, reach);
                ASSERT_FALSE(found.empty()) << shapeName(form.shape);
                ++touching;
                expectSound(found, reach);
                EXPECT_LE(found.size(), 4u);
                EXPECT_NEAR(deepest(found).gap, deepest(wanted).gap, 1e-9) << shapeName(form.shape);
                for (const ManifoldPoint& p : found) EXPECT_LT((p.normal + plane.normal).norm(), 1e-9);
            }
        }
    EXPECT_EQ(touching, 480);
}

TEST(Manifold, of_a_box_that_slides_over_a_flat_mesh_never_catches)
{
    const HeightField field = flatField(31, 11, 0.13);
    const Form box(Box{Vec3(0.5, 0.2, 0.4)}), ball(Sphere{0.1}), pill(Capsule{0.1, 0.5}),
        can(Cylinder{0.2, 0.2});
    for (const Terrain& terrain : {Terrain(field), Terrain(meshOf(field))})
        for (const Form* form : {&box, &ball, &pill, &can})
            for (int i = 0; i < 150; ++i) {
                const Pose pose{Vec3(0.5 + 0.013 * i, 0.1 - 1e-3 * (i % 3), 0.6),
                                turn(0.01 * (i % 50), Vec3::UnitY())};
                const Manifold m = touch(*form, pose, terrain, 0.02);
                ASSERT_FALSE(m.empty());
                for (const ManifoldPoint& p : m) EXPECT_LT((p.normal + Vec3::UnitY()).norm(), 1e-9);
                if (form == &box) EXPECT_EQ(m.size(), 4u);
            }
}

TEST(Manifold, knows_ridges_valleys_and_the_back_of_a_mesh)
{
    // A roof along z with its ridge at x = 1.
    HeightField roof = flatField(3, 3, 1);
    for (int k = 0; k < 3; ++k) roof.heights[3 * k + 1] = 0.5;
    const Form slab(Box{Vec3(1, 0.1, 1)}), ball(Sphere{0.25});
    for (const Terrain& terrain : {Terrain(roof), Terrain(meshOf(roof))}) {
        Manifold m = touch(slab, at(1, 0.549, 1), terrain, 0.01);  // balanced on the ridge
        ASSERT_FALSE(m.empty());
        for (const ManifoldPoint& p : m) {
            EXPECT_NEAR(p.gap, -0.001, rounding);
            EXPECT_LT((p.normal + Vec3::UnitY()).norm(), rounding);
            EXPECT_NEAR(p.pointB.x(), 1, rounding);
        }
        m = touch(ball, at(1, 0.74, 1.1), terrain, 0.01);
        ASSERT_FALSE(m.empty());
        EXPECT_NEAR(deepest(m).gap, -0.01, rounding);
        EXPECT_LT((deepest(m).normal + Vec3::UnitY()).norm(), 1e-9);
        EXPECT_NEAR(deepest(m).roundA, 0.25, 0);
    }
    // A valley holds a ball from both sides.
    for (double& height : roof.heights) height = 0.5 - height;
    const double up = 0.25 * std::sqrt(1.25);
    for (const Terrain& terrain : {Terrain(roof), Terrain(meshOf(roof))}) {
        const Manifold m = touch(ball, at(1, up, 1.1), terrain, 0.01);
        ASSERT_EQ(m.size(), 2u);
        EXPECT_NEAR(m[0].gap, 0, 1e-9);
        EXPECT_NEAR(m[1].gap, 0, 1e-9);
        EXPECT_NEAR(std::abs(m[0].normal.x()), 1 / std::sqrt(5), 1e-9);
        EXPECT_NEAR(m[0].normal.x() + m[1].normal.x(), 0, 1e-9);
    }
    // From behind a mesh is not there; a field is solid however deep.
    EXPECT_TRUE(touch(ball, at(1.3, -0.3, 1.1), meshOf(flatField(3, 3, 1)), 0.1).empty());
    const Manifold deep = touch(ball, at(1.3, -5, 1.1), flatField(3, 3, 1), 0.1);
    ASSERT_FALSE(deep.empty());
    EXPECT_NEAR(deepest(deep).gap, -5.25, 1e-9);
}

TEST(Manifold, of_a_foot_over_the_edge_of_a_stair_only_pushes_up)
{
    // A step as a closed box of triangles, and a foot that reaches over its edge.
    const Form solid(cubeMesh(1));
    const auto& hull = std::get<ConvexMesh>(solid.shape);
    const Terrain step = TriangleMesh{hull.vertices, hull.faces};
    const Form foot(Box{Vec3(0.3, 0.05, 0.1)});
    for (int i = 0; i < 100; ++i) {
        const Pose pose{Vec3(0.36 + 0.0025 * i, 0.524, -0.3 + 0.006 * i),
                        turn(0.01 * (i % 20), Vec3::UnitY())};
        const Manifold m = touch(foot, pose, step, 0.01);
        ASSERT_FALSE(m.empty());
        for (const ManifoldPoint& p : m) {
            EXPECT_LT((p.normal + Vec3::UnitY()).norm(), 1e-6) << i;
            EXPECT_NEAR(p.gap, -0.001, 1e-6) << i;
        }
    }
}

TEST(Manifold, terrain_that_is_none_gets_an_error)
{
    EXPECT_FALSE(checkedTerrain(HeightField{1, 3, 1, {0, 0, 0}}));
    EXPECT_FALSE(checkedTerrain(HeightField{2, 2, 1, {0, 0, 0}}));
    EXPECT_FALSE(checkedTerrain(HeightField{2, 2, 0, {0, 0, 0, 0}}));
    EXPECT_FALSE(checkedTerrain(HeightField{2, 2, 1, {0, NAN, 0, 0}}));
    EXPECT_FALSE(checkedTerrain(HalfSpace{Vec3::Zero(), 0}));
    const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}};
    EXPECT_TRUE(checkedTerrain(TriangleMesh{corners, {{0, 2, 1}}}));
    EXPECT_FALSE(checkedTerrain(TriangleMesh{corners, {{0, 1, 3}}}));  // on one line
    EXPECT_FALSE(checkedTerrain(TriangleMesh{corners, {{0, 1, 4}}}));
    EXPECT_FALSE(checkedTerrain(TriangleMesh{corners, {}}));
    EXPECT_FALSE(checkedTerrain(TriangleMesh{{{0, NAN, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 2, 1}}}));
}

TEST(Manifold, far_from_the_origin_keeps_its_digits)
{
    const Form box(Box{Vec3(1, 1, 1)});
    const Vec3 away(1e6, -1e6, 1e6);
    const Manifold m =
        touch(box, {away, Quat::Identity()}, box, {away + Vec3(0, 1, 0), Quat::Identity()}, 0.01);
    ASSERT_EQ(m.size(), 4u);
    for (const ManifoldPoint& p : m) EXPECT_NEAR(p.gap, 0, rounding);
}

}  // namespace
}  // namespace sinew::manifold_test
