// Interactions as lines of JSON (docs/cli.md): what a live run is told, and what a recording keeps.
//
// A recording is a header, the interactions in order, each with the number of steps made before it, and an
// end that says how far it went and, unless written by hand, which state it came to.
#pragma once

#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/simulation/live.h"

namespace sinew {

inline constexpr int recordingVersion = 1;

struct Recording {
    // How the simulation was created.
    std::string scene, solver, integrator;
    double step = 0;                   // s
    std::optional<int> slowBand = {};  // of the integrator bands, and whether it is spread
    bool spread = false;
    std::optional<double> tolerance = {};  // of integrators that adapt

    std::vector<Interaction> interactions;  // steps never fall
    std::vector<int> lines;                 // where they were read, for messages; as many, or none

    std::uint64_t steps = 0;               // made in all
    std::optional<std::uint64_t> endHash;  // of the state then
    bool diverged = false;                 // one step more was not found
};

// All that was done to a simulation so far.
Recording recordingOf(const LiveSimulation& live);

// `fileName` is for messages only.
Result<Recording> parseRecording(std::string_view text, const std::string& fileName);
// Reads back to the same recording, bit for bit.
std::string writeRecording(const Recording& recording);

// A line for a live run: an action, or nothing, which means: quit.
Result<std::optional<Interaction::Action>> parseLiveLine(std::string_view line, const std::string& fileName,
                                                         int lineNumber);

}  // namespace sinew
