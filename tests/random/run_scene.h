// Runs a scene and judges it by what needs no reference solution. Each oracle has a bound, given where it
// is tested (run_scene.cpp); all of them are relative to the scene's own lengths, masses and times.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/model/description.h"

namespace sinew::test {

// What can be wrong with a run, as bits.
enum Fault : std::uint32_t {
    invalid = 1,        // the scene does not compile or does not start: the generator's mistake
    ended = 2,          // a step was not found, or the motion diverged
    slow = 4,           // more processor time than allowed
    iterations = 8,     // more than 50 of Newton a step, on average
    caps = 16,          // a contact solve ended at its bound
    energyGained = 32,  // more than the method may
    momentumLost = 64,
    gap = 128,  // a joint came open
    penetration = 256,
    coulomb = 512,   // a contact that pulls, or pushes at a distance, or holds more than friction can
    methods = 1024,  // featherstone and the dense solution differ
    order = 2048,    // the error does not fall with the step
    crashed = 4096,  // the process died
};
inline constexpr int faultCount = 13;
const char* faultName(int bit);

// Plain numbers, so that a child process can hand it over as bytes.
struct Outcome {
    std::uint32_t faults = 0;
    int steps = 0, bodies = 0, contactCaps = 0, halvings = 0;
    double iterations = 0;           // a step, on average
    int mostIterations = 0;          // in one step
    double failedAt = 0;             // s, of the simulation: when the first fault was seen
    double seconds = 0;              // of processor time
    double energyGain = 0;           // over the energy turned over
    double turn = 0;                 // rad: the most that a body turned in a step
    double refinedGain = -1;         // the same at a quarter of the step, where it was asked for
    double linear = 0, angular = 0;  // momentum lost, over the largest
    double gap = 0;                  // of joints: m over the scene's length, or rad
    double depth = 0;                // over the least width of what is inside, less what the step allows
    double friction = 0;             // force beyond the cone, over the cone
    double distance = 0;             // of a force's place, over the scene's length
    double methods = 0;              // relative difference
    double order = 0;                // log2 of the ratio of errors; 0: not measured
    char message[240] = {};
};

struct RunLimits {
    double seconds = 20;     // of processor time
    double step = 0;         // s; 0: the scene's own
    bool checkOrder = true;  // costs as much again
    bool checkEnergyTwice = true;
};

Outcome runScene(const Description& description, const RunLimits& limits);

// "ended+caps".
std::string faultText(std::uint32_t faults);

}  // namespace sinew::test
