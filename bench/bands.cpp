// What the slow band of Armstrong & Green saves, and what it costs in exactness: the tables of
// docs/bands.md.
//
//     bench_bands [--repetitions N]
//
// Times are of the processor, as ratios of runs made in turn, so that whatever else the machine does meets
// all of them alike; the median of the repetitions is printed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string_view>

#include "sinew/dynamics/armstrong_green.h"
#include "sinew/figure/chain.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"

namespace sinew::bench {
namespace {

constexpr int longestSlowBand = 10;

struct Case {
    const char* name;
    Description scene;
    double step, duration;
    ForceFunction forces;
};

// ---- the scenes ---------------------------------------------------------------------------------

BodyDescription link(const std::string& name, const Vec3& center, double mass, double length, double radius)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = center;
    body.mass = mass;
    ShapeDescription capsule;
    capsule.shape = Capsule{radius, length};
    body.shapes = {capsule};
    return body;
}

JointDescription ball(const std::string& first, const std::string& second, const Vec3& place,
                      double stiffness, double damping)
{
    JointDescription joint;
    joint.name = first + "_" + second;
    joint.type = JointType::spherical;
    joint.first = first;
    joint.second = second;
    joint.position = place;
    joint.stiffness = stiffness;
    joint.damping = damping;
    return joint;
}

// The paper's finger: a heavy link without length that a spring holds in its place, three alike that are
// seen, and one without length to push on. It hangs along −y and is bent by the spikes.
Description finger()
{
    constexpr double length = 0.1, mass = 0.1, radius = 0.02;
    constexpr double stiffness = 0.1, damping = 0.003;
    Description d;
    d.inertiaFloor = 0.5;  // as the paper advises: 0.01 s is too long for links that twist freely
    BodyDescription hand = link("hand", Vec3::Zero(), 100 * mass, length, radius);
    hand.shapes.clear();
    hand.inertia = 100 * mass * length * length / 12 * Mat3::Identity();
    d.bodies = {hand};
    for (int i = 0; i < 3; ++i) {
        d.bodies.push_back(
            link("link" + std::to_string(i + 1), Vec3(0, -(i + 0.5) * length, 0), mass, length, radius));
        d.joints.push_back(
            ball(d.bodies[i].name, d.bodies[i + 1].name, Vec3(0, -i * length, 0), stiffness, damping));
    }
    BodyDescription tip = link("tip", Vec3(0, -3 * length, 0), mass / 10, length, radius);
    tip.shapes.clear();
    tip.inertia = 2e-5 * Mat3::Identity();
    d.bodies.push_back(tip);
    d.joints.push_back(ball("link3", "tip", Vec3(0, -3 * length, 0), stiffness / 10, damping / 10));
    TargetDescription hold;
    hold.body = "hand";
    hold.stiffness = 2000;
    hold.damping = 100;
    hold.turnStiffness = 2;
    hold.turnDamping = 0.1;
    hold.path.emplace_back();
    d.targets = {hold};
    return d;
}

// "A spike lasting 0.11 seconds is applied to the finger tip every 2 seconds", after two to settle.
void tappingForces(const Model& model, const State& state, Forces& forces)
{
    sceneForces(model, state, forces);
    const double sinceSpike = state.time - 2 * std::floor((state.time + 1e-9) / 2);
    if (state.time > 2 - 1e-9 && sinceSpike < 0.11 - 1e-9)
        forces.body[model.size() - 1] += {Vec3(1, 0, 0.3), Vec3::Zero()};
}

Description chain()
{
    ChainOptions options;
    options.links = 50;
    options.stiffness = 1;
    options.damping = 0.02;
    options.horizontal = true;
    return makeChain(options);
}

// Each body but the last ones carries two.
Description tree()
{
    constexpr double length = 0.2;
    Description d;
    std::vector<Vec3> ends;
    for (int i = 0; i < 20; ++i) {
        const int parent = (i - 1) / 2;
        const Vec3 start = i == 0 ? Vec3::Zero() : ends[parent];
        const Vec3 way = Vec3(i % 2 ? 1 : -1, -1.5, 0.3 * (i % 3 - 1)).normalized();
        BodyDescription body =
            link("body" + std::to_string(i), start + 0.5 * length * way, 0.5, length, 0.03);
        body.pose.orientation = rotationBetween(Vec3(0, -1, 0), way);
        d.bodies.push_back(body);
        d.joints.push_back(ball(i == 0 ? "world" : d.bodies[parent].name, body.name, start, 2, 0.02));
        d.joints.back().velocity = {0, 0, i % 2 ? 1. : -1.};
        ends.push_back(start + length * way);
    }
    return d;
}

// ---- measuring ----------------------------------------------------------------------------------

Simulation created(const Case& c, const Settings& settings)
{
    Result<Simulation> made = Simulation::create(c.scene, settings);
    if (!made) {
        std::fprintf(stderr, "%s: %s\n", c.name, made.error().text().c_str());
        std::exit(1);
    }
    made.value().forces = c.forces;
    return std::move(made.value());
}

Simulation withBands(const Case& c, int slowBand, bool spread)
{
    Settings settings{"", "bands", c.step};
    settings.slowBand = slowBand;
    settings.spread = spread;
    return created(c, settings);
}

int stepsOf(const Case& c)
{
    return static_cast<int>(std::lround(c.duration / c.step));
}

// Seconds for the whole run; infinite if it diverged.
double secondsFor(const Case& c, Simulation s)
{
    const std::clock_t start = std::clock();
    for (int i = 0; i < stepsOf(c); ++i) {
        if (!s.step().ok) return INFINITY;
        s.state.time = (i + 1) * s.h;
    }
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

// Places of all centres of mass, step by step. `parts` steps make one of the case's.
std::vector<Vec3> motion(const Case& c, Simulation s, int parts = 1)
{
    std::vector<Vec3> places;
    for (int i = 0; i < stepsOf(c); ++i) {
        for (int k = 1; k <= parts; ++k) {
            if (!s.step().ok) return {};
            s.state.time = (i * parts + k) * s.h;
        }
        for (const BodyState& body : s.state.bodies) places.push_back(body.position);
    }
    return places;
}

struct Error {
    double mean = INFINITY, most = INFINITY;  // m
};
Error errorOf(const std::vector<Vec3>& places, const std::vector<Vec3>& exact)
{
    if (places.size() != exact.size()) return {};
    Error e{0, 0};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double off = (places[i] - exact[i]).norm();
        e.mean += off * off / static_cast<double>(places.size());
        e.most = std::max(e.most, off);
    }
    e.mean = std::sqrt(e.mean);
    return e;
}

std::vector<Vec3> exactMotion(const Case& c)
{
    constexpr int finer = 20;
    return motion(c, created(c, {"armstrong_green", "rk4", c.step / finer}), finer);
}

void printRow(const std::string& name, double time, const Error& e)
{
    if (std::isfinite(e.most))
        std::printf("| %s | %.2f | %.3g | %.3g |\n", name.c_str(), time, e.mean * 1e3, e.most * 1e3);
    else
        std::printf("| %s | diverges | | |\n", name.c_str());
}

// The other way to save time.
void printLongerSteps(const Case& c)
{
    for (double factor : {1.2, 4. / 3}) {
        Case longer = c;
        longer.step *= factor;
        const Error e = errorOf(motion(longer, withBands(longer, 1, false)), exactMotion(longer));
        printRow(factor < 1.3 ? "bands 1, steps 6/5 as long" : "bands 1, steps 4/3 as long", 1 / factor, e);
    }
}

void printErrorsAndTimes(const Case& c, int repetitions)
{
    const std::vector<Vec3> exact = exactMotion(c);
    struct Row {
        std::string name;
        Simulation simulation;
        std::vector<double> ratios = {};
    };
    std::vector<Row> rows;
    rows.push_back({"semi_implicit_euler", created(c, {"armstrong_green", "semi_implicit_euler", c.step})});
    for (int slowBand = 1; slowBand <= longestSlowBand; ++slowBand)
        for (bool spread : {false, true})
            if (slowBand > 1 || !spread)
                rows.push_back({"bands " + std::to_string(slowBand) + (spread ? " spread" : ""),
                                withBands(c, slowBand, spread)});
    std::vector<double> microseconds;  // of ν = 1
    for (int k = 0; k < repetitions; ++k) {
        // ν = 1 before and after each: a machine that slows down meanwhile does not favour the early ones.
        double last = secondsFor(c, rows[1].simulation);
        for (Row& row : rows) {
            const double own = secondsFor(c, row.simulation);
            const double next = secondsFor(c, rows[1].simulation);
            row.ratios.push_back(own / (0.5 * (last + next)));
            microseconds.push_back(next / stepsOf(c) * 1e6);
            last = next;
        }
    }
    std::printf("\n### %s: %zu bodies, %g s in steps of %g s; ν = 1 takes %.2f µs a step\n\n", c.name,
                c.scene.bodies.size(), c.duration, c.step, median(microseconds));
    std::printf("| step | time against ν = 1 | RMS error, mm | largest error, mm |\n|---|---|---|---|\n");
    for (const Row& row : rows)
        printRow(row.name, median(row.ratios), errorOf(motion(c, row.simulation), exact));
    printLongerSteps(c);
}

// Where the time of a step of ν = 1 goes: each part alone, in turn with the whole.
void printShares(const Case& c, int repetitions)
{
    Simulation s = withBands(c, 1, false);
    for (int i = 0; i < 10; ++i) (void)s.step();
    State copy;
    const std::pair<const char*, std::function<void()>> parts[] = {
        {"the whole step", [&] { (void)s.step(); }},
        {"torques and outer forces", [&] { s.forces(s.model(), s.state, s.work->forces); }},
        {"slow band",
         [&] { armstrongGreenSlowBand(s.model(), s.state, s.state.slow, s.work->work.slowSons); }},
        {"fast band",
         [&] {
             armstrongGreenFastBand(s.model(), s.state, s.work->forces, s.state.slow, s.work->work.fast);
         }},
        {"copy of the last good state", [&] { copy = s.state; }},
    };
    std::vector<double> times[std::size(parts)];
    const int calls = 100000 / s.model().size();
    for (int k = 0; k < repetitions; ++k)
        for (std::size_t p = 0; p < std::size(parts); ++p) {
            const State before = s.state;
            const std::clock_t start = std::clock();
            for (int i = 0; i < calls; ++i) parts[p].second();
            const double nanoseconds = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
            times[p].push_back(nanoseconds / calls / s.model().size());
            s.state = before;
        }
    std::printf("\n| %s: part | ns a link | share |\n|---|---|---|\n", c.name);
    const double whole = median(times[0]);
    double rest = whole;
    for (std::size_t p = 0; p < std::size(parts); ++p) {
        const double time = median(times[p]);
        if (p > 0) rest -= time;
        std::printf("| %s | %.0f | %.0f %% |\n", parts[p].first, time, 100 * time / whole);
    }
    std::printf("| (32)–(38), and what the outside sees | %.0f | %.0f %% |\n", rest, 100 * rest / whole);
}

// ---- the inflated inertia -----------------------------------------------------------------------

// Thin links, each kept in line with the one before by an elastic torque, swing and twist alike.
Case thinChain(double floor)
{
    ChainOptions options;
    options.links = 5;
    options.length = 0.2;
    options.radius = 0.005;
    options.stiffness = 2;
    options.damping = 1e-5;
    options.horizontal = true;
    Case c{"thin chain", makeChain(options), 1e-4, 2, sceneForces};
    c.scene.inertiaFloor = floor;
    for (JointDescription& joint : c.scene.joints) joint.velocity = {0.1, 0.2, 0.1};
    return c;
}

bool isStable(Case c, double step)
{
    c.step = step;
    Simulation s = withBands(c, 1, false);
    const double start = energy(s.model(), s.state).total();
    for (int i = 0; i < stepsOf(c); ++i)
        if (!s.step().ok) return false;
    // The chain cannot fall below 2.5 J; what has blown up is far above any of this.
    return std::abs(energy(s.model(), s.state).total() - start) < 1;
}

void printFloors()
{
    std::printf(
        "\n| inertia_floor | highest stable step, ms | largest change of the motion, mm "
        "|\n|---|---|---|\n");
    const Case plain = thinChain(0);
    constexpr int finer = 4;
    const std::vector<Vec3> exact =
        motion(plain, created(plain, {"armstrong_green", "rk4", plain.step / finer}), finer);
    for (double floor : {0., 0.003, 0.01, 0.03, 0.1, 0.3, 1.}) {
        const Case c = thinChain(floor);
        double stable = 1e-5, unstable = 0.1;
        while (unstable / stable > 1.01) {
            const double middle = std::sqrt(stable * unstable);
            (isStable(c, middle) ? stable : unstable) = middle;
        }
        const std::vector<Vec3> changed =
            motion(c, created(c, {"armstrong_green", "rk4", c.step / finer}), finer);
        std::printf("| %g | %.3g | %.3g |\n", floor, stable * 1e3, errorOf(changed, exact).most * 1e3);
    }
}

int main(int argc, char** argv)
{
    int repetitions = 9;
    if (argc == 3 && std::string_view(argv[1]) == "--repetitions") repetitions = std::atoi(argv[2]);
    if (repetitions < 1 || (argc != 1 && argc != 3)) {
        std::fprintf(stderr, "usage: bench_bands [--repetitions N]\n");
        return 2;
    }
    const Case cases[] = {{"finger", finger(), 0.01, 8, tappingForces},
                          {"chain", chain(), 1e-3, 2, sceneForces},
                          {"tree", tree(), 2e-3, 4, sceneForces}};
    for (const Case& c : cases) printErrorsAndTimes(c, repetitions);
    for (const Case& c : cases) printShares(c, 5 * repetitions);
    printFloors();
    return 0;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    return sinew::bench::main(argc, argv);
}
