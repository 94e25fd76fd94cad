// Inverse dynamics: the torques that make an arm accelerate as we want, and the proof that they do.
#include <cstdio>
#include <string>

#include "sinew/sinew.h"

int main()
{
    sinew::ChainOptions options;
    options.links = 3;
    options.joint = sinew::JointType::hinge;
    options.horizontal = true;
    sinew::Simulation arm = sinew::Simulation::create(sinew::makeChain(options), {}).value();
    const sinew::Model& model = arm.model();

    // Every joint shall speed up by 1 rad/s², though gravity pulls all of them down.
    const sinew::VecX wanted = sinew::VecX::Ones(model.freedomCount);
    sinew::Forces scene;
    sinew::sceneForces(model, arm.state, scene);
    sinew::VecX torque;
    sinew::Work work;
    sinew::inverseDynamics(model, arm.state, scene.body, wanted, work, torque);

    for (int link = 0; link < model.size(); ++link) {
        const double own = torque[model.joints[link].u];
        if (const auto refused = arm.setJointForce(sinew::JointHandle{link}, own))
            return std::fprintf(stderr, "%s\n", refused->text().c_str()), 2;
        std::printf("%s: %.4f N m\n", model.joints[link].name.c_str(), own);
    }
    const double error = (arm.accelerate().joint - wanted).norm();
    std::printf("accelerations are %s\n", error < 1e-9 ? "as wanted" : "wrong");
}
