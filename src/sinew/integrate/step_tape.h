// What implicit steps did, recorded for their derivatives (derivative/motion_derivative.h).
//
// A step is one part, or several where it was halved or cut by a collision. Of each part the tape keeps
// what its equations are made of: the state that it began with and the one that it ended with, how long it
// is for each skeleton (BDF2: 2/3), the contacts with their forces, friction, targets and compliance, the
// forces of loops, and the forces of the scene at the end. Nothing of this is read by a step, so a tape
// changes no bits.
#pragma once

#include <memory>
#include <vector>

#include "sinew/collision/follow.h"
#include "sinew/integrate/force_function.h"
#include "sinew/integrate/starred_spin.h"
#include "sinew/model/model.h"

namespace sinew {

struct StepWork;

// Of a contact in a part of a step, beside what the contact itself says.
struct TapedContact {
    double friction = 0;      // the coefficient that counted
    double compliance = 0;    // as ConstraintBlock has it
    double target = 0;        // m, gap at the end
    bool isFollowed = false;  // place and normal are those of the end
    FollowedContact followed;
};

// Of rolling and spinning friction (integrate/constraints.h), with μ = h² f.
struct TapedTurning {
    std::size_t contact = 0;
    bool spins = false;
    double length = 0, bound = 0;
    Vec3 impulse = Vec3::Zero();  // μ
    Vec3 motion = Vec3::Zero();   // d
};

struct StepPart {
    double h = 0;               // s
    double step = 0;            // s, of the whole step
    std::vector<double> parts;  // per skeleton: how long it is in the equations, over h
    State start, end;           // coordinates, bodies and memory; what else states hold is left out
    LargeVector<StarredSpin> spins;
    std::vector<Contact> contacts;  // impulses: of this part, N·s
    std::vector<TapedContact> taped;
    std::vector<TapedTurning> turning;
    std::vector<Vec6> loopImpulses;  // as in State, of this part
    Forces forces;                   // at the end, but for those of constraints
};

struct TapedStep {
    std::shared_ptr<const Model> model;
    double time = 0;  // s, when it began
    std::vector<StepPart> parts;
    bool jumps = false;  // velocities jumped on the way: a collision gave an impulse
};

// Recording costs a copy of the state and an evaluation of the forces a part. Steps that are no implicit
// steps leave no parts.
struct StepTape {
    std::vector<TapedStep> steps;

    void clear() { steps.clear(); }

    // Of whoever steps: a step begins; it was not found after all; it is done.
    void begin(std::shared_ptr<const Model> model, double time);
    void drop();
    void finish(const State& end);
    // Of the implicit step: from `start` to the end that lies in the work. What was recorded from this
    // moment on before is forgotten: it was an attempt.
    void add(const Model& model, ForceFunction forces, double h, const State& start, StepWork& work);
};

}  // namespace sinew
