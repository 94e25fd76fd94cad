// Contacts as events: when a ball that bounces down begins and ends to touch, and how hard it hits.
#include <cstdio>

#include "sinew/sinew.h"

int main()
{
    sinew::Description scene;
    sinew::BodyDescription& ball = scene.bodies.emplace_back();
    ball.name = "ball";
    ball.pose.position = {0, 1, 0};
    ball.shapes.emplace_back().shape = sinew::Sphere{0.1};
    scene.obstacles.emplace_back().name = "floor";  // a plane
    scene.contact.emplace().restitution = 0.5;

    sinew::Result<sinew::Simulation> made = sinew::Simulation::create(scene, {});
    if (!made) return std::fprintf(stderr, "%s\n", made.error().text().c_str()), 2;
    sinew::Simulation& simulation = made.value();
    const sinew::BodyHandle handle = simulation.findBody("ball").value();

    bool touched = false;
    while (simulation.state.time < 2) {
        if (const sinew::StepReport report = simulation.step(); !report.ok)
            return std::fprintf(stderr, "%s\n", report.message.c_str()), 3;
        sinew::Vec3 force = sinew::Vec3::Zero();
        const auto contacts = simulation.contacts(handle).value();
        for (const sinew::BodyContact& contact : contacts) force += contact.force;
        if (!contacts.empty() && !touched) {
            const std::string& floor = scene.obstacles[contacts.front().obstacle].name;
            std::printf("%.3f s: the ball hits the %s with %.1f N s\n", simulation.state.time,
                        floor.c_str(), force.norm() * simulation.h);
        }
        if (contacts.empty() && touched) std::printf("%.3f s: it is off\n", simulation.state.time);
        touched = !contacts.empty();
    }
    std::printf("the ball %s\n", touched ? "lies on the floor" : "is in the air");
}
