// The gradient of a motion: an arm throws its hand up, and the torques of all steps are improved until the
// hand is where it shall be half a second later. A stone then learns how hard to be pushed to slide to a
// mark.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "sinew/sinew.h"

namespace {

using namespace sinew;

bool isRefused(const std::optional<Diagnostic>& refused)
{
    if (refused) std::fprintf(stderr, "%s\n", refused->text().c_str());
    return refused.has_value();
}

constexpr int steps = 30;

// The motion under these torques, one row for each step, recorded.
State motion(const Simulation& start, const std::vector<VecX>& torques, StepTape& tape)
{
    Simulation own = start;
    tape.clear();
    own.tape = &tape;
    for (const VecX& torque : torques) {
        for (int link = 0; link < own.model().size(); ++link)
            if (isRefused(own.setJointForce(JointHandle{link}, torque[link]))) return own.state;
        if (const StepReport report = own.step(); !report.ok)
            std::fprintf(stderr, "%s\n", report.message.c_str());
    }
    return own.state;
}

// Each round asks how the hand's two coordinates change with all torques, by one adjoint for each, and adds
// the smallest torques that would take it to the goal if the motion were linear.
void reach()
{
    ChainOptions options;
    options.links = 3;
    options.length = 0.3;
    options.mass = 1;
    options.joint = JointType::hinge;
    options.damping = 0.5;
    Description arm = makeChain(options);
    for (JointDescription& joint : arm.joints) joint.axis = Vec3::UnitZ();
    const Simulation start = Simulation::create(arm, {}).value();
    const Model& model = start.model();
    const Vec3 hand(0, -0.15, 0), goal(0.6, -0.2, 0);  // the end of the last link, from its centre of mass

    // Hanging at rest, no torque would lift the hand to first order: so it begins with a swing.
    std::vector<VecX> torques(steps, VecX(VecX::Ones(model.freedomCount)));
    StepTape tape;
    for (int round = 0; round < 12; ++round) {
        const State end = motion(start, torques, tape);
        const BodyState& last = end.bodies.back();
        const Vec3 missed = goal - (last.position + last.orientation * hand);
        std::printf("round %2d: the hand is %.6f m from its goal\n", round, missed.norm());
        if (missed.norm() < 1e-9) return;
        MotionGradient by[2];
        for (int axis = 0; axis < 2; ++axis) {
            StateChange weights;
            weights.setZero(model);
            addPointWeights(last, hand, Vec3(Vec3::Unit(axis)), weights.bodies.back());
            adjointOfMotion(tape, weights, by[axis]);
        }
        Mat2 gram = Mat2::Zero();
        for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 2; ++c)
                for (int s = 0; s < steps; ++s)
                    gram(r, c) += by[r].inputs[s].joint.dot(by[c].inputs[s].joint);
        const Vec2 share = gram.inverse() * Vec2(missed[0], missed[1]);
        for (int s = 0; s < steps; ++s)
            torques[s] += share[0] * by[0].inputs[s].joint + share[1] * by[1].inputs[s].joint;
    }
}

// The place where a stone comes to on rough ground, by the speed that it starts with: the gradient goes
// through contact that slides.
void slide()
{
    Description scene;
    scene.obstacles.emplace_back().name = "ice";
    scene.contact.emplace();
    scene.contact->friction = 0.1;
    BodyDescription& stone = scene.bodies.emplace_back();
    stone.name = "stone";
    stone.pose.position = Vec3(0, 0.1, 0);
    stone.shapes.emplace_back().shape = Cylinder{0.15, 0.2};
    const Simulation start = Simulation::create(scene, {}).value();
    const Model& model = start.model();
    double speed = 1;
    const double mark = 3;  // m, where it shall come to rest
    for (int round = 0; round < 10; ++round) {
        Simulation own = start;
        StepTape tape;
        own.tape = &tape;
        BodyMotion pushed = own.body("stone").value();
        pushed.velocity = Vec3(speed, 0, 0);
        if (isRefused(own.setBody("stone", pushed))) return;
        if (!own.advance(4).ok) return;
        const double missed = mark - own.state.bodies[0].position[0];
        std::printf("pushed to %.6f m/s the stone stops %.6f m from the mark\n", speed, missed);
        if (std::abs(missed) < 1e-6) return;
        StateChange weights;
        weights.setZero(model);
        weights.bodies[0][0] = 1;
        MotionGradient gradient;
        adjointOfMotion(tape, weights, gradient);
        speed += missed / gradient.u[0];
    }
}

}  // namespace

int main()
{
    reach();
    slide();
}
