// Runs one engine through the cases: finds the largest step that it bears, times it, prints a table, writes
// JSON. An engine's program only has to say how to build a chain, how to step it and how to read it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chain_case.h"

namespace sinew::bench {

class ChainEngine {
public:
    virtual ~ChainEngine() = default;
    // `steps` steps of the length the engine was made with. An engine with error control takes as many
    // of its own as it needs for that time. False: it gave up.
    virtual bool advance(int steps) = 0;
    // Poses and velocities, in the order of the model.
    virtual void read(LargeVector<BodyState>& bodies) = 0;
    // Of engines that iterate or choose their own steps: how many so far.
    virtual long iterations() const { return 0; }
    virtual long halvings() const { return 0; }
};

struct Variant {
    std::string name;
    std::string about;  // how springs and steps are done
    std::function<std::unique_ptr<ChainEngine>(const ChainCase&, double h)> make;
    // Which steps to try for the stability cases: empty means 1/30 s and on down by halves until stable.
    // All that are given are run, stable or not.
    std::vector<double> steps;
    bool errorControlled = false;  // the step is only how often it is looked at
    bool inStability = true;       // heavy tip and stiff chains
    bool inCost = true;            // cost of a step
    bool inHand = true;
    double costStep = 1e-3;  // s
};

struct Engine {
    std::string name;     // of the JSON file
    std::string version;  // of the library, as it says itself
    std::vector<Variant> variants;
    bool hasHand = false;
};

// main() of every program: [--only stability|cost|hand] [--out FOLDER] [--budget SECONDS]
int runEngine(int argc, char** argv, const Engine& engine);

}  // namespace sinew::bench
