// What a program does to a simulation from outside: forces that it holds, and a force law of its own.
//
//     const JointHandle elbow = simulation.findJoint("elbow").value();
//     simulation.setForceLaw([=](ForceContext& at) {
//         const double error = at.position(elbow)[0] - std::sin(at.time());
//         at.addJointForce(elbow, -k * error - d * at.velocity(elbow)[0], k, d);
//     });
//
// A law is a function of time and state alone, as the laws of a scene are: a step asks it as often as it
// likes, rk4 at four stages, implicit steps at every iterate, which is not a state that the simulation
// comes by. With its derivatives given, implicit steps stay stable however stiff it is. Without them
// Newton's method takes the force for constant, which does for soft laws; a stiff one makes it take steps
// in many parts, and fail in the end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sinew/state/named.h"

namespace sinew {

// Where a law is asked, and what it answers. Bad handles and numbers that are not finite add nothing, and
// the step fails with a report that says so.
class ForceContext {
public:
    ForceContext(const Model& model, const State& state, Forces& forces, std::string& fault)
        : model_(model), state_(state), forces_(forces), fault_(fault)
    {
    }

    double time() const { return state_.time; }
    const Model& model() const { return model_; }
    const State& state() const { return state_; }
    // In the scene's terms (state/named.h).
    JointNumbers position(JointHandle joint) const;
    JointNumbers velocity(JointHandle joint) const;
    BodyMotion body(BodyHandle body) const;

    // Per freedom, on the second body. `stiffness` and `damping` are minus its derivatives by the joint's
    // own position and velocity, the same for all of its freedoms. Free joints have none.
    void addJointForce(JointHandle joint, const JointNumbers& force, double stiffness = 0,
                       double damping = 0);
    // World axes, at the centre of mass; minus its derivatives by the place of the body and by its
    // velocity, linear and then angular.
    void addBodyForce(BodyHandle body, const Force& force);
    void addBodyForce(BodyHandle body, const Force& force, const Mat6& stiffness, const Mat6& damping);

private:
    template <class Handle>
    bool isGood(const Result<Handle>& found) const;
    bool fail(const std::string& what) const;

    const Model& model_;
    const State& state_;
    Forces& forces_;
    std::string& fault_;
};

using ForceLaw = std::function<void(ForceContext& at)>;

struct Inputs {
    struct JointInput {
        int link = 0;
        Vec6 force = Vec6::Zero();  // the scene's terms
    };
    std::vector<JointInput> joints;
    std::vector<BodyLoad> bodies;
    ForceLaw law;
    std::string fault;  // of the law, in the present step

    bool empty() const { return joints.empty() && bodies.empty() && !law; }
};

// Adds them to the forces of a scene: ForceFunction::Addition, with Inputs as the adder.
void addInputs(void* inputs, const Model& model, const State& state, Forces& forces);
// Whoever is pushed from outside does not sleep; with a law, nobody does.
void wakePushed(const Inputs& inputs, const Model& model, State& state);

}  // namespace sinew
