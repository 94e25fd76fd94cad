// What a step tells of itself.
#pragma once

#include "sinew/contact/report.h"

namespace sinew {

// What steps report; added up until the caller clears it.
struct StepStatistics {
    long evaluations = 0;       // of explicit steps: how often they asked for accelerations
    long rejected = 0;          // of steps that adapt: parts that were tried and were too long
    long newtonIterations = 0;  // of implicit steps
    int halvings = 0;           // steps, or parts of them, that were taken in two halves
    bool failed = false;        // a step was not found even in the smallest parts
    // Where Newton's method stuck when a step was not found: a joint's freedom (tree index) and its last
    // correction in rad or lengths of the figure, and what contacts or loops were off by, m.
    int stuckJoint = -1;
    double stuckSize = 0;
    int unconverged = 0;  // smallest parts of a step that were taken as Newton had come near to them
    // Of contacts and closed loops.
    int contactSweeps = 0;           // the most that one solve took
    int contactCaps = 0;             // solves that ended at their bound on iterations
    ConstraintReport constraints{};  // residuals of the last solve
    // Of spring meshes.
    long meshIterations = 0;
    int meshTurns = 0;        // of bodies and meshes, each with the other's end of the step
    int meshCaps = 0;         // solves or turns that ended at their bound
    double meshResidual = 0;  // the largest force left at a vertex, over the largest that acted
    // J: that contacts brought, where StepSettings::measuresContacts; mostly less than 0. Jumps of the
    // velocity are taken as they are, what holds or slides does impulse · (v₀ + v₁)/2 over its part of the
    // step.
    double contactEnergy = 0;

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
        contactEnergy = before.contactEnergy;
    }
};

}  // namespace sinew
