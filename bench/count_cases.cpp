// Ten fixed cases whose instructions `make bench-check` counts: times on a shared machine lie, counts do
// not.
//
//     bench_count_cases CASE      runs it once, prints steps, Newton iterations and halvings
//     bench_count_cases --list    the names
//
// Callgrind counts within sinewCountedRun() alone (--toggle-collect), so that reading a scene and starting
// the program do not blur the steps. Spans are short: a motion that has become chaotic would count the
// rounding of the last change, not its cost.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "sinew/figure/chain.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"

using namespace sinew;

struct CountedRun {
    long steps = 0, iterations = 0, halvings = 0;
    bool ok = true;
};

// A C name, so that callgrind can be told of it.
extern "C" __attribute__((noinline)) void sinewCountedRun(Simulation& simulation, int steps,
                                                          CountedRun& run)
{
    for (int i = 0; i < steps && run.ok; ++i) {
        const StepReport report = simulation.step();
        run.ok = report.ok;
        run.iterations += report.statistics.newtonIterations;
        run.halvings += report.statistics.halvings;
        ++run.steps;
    }
}

namespace {

struct Case {
    const char* name;
    std::function<Description()> make;
    const char* integrator;  // empty: as the scene has it
    double step;             // s; 0: as the scene has it
    int steps;
};

Description scene(const char* name)
{
    Result<Description> read = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    if (!read) {
        std::fprintf(stderr, "%s\n", read.error().text().c_str());
        std::exit(1);
    }
    return read.value();
}

// Links that hang while gravity pulls ten degrees aside, so that all of them move.
Description swaying(int links)
{
    ChainOptions options;
    options.links = links;
    Description chain = makeChain(options);
    const double aside = 10 * pi / 180;
    chain.gravity = 9.81 * Vec3(std::sin(aside), -std::cos(aside), 0);
    return chain;
}

Description stiff()
{
    ChainOptions options;
    options.links = 50;
    options.horizontal = true;
    options.stiffness = 1000;
    options.damping = 0.01;
    return makeChain(options);
}

Description heavyTip()
{
    ChainOptions options;
    options.tipRatio = 1000;
    options.horizontal = true;
    return makeChain(options);
}

const Case cases[] = {
    {"humanoid", [] { return scene("humanoid"); }, "", 0, 60},
    {"stairs", [] { return scene("../tests/data/eight_stairs"); }, "", 0, 60},
    {"pyramid", [] { return scene("pyramid"); }, "", 0, 60},
    {"fourbar", [] { return scene("fourbar"); }, "", 0, 120},
    {"necklace", [] { return scene("../tests/data/ring_of_beads"); }, "", 0, 20},
    {"bounce", [] { return scene("../tests/data/three_balls"); }, "", 0, 60},
    {"chain_explicit", [] { return swaying(1000); }, "semi_implicit_euler", 1e-3, 50},
    {"chain_implicit", [] { return swaying(1000); }, "implicit", 1. / 60, 10},
    {"stiff_chain", [] { return stiff(); }, "implicit", 1. / 60, 60},
    {"conservative_chain", [] { return heavyTip(); }, "conservative", 1. / 60, 30},
};

int runCase(const Case& chosen)
{
    Settings settings;
    settings.integrator = chosen.integrator;
    if (chosen.step > 0) settings.step = chosen.step;
    Result<Simulation> made = Simulation::create(chosen.make(), settings);
    if (!made) {
        std::fprintf(stderr, "%s: %s\n", chosen.name, made.error().text().c_str());
        return 1;
    }
    CountedRun run;
    sinewCountedRun(made.value(), chosen.steps, run);
    std::printf("%ld %ld %ld\n", run.steps, run.iterations, run.halvings);
    if (run.ok) return 0;
    std::fprintf(stderr, "%s: no step was found after %ld\n", chosen.name, run.steps);
    return 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        for (const Case& known : cases) std::puts(known.name);
        return 0;
    }
    for (const Case& known : cases)
        if (argc == 2 && std::strcmp(argv[1], known.name) == 0) return runCase(known);
    std::fprintf(stderr, "usage: bench_count_cases CASE | --list\n");
    return 2;
}
