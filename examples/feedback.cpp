// A robot out of a file (URDF, MJCF, scene) under a controller of our own: all joints wave together.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sinew/sinew.h"

int main(int argc, char** argv)
{
    if (argc != 2) return std::fputs("usage: feedback ROBOT\n", stderr), 2;
    sinew::Result<sinew::SceneFile> scene = sinew::loadScene(argv[1]);
    if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text().c_str()), 2;
    sinew::Result<sinew::Simulation> made = sinew::Simulation::create(scene.value().description, {});
    if (!made) return std::fprintf(stderr, "%s\n", made.error().text().c_str()), 2;
    sinew::Simulation& robot = made.value();

    std::vector<sinew::JointHandle> joints;  // those that turn or slide about one axis
    for (const int link : robot.model().jointOrder)
        if (robot.model().joints[link].freedoms() == 1) joints.push_back({link});

    const double stiffness = 400, damping = 40;
    const auto wanted = [](double time) { return 0.3 * std::sin(2 * time); };
    const auto refused = robot.setForceLaw([&](sinew::ForceContext& at) {
        for (const sinew::JointHandle joint : joints) {
            const double error = at.position(joint)[0] - wanted(at.time());
            const double force = -stiffness * error - damping * at.velocity(joint)[0];
            at.addJointForce(joint, force, stiffness, damping);
        }
    });
    if (refused) return std::fprintf(stderr, "%s\n", refused->text().c_str()), 2;

    const sinew::Advance way = robot.advance(3);
    if (!way.ok) return std::fprintf(stderr, "%s\n", way.last.message.c_str()), 3;
    double largest = 0;
    for (const sinew::JointHandle joint : joints)
        largest =
            std::max(largest, std::abs(robot.jointPosition(joint).value()[0] - wanted(robot.state.time)));
    std::printf("after %.2f s %zu joints are within %.2f of where they should be\n", way.seconds,
                joints.size(), largest);
}
