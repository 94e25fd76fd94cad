#include "sinew/geometry/polyhedron.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/polyhedron_agreement.h"
#include "support/shapes.h"

namespace sinew::polyhedron_test {
namespace {

Polyhedron made(const Mesh& mesh)
{
    return makePolyhedron(mesh.vertices, mesh.faces).value();
}

// A box of side 2 about the origin with a notch of square section from above: a U, extruded along z. All
// coordinates are small whole numbers, so that rays meet edges and vertices exactly.
//
//     y  3 ┌─┐ ┌─┐        x from 0 to 3, the notch from 1 to 2 and down to y = 1
//        1 │ └─┘ │
//        0 └─────┘
Polyhedron notched()
{
    const std::array<std::array<double, 2>, 8> outline{
        {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}};
    Mesh mesh;
    for (const double z : {0., 1.})
        for (const auto& [x, y] : outline) mesh.vertices.emplace_back(x, y, z);
    for (int i = 0; i < 8; ++i) {
        const int j = (i + 1) % 8;
        mesh.faces.push_back({i, j, j + 8});
        mesh.faces.push_back({i, j + 8, i + 8});
    }
    const std::vector<Face> lid{{0, 1, 4}, {0, 4, 5}, {1, 2, 4}, {2, 3, 4}, {0, 5, 7}, {5, 6, 7}};
    for (const Face& f : lid) {
        mesh.faces.push_back({f[0] + 8, f[1] + 8, f[2] + 8});
        mesh.faces.push_back({f[0], f[2], f[1]});
    }
    return made(mesh);
}

TEST(Polyhedron, tells_dented_meshes_from_convex_ones)
{
    EXPECT_TRUE(made(boxMesh(Vec3(1, 1, 1))).isConvex);
    EXPECT_EQ(made(boxMesh(Vec3(1, 1, 1))).edges.size(), 18u);
    EXPECT_FALSE(notched().isConvex);
}

TEST(Polyhedron, that_is_open_is_refused)
{
    Mesh mesh = boxMesh(Vec3(1, 1, 1));
    mesh.faces.pop_back();
    const Result<Polyhedron> result = makePolyhedron(mesh.vertices, mesh.faces);
    ASSERT_FALSE(result);
    expectSays(result.error().text(), {"/faces/", "not closed"});
}

TEST(Polyhedron, rays_through_edges_and_vertices_are_counted_once)
{
    const Polyhedron u = notched();
    // Rays along x at heights of vertices (0, 1, 3), of edges along x (y = 1) and of the diagonals of
    // faces, from points whose place is plain: a lattice of quarters.
    int inside = 0, outside = 0;
    for (double x = -1; x <= 4; x += 0.25)
        for (double y = -1; y <= 4; y += 0.25)
            for (double z = -0.5; z <= 1.5; z += 0.25) {
                const bool isOnSurface = (x == 0 || x == 3 || y == 0 || y == 3 || z == 0 || z == 1 ||
                                          (x >= 1 && x <= 2 && y == 1) || ((x == 1 || x == 2) && y >= 1)) &&
                                         x >= 0 && x <= 3 && y >= 0 && y <= 3 && z >= 0 && z <= 1;
                if (isOnSurface) continue;
                const bool isInNotch = x > 1 && x < 2 && y > 1;
                const bool wanted = x > 0 && x < 3 && y > 0 && y < 3 && z > 0 && z < 1 && !isInNotch;
                EXPECT_EQ(isInside(u, Vec3(x, y, z)), wanted) << x << " " << y << " " << z;
                ++(wanted ? inside : outside);
            }
    EXPECT_GT(inside, 200);
    EXPECT_GT(outside, 1000);
}

TEST(Polyhedron, ray_parity_and_inner_sides_agree_on_convex_ones)
{
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        const ConvexMesh hull = randomHull(random, 30);
        Polyhedron convex = makePolyhedron(hull.vertices, hull.faces).value(), other = convex;
        ASSERT_TRUE(convex.isConvex);
        other.isConvex = false;
        for (int k = 0; k < 50; ++k) {
            // At the height of a vertex, which the ray then passes exactly, or anywhere.
            Vec3 p = random.uniform(0, 1.2) * randomDirection(random);
            if (k % 2)
                p.tail<2>() = hull.vertices[random.below(static_cast<int>(hull.vertices.size()))].tail<2>();
            if (k % 2 && std::abs(p.x()) < 1) continue;  // on the surface, perhaps
            EXPECT_EQ(isInside(convex, p), isInside(other, p));
        }
    }
}

TEST(Polyhedron, tests_run_from_the_cheap_to_the_dear)
{
    PolyhedronWork work;
    const Polyhedron cube = made(boxMesh(Vec3(1, 1, 1))), bar = made(boxMesh(Vec3(4, 0.2, 0.2)));
    const auto verdict = [&](const Polyhedron& a, const Polyhedron& b, const Vec3& offset) {
        return polyhedraMeet(a, {}, b, {offset, Quat::Identity()}, work);
    };
    EXPECT_FALSE(verdict(cube, cube, Vec3(1.1, 0, 0)).meet);
    EXPECT_EQ(verdict(cube, cube, Vec3(1.1, 0, 0)).decidedBy, PolyhedronTest::boundingVolumes);
    EXPECT_TRUE(verdict(cube, cube, Vec3(0.9, 0.1, 0)).meet);
    EXPECT_EQ(verdict(cube, cube, Vec3(0.9, 0.1, 0)).decidedBy, PolyhedronTest::vertexInside);
    EXPECT_TRUE(verdict(cube, cube, Vec3(0, 0, 0)).meet);      // one in the other's place
    EXPECT_TRUE(verdict(cube, bar, Vec3(0.1, 0.05, 0)).meet);  // right through: no vertex is inside
    EXPECT_EQ(verdict(cube, bar, Vec3(0.1, 0.05, 0)).decidedBy, PolyhedronTest::edgeThroughFace);
    // In the notch, within the bounding box and the hull.
    const Polyhedron small = made(boxMesh(Vec3(0.5, 0.5, 0.5))), u = notched();
    EXPECT_FALSE(verdict(u, small, Vec3(1.5, 2, 0.5)).meet);
    EXPECT_TRUE(verdict(u, small, Vec3(1.2, 2, 0.5)).meet);
    EXPECT_TRUE(verdict(u, small, Vec3(0.5, 2, 0.5)).meet);  // inside as a whole
    EXPECT_TRUE(verdict(u, u, Vec3(0, 0, 0)).meet);
    EXPECT_FALSE(verdict(u, bar, Vec3(1.5, 3.2, 0.5)).meet);
    EXPECT_TRUE(verdict(u, bar, Vec3(1.5, 2, 0.5)).meet);
}

TEST(Polyhedron, tests_and_distance_agree_on_1000_pairs)
{
    expectAgreement(1000, 30, 7);
}

double volumeOf(const Polyhedron& p)
{
    double volume = 0;
    for (const Face& f : p.faces)
        volume += p.vertices[f[0]].dot(p.vertices[f[1]].cross(p.vertices[f[2]])) / 6;
    return volume;
}

TEST(SweptVolume, of_a_box_along_an_edge_is_a_longer_box)
{
    const Polyhedron swept = sweptVolume(made(boxMesh(Vec3(1, 2, 3))), Vec3(4, 0, 0));
    EXPECT_FALSE(makePolyhedron(swept.vertices, swept.faces).value().faces.empty());
    EXPECT_NEAR(volumeOf(swept), 5 * 2 * 3, 1e-12);
    EXPECT_TRUE(isInside(swept, Vec3(4.4, 0.9, 1.4)));
    EXPECT_FALSE(isInside(swept, Vec3(4.6, 0, 0)));
}

TEST(SweptVolume, is_a_closed_convex_mesh_that_a_point_is_in_just_if_it_is_passed)
{
    Random random(2);
    for (int i = 0; i < 50; ++i) {
        const ConvexMesh hull = randomHull(random, 20);
        const Polyhedron p = makePolyhedron(hull.vertices, hull.faces).value();
        const Vec3 travel = random.uniform(0.1, 2) * randomDirection(random);
        const Polyhedron swept = sweptVolume(p, travel);
        EXPECT_TRUE(makePolyhedron(swept.vertices, swept.faces).value().isConvex);
        for (int k = 0; k < 50; ++k) {
            const Vec3 x = 0.5 * travel + random.uniform(0, 2) * randomDirection(random);
            bool isPassed = false;
            constexpr int moments = 400;
            for (int m = 0; m <= moments && !isPassed; ++m)
                isPassed = isInside(p, x - m / double(moments) * travel);
            if (isPassed) EXPECT_TRUE(isInside(swept, x));
            // What is missed at all moments by more than the way between them is outside.
            if (isInside(swept, x) && !isPassed) {
                const Polyhedron thin = sweptVolume(p, travel / moments);
                bool isNear = false;
                for (int m = 0; m < moments && !isNear; ++m)
                    isNear = isInside(thin, x - m / double(moments) * travel);
                EXPECT_TRUE(isNear);
            }
        }
    }
}

}  // namespace
}  // namespace sinew::polyhedron_test
