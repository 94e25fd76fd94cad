// The program of docs/tutorial_programmers.md: a double pendulum, read and driven by the names of its
// scene.
#include <cmath>
#include <cstdio>

#include "sinew/sinew.h"

int main(int argc, char** argv)
{
    if (argc != 2) return std::fputs("usage: tutorial scenes/double_pendulum.json\n", stderr), 2;
    sinew::Result<sinew::SceneFile> scene = sinew::loadScene(argv[1]);
    if (!scene) return std::fprintf(stderr, "%s\n", scene.error().text().c_str()), 2;

    sinew::Settings settings;  // what is left out is as the scene wishes
    settings.integrator = sinew::IntegratorId::implicit;
    settings.step = 0.01;
    sinew::Result<sinew::Simulation> made = sinew::Simulation::create(scene.value().description, settings);
    if (!made) return std::fprintf(stderr, "%s\n", made.error().text().c_str()), 2;
    sinew::Simulation& pendulum = made.value();

    const double degree = std::acos(-1.0) / 180;
    const auto report = [&] {
        const double pivot = pendulum.jointPosition("pivot").value()[0];
        const double elbow = pendulum.jointPosition("elbow").value()[0];
        const sinew::Vec3 lower = pendulum.body("lower").value().pose.position;
        std::printf("%.2f s: pivot %6.1f, elbow %6.1f degrees, lower rod at (%.2f, %.2f) m\n",
                    pendulum.state.time, pivot / degree, elbow / degree, lower.x(), lower.y());
    };

    for (int i = 0; i < 3; ++i) {
        const sinew::Advance way = pendulum.advance(0.25);
        if (!way.ok) return std::fprintf(stderr, "%s\n", way.last.message.c_str()), 3;
        report();
    }

    const sinew::JointHandle pivot = pendulum.findJoint("pivot").value();
    const sinew::JointHandle elbow = pendulum.findJoint("elbow").value();
    const double stiffness = 200, damping = 40;  // N m/rad, N m s/rad
    const auto refused = pendulum.setForceLaw([=](sinew::ForceContext& at) {
        const auto lead = [&](sinew::JointHandle joint, double wanted) {
            const double error = at.position(joint)[0] - wanted;
            const double torque = -stiffness * error - damping * at.velocity(joint)[0];
            at.addJointForce(joint, torque, stiffness, damping);
        };
        lead(pivot, 90 * degree);
        lead(elbow, -90 * degree);
    });
    if (refused) return std::fprintf(stderr, "%s\n", refused->text().c_str()), 2;

    pendulum.reset();  // back to the start; the law stays
    if (const sinew::Advance way = pendulum.advance(5); !way.ok)
        return std::fprintf(stderr, "%s\n", way.last.message.c_str()), 3;
    report();
}
