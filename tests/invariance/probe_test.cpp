#include <gtest/gtest.h>
#include <cstdio>
#include <filesystem>
#include "invariance/compare.h"
#include "sinew/io/json/scene.h"
using namespace sinew;
using namespace sinew::invariance;
TEST(Probe, all)
{
    const char* only = std::getenv("SCENE");
    const char* how = std::getenv("HOW");
    const int count = std::getenv("STATES") ? std::atoi(std::getenv("STATES")) : 20;
    const double duration = std::getenv("DURATION") ? std::atof(std::getenv("DURATION")) : 1e9;
    for (const auto& entry : std::filesystem::directory_iterator(SINEW_SCENE_DIR)) {
        if (entry.path().extension() != ".json") continue;
        if (only && entry.path().stem() != only) continue;
        const Description scene = readScene(entry.path().string()).value();
        Result<Recorded> run = record(scene, duration, count);
        std::printf("== %s: %ld steps, %.2f iterations, ok %d gap %.2g deep %.2g E %g..%g end %g\n", entry.path().stem().c_str(), run.value().measures.steps,
                    run.value().measures.iterationsPerStep(), run.value().measures.ok, run.value().measures.largestGap, run.value().measures.deepest,
                    run.value().measures.leastEnergy, run.value().measures.mostEnergy, run.value().measures.endEnergy);
        for (const Transformation& t : transformations(2)) {
            if (how && t.name.find(how) == std::string::npos) continue;
            const Result<Description> other = t.apply(scene);
            if (!other) { std::printf("  %-14s REFUSED %s\n", t.name.c_str(), other.error().text().c_str()); continue; }
            Result<Simulation> sim = Simulation::create(other.value(), {});
            if (!sim) { std::printf("  %-14s DOES NOT COMPILE %s\n", t.name.c_str(), sim.error().text().c_str()); continue; }
            const bool same = sameTree(run.value().simulation.model, sim.value().model);
            const StepComparison c = compareSteps(run.value(), t, std::move(sim.value()));
            std::printf("  %-14s pos %8.1e ang %8.1e vel %8.1e spin %8.1e at %2d %-16s it %.2f %.2f fail %d %s %s\n", t.name.c_str(), c.largest.position, c.largest.angle,
                        c.largest.velocity, c.largest.spin, c.at, c.body.c_str(), c.iterations[0], c.iterations[1], c.failures, same ? "" : "other tree", c.faults.c_str());
            std::fflush(stdout);
        }
    }
}
