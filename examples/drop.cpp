// Drops a box on a slope and prints where it touches and what the ground bears.
#include <cstdio>

#include "sinew/sinew.h"

int main()
{
    sinew::Description scene;
    sinew::BodyDescription& box = scene.bodies.emplace_back();
    box.name = "box";
    box.pose.position = {0, 1, 0};
    box.mass = 2;
    box.shapes.emplace_back().shape = sinew::Box{{0.4, 0.2, 0.4}};
    sinew::ObstacleDescription& slope = scene.obstacles.emplace_back();  // a plane
    slope.normal = {0.2, 1, 0};
    scene.contact.emplace().friction = 0.5;

    sinew::Result<sinew::Simulation> made = sinew::Simulation::create(scene, {});
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().text().c_str());
        return 2;
    }
    sinew::Simulation& simulation = made.value();
    for (double until : {0.3, 0.6, 2.0}) {
        const sinew::Advance way = simulation.advance(until - simulation.state.time);
        if (!way.ok) {
            std::fprintf(stderr, "%s\n", way.last.message.c_str());
            return 1;
        }
        const sinew::State& state = simulation.state;
        const sinew::Vec3& at = state.bodies[0].position;
        std::printf("%.2f s: the box is at (%.3f, %.3f, %.3f), %d contacts bear it\n", state.time, at.x(),
                    at.y(), at.z(), sinew::contactCount(state));
        for (const sinew::Contact& contact : state.contacts) {
            if (!sinew::bearsForce(contact)) continue;
            const sinew::Vec3 force = sinew::readContact(contact, state, simulation.h).force;
            std::printf("    %6.2f N up, %5.2f N aside\n", force.y(), force.x());
        }
    }
}
