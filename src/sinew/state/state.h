// What changes in a simulation, and what solvers take and give. All arrays are in tree order.
#pragma once

#include <vector>

#include "sinew/base/special_members.h"
#include "sinew/model/model.h"
#include "sinew/state/contact.h"

namespace sinew {

// What the fast and slow bands (integrate/bands.cpp) keep of a link from one of its slow updates to the
// next. Symbols and axes as in dynamics/armstrong_green.cpp, whose method needs the same for one moment.
struct SlowLink {
    Mat3 R_I = Mat3::Identity(), R = Mat3::Identity();
    Mat3 T = Mat3::Zero(), K = Mat3::Zero(), M = Mat3::Zero();
    Vec3 a_c = Vec3::Zero(), g = Vec3::Zero(), f = Vec3::Zero();
    Quat orientation = Quat::Identity();  // at the slow update: R_I
    Vec3 turn = Vec3::Zero();             // δu: how far the link has turned since, link axes
    int age = 0;                          // steps since then
};

struct MeshState;      // state/mesh_state.h
struct ParticleState;  // state/particle_state.h

// The same motion twice: in joint coordinates and in body coordinates. A stepper advances one of
// them and derives the other (state/kinematics.h).
struct State {
    SINEW_SPECIAL_MEMBERS(State);

    double time = 0;
    VecX q;  // joint coordinates (Model::coordinateCount)
    VecX u;  // joint velocities (Model::freedomCount)
    LargeVector<BodyState> bodies;
    // The bodies one step ago, for integrators that look back (BDF2). Empty: start afresh, as one must
    // after any jump in the state.
    LargeVector<BodyState> previous;
    // Per skeleton, with `previous`: 1 where that is not to be looked at, because its velocities jumped
    // since. Empty: nowhere.
    std::vector<char> jumped;
    // Of the integrator `bands`; empty: start afresh, as above.
    LargeVector<SlowLink> slow;
    // What scripts keep from step to step: when a trigger fired, from where a joint is led onto its curve.
    // Changes between steps only (Model::memory says how it starts).
    VecX memory;
    // Of the last step, with the impulses that it found: where the next one begins to look.
    std::vector<Contact> contacts;
    // Likewise of the joints that close loops, per loop and row, and then of the couplings, each in its
    // first row: N·s (N·m·s).
    std::vector<Vec6> loopImpulses;
    // Per skeleton, where contact lets them sleep (integrate/sleep.h): for how long it has been at rest, s;
    // < 0: asleep. Empty: all awake.
    std::vector<double> quiet;
    std::vector<MeshState> meshes;         // as in Model::meshes
    std::vector<ParticleState> particles;  // as in Model::particles
};

// Where motions without forces have the figure at a time: what tracked bodies are drawn to.
struct Guides {
    std::vector<State> figures;  // one per motion of the model
};

// The implicit step that ends at a state, for laws that look at the way it made: how long it is, and where
// the bodies were before. Empty: a state by itself.
struct StepSpan {
    double length = 0;  // s
    const LargeVector<BodyState>* start = nullptr;
};

// Minus the derivatives of a joint's force by its coordinates (along the tangent) and its velocities,
// leading k × k. A ball joint's stiffness is not symmetric.
struct JointTangent {
    Mat3 stiffness = Mat3::Zero();
    Mat3 damping = Mat3::Zero();
};

// Minus the derivatives of the force on a body by its place and by its velocity: linear, then angular,
// world axes.
struct BodyTangent {
    int body = 0;
    Mat6 stiffness = Mat6::Zero();
    Mat6 damping = Mat6::Zero();
};

// Beside the forces themselves: what is known of those that the scene does not tell of.
struct OutsideTangents {
    bool any = false;                  // something pushes from outside
    std::vector<JointTangent> joints;  // per link; empty: none has any
    std::vector<BodyTangent> bodies;

    void clear()
    {
        any = false;
        joints.clear();
        bodies.clear();
    }
    void addTo(int link, JointTangent& tangent) const
    {
        if (joints.empty()) return;
        tangent.stiffness += joints[static_cast<std::size_t>(link)].stiffness;
        tangent.damping += joints[static_cast<std::size_t>(link)].damping;
    }
};

// Everything that pushes: the one place where force laws and solvers meet.
struct Forces {
    SINEW_SPECIAL_MEMBERS(Forces);

    LargeVector<Force> body;     // at the centre of mass, world axes; gravity included
    VecX joint;                  // per freedom, along u: + on the child, − on the parent
    Guides guides;               // as they were for these forces
    StepSpan span;               // of the implicit step at whose end they are
    LargeVector<Force> weights;  // scratch: what each joint bears
    OutsideTangents outside;     // for implicit steps

    void setZero(const Model& model);
};

// What every method returns, so that any two can be compared.
struct Accelerations {
    SINEW_SPECIAL_MEMBERS(Accelerations);

    LargeVector<Motion> body;  // of the centre of mass, world axes
    VecX joint;                // u̇
    // All that the joint exerts on the description's first body, motors and springs included: the
    // force and the torque about the joint's place on that body, world axes.
    LargeVector<Force> load;
    // Per freedom, along u: the force that keeps prescribed joints on their curves, beside springs, dampers
    // and motors; zero in the others. Empty in models that have none.
    VecX drive;
    // A method may leave out what a step does not need: loads, or all but u̇.
    enum class Wanted { everything, bodies, joints } wanted = Wanted::everything;

    void resize(const Model& model);
};

// The rest pose, without motion.
State restState(const Model& model);

// How far a loop is open: the largest of its joint's rows, in metres or radians.
double loopGap(const LoopJoint& loop, const State& state);

// How far the follower is ahead of where the leader wants it, rad (m), and how fast it gets there.
double couplingGap(const Model& model, const Coupling& coupling, const State& state);
double couplingGapRate(const Model& model, const Coupling& coupling, const State& state);

// The state the description starts from. Fails if given velocities would tear a joint.
Result<State> initialState(const Model& model, const Description& description);

}  // namespace sinew
