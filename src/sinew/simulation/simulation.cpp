#include "sinew/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/control/balance.h"
#include "sinew/force/laws.h"
#include "sinew/force/laws/springs.h"
#include "sinew/force/triggers.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_work.h"
#include "sinew/model/fields.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/particle/step.h"
#include "sinew/simulation/mesh_coupling.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(Simulation)

namespace {

// Faster than this is not motion any more: the run is about to overflow.
constexpr double diverged = 1e9;  // m/s, rad/s

int firstDiverged(const State& state)
{
    // What is not finite is not zero when multiplied by zero.
    const auto isSound = [](const BodyState& b) {
        double zero = 0;
        bool isSlow = true;
        for (int k = 0; k < 3; ++k) {
            zero += 0 * b.position[k];
            isSlow &= std::abs(b.velocity[k]) < diverged && std::abs(b.angularVelocity[k]) < diverged;
        }
        for (int k = 0; k < 4; ++k) zero += 0 * b.orientation.coeffs()[k];
        return isSlow && zero == 0;
    };
    for (std::size_t i = 0; i < state.bodies.size(); ++i)
        if (!isSound(state.bodies[i])) return static_cast<int>(i);
    return -1;
}

// A spring mesh, likewise.
int firstDivergedMesh(const State& state)
{
    for (std::size_t i = 0; i < state.meshes.size(); ++i) {
        const VecX& v = state.meshes[i].v;
        if (!v.allFinite() || (v.size() > 0 && v.cwiseAbs().maxCoeff() >= diverged))
            return static_cast<int>(i);
    }
    return -1;
}

std::string meshFailure(const Simulation& simulation, int mesh, double time)
{
    char text[100];
    std::snprintf(text, sizeof text, " diverged after %.6g s; try a smaller step than %.3g s", time,
                  simulation.h);
    return "mesh " + quotedName(simulation.model().meshes[static_cast<std::size_t>(mesh)].name) + text;
}

// The integrators that go with a method.
std::string goingWith(const Method& method)
{
    std::string names;
    for (const Integrator& integrator : integrators())
        if (integrator.stepFor(method)) names += (names.empty() ? "" : ", ") + std::string(integrator.name);
    return names;
}

// The setting's value, else the scene's, else the default.
template <class Id>
struct Choice {
    std::string value;
    bool isScenes = false;

    Choice(const NamedChoice<Id>& setting, const std::string& wish, Id fallback)
        : value(setting.isMade() ? setting.name()
                : !wish.empty()  ? wish
                                 : settingName(fallback)),
          isScenes(!setting.isMade() && !wish.empty())
    {
    }
};

// Points to the scene where it made the choice, else names the setting.
Diagnostic wrongChoice(const char* name, bool isScenes, const std::string& message)
{
    return isScenes ? faultAt(std::string("/run/") + name, message) : settingFault(name, message);
}

// Which method, from the solver, the integrator and the coordinates that settings and scene ask for.
Result<const Method*> chooseMethod(const RunSettings& wish, const Settings& settings, bool& isScenes)
{
    // A step that brings its own equations, or is made of one method, brings its solver, unless one is
    // asked for beside it.
    const Integrator* known =
        findIntegrator(settings.integrator.isMade() ? settings.integrator.name() : wish.integrator);
    const bool inOneOnly = known && !(known->inBodyCoordinates && known->inJointCoordinates);
    const bool brings = known && (known->bringsEquations || known->onlyWith || inOneOnly);
    // What the settings ask for silences the scene's word on the same choice.
    const bool solverGiven = settings.solver.isMade(), coordinatesGiven = settings.coordinates.isMade();
    const bool stepDecides = settings.integrator.isMade() && brings && inOneOnly;
    const std::string coordinates = coordinatesGiven               ? settings.coordinates.name()
                                    : (solverGiven || stepDecides) ? std::string()
                                                                   : wish.coordinates;
    if (!coordinates.empty())
        if (const auto asked = coordinatesNamed(coordinates); !asked)
            return wrongChoice("coordinates", !coordinatesGiven, asked.error().message);
    const bool maximal =
        coordinates == "maximal" || (coordinates.empty() && brings && !known->inJointCoordinates);
    const bool sceneCounts = !coordinatesGiven && (!settings.integrator.isMade() || !brings);
    const SolverId fallback = known && known->onlyWith ? solverNamed(known->onlyWith).value()
                              : maximal                ? Settings::maximalSolver
                                                       : Settings::defaultSolver;
    const Choice<SolverId> solver(settings.solver, sceneCounts ? wish.solver : std::string(), fallback);
    isScenes = solver.isScenes;
    const Result<SolverId> found = solverNamed(solver.value);
    if (!found) return wrongChoice("solver", isScenes, found.error().message);
    const Method* method = &methodOf(found.value());
    if (!coordinates.empty() && maximal != (method->coordinates == Coordinates::body))
        return wrongChoice("coordinates", !coordinatesGiven,
                           "solver " + quotedName(solver.value) + " is in " +
                               (maximal ? "joint" : "maximal") + " coordinates, not in " + coordinates +
                               " ones");
    return method;
}

// How often the slow band is due, from settings and scene. An integrator chosen by the settings silences
// what the scene says for its own.
std::optional<Diagnostic> chooseBands(const RunSettings& wish, const Settings& settings,
                                      const Integrator& integrator, StepWork& work)
{
    const bool sceneCounts = integrator.hasSlowBand || !settings.integrator.isMade();
    const std::optional<int> wished = sceneCounts ? wish.slowBand : std::nullopt;
    const std::optional<int> slowBand = settings.slowBand ? settings.slowBand : wished;
    const bool spread = settings.spread || (sceneCounts && wish.spread);
    if (!integrator.hasSlowBand && (slowBand || spread))
        return wrongChoice(slowBand ? "slow_band" : "spread",
                           slowBand ? !settings.slowBand.has_value() : !settings.spread,
                           std::string("integrator '") + integrator.name + "' has no slow band; use bands");
    if (slowBand.value_or(1) < 1)
        return wrongChoice("slow_band", !settings.slowBand,
                           "is " + std::to_string(*slowBand) + "; it must be a number of steps, 1 or more");
    work.settings.slowBand = slowBand.value_or(1);
    work.settings.spread = spread;
    return {};
}

// How far steps that adapt may be off; chosen as above.
std::optional<Diagnostic> chooseTolerance(const RunSettings& wish, const Settings& settings,
                                          const Integrator& integrator, StepWork& work)
{
    const bool sceneCounts = integrator.adapts || !settings.integrator.isMade();
    const std::optional<double> wished = sceneCounts ? wish.tolerance : std::nullopt;
    const std::optional<double> tolerance = settings.tolerance ? settings.tolerance : wished;
    if (!integrator.adapts && tolerance)
        return wrongChoice("tolerance", !settings.tolerance,
                           std::string("integrator '") + integrator.name +
                               "' does not adapt its steps; use dormand_prince");
    work.settings.tolerance = tolerance.value_or(Settings::defaultTolerance);
    if (!(work.settings.tolerance >= Settings::leastTolerance &&
          work.settings.tolerance <= Settings::mostTolerance))
        return wrongChoice("tolerance", !settings.tolerance, "must be a number from 1e-12 to 0.1");
    return {};
}

// What would not converge: the joint, and how far contacts or loops were from their laws.
std::string trouble(const Model& model, const StepStatistics& statistics)
{
    if (statistics.stuckJoint < 0) return {};
    const Joint& joint = model.joints[statistics.stuckJoint];
    const std::string& body = model.bodies[statistics.stuckJoint].name;
    char text[64];
    std::snprintf(text, sizeof text, " still moves by %.2g", statistics.stuckSize);
    std::string line = joint.declared ? "joint " + quotedName(joint.name) : "body " + quotedName(body);
    line += text;
    if (statistics.constraints.reachedCap) {
        std::snprintf(text, sizeof text, ", contacts and loops are off by %.2g m",
                      statistics.constraints.largest());
        line += text;
    }
    return line + "; ";
}

// Why there is no step from a time on. `body`: whose motion diverged, or −1.
std::string failure(const Simulation& simulation, int body, bool tooMany, double time)
{
    char text[200];
    if (tooMany) {
        std::snprintf(
            text, sizeof text,
            "too much touches after %.6g s: more than %zu places, or %zu pairs of shapes that are "
            "near; do bodies lie inside each other?",
            time, Collisions::mostContacts, Collisions::mostPairs);
        return text;
    }
    const Model& model = simulation.model();
    std::snprintf(text, sizeof text, "%.6g s: ", time);
    std::string message =
        body < 0 ? std::string("no step was found, however short, after ")
                 : "the motion of body " + quotedName(model.bodies[body].name) + " diverged after ";
    message += text + trouble(model, simulation.work->statistics);
    std::snprintf(text, sizeof text, "%.3g s", simulation.h);
    message += std::string("try a smaller step than ") + text;
    // Loops and resting contact have no other integrator that would do better.
    if (model.loops.empty() && !model.contact) message += ", less stiffness, or another integrator";
    return message;
}

}  // namespace

Unsuitable unsuitableFor(const Model& model, const Method& method, const Integrator& integrator)
{
    const std::string name = integrator.name;
    const std::string law = unsupportedLaw(integrator, model);
    if (!law.empty())
        return {"integrator " + quotedName(name) + " does not support " + law + "; use implicit", false};
    if (integrator.placesOnly)
        if (const std::string force = velocityForce(model); !force.empty())
            return {"integrator " + quotedName(name) +
                        " takes no forces that depend on velocity, such as " + force +
                        "; use velocity_verlet",
                    false};
    // Constraints of contacts and loops are part of the implicit steps in joint coordinates.
    const bool constrains = integrator.bringsEquations && method.coordinates == Coordinates::joint;
    if (!model.loops.empty() && !integrator.holdsLoops)
        return {"joint " + quotedName(model.loops.front().joint.name) +
                    " closes a loop, which integrator " + quotedName(name) +
                    " cannot hold; implicit, conservative and rk4 can",
                false};
    const auto lettingGo = std::find_if(model.loops.begin(), model.loops.end(),
                                        [](const LoopJoint& loop) { return std::isfinite(loop.release); });
    if (lettingGo != model.loops.end() && !constrains)
        return {"joint " + quotedName(lettingGo->joint.name) +
                    " lets go, which only implicit in joint coordinates can do",
                integrator.bringsEquations};
    if (!model.couplings.empty() && !constrains)
        return {"joint " + quotedName(model.joints[model.couplings.front().follower].name) +
                    " is coupled to another one, which only implicit in joint coordinates can hold",
                integrator.bringsEquations};
    if (model.contact && !constrains) {
        using Response = ContactDescription::Response;
        if (model.contact->response == Response::resting ||
            (model.contact->response == Response::penalty && integrator.bringsEquations))
            return {"resting contact needs implicit in joint coordinates; with " + quotedName(name) +
                        " give contact the response impulse, kinematic or penalty",
                    false};
    }
    if (model.contact && !constrains)
        for (const Collider& collider : model.colliders)
            if (collider.rollingFriction > 0 || collider.spinningFriction > 0)
                return {"rolling and spinning friction need implicit in joint coordinates", false};
    if (model.contact && model.contact->sleeping &&
        model.contact->response != ContactDescription::Response::resting)
        return {"sleeping is for resting contact", false};
    if (model.contact && model.contact->accuracy == ContactDescription::Accuracy::fast &&
        model.contact->response != ContactDescription::Response::resting)
        return {"accuracy 'fast' is for resting contact", false};
    // A step that brings its equations needs the method's coordinates, not its abilities.
    if (!integrator.bringsEquations) return {unsupportedReason(method, model), true};
    const std::string joint = unsupportedJoint(method, model);
    if (!joint.empty()) return {joint, true};
    std::string reason;
    if (!integrator.knowsArmature) reason = unsupportedArmature(name, model);
    if (reason.empty() && !integrator.knowsPrescribed) reason = unsupportedPrescribed(name, model);
    if (!reason.empty()) return {reason, false};
    // In body coordinates each body has to have an inertia of its own.
    if (method.coordinates == Coordinates::body) {
        reason = unsupportedMassless(name + " in maximal coordinates", model);
        if (reason.empty()) reason = unsupportedInRows(name + " in maximal coordinates", model);
    }
    if (reason.empty() && integrator.bytes)
        reason = unsupportedSize(name, integrator.bytes(model, method.coordinates), model);
    return {reason, integrator.inJointCoordinates != nullptr};
}

std::optional<Diagnostic> unfitScene(const Model& model, const Description& description)
{
    bool fits = description.bodies.size() == model.bodyOrder.size() &&
                description.joints.size() == model.linkOfJoint.size();
    for (std::size_t i = 0; fits && i < description.bodies.size(); ++i)
        fits = description.bodies[i].name == model.bodies[model.bodyOrder[i]].name;
    for (std::size_t j = 0; fits && j < description.joints.size(); ++j)
        fits = model.linkOfJoint[j] < 0 ||
               description.joints[j].name == model.joints[model.linkOfJoint[j]].name;
    if (fits) return {};
    return Diagnostic{"the model is not compiled from this description"};
}

std::optional<Diagnostic> Simulation::choose(const RunSettings& wish, const Settings& settings,
                                             SceneChoices& scenes)
{
    const Result<const Method*> chosen = chooseMethod(wish, settings, scenes.solver);
    if (!chosen) return chosen.error();
    method = chosen.value();
    // Who names another solver wants to see that solver at work, not the implicit step in its coordinates.
    const bool coordinatesAsked =
        settings.coordinates.isMade() || (!settings.solver.isMade() && !wish.coordinates.empty());
    const bool implicitByDefault =
        method->standsForCoordinates && (coordinatesAsked || method == &methodOf(Settings::defaultSolver));
    const Choice<IntegratorId> choice(
        settings.integrator, wish.integrator,
        implicitByDefault ? Settings::defaultIntegrator : Settings::explicitIntegrator);
    scenes.integrator = choice.isScenes;
    const Result<IntegratorId> found = integratorNamed(choice.value);
    if (!found) return wrongChoice("integrator", choice.isScenes, found.error().message);
    integrator = &integratorOf(found.value());
    if (!integrator->stepFor(*method)) {
        const char* only = integrator->onlyWith;
        if (integrator->placesOnly)
            return wrongChoice(
                "integrator", choice.isScenes,
                "integrator " + quotedName(choice.value) +
                    " takes no forces that depend on velocity, as those in joint coordinates "
                    "do; use velocity_verlet, or a solver in maximal coordinates");
        return wrongChoice(
            "integrator", choice.isScenes,
            "integrator " + quotedName(choice.value) + " does not go with solver " +
                quotedName(method->name) + "; " +
                (only ? std::string("only ") + only + " does" : "use " + goingWith(*method)));
    }
    if (auto error = chooseBands(wish, settings, *integrator, *work)) return error;
    if (auto error = chooseTolerance(wish, settings, *integrator, *work)) return error;
    const bool takesFrames = integrator->bringsEquations || integrator->adapts;
    h = settings.step.value_or(
        wish.step.value_or(takesFrames ? Settings::defaultStep : Settings::explicitStep));
    if (!(h >= Settings::shortestStep && h <= Settings::longestStep))
        return wrongChoice("step", !settings.step, "the step must be positive, from 1e-9 to 1e9 seconds");
    return {};
}

std::optional<Diagnostic> Simulation::begin(SharedValue<Model> model, const Description& description,
                                            const SceneChoices& scenes)
{
    model_ = std::move(model);
    const Unsuitable unsuitable = unsuitableFor(*model_, *method, *integrator);
    if (!unsuitable.reason.empty())
        return unsuitable.isMethods ? wrongChoice("solver", scenes.solver, unsuitable.reason)
                                    : wrongChoice("integrator", scenes.integrator, unsuitable.reason);
    Result<State> initial = initialState(*model_, description);
    if (!initial) return initial.error();
    state = std::move(initial.value());
    forces = sceneForces;
    settle();
    giveSettings();
    settingEnergy = 0;
    updateBalances(*model_, h, state, *balance);  // what is told of the start has its torques
    start = state;
    return {};
}

// What has to be true of a state before a step.
void Simulation::settle()
{
    const Model& model = *model_;
    // Implicit steps close loops at their end, whatever the velocities were; others start on them.
    if (!model.loops.empty() && !(integrator->bringsEquations && integrator->inJointCoordinates))
        closeLoops(model, state, work->work.loops);
    updateTriggers(model, state);
}

Result<Simulation> Simulation::create(const Description& description, const Settings& settings)
{
    Simulation simulation;
    SceneChoices scenes;
    if (auto error = simulation.choose(description.run, settings, scenes)) return *error;
    Result<Model> compiled = compile(description);
    if (!compiled) return compiled.error();
    if (auto error = simulation.begin(SharedValue<Model>(std::move(compiled.value())), description, scenes))
        return *error;
    return simulation;
}

Result<Simulation> Simulation::create(std::shared_ptr<const Model> model, const Description& description,
                                      const Settings& settings)
{
    if (!model) return Diagnostic{"there is no model"};
    if (auto error = unfitScene(*model, description)) return *error;
    Simulation simulation;
    SceneChoices scenes;
    if (auto error = simulation.choose(description.run, settings, scenes)) return *error;
    if (auto error = simulation.begin(SharedValue<Model>(std::move(model)), description, scenes))
        return *error;
    return simulation;
}

double Simulation::Clock::next(double time, double step)
{
    if (time != now || step != h) {
        // A state from elsewhere. If it is one after whole steps, it counts on as there.
        const double count = std::round(time / step);
        const bool isWhole = count >= 0 && count < 9007199254740992. && count * step == time;
        *this = {isWhole ? 0 : time, step, time, isWhole ? static_cast<std::uint64_t>(count) : 0};
    }
    return now = start + static_cast<double>(++steps) * h;
}

// Says whether there is such a step.
bool Simulation::stepBodies(ForceFunction all)
{
    const Model& model = *model_;
    if (model.size() == 0) return true;
    work->statistics.contactEnergy = 0;  // meshes have a step made anew
    if (model.contact)
        stepWithImpacts(model, *method, *integrator, all, h, state, *work);
    else
        integrator->stepFor (*method)(model, *method, all, h, state, *work);
    return !work->statistics.failed;
}

// Joints have the numbers that the scene gives them by the time at which a step begins: a state that is
// taken up again, or taken back, has those of its time.
void Simulation::giveSettings()
{
    settingEnergy = 0;
    if (model_->settings.empty()) return;
    std::size_t due = 0;
    const std::vector<JointSetting>& known = model_->settings;
    while (due < known.size() && known[due].isDue(state.time)) ++due;
    // Steps that look back must not look across one that is new to this step.
    const double before = state.time - h;
    bool isNew = false;
    for (std::size_t i = 0; i < due; ++i) isNew |= !known[i].isDue(before);
    if (isNew) {
        state.previous.clear();
        state.slow.clear();
    }
    if (due == settingsGiven_) return;
    Model& model = changeModel();
    if (due < settingsGiven_) {
        for (const JointSetting& setting : model.settings) {
            JointSetting first = setting;
            first.numbers = sceneModel_->joints[setting.joint];
            model.set(first);
        }
        settingsGiven_ = 0;
    }
    for (; settingsGiven_ < due; ++settingsGiven_) {
        const JointSetting& setting = model.settings[settingsGiven_];
        const int link = setting.joint;
        const double* q = state.q.data() + model.joints[link].q;
        const bool active = model.isActive(link, state.time);
        const double stored = jointElasticEnergy(model.joints[link], q, active);
        model.set(setting);
        if (!setting.isDue(before))
            settingEnergy += jointElasticEnergy(model.joints[link], q, active) - stored;
    }
}

StepReport Simulation::step()
{
    SINEW_ASSERT(method && integrator);  // that create() made it
    const ThreadScope scope(threads);
    giveSettings();
    const Model& model = *model_;
    // Particles may be millions, and cannot fail: they are no part of what a step goes back to.
    std::vector<ParticleState> particles = std::move(state.particles);
    state.particles.clear();
    before = state;
    work->statistics = {};
    work->constraints.solver.effort = {};
    work->stopBy(stop);
    work->settings.measuresContacts = measuresEnergy;
    wakePushed(inputs_, model, state);
    inputs_.fault.clear();
    updateBalances(model, h, state, *balance);
    work->tape = tape;
    if (tape) tape->begin(model_.shared(), state.time);
    if (model.meshes.empty()) {
        stepBodies(allForces());
    } else {
        soft->inputs = &inputs_;
        soft->step(
            model, before, h, state,
            [&] { return stepBodies(forces.plus(addAll, &*soft)) && firstDiverged(state) < 0; },
            work->statistics);
    }

    StepReport report;
    report.statistics = work->statistics;
    report.time = before.time;
    const int body = firstDiverged(state);
    const int mesh = firstDivergedMesh(state);
    report.stopped = stop();
    const bool tooMany = work->constraints.collisions.takeTooMany();
    report.ok = body < 0 && mesh < 0 && !work->statistics.failed && !report.stopped && !tooMany &&
                inputs_.fault.empty();
    if (!report.ok) state = before;
    if (tape) report.ok ? tape->finish(state) : tape->drop();
    state.particles = std::move(particles);
    if (report.ok) {
        state.time = clock_.next(before.time, h);
        stepParticles(model, before.bodies, h, state, work->particles);
        updateTriggers(model, state);
        fallAsleep(model, h, state, work->sleep);
        // Steps that look back must not look across a joint that is led or let go.
        if (handOver(model, state)) state.previous.clear();
        return report;
    }

    if (report.stopped) return report;
    if (!inputs_.fault.empty()) {
        report.message = "the force law: " + inputs_.fault;
        return report;
    }
    if (body >= 0 && !tooMany) report.body = model.bodies[body].name;
    report.message =
        mesh >= 0 ? meshFailure(*this, mesh, before.time) : failure(*this, body, tooMany, before.time);
    return report;
}

Advance Simulation::advance(double seconds)
{
    SINEW_ASSERT(method && integrator);
    constexpr double slack = 1e-6;              // of a step: more than rounding makes of a span
    constexpr double most = 9007199254740992.;  // up to here every number of steps is a double
    Advance way;
    const double count = std::ceil(seconds / h - slack);
    if (!(seconds >= 0 && count <= most)) {
        way.ok = way.last.ok = false;
        way.last.time = state.time;
        way.last.message = "cannot advance by " + std::to_string(seconds) + " s";
        return way;
    }
    while (way.ok && static_cast<double>(way.steps) < count) {
        way.last = step();
        way.ok = way.last.ok;
        way.steps += way.ok;
    }
    way.seconds = static_cast<double>(way.steps) * h;
    return way;
}

ForceFunction Simulation::allForces()
{
    return inputs_.empty() ? forces : forces.plus(addInputs, &inputs_);
}

const Accelerations& Simulation::accelerateAt(const State& there)
{
    SINEW_ASSERT(method);
    const ThreadScope scope(threads);
    const Model& model = *model_;
    allForces()(model, there, work->forces);
    // What held contacts and loops in the last step holds them now.
    addConstraintForces(model, there, h, work->forces);
    work->accelerations.resize(model);
    work->accelerations.wanted = Accelerations::Wanted::everything;
    // Beside a step that brings its equations the method only stands for its coordinates.
    const bool asksTooMuch = !unsupportedReason(*method, model).empty();
    const Method& able = asksTooMuch ? methodOf(Settings::defaultSolver) : *method;
    able.accelerate(model, there, work->forces, work->work, work->accelerations);
    return work->accelerations;
}

const Forces& Simulation::lastForces() const
{
    return work->forces;
}

int Simulation::slowBand() const
{
    return work->settings.slowBand;
}

double Simulation::tolerance() const
{
    return work->settings.tolerance;
}

bool Simulation::spread() const
{
    return work->settings.spread;
}

}  // namespace sinew
