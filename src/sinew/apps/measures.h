// What a run is judged by, gathered step by step. Plain numbers, so that a checkpoint can keep them.
#pragma once

#include "sinew/collision/detect.h"
#include "sinew/state/measure.h"

namespace sinew {

struct Measures {
    double energyStart = 0, energyEnd = 0, energyMin = 0, energyMax = 0;
    double energyDeviation = 0,
           energyScale = 0;  // largest |E − E₀|; largest kinetic + |potential|
    Vec3 linearStart = Vec3::Zero(), angularStart = Vec3::Zero();
    double linearDeviation = 0, linearScale = 0;    // largest |P − P₀|; largest Σ |m v|
    double angularDeviation = 0, angularScale = 0;  // largest |L − L₀|; largest Σ |L|
    double gapMax = 0, gapEnd = 0;
    double wallSeconds = 0, cpuSeconds = 0;        // of stepping alone; the latter of all threads
    double newtonIterations = 0, stepsHalved = 0;  // of the implicit steps, in all
    // Of spring meshes: iterations and turns in all, solves at their bound, the largest force left over.
    double meshIterations = 0, meshTurns = 0, meshCaps = 0, meshResidual = 0;
    double evaluations = 0, partsRejected = 0;  // of the explicit steps, in all
    double penetrationMax = 0;                  // m
    double contacts = 0;                        // that bore a force, of all steps together
    double stepsUnconverged = 0;                // parts of steps that were taken above their tolerance
    double contactCaps = 0;  // solves of contacts and loops that ended at their bound on iterations

    // The collisions are memory.
    void start(const Model& model, const State& state, Collisions& collisions);
    void add(const Model& model, const State& state, Collisions& collisions);

    // Deviations as parts of the largest value over time; zero where nothing ever moved.
    double energyDrift() const { return part(energyDeviation, energyScale); }
    double linearDrift() const { return part(linearDeviation, linearScale); }
    double angularDrift() const { return part(angularDeviation, angularScale); }

private:
    static double part(double deviation, double scale) { return scale > 0 ? deviation / scale : 0; }
};

}  // namespace sinew
