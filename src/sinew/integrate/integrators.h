// One table of the integrators: how accelerations become motion.
//
// Each is written once, over "coordinates" (integrate/coordinates.h): body coordinates for the maximal
// methods, joint coordinates for the recursive ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/base/stop.h"
#include "sinew/dynamics/methods.h"
#include "sinew/force/laws.h"
#include "sinew/integrate/constraints.h"
#include "sinew/integrate/joint_loads.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/starred_spin.h"
#include "sinew/math/bordered_tree.h"
#include "sinew/state/measure.h"

namespace sinew {

// Sets Forces at a state: by a law, the scene's own or whatever else the caller wants to push with, and by
// what somebody adds to it from outside, with its tangents in Forces::outside.
class ForceFunction {
public:
    using Law = void (*)(const Model&, const State&, Forces&);
    using Addition = void (*)(void* adder, const Model&, const State&, Forces&);

    ForceFunction(Law law = nullptr) : law_(law) {}
    ForceFunction plus(Addition addition, void* adder) const
    {
        ForceFunction both = *this;
        both.addition_ = addition;
        both.adder_ = adder;
        return both;
    }
    void operator()(const Model& model, const State& state, Forces& forces) const
    {
        forces.outside.clear();
        law_(model, state, forces);
        if (addition_) addition_(adder_, model, state, forces);
    }

private:
    Law law_;
    Addition addition_ = nullptr;
    void* adder_ = nullptr;
};

// A body over a step of the energy-momentum integrator (integrate/conservative.cpp).
struct BodySpan {
    Mat3 R0 = Mat3::Identity(), R1 = Mat3::Identity();
    Vec3 p0 = Vec3::Zero(), p1 = Vec3::Zero();
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();  // v¯ world, ω¯ body
    Mat3 B = Mat3::Zero();                    // world turn of R' per ω¯

    Vec3 spin() const { return R0 * w; }  // world; cay(hω¯) leaves ω¯ alone
    Vec3 mid(const Vec3& l) const { return 0.5 * (R0 * l + R1 * l); }
    void update(double h);
};

// What the implicit steps report; added up until the caller clears it.
struct StepStatistics {
    long newtonIterations = 0;
    int halvings = 0;     // steps, or parts of them, that were taken in two halves
    bool failed = false;  // a step was not found even in the smallest parts
    // Where Newton's method stuck when a step was not found: a joint's freedom (tree index) and its last
    // correction in rad or lengths of the figure, and what contacts or loops were off by, m.
    int stuckJoint = -1;
    double stuckSize = 0;
    int unconverged = 0;  // smallest parts of a step that were taken as Newton had come near to them
    // Of contacts and closed loops.
    int contactSweeps = 0;           // the most that one solve took
    int contactCaps = 0;             // solves that ended at their bound on iterations
    ConstraintReport constraints{};  // residuals of the last solve

    void note(const ConstraintReport& report)
    {
        constraints = report;
        if (report.sweeps > contactSweeps) contactSweeps = report.sweeps;
        contactCaps += report.reachedCap;
    }
    // What has been taken since is taken back: its iterations were made, what was wrong with it is not.
    void keepCostsOnly(const StepStatistics& before)
    {
        failed = before.failed;
        unconverged = before.unconverged;
        contactCaps = before.contactCaps;
    }
};

// Of one island of contacts in a jump, times h² (integrate/impulses.cpp): the kinetic energy that its
// impulses bring with restitution and without, and how it curves between.
struct ImpulseGain {
    double whole = 0, none = 0, curve = 0, scale = 0;
    // The part of the restitution that brings none.
    double part() const;
};

// Where a correction takes a body to first order.
struct Foreseen {
    Vec3 from, move;
    // How far the body is from a part of the move.
    Vec3 missed(const BodyState& body, double part) const { return body.position - from - part * move; }
};

// Everything a step needs and overwrites, kept from step to step.
struct StepWork {
    Stop stop;  // asked between iterations; a step that was stopped is not found
    StepStatistics statistics;
    Work work;
    Forces forces;
    Accelerations accelerations;
    State stage;                    // the state at an inner stage
    VecX start, delta;              // chart coordinates of stages
    VecX rate[4], acceleration[4];  // slopes of stages
    // Of the implicit steps. Their own links: the matrix blocks must not leak into plain accelerations.
    LargeVector<ArticulatedLink> links;
    BlockTree tree;
    State trial;
    LargeVector<BodyState> star, stepStart, beforeCorrection;
    LargeVector<Vec6> carried, believed, roundingTerms;
    LargeVector<Foreseen> foreseen;
    LargeVector<Vec3> excess, torque;
    LargeVector<SpinAxis> spinAxes;
    LargeVector<StarredSpin> spins;
    JointLoads loads, loadsStart;
    std::vector<double> whole;  // ones
    std::vector<BodyTangent> tangents;
    VecX residual, correction, trialCorrection, nextRound, searchStart, starredVelocity, startCoordinates;
    // Of those in body coordinates.
    LargeVector<BodySpan> spans;
    LargeVector<Vec6> multipliers, multiplierStart;
    BorderedTree border;
    std::vector<Vec6> loopMultipliers, loopMultiplierStart;
    VecX borderCorrection;
    ConstraintWork constraints;
    std::vector<Contact> impacts, predicted, sunken, blows;  // of integrate/impacts.cpp
    std::vector<char> bouncing;                              // of integrate/impulses.cpp, per contact
    std::vector<Vec3> guesses;                               // likewise
    double wholeStep = 0;                                    // s, where a collision cuts it; zero elsewhere
    std::vector<int> inPass;                                 // contacts of a pass
    std::vector<ImpulseGain> gains;                          // islands of a pass
    State beforeImpact, between;
    SleepWork sleep;
    std::vector<Joint> heldAtStart, heldAtEnd;  // prescribed joints (integrate/held_joint.h)

    // Of implicit steps, per skeleton: 1 for backward Euler, 2/3 for BDF2, and whether its velocities jump.
    std::vector<double> parts;
    std::vector<char> jumps;
    std::vector<Energy> energies, trialEnergies;  // of each, before and after
    bool acceptsCaps = true;          // constraints that were not solved do not make an implicit step fail
    bool acceptsUnconverged = false;  // nor does an end that Newton only came near to
    bool isUnconverged = false;       // the end at hand is such a one

    // Settings of steps that have them.
    int slowBand = 1;     // of bands: steps from one slow update of a link to the next
    bool spread = false;  // of bands: an equal share of the links in each step, instead of all at once
    int iterations = 0;   // of Newton: exactly so many at most, however good; zero: to the tolerance

    // Who is to be asked whether the step shall end early, here and in the constraints' solver.
    void stopBy(const Stop& asked) { stop = constraints.solver.stop = asked; }
};

using StepFunction = void (*)(const Model& model, const Method& method, ForceFunction forces, double h,
                              State& state, StepWork& work);

struct Integrator {
    const char* name;
    const char* title;
    const char* source;
    int order;
    StepFunction inBodyCoordinates;   // null: not for methods in body coordinates
    StepFunction inJointCoordinates;  // null: not for methods in joint coordinates
    bool bringsEquations = false;     // solves for motion and forces at once, instead of asking a method
    bool knowsBodySprings = true;     // obstacles and targets
    bool knowsDrives = true;          // torque functions, controllers, dry friction, gravity compensation
    bool knowsArmature = true;        // of those that bring their equations; others leave it to the method
    bool knowsPrescribed = true;      // likewise: joints whose motion is given
    const char* onlyWith = nullptr;   // the one method it is made of
    bool hasSlowBand = false;         // heeds StepWork::slowBand and spread
    bool holdsLoops = true;           // with a method that does, or, of those that bring equations, itself
    // Of those that bring equations: bytes for matrices that grow faster than the model; null: none such.
    double (*bytes)(const Model& model, Coordinates coordinates) = nullptr;

    // Null if the two do not go together.
    StepFunction stepFor(const Method& method) const
    {
        if (bringsEquations && !method.standsForCoordinates) return nullptr;
        if (onlyWith && std::string_view(onlyWith) != method.name) return nullptr;
        return method.coordinates == Coordinates::body ? inBodyCoordinates : inJointCoordinates;
    }
};

std::span<const Integrator> integrators();
const Integrator* findIntegrator(std::string_view name);

}  // namespace sinew
