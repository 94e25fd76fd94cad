// The benchmark cases, described once. Every engine takes masses, inertias, anchors and springs from the
// compiled Model of the case, so that all of them simulate the same thing.
#pragma once

#include <string>

#include "sinew/figure/chain.h"
#include "sinew/state/state.h"

namespace sinew::bench {

struct ChainCase {
    std::string name;   // a key of the JSON files
    std::string title;  // for people
    Description description;
    Model model;
    double duration = 10;    // s
    double energyRange = 0;  // J, from the start to hanging straight down
};

// Ten links, the last a thousand times heavier, let go from horizontal.
ChainCase heavyTip();
// Fifty links with joint springs, the root's too, let go from horizontal.
ChainCase stiffChain(double stiffness);
// Links that hang while gravity pulls ten degrees aside, so that all of them move.
ChainCase swayingChain(int links, JointType joint = JointType::spherical);
// The person of a scene, on joint springs alone: without limits, ground and whatever else acts.
ChainCase personInTheAir(const std::string& scene);
// Palm and five fingers of three bones, each joint with a spring, falling into its own weight.
ChainCase hand();

struct Measures {
    bool finite = false;
    double energy = 0;  // J: kinetic, of gravity, of the springs
    double gap = 0;     // m, of the worst joint
};

// The same code for all engines: they hand over nothing but poses and velocities.
class Meter {
public:
    explicit Meter(const Model& model);
    LargeVector<BodyState>& bodies() { return state_.bodies; }  // to be filled by the engine
    Measures measure();

private:
    const Model& model_;
    State state_;
};

}  // namespace sinew::bench
