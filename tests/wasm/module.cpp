// The smallest thing a browser would ask of Sinew: drop a chain, say where its end is.
#include "sinew/model/chain.h"
#include "sinew/simulation/simulation.h"

extern "C" __attribute__((export_name("dropChain"))) double dropChain(int links, double seconds)
{
    sinew::ChainOptions options;
    options.links = links;
    options.horizontal = true;
    auto simulation = sinew::Simulation::create(sinew::makeChain(options), {});
    if (!simulation) return 0;
    while (simulation.value().state.time < seconds)
        if (!simulation.value().step().ok) return 0;
    return simulation.value().state.bodies.back().position.y();
}
