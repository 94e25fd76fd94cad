#include <cstdio>

#include "sinew/sinew.h"

int main()
{
    sinew::Description scene;  // a double pendulum: two rods of half a metre, held out along x
    for (const std::string name : {"upper", "lower"}) {
        const bool first = scene.bodies.empty();
        sinew::JointDescription& joint = scene.joints.emplace_back();
        joint.name = name + " joint";
        joint.first = first ? "world" : "upper";
        joint.second = name;
        joint.position = {first ? 0 : 0.5, 0, 0};
        sinew::BodyDescription& rod = scene.bodies.emplace_back();
        rod.name = name;
        rod.pose.position = {first ? 0.25 : 0.75, 0, 0};
        rod.shapes.emplace_back().shape = sinew::Box{{0.5, 0.04, 0.04}};
    }
    sinew::Simulation simulation = sinew::Simulation::create(scene, {}).value();
    if (const sinew::Advance way = simulation.advance(1); !way.ok) {
        std::fprintf(stderr, "%s\n", way.last.message.c_str());
        return 1;
    }
    const sinew::Pose lower = sinew::recordFrame(simulation.model(), simulation.state).bodies.back();
    const sinew::Vec3 tip = lower * sinew::Vec3(0.25, 0, 0);
    std::printf("after %.3f s the tip is at (%.3f, %.3f, %.3f)\n", simulation.state.time, tip.x(), tip.y(),
                tip.z());
}
