// What a semi-implicit step costs a link, in chains of ball joints and of hinges, an implicit one a link
// and iteration, and a character of a crowd, in each number of lanes: the least of many runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sinew/crowd/crowd.h"
#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"

namespace sinew::bench {
namespace {

constexpr int runs = 20;

template <class Function>
double leastSeconds(Function&& function)
{
    double least = 1e9;
    for (int r = 0; r < runs; ++r) {
        const auto start = std::chrono::steady_clock::now();
        function();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        least = std::min(least, took.count());
    }
    return least;
}

Description chainOf(int links, JointType joint)
{
    ChainOptions options;
    options.links = links;
    options.joint = joint;
    Description chain = makeChain(options);
    chain.gravity = {1.7, -9.66, 0.3};  // aside, so that all of them move
    return chain;
}

void printChains()
{
    std::printf("| chain of | 100 links | 1,000 | 10,000 |\n|---|---|---|---|\n");
    for (JointType joint : {JointType::spherical, JointType::hinge}) {
        std::printf("| %s joints, ns a link and step |", jointTypeName(joint));
        for (int links : {100, 1000, 10000}) {
            Settings settings;
            settings.solver = "featherstone";
            settings.integrator = "semi_implicit_euler";
            settings.step = 1e-2 / links;
            Result<Simulation> made = Simulation::create(chainOf(links, joint), settings);
            if (!made) std::abort();
            const int steps = std::max(4, 20000 / links);
            const double took = leastSeconds([&] {
                for (int k = 0; k < steps; ++k)
                    if (!made.value().step().ok) std::abort();
            });
            std::printf(" %.0f |", took * 1e9 / steps / links);
        }
        std::printf("\n");
    }
}

// BDF2 at 1/60 s. Chains are started anew for each run, so that all run the same.
void printImplicit()
{
    struct Case {
        const char* name;
        int links;
        double stiffness, damping;
    };
    std::printf(
        "\n| implicit at 1/60 s | ns a link and step | ns a link and iteration | iterations a step |\n");
    std::printf("|---|---|---|---|\n");
    for (const Case& c : {Case{"free ball joints, 100 links", 100, 0, 0},
                          {"free ball joints, 1,000 links", 1000, 0, 0},
                          {"50 links, 10 N·m/rad", 50, 10, 0.01},
                          {"50 links, 1,000 N·m/rad", 50, 1e3, 0.01},
                          {"50 links, 100,000 N·m/rad", 50, 1e5, 0.01}}) {
        ChainOptions options;
        options.links = c.links;
        options.horizontal = c.stiffness > 0;
        options.stiffness = c.stiffness;
        options.damping = c.damping;
        Description chain = makeChain(options);
        if (c.stiffness == 0) chain.gravity = {1.7, -9.66, 0.3};
        Settings settings;
        settings.integrator = "implicit";
        settings.step = 1. / 60;
        const int steps = c.links > 100 ? 20 : 120;
        double least = 1e9;
        long iterations = 0;
        for (int r = 0; r < runs; ++r) {
            Result<Simulation> made = Simulation::create(chain, settings);
            if (!made) std::abort();
            const auto start = std::chrono::steady_clock::now();
            iterations = 0;
            for (int k = 0; k < steps; ++k) {
                const StepReport report = made.value().step();
                if (!report.ok) std::abort();
                iterations += report.statistics.newtonIterations;
            }
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            least = std::min(least, took.count());
        }
        const double ns = least * 1e9 / c.links;
        std::printf("| %s | %.0f | %.0f | %.1f |\n", c.name, ns / steps,
                    ns / static_cast<double>(iterations), static_cast<double>(iterations) / steps);
    }
}

void printCrowds()
{
    Description chain = chainOf(20, JointType::spherical);
    for (JointDescription& joint : chain.joints) {
        joint.stiffness = 100;
        joint.damping = 5;
    }
    const Result<Model> model = compile(chain);
    if (!model) std::abort();
    std::printf("\n| crowd of 20 links, springs implicit | us a character and step |\n|---|---|\n");
    for (bool single : {false, true})
        for (int lanes : {1, 2, 4, 8}) {
            Result<Crowd> crowd =
                Crowd::create(model.value(), {.count = 64, .step = 2e-3, .single = single, .lanes = lanes});
            if (!crowd) std::abort();
            if (crowd.value().lanes() != lanes) continue;
            const int steps = 20;
            const double took = leastSeconds([&] { crowd.value().step(steps); });
            std::printf("| %d %s | %.2f |\n", lanes, single ? "float" : "double", took * 1e6 / steps / 64);
        }
}

}  // namespace
}  // namespace sinew::bench

int main()
{
    sinew::bench::printChains();
    sinew::bench::printImplicit();
    sinew::bench::printCrowds();
}
