// What planning a motion costs (optimize/motion_refine.h): scenes from their guess to the end of the
// search, with what has to hold on the way, and iterations of doubled horizons. Prints the tables of
// docs/spacetime.md. Processor time, of one thread.
//
//     bench_optimize [SCENE …]     scenes by name; without: those that take a minute or two
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sinew/io/json/scene.h"
#include "sinew/model/wish.h"
#include "sinew/optimize/motion_refine.h"
#include "sinew/optimize/motion_scene.h"

namespace sinew::bench {
namespace {

double processorSeconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Value>
Value must(Result<Value> result)
{
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().text().c_str());
        std::exit(1);
    }
    return std::move(result.value());
}

Description sceneOf(const std::string& name)
{
    return must(readScene(SINEW_SCENE_DIR "/" + name + ".json"));
}

// Of all iterations of all meshes.
bool isMonotone(const std::vector<MotionIteration>& history)
{
    return std::all_of(history.begin(), history.end(),
                       [](const MotionIteration& i) { return i.merit < i.meritBefore; });
}

// How far the simulation is from the plan at its end.
double replayed(const Description& scene, const MotionProblem& problem, const MotionPlan& plan,
                const MotionFeedback* feedback)
{
    // Contacts are the plan's: there is nothing to touch.
    Description bare = scene;
    bare.contact.reset();
    bare.obstacles.clear();
    Simulation simulation = must(Simulation::create(bare, {.integrator = IntegratorId::rk4, .step = 1e-4}));
    const ReplayReport report = replay(problem, plan, feedback, simulation, true);
    return report.ok ? report.atEnd : std::nan("");
}

void printSearches(const std::vector<std::string>& scenes)
{
    std::printf(
        "| scene | iterations | pieces at the end | time, s | ms per iteration and piece | cost | off | "
        "merit falls | open loop, m | with feedback, m |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string& name : scenes) {
        const Description scene = sceneOf(name);
        PlannedScene planned = must(plannedScene(scene));
        double pieces = 0;  // times iterations
        int count = static_cast<int>(planned.guess.pieces.size());
        MotionOptions options;
        double since = processorSeconds();
        const RefinedMotion motion = solveRefined(planned.problem, options, {}, planned.guess);
        const double time = processorSeconds() - since;
        // Every mesh begins with its first round.
        std::size_t mesh = 0;
        int round = 0;
        for (const MotionIteration& i : motion.result.history) {
            if (i.round < round && mesh + 1 < motion.pieces.size()) ++mesh;
            round = i.round;
            count = motion.pieces[mesh];
            pieces += count;
        }
        const MotionFeedback feedback = motionFeedback(planned.problem, planned.guess, 1e-3);
        std::printf("| `%s` | %d | %d | %.3g | %.2g | %.4g | %.1e | %s | %.1e | %.1e |\n", name.c_str(),
                    motion.iterations, motion.pieces.back(), time, 1e3 * time / std::max(1., pieces),
                    motion.result.cost, motion.result.infeasibility,
                    isMonotone(motion.result.history) ? "always" : "no",
                    replayed(scene, planned.problem, planned.guess, nullptr),
                    replayed(scene, planned.problem, planned.guess, &feedback));
        std::fflush(stdout);
    }
}

// The scene asked for twice as long, with as many pieces a second.
void printHorizons(const std::vector<std::string>& scenes)
{
    constexpr int iterations = 20, doublings = 2;
    std::printf(
        "\n| scene | horizon | pieces | ms per iteration | times the one before "
        "|\n|---|---|---|---|---|\n");
    for (const std::string& name : scenes) {
        double before = 0;
        for (int k = 0; k <= doublings; ++k) {
            Description scene = sceneOf(name);
            const double factor = std::pow(2, k);
            PlanDescription& plan = *scene.plan;
            plan.duration *= factor;
            for (WishDescription& wish : scene.wishes) {
                if (wish.from) *wish.from *= factor;
                if (wish.until) *wish.until *= factor;
            }
            for (auto& still : plan.still) still.time *= factor;
            for (auto& guess : plan.guess) guess.time *= factor;
            for (auto& contact : plan.contacts) contact.from *= factor, contact.until *= factor;
            for (auto& hold : plan.holds) hold.from *= factor, hold.until *= factor;
            double least = 1e300;
            int pieces = 0, made = 0;
            for (int round = 0; round < 3; ++round) {
                PlannedScene planned = must(plannedScene(scene));
                pieces = static_cast<int>(planned.guess.pieces.size());
                MotionOptions options;
                options.iterations = iterations;
                const double since = processorSeconds();
                made = solveMotion(planned.problem, options, planned.guess).iterations;
                least = std::min(least, processorSeconds() - since);
            }
            const double each = 1e3 * least / std::max(1, made);
            std::printf("| `%s` | %g s | %d | %.3g |", name.c_str(), plan.duration, pieces, each);
            std::printf(before > 0 ? " %.2f |\n" : " |\n", each / before);
            std::fflush(stdout);
            before = each;
        }
    }
}

}  // namespace
}  // namespace sinew::bench

int main(int count, char** arguments)
{
    std::vector<std::string> scenes(arguments + 1, arguments + count);
    if (scenes.empty()) scenes = {"spacetime_particle", "swing_up", "throw", "luxo"};
    sinew::bench::printSearches(scenes);
    // The particle is at its end after a handful of iterations: nothing to be timed.
    scenes.erase(std::remove(scenes.begin(), scenes.end(), "spacetime_particle"), scenes.end());
    sinew::bench::printHorizons(scenes);
}
