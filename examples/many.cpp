// Many simulations of one scene: it is compiled once, they share the model, and each starts from another
// angle.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "sinew/sinew.h"

int main()
{
    const sinew::Description scene = sinew::makeChain({.links = 5, .joint = sinew::JointType::hinge});
    sinew::Result<sinew::Model> compiled = sinew::compile(scene);
    if (!compiled) return std::fprintf(stderr, "%s\n", compiled.error().text().c_str()), 2;
    const auto model = std::make_shared<const sinew::Model>(std::move(compiled.value()));

    const int count = 100;
    std::vector<sinew::Simulation> chains;
    for (int i = 0; i < count; ++i) {
        chains.push_back(sinew::Simulation::create(model, scene, {}).value());
        if (const auto refused = chains.back().setJointPosition("joint1", 3.0 * i / count))
            return std::fprintf(stderr, "%s\n", refused->text().c_str()), 2;
    }

    double highest = -1;
    for (sinew::Simulation& chain : chains) {
        if (const sinew::Advance way = chain.advance(1); !way.ok)
            return std::fprintf(stderr, "%s\n", way.last.message.c_str()), 3;
        highest = std::max(highest, chain.body("link5").value().pose.position.y());
    }
    std::printf("of %d chains the highest tip is at %.3f m after a second\n", count, highest);
}
