// Where the energy of a run went: what dampers, friction and contact took, what drives put in, and what the
// numerics lost or made.
//
//     simulation.measuresEnergy = true;
//     EnergyMeter meter;
//     meter.start(simulation);
//     after every step that is ok: meter.add(simulation, report);
//
// Over a step each force Q does the work J · (u₀ + u₁)/2, where J is the impulse that the integrator gives
// to it. With it a single mass on a damper is balanced to rounding, however stiff the damper:
//     explicit steps         J = h Q₀
//     rk4, conservative      J = h (Q₀ + Q₁)/2, and other steps of second order or more
//     backward Euler         J = h Q₁
//     BDF2                   J = (2 h Q₁ + J of the step before)/3, since v₁ − v₀ = (2 h a₁ + v₀ − v₋₁)/3
// Springs, gravity and attractors do no such work: their energy is part of the total. So what is
// unaccounted for is what an integrator loses in oscillations, falls and turns, and the errors of this
// quadrature: of second order in the step, but of first order in steps that were cut by a collision or
// halved, whose parts are not known.
//
// Spring meshes are balanced the same way, by backward Euler (soft/mesh_work.h): their dampers count as
// dampers, so does air at rest, winds and scripted forces as drives, contact and its friction as contact.
//
// Contact: the energy that jumps of the velocity bring is taken as it is, what holds or slides does
// impulse · (v₀ + v₁)/2 over each part of a step that is cut or halved (StepStatistics::contactEnergy), and
// obstacles that are springs have their force. Springs at contacts (penalty) store energy, which counts as
// taken until it is given back.
#pragma once

#include "sinew/dynamics/work.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

// J. What was taken is positive. start + drives + hands + unaccounted = end + dampers + friction + contact.
struct EnergyBalance {
    double start = 0, end = 0;
    double dampers = 0;   // taken by dampers in joints and springs, and by a medium at rest
    double friction = 0;  // taken by dry friction in joints
    double contact = 0;   // taken by contacts and obstacles
    double drives =
        0;             // put in by all that is left: motors, controllers, targets, loads, prescribed joints
    double hands = 0;  // put in between steps: states that were set, pushes, changes of the scene

    double unaccounted() const { return end - start - drives - hands + dampers + friction + contact; }
};

// Forces that are no springs of joints and no weight, or their impulses, by what they count as.
struct CountedForces {
    VecX dampers, friction, drives;                         // per freedom
    LargeVector<Force> contact, driveOfBody, damperOfBody;  // per body

    void setZero(const Model& model);
};

class EnergyMeter {
public:
    void start(const Simulation& simulation);
    // After a step that was ok, of a simulation with measuresEnergy.
    void add(const Simulation& simulation, const StepReport& report);

    EnergyBalance balance;
    CountedForces impulses;  // of the last step: what BDF2 looks back at

private:
    void findForces(const Simulation& simulation, const State& state, bool endsStep, CountedForces& forces);
    void findAllForces(const Simulation& simulation, const State& state);
    void findImpulses(const Simulation& simulation);
    void lookBack(const Simulation& simulation);
    void addWork(const Model& model, const State& from, const State& to);
    double drivingPower(const Simulation& simulation, const State& state);

    CountedForces before_, after_;
    Forces forces_, own_;
    LargeVector<Force> weights_;
    Work work_;
    Accelerations accelerations_;
};

}  // namespace sinew
