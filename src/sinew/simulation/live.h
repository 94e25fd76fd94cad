// A simulation with hands on it: bodies are grabbed and pushed, the scene and the way it is solved are
// changed while it runs.
//
// As long as nobody touches it, it goes through the same states, bit for bit, as a Simulation, except that
// time is counted in steps and not summed, which scripts and paths see in its last bits. Whatever is done
// to it is recorded; a fresh one to which the same is done before the same steps ends with the same bits.
#pragma once

#include "sinew/simulation/interaction.h"

namespace sinew {
namespace compiling {
class Checker;
}

class LiveSimulation {
public:
    // What of the scene can be changed. Joints get stiffness factor · k + added, damping the same.
    struct Parameters {
        Vec3 gravity = Vec3::Zero();
        double stiffnessFactor = 1, dampingFactor = 1;
        double addedStiffness = 0, addedDamping = 0;  // N·m/rad, N·m·s/rad (slides: N/m, N·s/m)
        bool torques = true;  // springs and motors act, as far as the scene lets them
    };

    static Result<LiveSimulation> create(Description description, Settings settings);

    const Simulation& simulation() const { return simulation_; }
    const Parameters& parameters() const { return parameters_; }
    const Settings& startSettings() const { return startSettings_; }  // of create(), none left open

    StepReport step();
    // Asked within steps whether to leave off; such a step is not made.
    void stopBy(const Stop& stop) { simulation_.stop = stop; }
    // For an EnergyMeter (simulation/energy_balance.h).
    void measureEnergy() { simulation_.measuresEnergy = true; }
    // Simulation::setForceLaw(); it is not part of a recording.
    std::optional<Diagnostic> setForceLaw(ForceLaw law) { return simulation_.setForceLaw(std::move(law)); }
    // Simulation::threads.
    void useThreads(int threads) { simulation_.threads = threads; }
    const Accelerations& accelerate() { return simulation_.accelerate(); }
    const Accelerations& accelerateAt(const State& there) { return simulation_.accelerateAt(there); }
    // Since creation, whatever was done in between.
    std::uint64_t stepsMade() const { return stepsMade_; }
    // Whether the last step that was tried was not found.
    bool hasDiverged() const { return hasDiverged_; }
    // The time simulated since creation, s. It differs from the state's once there was a reset.
    double elapsed() const { return thrownAway_ + simulation_.state.time; }
    // The state at a time within the last step (state/between.h), in terms of elapsed().
    void stateWithinStep(double time, State& between) const;
    // Goes on from a state that an untouched simulation had after so many steps.
    void resume(State state, std::uint64_t steps);

    // Everything that is done goes through here and, unless it is refused, into the recording. Gives
    // nothing, or what is wrong; then all stays as it was. The motion goes on from where it is.
    std::optional<Diagnostic> apply(const Interaction::Action& action);
    const std::vector<Interaction>& recording() const { return recording_; }

    std::optional<Diagnostic> choose(const Settings& settings)
    {
        return apply(Interaction::Choose{settings});
    }
    std::optional<Diagnostic> change(const Parameters& parameters);
    // Back to the scene's start; settings and parameters are kept, nothing is held or aimed any more.
    void reset() { apply(Interaction::Reset{}); }

    // Here bodies go by tree index, points are in the axes of the body from its centre of mass.
    //
    // A grab is a spring and damper that would swing the whole skeleton at a few hertz, and that never
    // pulls harder than several times its weight. Steps that are not implicit get a softer one, which they
    // bear.
    std::optional<Diagnostic> grab(int body, const Vec3& point, const Vec3& place);
    std::optional<Diagnostic> moveGrab(const Vec3& place) { return apply(Interaction::MoveGrab{place}); }
    void release() { apply(Interaction::Release{}); }
    bool isGrabbing() const { return grabbed_ >= 0; }
    int grabbedBody() const { return grabbed_; }            // -1: none
    const Vec3& grabbedPoint() const { return point_; }     // of that body
    const Vec3& grabDestination() const { return place_; }  // where it is pulled
    // A sudden momentum, N·s in world axes, at a point of a body; the joints hand it on to the others.
    std::optional<Diagnostic> push(int body, const Vec3& point, const Vec3& impulse);
    // What hands give joints and their controllers, by joint. All of it ends with a reset.
    struct JointInput {
        std::string joint;
        std::vector<double> torque, target;  // empty: none, and as the scene has it
        std::optional<double> stiffness, damping;
    };
    const std::vector<JointInput>& jointInputs() const { return jointInputs_; }
    // Motors that hands put into joints.
    const std::vector<Interaction::Motor>& motors() const { return motors_; }
    // The scene with the settings of joints, motors, switches and gains that hands gave it; without
    // Parameters and JointInputs.
    const Description& scene() const { return edited_; }
    // Whether the scene has a controller for the joint.
    bool hasController(const std::string& joint) const { return controllersOf(joint) > 0; }
    std::optional<Diagnostic> aimTarget(const Interaction::AimTarget& aim) { return apply(aim); }

    // What hands feel, in world axes. Zero where nothing is held.
    Vec3 grabbedPlace() const;  // where the held point is
    Vec3 grabForce() const;     // on the body, N
    // By a target of the scene on its body: the force, and the torque about the point that it draws.
    Force targetForce(int target) const;
    int targetCount() const;  // of the scene: a grab does not count

private:
    std::optional<Diagnostic> act(const Interaction::Grab& grab);
    std::optional<Diagnostic> act(const Interaction::MoveGrab& move);
    std::optional<Diagnostic> act(const Interaction::Release& release);
    std::optional<Diagnostic> act(const Interaction::Push& push);
    std::optional<Diagnostic> act(const Interaction::Change& change);
    std::optional<Diagnostic> act(const Interaction::Choose& choose);
    std::optional<Diagnostic> act(const Interaction::Reset& reset);
    std::optional<Diagnostic> act(const Interaction::AimTarget& aim);
    std::optional<Diagnostic> act(const Interaction::Torque& torque);
    std::optional<Diagnostic> act(const Interaction::Control& control);

    std::optional<Diagnostic> act(const Interaction::SetJoint& set);
    std::optional<Diagnostic> act(const Interaction::Motor& motor);
    std::optional<Diagnostic> act(const Interaction::Switch& change);
    std::optional<Diagnostic> act(const Interaction::Balance& balance);
    std::optional<Diagnostic> act(const Interaction::Gait& gait);
    std::optional<Diagnostic> act(const Interaction::Restore& restore);

    std::optional<Diagnostic> edit(Description scene, const std::string& culprit,
                                   const std::string& pointer);
    int balanceOf(const std::string& body, const std::string& pointer, compiling::Checker& check) const;
    std::size_t controllersOf(const std::string& joint) const;
    std::optional<Diagnostic> giveJoint(JointInput input);
    int drivenJoint(const std::string& name, const std::string& pointer, compiling::Checker& check) const;
    void applyJointInputs(Simulation& to) const;
    Description changedScene(const Parameters& parameters) const;
    std::optional<Diagnostic> rebuild(Settings settings, const Parameters& parameters);
    void goOn(Simulation next);
    void restart();
    void letGo();
    void hold();
    Vec3 reachedPlace() const;

    Description description_, edited_;  // the latter as hands have changed it
    Settings settings_, startSettings_;
    Parameters parameters_;
    Simulation simulation_;
    State start_;
    std::vector<Target> sceneTargets_;  // as compiled, before anything was aimed
    std::uint64_t stepsMade_ = 0;
    bool hasDiverged_ = false;
    double thrownAway_ = 0;  // s, by resets
    std::vector<Interaction> recording_;

    std::vector<JointInput> jointInputs_;
    std::vector<Interaction::Motor> motors_;
    bool isEdited_ = false;
    int grabbed_ = -1;
    Vec3 point_ = Vec3::Zero(), place_ = Vec3::Zero();
    double reach_ = 0;  // beyond which a grab pulls no harder
};

// Does what is due before the next step of a simulation: interactions from `next` on, which goes on to the
// first that is left. Gives nothing, or what is wrong with that one.
std::optional<Diagnostic> applyDue(const std::vector<Interaction>& interactions, std::size_t& next,
                                   LiveSimulation& live);

}  // namespace sinew
