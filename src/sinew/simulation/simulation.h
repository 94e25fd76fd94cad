// A scene as a value that can be stepped.
//
//     auto simulation = sinew::Simulation::create(description, {});
//     while (simulation.value().state.time < 10) simulation.value().step();
#pragma once

#include <string>

#include "sinew/base/stop.h"
#include "sinew/integrate/integrators.h"
#include "sinew/state/measure.h"

namespace sinew {

// Empty or absent: the description's wish, else the default.
struct Settings {
    std::string solver;
    std::string integrator;
    std::optional<double> step;        // s
    std::string coordinates = {};      // joint or maximal: another way to choose the solver
    std::optional<int> slowBand = {};  // of the integrator bands
    bool spread = false;               // of the integrator bands

    static constexpr const char* defaultSolver = "featherstone";
    static constexpr const char* maximalSolver = "baraff";
    // The implicit step and a frame for it; for solvers it does not go with, the explicit pair.
    static constexpr const char* defaultIntegrator = "implicit";
    static constexpr const char* explicitIntegrator = "semi_implicit_euler";
    static constexpr double defaultStep = 1.0 / 60;
    static constexpr double explicitStep = 1e-3;
    static constexpr double shortestStep = 1e-9, longestStep = 1e9;
    static constexpr double defaultDuration = 10;
    static constexpr double defaultFps = 60;
};

// How a step went. `ok` is false when the state stopped being finite: the simulation then stays at the
// last good state, and `message` names the body, the time and what to try.
struct StepReport {
    bool ok = true;
    bool stopped = false;  // not found because somebody wanted to stop: ok is false, and nothing is wrong
    std::string message;
    std::string body;
    double time = 0;
    StepStatistics statistics;  // of the implicit steps
};

// Why a method and an integrator that go together (Integrator::stepFor) cannot simulate this model, and
// which of the two is to blame. An empty reason: they can.
struct Unsuitable {
    std::string reason;
    bool isMethods = false;  // the method's fault, not the integrator's
};
Unsuitable unsuitableFor(const Model& model, const Method& method, const Integrator& integrator);

struct Simulation {
    Model model;
    State state;
    const Method* method = nullptr;
    const Integrator* integrator = nullptr;
    double h = 0;
    // The scene's own laws unless replaced. The implicit steps take the derivatives of the scene's laws all
    // the same, and `conservative` its joint springs.
    ForceFunction forces = nullptr;
    StepWork work;
    State before;  // the last good state
    Stop stop;     // asked within steps; a step that is stopped leaves the state as it was

    // Compiles, starts and checks that the method knows every joint and goes with the integrator. The
    // error's pointer is a JSON pointer into the scene, or names the setting (--solver).
    static Result<Simulation> create(const Description& description, const Settings& settings);

    StepReport step();

    // Accelerations, joint accelerations and joint loads at the present state.
    const Accelerations& accelerate() { return accelerateAt(state); }
    // The same at another one of this model, such as one within the last step.
    const Accelerations& accelerateAt(const State& there);
};

}  // namespace sinew
