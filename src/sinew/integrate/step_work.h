// The memory of steps.
#pragma once

#include <vector>

#include "sinew/base/special_members.h"
#include "sinew/base/stop.h"
#include "sinew/dynamics/work.h"
#include "sinew/force/laws.h"
#include "sinew/integrate/constraints.h"
#include "sinew/integrate/integrators.h"
#include "sinew/integrate/joint_loads.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/starred_spin.h"
#include "sinew/integrate/step_statistics.h"
#include "sinew/math/bordered_tree.h"
#include "sinew/state/measure.h"

namespace sinew {

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
    SINEW_SPECIAL_MEMBERS(StepWork);

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
    bool measuresJumps = false;  // StepStatistics::jumpEnergy
    int iterations = 0;          // of Newton: exactly so many at most, however good; zero: to the tolerance

    // Who is to be asked whether the step shall end early, here and in the constraints' solver.
    void stopBy(const Stop& asked) { stop = constraints.solver.stop = asked; }
};

}  // namespace sinew
