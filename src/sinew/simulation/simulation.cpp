#include "sinew/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sinew/force/laws.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Faster than this is not motion any more: the run is about to overflow.
constexpr double diverged = 1e9;  // m/s, rad/s

int firstDiverged(const State& state)
{
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
        const BodyState& b = state.bodies[i];
        // Written so that NaN counts as too fast.
        if (!(b.velocity.cwiseAbs().maxCoeff() < diverged &&
              b.angularVelocity.cwiseAbs().maxCoeff() < diverged))
            return static_cast<int>(i);
    }
    return firstNonFinite(state);
}

template <class Table>
std::string namesOf(const Table& table)
{
    std::string names;
    for (const auto& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    return names;
}

// A setting's own value, or the description's, or the default; and where to point if it is wrong.
struct Choice {
    std::string value, pointer;
};
Choice choose(const std::string& setting, const std::string& wish, const char* fallback, const char* option,
              const char* pointer)
{
    if (!setting.empty()) return {setting, option};
    if (!wish.empty()) return {wish, pointer};
    return {fallback, option};
}

Diagnostic fault(const std::string& pointer, const std::string& message)
{
    Diagnostic d;
    d.pointer = pointer;
    d.message = message;
    return d;
}

}  // namespace

Result<Simulation> Simulation::create(const Description& description, const Settings& settings)
{
    const RunSettings& wish = description.run;
    Simulation simulation;
    // A step that brings its own equations brings its solver, unless one is asked for beside it.
    const std::string& asked = settings.integrator.empty() ? wish.integrator : settings.integrator;
    const Integrator* known = findIntegrator(asked);
    const char* solverDefault = known && known->onlyMethod ? known->onlyMethod : Settings::defaultSolver;
    const bool sceneSolverCounts = settings.integrator.empty() || !(known && known->onlyMethod);
    const Choice solver = choose(settings.solver, sceneSolverCounts ? wish.solver : std::string(),
                                 solverDefault, "--solver", "/run/solver");
    simulation.method = findMethod(solver.value);
    if (!simulation.method)
        return fault(solver.pointer,
                     "there is no solver '" + solver.value + "'; known are " + namesOf(methods()));
    const bool implicitGoes = findIntegrator(Settings::defaultIntegrator)->stepFor(*simulation.method);
    const Choice integrator =
        choose(settings.integrator, wish.integrator,
               implicitGoes ? Settings::defaultIntegrator : Settings::explicitIntegrator, "--integrator",
               "/run/integrator");
    simulation.integrator = findIntegrator(integrator.value);
    if (!simulation.integrator)
        return fault(integrator.pointer, "there is no integrator '" + integrator.value + "'; known are " +
                                             namesOf(integrators()));
    if (!simulation.integrator->stepFor(*simulation.method))
        return fault(integrator.pointer, "integrator '" + integrator.value + "' does not go with solver '" +
                                             solver.value + "'; 'sinew solvers' lists the pairs that do");
    const bool isImplicit = simulation.integrator->onlyMethod != nullptr;
    simulation.h = settings.step.value_or(
        wish.step.value_or(isImplicit ? Settings::defaultStep : Settings::explicitStep));
    if (!(std::isfinite(simulation.h) && simulation.h > 0))
        return fault(settings.step ? "--step" : "/run/step", "the step must be positive, in seconds");

    Result<Model> model = compile(description);
    if (!model) return model.error();
    simulation.model = std::move(model.value());
    const std::string unsupported = unsupportedReason(*simulation.method, simulation.model);
    if (!unsupported.empty()) return fault(solver.pointer, unsupported);
    Result<State> state = initialState(simulation.model, description);
    if (!state) return state.error();
    simulation.state = std::move(state.value());
    simulation.forces = sceneForces;
    return simulation;
}

StepReport Simulation::step()
{
    before = state;
    work.statistics = {};
    integrator->stepFor (*method)(model, *method, forces, h, state, work);

    StepReport report;
    report.statistics = work.statistics;
    report.time = before.time;
    const int body = firstDiverged(state);
    report.ok = body < 0 && !work.statistics.failed;
    if (report.ok) return report;

    state = before;
    report.body = model.bodies[std::max(body, 0)].name;
    char text[64];
    std::snprintf(text, sizeof text, "%.6g s: ", before.time);
    report.message = body < 0 ? std::string("no step was found, however short, after ")
                              : "the motion of body '" + report.body + "' diverged after ";
    report.message += text;
    std::snprintf(text, sizeof text, "%.3g s", h);
    report.message +=
        std::string("try a smaller step than ") + text + ", less stiffness, or another integrator";
    return report;
}

const Accelerations& Simulation::accelerate()
{
    forces(model, state, work.forces);
    work.accelerations.resize(model);
    work.accelerations.wanted = Accelerations::Wanted::everything;
    method->accelerate(model, state, work.forces, work.work, work.accelerations);
    return work.accelerations;
}

}  // namespace sinew
