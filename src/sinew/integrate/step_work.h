// The memory of steps: that of each part is declared beside it.
#pragma once

#include "sinew/base/indirect.h"
#include "sinew/base/special_members.h"
#include "sinew/base/stop.h"
#include "sinew/dynamics/work.h"
#include "sinew/integrate/by_scheme.h"
#include "sinew/integrate/conservative.h"
#include "sinew/integrate/constraints.h"
#include "sinew/integrate/explicit.h"
#include "sinew/integrate/held_joint.h"
#include "sinew/integrate/impacts.h"
#include "sinew/integrate/implicit.h"
#include "sinew/integrate/impulses.h"
#include "sinew/integrate/integrators.h"
#include "sinew/integrate/pile_step.h"
#include "sinew/integrate/sleep.h"
#include "sinew/integrate/step_statistics.h"
#include "sinew/integrate/step_tape.h"
#include "sinew/particle/work.h"

namespace sinew {

struct FastWork;

// Of steps that have them.
struct StepSettings {
    int slowBand = 1;               // of bands: steps from one slow update of a link to the next
    bool measuresContacts = false;  // StepStatistics::contactEnergy
    bool spread = false;      // of bands: an equal share of the links in each step, instead of all at once
    double tolerance = 1e-6;  // of steps that adapt: what one may be off by, of lengths, angles and speeds
    double sharpness = 1;     // of Newton in joint coordinates: its tolerance is divided by this
    int iterations = 0;       // of Newton: exactly so many at most, however good; zero: to the tolerance
};

// Everything a step needs and overwrites, kept from step to step.
struct StepWork {
    SINEW_SPECIAL_MEMBERS(StepWork);

    StepSettings settings;
    Stop stop;  // asked between iterations; a step that was stopped is not found
    StepStatistics statistics;
    StepTape* tape = nullptr;  // where implicit steps are recorded
    Work work;
    Forces forces;
    Accelerations accelerations;
    ConstraintWork constraints;
    ExplicitWork stages;
    SchemeWork schemes;
    ImplicitWork implicit;
    JointWork joint;
    MaximalWork maximal;
    ConservativeWork conservative;
    HeldJoints held;
    ImpactWork impacts;
    ImpulseWork impulses;
    Indirect<FastWork> fast;  // fast_step.h
    PileStepWork piles;
    SleepWork sleep;
    ParticleWork particles;

    // Who is to be asked whether the step shall end early, here and in the constraints' solver.
    void stopBy(const Stop& asked) { stop = constraints.solver.stop = asked; }
};

}  // namespace sinew
