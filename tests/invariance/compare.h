// Runs of a scene and of the same scene said differently, beside each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "invariance/map_state.h"

namespace sinew::invariance {

// A way to say a scene differently.
struct Transformation {
    std::string name;
    Similarity by;  // how its states lie to those of the original
    std::function<Result<Description>(const Description&)> apply;
};
// All of them, `seeds` of each that is random.
std::vector<Transformation> transformations(int seeds);

// What can be said of a whole run without regard to chaos.
struct RunMeasures {
    bool ok = true;
    std::string message;
    long steps = 0, iterations = 0, halvings = 0;
    int caps = 0;                              // contact solves that ended at their bound
    double startEnergy = 0, leastEnergy = 0, mostEnergy = 0, endEnergy = 0;  // J
    double largestGap = 0;                     // m (rad), of joints and loops
    double deepest = 0;                        // m
    double iterationsPerStep() const { return steps ? static_cast<double>(iterations) / static_cast<double>(steps) : 0; }
};

struct Recorded {
    Simulation simulation;
    std::vector<State> states;  // normalised, evenly spaced over the run
    RunMeasures measures;
};
// Over `duration` seconds, or the scene's own where that is shorter.
Result<Recorded> record(const Description& scene, double duration, int states);

// How far a step of the transformed scene is from that of the original, as a part of the scene's own scale.
struct StepDifference {
    double position = 0, angle = 0, velocity = 0, spin = 0;
    double worst() const;
};
struct StepComparison {
    StepDifference largest;
    int at = -1;               // the state it was found at
    std::string body;          // and the body
    int failures = 0;          // steps that were found on one side only
    double iterations[2] = {}; // per step: original, transformed
    std::string faults;        // of the failures, the first
};
StepComparison compareSteps(const Recorded& original, const Transformation& how, Simulation transformed);

}  // namespace sinew::invariance
