// Runs of a scene and of the same scene said differently, beside each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "invariance/map_state.h"
#include "sinew/collision/detect.h"

namespace sinew::invariance {

// A way to say a scene differently.
struct Transformation {
    std::string name;
    Similarity by;  // how its states lie to those of the original
    std::function<Result<Description>(const Description&)> apply;
};
// All of them, `seeds` of each that is random.
std::vector<Transformation> transformations(int seeds);

// What lengths and speeds of a scene at a state are large or small against: how far its bodies reach, and
// how fast they are, or would be after falling that far.
struct Scale {
    double length = 0, speed = 0;
};
Scale scaleOf(const Model& model, const State& state);

// What can be said of a whole run without regard to chaos.
struct RunMeasures {
    bool ok = true;
    std::string message;
    long steps = 0, iterations = 0, halvings = 0;
    int caps = 0;  // contact solves that ended at their bound
    double startEnergy = 0, leastEnergy = 0, mostEnergy = 0, endEnergy = 0;  // J
    double largestGap = 0;                                                   // m, of joints and loops
    double deepest = 0;                                                      // m
    Scale scale;
    Collisions collisions;  // memory of what tells the depth
    double iterationsPerStep() const
    {
        return steps ? static_cast<double>(iterations) / static_cast<double>(steps) : 0;
    }
};

struct Recorded {
    Simulation simulation;
    std::vector<State> states;  // normalised, evenly spaced over the run
    RunMeasures measures;
};
// Over `duration` seconds, or the scene's own where that is shorter.
Result<Recorded> record(const Description& scene, double duration, int states);
// The same motion there, from the first state of the original on.
RunMeasures repeat(const Recorded& original, const Transformation& how, Simulation transformed);

// How far a step of the transformed scene is from that of the original, as a part of the scene's own scale:
// of centres of mass, and of points of the body beside it, at its radius of gyration.
struct StepDifference {
    double position = 0, angle = 0, velocity = 0, spin = 0;
};
struct StepComparison {
    StepDifference largest;
    double excess = 0;          // the largest difference, in units of its bound
    int at = -1;                // the state it was found at
    std::string body;           // and the body
    int failures = 0;           // steps that were found on one side only
    double iterations[2] = {};  // per step: original, transformed
    std::string faults;         // of the failures, the first
};
// The most that a comparison may show: the sum of these.
struct Allowance {
    double relative = 0;      // of the scene's own scale
    double length = 0;        // m, of the original; speeds by this over a step
    double methodErrors = 0;  // so many times what the method leaves undone in the step
};
StepComparison compareSteps(const Recorded& original, const Transformation& how, Simulation transformed,
                            const Allowance& allowance);

// Contacts found at the states, beside each other.
struct ContactComparison {
    double place = 0, normal = 0, gap = 0;  // largest differences, lengths as parts of the scene
    int alone = 0;                          // contacts that only one side found
    std::string first;                      // of those, or of the largest difference: where
};
ContactComparison compareContacts(const Recorded& original, const Transformation& how,
                                  const Simulation& transformed);

}  // namespace sinew::invariance
