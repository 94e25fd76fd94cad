// What a gradient through implicit steps costs beside the steps themselves: persons on the ground, and
// chains, whose cost has to be linear in their links. Prints the tables of docs/derivatives.md. Processor
// time, the least of some rounds; times of one line are taken in turns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "sinew/derivative/motion_derivative.h"
#include "sinew/figure/chain.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"

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

struct Times {
    double plain = 1e300, taped = 1e300, linearized = 1e300, forward = 1e300, adjoint = 1e300;
    double product = 1e300, transposed = 1e300;  // of one linearised step, times steps
    int contacts = 0;

    static void least(double& time, double since) { time = std::min(time, processorSeconds() - since); }
};

Times measure(const Description& scene, double warm, int steps, int rounds)
{
    Settings settings;
    Simulation start = must(Simulation::create(scene, settings));
    if (warm > 0 && !start.advance(warm).ok) std::exit(1);
    Times times;
    for (int round = 0; round < rounds; ++round) {
        for (const bool isTaped : {false, true}) {
            Simulation own = start;
            StepTape tape;
            if (isTaped) own.tape = &tape;
            const double since = processorSeconds();
            for (int s = 0; s < steps; ++s)
                if (!own.step().ok) std::exit(1);
            Times::least(isTaped ? times.taped : times.plain, since);
            if (!isTaped) continue;
            const Model& model = own.model();
            times.contacts = 0;
            for (const Contact& contact : own.state.contacts) times.contacts += contact.impulse[0] > 0;

            StateChange weights;
            weights.setZero(model);
            weights.bodies.back()[1] = 1;
            MotionGradient gradient;
            double now = processorSeconds();
            adjointOfMotion(tape, weights, gradient);
            Times::least(times.adjoint, now);

            MotionChange change;
            change.u.setZero(model.freedomCount);
            change.u[0] = 1;
            StateChange end;
            now = processorSeconds();
            changeOfMotion(tape, change, end);
            Times::least(times.forward, now);

            StepDerivative derivative;
            now = processorSeconds();
            for (const TapedStep& step : tape.steps)
                for (const StepPart& part : step.parts) derivative.linearize(*step.model, part);
            Times::least(times.linearized, now);

            StateChange one, other;
            one.setZero(model);
            one.u[0] = 1;
            InputChange input;
            input.setZero(model);
            ModelChange numbers;
            numbers.setZero(model);
            for (int s = 0; s < 2; ++s) {  // the first asks for memory
                now = processorSeconds();
                for (int k = 0; k < steps; ++k) derivative.change(one, nullptr, nullptr, other);
                Times::least(times.product, now);
                now = processorSeconds();
                for (int k = 0; k < steps; ++k) derivative.adjoint(one, other, &input, nullptr);
                Times::least(times.transposed, now);
            }
        }
    }
    return times;
}

void person(const char* name)
{
    constexpr int steps = 100;
    const Description scene = must(readScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json"));
    const Times t = measure(scene, 0.5, steps, 5);
    const double ms = 1e3 / steps;
    std::printf("| %s, %zu bodies, %d places bear | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f |\n",
                scene.name.c_str(), scene.bodies.size(), t.contacts, ms * t.plain, ms * t.taped,
                ms * t.linearized, ms * t.forward, ms * t.adjoint, (t.taped + t.adjoint) / t.plain);
}

void chain(int links)
{
    ChainOptions options;
    options.links = links;
    options.horizontal = true;
    options.damping = 0.01;
    const int steps = std::max(10, 2000 / links);
    const Times t = measure(makeChain(options), 0, steps, 5);
    const double us = 1e6 / steps / links;
    std::printf("| chain of %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", links,
                us * t.plain, us * t.taped, us * t.linearized, us * t.product, us * t.transposed,
                us * t.forward, us * t.adjoint, (t.taped + t.adjoint) / t.plain);
}

}  // namespace
}  // namespace sinew::bench

int main()
{
    std::printf(
        "| ms per step | steps | recorded | linearised | forward | adjoint | ratio |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const char* name :
         {"../tests/data/held_person", "standing", "stiff_stand", "../tests/data/eight_stairs"})
        sinew::bench::person(name);
    std::printf(
        "\n| µs per step and link | steps | recorded | linearised | product | transposed | forward | "
        "adjoint | "
        "ratio |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const int links : {10, 100, 1000, 10000}) sinew::bench::chain(links);
}
