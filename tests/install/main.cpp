// The whole library through its one header.
#include <cstdio>

#include "sinew/sinew.h"

int main()
{
    sinew::ChainOptions options;
    options.links = 3;
    options.horizontal = true;
    auto simulation = sinew::Simulation::create(sinew::makeChain(options), {});
    if (!simulation) return std::puts(simulation.error().text().c_str()), 1;
    while (simulation.value().state.time < 0.1)
        if (!simulation.value().step().ok) return 1;

    // A chain that was let go has fallen, and nothing else passes for it.
    const double height = simulation.value().state.bodies.back().position.y();
    std::printf("the last link is at height %.4f\n", height);
    return height < -0.02 && height > -0.08 ? 0 : 1;
}
