// What each bounding volume fits, costs and rejects, and the broad phase beside its rivals: the tables of
// docs/collision.md.
//
//     bench_volumes
//
// Times are of the processor and the least of several batches, so that other work on the machine counts
// little.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

#include "sinew/base/random.h"
#include "sinew/collision/box_tree.h"
#include "sinew/math/rotation.h"

namespace sinew::bench {
namespace {

using Points = std::vector<Vec3>;

constexpr int batches = 7;

double seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Microseconds for one of `count` calls.
double microseconds(int count, const std::function<void()>& work)
{
    double best = 1e300;
    for (int batch = 0; batch < batches; ++batch) {
        const double start = seconds();
        work();
        best = std::min(best, 1e6 * (seconds() - start) / count);
    }
    return best;
}

// ---- the clouds ---------------------------------------------------------------------------------

Vec3 inCube(Random& random)
{
    return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

Vec3 onSphere(Random& random)
{
    Vec3 p = inCube(random);
    while (p.norm() > 1 || p.norm() < 0.1) p = inCube(random);
    return p.normalized();
}

struct Cloud {
    const char* name;
    Points points;
};

std::vector<Cloud> clouds()
{
    constexpr int count = 200;
    Random random(7);
    std::vector<Cloud> all = {{"box, 3 : 2 : 1, turned", {}},
                              {"long and thin, 20 : 1 : 1, turned", {}},
                              {"ball", {}},
                              {"L of two bars", {}},
                              {"random, normal distribution", {}}};
    const Quat turn = expRotation({0.5, -0.8, 0.3});
    for (int i = 0; i < count; ++i) {
        Vec3 p = inCube(random);  // on the surface of a box
        p[i % 3] = p[i % 3] < 0 ? -1 : 1;
        all[0].points.push_back(turn * p.cwiseProduct(Vec3(3, 2, 1)));
        all[1].points.push_back(turn * p.cwiseProduct(Vec3(20, 1, 1)));
        all[2].points.push_back(onSphere(random));
        all[3].points.push_back(i % 2 ? Vec3(p.cwiseProduct(Vec3(4, 1, 1)) + Vec3(3, 0, 0))
                                      : Vec3(p.cwiseProduct(Vec3(1, 4, 1)) + Vec3(0, 3, 0)));
        all[4].points.emplace_back(random.normal(), random.normal(), random.normal());
    }
    return all;
}

// ---- one row per volume -------------------------------------------------------------------------

// Pairs of poses of one cloud, and which of them are apart.
struct Encounters {
    std::vector<Pose> first, second;
    std::vector<char> apart;
    int apartCount = 0;
};

Encounters encounters(const BoundingHull& hull, const BoundingSphere& sphere)
{
    constexpr int count = 4000;
    Random random(8);
    Encounters e;
    const auto pose = [&](const Vec3& middle) {
        const Quat turn = expRotation(pi * random.unit() * onSphere(random));
        return Pose{middle - turn * sphere.center, turn};  // the sphere's centre comes to the given place
    };
    for (int i = 0; i < count; ++i) {
        e.first.push_back(pose(Vec3::Zero()));
        e.second.push_back(pose(2 * sphere.radius * inCube(random)));
        e.apart.push_back(!overlaps(hull, e.first[i], hull, e.second[i]));
        e.apartCount += e.apart[i];
    }
    return e;
}

// `place(i, second, pose)` brings the volume of an encounter into its pose; `test(i)` asks whether they
// overlap.
void row(const char* name, double fit, double build, const Encounters& e,
         const std::function<void(int, bool, const Pose&)>& place, const std::function<bool(int)>& test)
{
    const int count = static_cast<int>(e.apart.size());
    const double placing = place ? microseconds(2 * count,
                                                [&] {
                                                    for (int i = 0; i < count; ++i) {
                                                        place(i, false, e.first[i]);
                                                        place(i, true, e.second[i]);
                                                    }
                                                })
                                 : 0;
    std::vector<char> kept(e.apart.size());
    const double testing = microseconds(count, [&] {
        for (int i = 0; i < count; ++i) kept[i] = test(i);
    });
    int rejected = 0, lost = 0;
    for (int i = 0; i < count; ++i) {
        rejected += e.apart[i] && !kept[i];
        lost += !e.apart[i] && !kept[i];
    }
    if (lost > 0) std::printf("error: %d overlapping pairs were rejected\n", lost);
    std::printf("| %s | %.2f | %.1f | %.3f | %.3f | %.1f %% |\n", name, fit, build, placing, testing,
                100. * rejected / e.apartCount);
}

// Volumes that are moved or fitted into a list, and compared there.
template <class Volume, class Build, class Place>
void volumeRow(const char* name, const Encounters& e, double hullVolume, Build build, Place place)
{
    const Volume volumeAtRest = build();
    const double building = microseconds(1, [&] { build(); });
    std::vector<Volume> first(e.apart.size(), volumeAtRest), second = first;
    row(
        name, volume(volumeAtRest) / hullVolume, building, e,
        [&](int i, bool isSecond, const Pose& pose) {
            place(volumeAtRest, pose, isSecond ? second[i] : first[i]);
        },
        [&](int i) { return overlaps(first[i], second[i]); });
}

void table(const Cloud& cloud)
{
    const BoundingHull hull = boundingHull(cloud.points).value();
    const double hullVolume = volume(hull);
    const Encounters e = encounters(hull, smallestSphere(cloud.points).value());
    std::printf("\n**%s**: hull of %zu corners; %d of %zu pairs are apart.\n\n", cloud.name,
                hull.corners.size(), e.apartCount, e.apart.size());
    std::printf(
        "| volume | ÷ hull's | build, µs | place, µs | test, µs | rejects |\n|---|---|---|---|---|---|\n");
    const auto movedInto = [](const auto& volume, const Pose& pose, auto& out) {
        out = moved(pose, volume);
    };
    volumeRow<BoundingSphere>(
        "sphere, quick", e, hullVolume, [&] { return quickSphere(cloud.points).value(); }, movedInto);
    volumeRow<BoundingSphere>(
        "sphere, smallest", e, hullVolume, [&] { return smallestSphere(cloud.points).value(); }, movedInto);
    volumeRow<BoundingBox>(
        "box along the axes", e, hullVolume, [&] { return boundingBox(cloud.points).value(); },
        [&](const BoundingBox&, const Pose& pose, BoundingBox& out) {
            out = boundingBox(hull.corners, pose).value();
        });
    volumeRow<OrientedBox>(
        "oriented box", e, hullVolume, [&] { return orientedBox(cloud.points).value(); }, movedInto);
    for (const int planes : {14, 18, 26})
        volumeRow<BoundingSlabs>(
            (std::to_string(planes) + " planes").c_str(), e, hullVolume,
            [&] { return boundingSlabs(cloud.points, slabDirections(planes)).value(); },
            [&](const BoundingSlabs&, const Pose& pose, BoundingSlabs& out) {
                fitSlabs(hull.corners, pose, out);
            });
    const double building = microseconds(1, [&] { (void)boundingHull(cloud.points); });
    row("hull", 1, building, e, {}, [&](int i) { return overlaps(hull, e.first[i], hull, e.second[i]); });
}

// ---- the broad phase ----------------------------------------------------------------------------

using Pairs = std::vector<std::pair<int, int>>;

// The tree's rival: ends sorted along one axis, kept from step to step, so that sorting by insertion is
// cheap.
class Sweep {
public:
    explicit Sweep(int count)
    {
        for (int i = 0; i < count; ++i) order_.push_back(i);
    }
    void pairs(const std::vector<BoundingBox>& boxes, Pairs& found)
    {
        found.clear();
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const int moving = order_[i];
            std::size_t k = i;
            for (; k > 0 && boxes[order_[k - 1]].low.x() > boxes[moving].low.x(); --k)
                order_[k] = order_[k - 1];
            order_[k] = moving;
        }
        for (std::size_t i = 0; i < order_.size(); ++i)
            for (std::size_t k = i + 1; k < order_.size(); ++k) {
                if (boxes[order_[k]].low.x() > boxes[order_[i]].high.x()) break;
                if (overlaps(boxes[order_[i]], boxes[order_[k]]))
                    found.push_back(std::minmax(order_[i], order_[k]));
            }
        std::sort(found.begin(), found.end());
    }

private:
    std::vector<int> order_;
};

void bruteForce(const std::vector<BoundingBox>& boxes, Pairs& found)
{
    found.clear();
    const int count = static_cast<int>(boxes.size());
    for (int i = 0; i < count; ++i)
        for (int k = i + 1; k < count; ++k)
            if (overlaps(boxes[i], boxes[k])) found.emplace_back(i, k);
}

// Unit boxes with about six neighbours each, in a cube or in a row along x; all of them drift.
void broadPhaseRow(const char* name, int count, bool isRow)
{
    Random random(9);
    const double side = isRow ? count / 3. : std::cbrt(count * 8 / 6.);
    std::vector<BoundingBox> boxes;
    BoxTree tree(0.05);
    for (int i = 0; i < count; ++i) {
        const Vec3 low = isRow ? Vec3(side * random.unit(), 0, 0)
                               : Vec3(side * random.unit(), side * random.unit(), side * random.unit());
        boxes.push_back({low, low + Vec3::Ones()});
        tree.insert(boxes.back());
    }
    Sweep sweep(count);
    Pairs byTree, bySweep, byBruteForce;
    sweep.pairs(boxes, bySweep);  // sorts once for all
    double treeTime = 1e300, sweepTime = 1e300;
    for (int step = 0; step < 10; ++step) {
        for (int i = 0; i < count; ++i) {
            const Vec3 by(0.02 * (i % 3 - 1), 0.01 * (i % 5 - 2), 0);
            boxes[i] = {boxes[i].low + by, boxes[i].high + by};
        }
        const double start = seconds();
        for (int i = 0; i < count; ++i) tree.move(i, boxes[i]);
        tree.pairs(byTree);
        const double between = seconds();
        sweep.pairs(boxes, bySweep);
        const double end = seconds();
        treeTime = std::min(treeTime, 1e3 * (between - start));
        sweepTime = std::min(sweepTime, 1e3 * (end - between));
    }
    const double start = seconds();
    bruteForce(boxes, byBruteForce);
    const double bruteTime = 1e3 * (seconds() - start);
    if (byTree != byBruteForce || bySweep != byBruteForce) std::printf("error: the pairs differ\n");
    std::printf("| %s | %d | %zu | %.2f | %.2f | %.2f |\n", name, count, byTree.size(), treeTime, sweepTime,
                bruteTime);
}

}  // namespace
}  // namespace sinew::bench

int main()
{
    using namespace sinew::bench;
    for (const Cloud& cloud : clouds()) table(cloud);
    std::printf(
        "\n| boxes | count | pairs | tree, ms | sweep, ms | each with each, ms "
        "|\n|---|---|---|---|---|---|\n");
    for (const int count : {100, 1000, 10000}) broadPhaseRow("in a cube", count, false);
    for (const int count : {100, 1000, 10000}) broadPhaseRow("in a row", count, true);
}
