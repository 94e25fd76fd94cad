// Motions through implicit steps and their derivatives, against central differences of the simulation
// itself.
#pragma once

#include <gtest/gtest.h>

#include "derivatives/random_cases.h"
#include "sinew/derivative/motion_derivative.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"
#include "support/random_tree.h"

namespace sinew::implicit_step_test {

constexpr double tolerance = 1e-7;
// Adjoint against forward: sums of the same products in another order. With contacts that share a load
// these have the rounding of the compliance that decides how.
constexpr double rounding = 1e-9;

inline const std::vector<JointType> allJoints = {
    JointType::hinge, JointType::spherical, JointType::slide,  JointType::universal,
    JointType::weld,  JointType::free,      JointType::planar, JointType::cylindrical};

inline VecX randomTangent(Random& random, const Model& model, double scale = 1)
{
    VecX x(model.freedomCount);
    for (double& value : x) value = scale * random.normal();
    return x;
}

// Places, turns against `middle`, velocities (body axes), joint velocities.
inline VecX measured(const State& state, const State& middle)
{
    const int n = static_cast<int>(state.bodies.size());
    VecX x(12 * n + state.u.size());
    for (int i = 0; i < n; ++i) {
        const BodyState &b = state.bodies[i], &m = middle.bodies[i];
        x.segment<3>(12 * i) = b.position;
        x.segment<3>(12 * i + 3) = logRotation(b.orientation * m.orientation.conjugate());
        x.segment<3>(12 * i + 6) = b.velocity;
        x.segment<3>(12 * i + 9) = b.angularVelocity;
    }
    for (int k = 0; k < state.u.size(); ++k) x[12 * n + k] = state.u[k];
    return x;
}

inline VecX measured(const StateChange& change)
{
    const int n = static_cast<int>(change.bodies.size());
    VecX x(12 * n + change.u.size());
    for (int i = 0; i < n; ++i) x.segment<12>(12 * i) = change.bodies[i];
    for (int k = 0; k < change.u.size(); ++k) x[12 * n + k] = change.u[k];
    return x;
}

// The largest difference as a part of the largest change; and where it is.
inline double relativeError(const VecX& a, const VecX& truth)
{
    double worst = 0, scale = 1e-3;
    for (int i = 0; i < truth.size(); ++i) {
        worst = std::max(worst, std::abs(a[i] - truth[i]));
        scale = std::max(scale, std::abs(truth[i]));
    }
    return worst / scale;
}

// Draws weights on bodies; adds weights · changes to a sum, and to its size.
inline void weighBodies(Random& random, const StateChange& change, StateChange& weights, double& sum,
                        double& size)
{
    for (std::size_t i = 0; i < change.bodies.size(); ++i) {
        for (double& w : weights.bodies[i]) w = random.normal();
        sum += weights.bodies[i].dot(change.bodies[i]);
        size += weights.bodies[i].norm() * change.bodies[i].norm();
    }
}

// A scene, a direction of its start and of what acts on it, and how many steps.
struct Case {
    Simulation simulation;  // at the start
    int steps = 4;
    MotionChange direction;
    double epsilon = 1e-4;

    Case(const Description& scene, double h, Random& random, double speed = 0.3,
         const Settings& settings = {})
        : simulation(make(scene, h, settings))
    {
        const Model& model = simulation.model();
        simulation.state.u = simulation.state.u + randomTangent(random, model, speed);
        bodiesFromJoints(model, simulation.state);
        direction.q = randomTangent(random, model);
        direction.u = randomTangent(random, model);
    }
    static Simulation make(const Description& scene, double h, Settings settings)
    {
        settings.step = h;
        Result<Simulation> made = Simulation::create(scene, settings);
        EXPECT_TRUE(made) << (made ? "" : made.error().text());
        // Differences divide what Newton's method leaves open by a small number.
        made.value().work->settings.sharpness = 1e3;
        return std::move(made.value());
    }
    void pushInputs(Random& random, double scale)
    {
        const Model& model = simulation.model();
        for (int s = 0; s < steps; ++s) {
            InputChange& input = direction.inputs.emplace_back();
            input.setZero(model);
            for (const Joint& joint : model.joints)
                if (joint.freedoms() == 1) input.joint[joint.u] = scale * random.normal();
            for (Force& f : input.body)
                f = {test::randomVector(random, scale), test::randomVector(random, scale)};
        }
    }

    static void push(const InputChange& input, double amount, Simulation& to)
    {
        const Model& model = to.model();
        for (int i = 0; i < model.size(); ++i) {
            const Force force = input.body[i] * amount;
            EXPECT_FALSE(to.setBodyForce(model.bodies[i].name, force.force, force.torque));
            const Joint& joint = model.joints[i];
            if (joint.freedoms() != 1) continue;
            EXPECT_FALSE(to.setJointForce(joint.name, {amount * input.joint[joint.u]}));
        }
    }

    // Where the motion ends when the start and the inputs are moved so far along the direction.
    State run(double amount, StepTape* tape = nullptr) const
    {
        Simulation own = simulation;
        const Model& model = own.model();
        own.state = test::moved(model, own.state, direction.q, direction.u, amount);
        own.tape = tape;
        for (int s = 0; s < steps; ++s) {
            if (!direction.inputs.empty()) push(direction.inputs[static_cast<std::size_t>(s)], amount, own);
            const StepReport report = own.step();
            EXPECT_TRUE(report.ok) << report.message;
        }
        return own.state;
    }

    // Forward against differences, adjoint against forward; returns the error of the former. Short
    // differences show what solvers leave open, long ones what is not smooth: the best of three lengths
    // tells.
    double error(Random& random) const
    {
        StepTape tape;
        const State middle = run(0, &tape);
        EXPECT_EQ((measured(run(0), middle) - measured(middle, middle)).cwiseAbs().maxCoeff(), 0)
            << "a tape changes bits";
        StateChange end;
        changeOfMotion(tape, direction, end);
        const auto at = [&](double e) { return measured(run(e), middle); };
        double worst = 1e300;
        for (const double e : {epsilon, 0.3 * epsilon, 3 * epsilon}) {
            const VecX near = at(e) - at(-e), far = at(2 * e) - at(-2 * e);
            const VecX truth = (8 * near - far) / (12 * e);
            worst = std::min(worst, relativeError(measured(end), truth));
            if (worst < tolerance) break;
        }

        StateChange weights;
        weights.setZero(simulation.model());
        weights.q = randomTangent(random, simulation.model());
        weights.u = randomTangent(random, simulation.model());
        double sum = weights.q.dot(end.q) + weights.u.dot(end.u), size = std::abs(sum);
        weighBodies(random, end, weights, sum, size);
        MotionGradient gradient;
        adjointOfMotion(tape, weights, gradient);
        double other = gradient.q.dot(direction.q) + gradient.u.dot(direction.u);
        for (std::size_t s = 0; s < direction.inputs.size(); ++s) {
            other += gradient.inputs[s].joint.dot(direction.inputs[s].joint);
            for (std::size_t i = 0; i < end.bodies.size(); ++i)
                other += gradient.inputs[s].body[i].vector().dot(direction.inputs[s].body[i].vector());
        }
        EXPECT_NEAR(sum, other, rounding * (1 + size));

        StepDerivative derivative;
        for (const TapedStep& step : tape.steps)
            for (const StepPart& part : step.parts) {
                derivative.linearize(*step.model, part);
                EXPECT_LT(derivative.residual(), 1e-7);
            }
        return worst;
    }
};

}  // namespace sinew::implicit_step_test
