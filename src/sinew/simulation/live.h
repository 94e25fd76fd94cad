// A simulation with hands on it: bodies are grabbed and pushed, the scene and the way it is solved are
// changed while it runs.
//
// As long as nobody touches it, it goes through the same states, bit for bit, as a Simulation.
#pragma once

#include "sinew/simulation/simulation.h"

namespace sinew {

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

    StepReport step();
    const Accelerations& accelerate() { return simulation_.accelerate(); }

    // The motion goes on from where it is. Each gives nothing, or what is wrong; then all stays as it was.
    std::optional<Diagnostic> choose(const Settings& settings) { return rebuild(settings, parameters_); }
    std::optional<Diagnostic> change(const Parameters& parameters)
    {
        return rebuild(settings_, parameters);
    }
    // Back to the scene's start; settings and parameters are kept, nothing is held any more.
    void reset();

    // Bodies by tree index, points in the axes of the body from its centre of mass, places in the world.
    //
    // A grab is a spring and damper that would swing the whole skeleton at a few hertz, and that never
    // pulls harder than several times its weight. Steps that are not implicit get a softer one, which they
    // bear.
    void grab(int body, const Vec3& point, const Vec3& place);
    void moveGrab(const Vec3& place) { place_ = place; }
    void release();
    bool isGrabbing() const { return grabbed_ >= 0; }
    // A sudden momentum, N·s in world axes, at a point of a body; the joints hand it on to the others.
    void push(int body, const Vec3& point, const Vec3& impulse);

private:
    Description changedScene(const Parameters& parameters) const;
    std::optional<Diagnostic> rebuild(Settings settings, const Parameters& parameters);
    void goOn(Simulation next);
    void restart();
    void hold();
    void aimGrab();

    Description description_;
    Settings settings_;
    Parameters parameters_;
    Simulation simulation_;
    State start_;
    double startTime_ = 0;  // of the steps counted since the last change
    std::uint64_t steps_ = 0;

    int grabbed_ = -1;
    Vec3 point_ = Vec3::Zero(), place_ = Vec3::Zero();
    double reach_ = 0;  // beyond which a grab pulls no harder
};

}  // namespace sinew
