// What distance queries cost: the table of docs/collision_queries.md.
//
//     bench_queries
//
// Times are of the processor. Every pair is asked in a thousand random poses, apart and in each other; the
// least of the repetitions is printed, because whatever else the machine does only adds to it.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/geometry/distance.h"
#include "sinew/geometry/polyhedron.h"

namespace sinew::bench {
namespace {

constexpr int poses = 1000, repetitions = 5;

Vec3 direction(Random& random)
{
    return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

ConvexMesh ball(int vertices)
{
    Random random(1);
    ConvexMesh mesh;
    for (int i = 0; i < vertices; ++i) mesh.vertices.push_back(0.5 * direction(random));
    return std::get<ConvexMesh>(checkedShape(mesh).value());
}

// Poses at which the second shape is apart from the first, or in it.
std::vector<Pose> posesOf(const Shape& a, const Shape& b, bool isApart)
{
    Random random(2);
    DistanceWork work;
    std::vector<Pose> result;
    while (result.size() < poses) {
        Pose pose;
        pose.position = random.uniform(0.2, 1.8) * direction(random);
        pose.orientation =
            Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
        if ((distance(a, {}, b, pose, work).distance > 0) == isApart) result.push_back(pose);
    }
    return result;
}

// Microseconds per pose.
template <class Query>
double timeOf(const std::vector<Pose>& places, Query query)
{
    double least = 1e300;
    for (int i = 0; i < repetitions; ++i) {
        const std::clock_t start = std::clock();
        for (const Pose& pose : places) query(pose);
        least = std::min(least, static_cast<double>(std::clock() - start));
    }
    return least / CLOCKS_PER_SEC * 1e6 / poses;
}

void compare(const char* name, const Shape& a, const Shape& b)
{
    DistanceWork work;
    double gap = 0;
    const auto ask = [&](const Pose& pose) { gap = std::max(gap, distance(a, {}, b, pose, work).gap); };
    const double apart = timeOf(posesOf(a, b, true), ask);
    const double inside = timeOf(posesOf(a, b, false), ask);
    std::printf("| %s | %.2f | %.2f | %.0e |\n", name, apart, inside, gap);
}

void comparePolyhedra(const char* name, const ConvexMesh& mesh)
{
    PolyhedronWork work;
    const Polyhedron p = makePolyhedron(mesh.vertices, mesh.faces).value();
    int meetings = 0;
    const auto ask = [&](const Pose& pose) { meetings += polyhedraMeet(p, {}, p, pose, work).meet; };
    const double apart = timeOf(posesOf(mesh, mesh, true), ask);
    const double inside = timeOf(posesOf(mesh, mesh, false), ask);
    std::printf("| %s | %.2f | %.2f | |\n", name, apart, inside);
}

}  // namespace
}  // namespace sinew::bench

int main()
{
    using namespace sinew;
    const ConvexMesh small = bench::ball(12), large = bench::ball(50);
    std::printf("| pair | apart, µs | in each other, µs | widest gap, m |\n|---|---|---|---|\n");
    bench::compare("sphere, sphere", Sphere{0.5}, Sphere{0.5});
    bench::compare("capsule, capsule", Capsule{0.2, 0.6}, Capsule{0.2, 0.6});
    bench::compare("sphere, box", Sphere{0.5}, Box{Vec3(1, 0.8, 0.6)});
    bench::compare("box, box", Box{Vec3(1, 0.8, 0.6)}, Box{Vec3(1, 0.8, 0.6)});
    bench::compare("mesh of 12 vertices, the same", small, small);
    bench::compare("mesh of 50 vertices, the same", large, large);
    bench::compare("cylinder, box", Cylinder{0.4, 0.8}, Box{Vec3(1, 0.8, 0.6)});
    bench::compare("cylinder, cylinder", Cylinder{0.4, 0.8}, Cylinder{0.4, 0.8});
    bench::compare("ellipsoid, ellipsoid", Ellipsoid{Vec3(0.3, 0.5, 0.7)}, Ellipsoid{Vec3(0.3, 0.5, 0.7)});
    bench::comparePolyhedra("polyhedron tests, 12 vertices", small);
    bench::comparePolyhedra("polyhedron tests, 50 vertices", large);
}
