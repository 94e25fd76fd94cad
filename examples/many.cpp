// Many simulations of one scene: it is compiled once, and each starts from another angle.
#include <algorithm>
#include <cstdio>

#include "sinew/sinew.h"

int main()
{
    const sinew::Description scene = sinew::makeChain({.links = 5, .joint = sinew::JointType::hinge});
    const sinew::Result<sinew::Model> model = sinew::compile(scene);
    if (!model) return std::fprintf(stderr, "%s\n", model.error().text().c_str()), 2;

    const int count = 100;
    double highest = -1;
    for (int i = 0; i < count; ++i) {
        sinew::Simulation one = sinew::Simulation::create(model.value(), scene, {}).value();
        if (const auto refused = one.setJointPosition("joint1", 3.0 * i / count))
            return std::fprintf(stderr, "%s\n", refused->text().c_str()), 2;
        if (const sinew::Advance way = one.advance(1); !way.ok)
            return std::fprintf(stderr, "%s\n", way.last.message.c_str()), 3;
        highest = std::max(highest, one.body("link5").value().pose.position.y());
    }
    std::printf("of %d chains the highest tip is at %.3f m after a second\n", count, highest);
}
