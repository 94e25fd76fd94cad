// A scene as a value that can be stepped.
//
//     auto simulation = sinew::Simulation::create(description, {.integrator = sinew::IntegratorId::rk4});
//     if (!simulation) …                                       simulation.error().text() says what is wrong
//     const sinew::Advance way = simulation.value().advance(10);
//     if (!way.ok) …                                           way.last.message says why it came no further
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sinew/base/indirect.h"
#include "sinew/base/shared_value.h"
#include "sinew/base/special_members.h"
#include "sinew/base/stop.h"
#include "sinew/integrate/step_statistics.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/inputs.h"
#include "sinew/simulation/settings.h"
#include "sinew/state/named.h"

namespace sinew {

// How a step went. `ok` is false when the state stopped being finite: the simulation then stays at the
// last good state, and `message` names the body, the time and what to try.
struct StepReport {
    bool ok = true;
    bool stopped = false;  // not found because somebody wanted to stop: ok is false, and nothing is wrong
    std::string message;
    std::string body;
    double time = 0;
    StepStatistics statistics;
};

// How far a simulation came.
struct Advance {
    std::uint64_t steps = 0;  // that were made
    double seconds = 0;       // steps · h
    bool ok = true;           // as far as it should
    StepReport last;  // of the last step that was tried; if not ok, that says why it came no further
};

// Why a method and an integrator that go together (Integrator::stepFor) cannot simulate this model, and
// which of the two is to blame. An empty reason: they can.
struct Unsuitable {
    std::string reason;
    bool isMethods = false;  // the method's fault, not the integrator's
};
Unsuitable unsuitableFor(const Model& model, const Method& method, const Integrator& integrator);
// That a description is not the one that a model was made of, as far as names tell; or nothing.
std::optional<Diagnostic> unfitScene(const Model& model, const Description& description);

struct MeshCoupling;  // simulation/mesh_coupling.h
struct BalanceWork;   // control/balance.h
struct StepTape;      // integrate/step_tape.h

struct Simulation {
    SINEW_SPECIAL_MEMBERS(Simulation);

    State state;
    const Method* method = nullptr;
    const Integrator* integrator = nullptr;
    double h = 0;
    // The scene's own laws unless replaced. The implicit steps take the derivatives of the scene's laws all
    // the same, and `conservative` its joint springs. What comes from outside is added to them
    // (setForceLaw).
    ForceFunction forces = nullptr;
    Indirect<StepWork> work;        // integrate/step_work.h
    Indirect<BalanceWork> balance;  // control/balance.h
    Indirect<MeshCoupling> soft;    // likewise, of spring meshes
    State before;                   // the last good state
    State start;                    // as create() left it
    Stop stop;                      // asked within steps; a step that is stopped leaves the state as it was
    bool measuresEnergy = false;    // within steps too, for an EnergyMeter (simulation/energy_balance.h)
    // J, that springs and limits of joints got as the last step began because the scene gave them others.
    double settingEnergy = 0;
    // Where steps are recorded, for their derivatives (derivative/motion_derivative.h), one after the
    // other; null: nowhere. It must live as long as it is named here.
    StepTape* tape = nullptr;
    // Among which steps and accelerations share the skeletons (base/parallel.h): the same bits with any
    // number. Laws that a program registers are then called from several threads.
    int threads = 1;

    // Compiles, starts and checks that the method knows every joint and goes with the integrator. The
    // error points into the scene, or names the setting.
    static Result<Simulation> create(const Description& description, const Settings& settings);
    // The same with the model that compile() made of the description, or that another simulation of it has:
    // many simulations of one scene share it, in as many threads.
    static Result<Simulation> create(std::shared_ptr<const Model> model, const Description& description,
                                     const Settings& settings);

    const Model& model() const { return *model_; }
    const std::shared_ptr<const Model>& sharedModel() const { return model_.shared(); }
    // The model, for changes that leave bodies, joints and their order alone. The first change makes a copy
    // that this simulation has for itself, until reset(). setMotor() and setControllerTarget() are such.
    Model& changeModel();

    // Steps are counted, not summed: the time of step n has one rounding, however long the run, and is the
    // same for whoever steps.
    struct Clock {
        double start = 0, h = 0, now = 0;
        std::uint64_t steps = 0;

        // After one more step of length h from a state at `time`, which may be another than the clock's.
        double next(double time, double h);
    };

    const Clock& clock() const { return clock_; }

    // One step of length h. If it is not ok, state and clock stay where they are: a loop has to look.
    [[nodiscard]] StepReport step();
    // Whole steps until the span is over or one is not ok, the same bits as calling step() as often. A span
    // that is no multiple of h ends with the step that it ends in: seconds / h steps, rounded up, where a
    // millionth of a step counts as none. They are counted, so that rounding of the clock adds none.
    [[nodiscard]] Advance advance(double seconds);

    // Accelerations, joint accelerations and joint loads at the present state.
    const Accelerations& accelerate() { return accelerateAt(state); }
    // The same at another one of this model, such as one within the last step.
    const Accelerations& accelerateAt(const State& there);
    // The forces that were found for them.
    const Forces& lastForces() const;
    // What the integrator bands was told.
    int slowBand() const;
    bool spread() const;
    // What the integrator dormand_prince was told.
    double tolerance() const;

    // ---- by name, in the scene's terms (state/named.h); before the first step and between steps ---------

    Result<JointHandle> findJoint(std::string_view name) const { return sinew::findJoint(model(), name); }
    Result<BodyHandle> findBody(std::string_view name) const { return sinew::findBody(model(), name); }
    Result<JointNumbers> jointPosition(const JointRef& joint) const;
    Result<JointNumbers> jointVelocity(const JointRef& joint) const;
    // As in Accelerations::load, which has it of all joints at once.
    Result<Force> jointLoad(const JointRef& joint);
    Result<BodyMotion> body(const BodyRef& body) const;
    Result<std::vector<BodyContact>> contacts(const BodyRef& body) const;

    // These give nothing, or what is wrong; then all stays as it was.
    using Outcome = std::optional<Diagnostic>;
    // Goes on from a state that this simulation, or one like it, once had: to the same bits.
    [[nodiscard]] Outcome setState(State wanted);
    // The same with the clock that it had, for lengths of steps that were changed on the way.
    [[nodiscard]] Outcome setState(State wanted, const Clock& clock);
    [[nodiscard]] Outcome setJointPosition(const JointRef& joint, const JointNumbers& position);
    [[nodiscard]] Outcome setJointVelocity(const JointRef& joint, const JointNumbers& velocity);
    // Of a body that no joint ties to another one; what hangs on it comes along.
    [[nodiscard]] Outcome setBody(const BodyRef& body, const BodyMotion& motion);
    // Back to the start, to the same bits as a fresh simulation. Forces, targets and torques that were set
    // are those of the scene again, and so is the model; a force law stays.
    void reset();

    // ---- inputs: held from the next step on until they are changed --------------------------------------
    //
    // Not with `conservative`, but for motors.

    // Beside what the scene has: per freedom, on the second body. Zero lets go.
    [[nodiscard]] Outcome setJointForce(const JointRef& joint, const JointNumbers& force);
    // World axes, the force at a point of the body in its scene's frame, or at its centre of mass. Zero
    // lets go.
    [[nodiscard]] Outcome setBodyForce(const BodyRef& body, const Vec3& force,
                                       const Vec3& torque = Vec3::Zero(),
                                       const std::optional<Vec3>& point = {});
    // A law that is asked within steps (simulation/inputs.h), instead of the one before; null: none. It
    // must not throw.
    [[nodiscard]] Outcome setForceLaw(ForceLaw law);
    // What the joint's controllers aim at, instead of what the scene says.
    [[nodiscard]] Outcome setControllerTarget(const JointRef& joint, const JointNumbers& position);
    // What the joint's motors give, instead of what the scene says.
    [[nodiscard]] Outcome setMotor(const JointRef& joint, const JointNumbers& torque);

    const Inputs& inputs() const { return inputs_; }

    // Gives joints the numbers that the scene has for them at the time of the state (Model::settings),
    // which every step begins with.
    void giveSettings();

private:
    // What the scene chose, and neither settings nor defaults.
    struct SceneChoices {
        bool solver = false, integrator = false;
    };

    std::optional<Diagnostic> choose(const RunSettings& wish, const Settings& settings,
                                     SceneChoices& scenes);
    std::optional<Diagnostic> begin(SharedValue<Model> model, const Description& description,
                                    const SceneChoices& scenes);
    void settle();
    bool stepBodies(ForceFunction all);
    ForceFunction allForces();
    Outcome cannotPush() const;

    SharedValue<Model> model_;
    std::shared_ptr<const Model> sceneModel_;  // if that is another one: it was changed
    std::size_t settingsGiven_ = 0;            // of Model::settings
    Clock clock_;
    Inputs inputs_;
};

}  // namespace sinew
