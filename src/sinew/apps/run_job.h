// What `sinew run` is about to do, fully checked before anything is written.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/apps/checkpoint.h"
#include "sinew/apps/commands.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

struct RunJob {
    std::string directory;    // where the results go
    std::string resumedFrom;  // empty for a new run
    Checkpoint record;        // settings and progress: what a checkpoint would say now
    Description description;
    Simulation simulation;
    std::uint64_t steps = 0;  // in all

    // The step at which frame k is taken: the first at or after k / fps.
    std::uint64_t frameStep(std::uint64_t frame) const;
    bool checkpointDue() const;
};

Result<RunJob> prepareRun(const RunOptions& options);

// The first option that only a simulation can heed, or null.
const char* simulationOption(const RunOptions& options);

// Duration and frame rate that a scene or a person asked for, or what is wrong with them.
struct RunLength {
    double duration = 0;
    double fps = 0;
    std::uint64_t steps = 0;
};
Result<RunLength> runLength(const RunSettings& wish, std::optional<double> duration,
                            std::optional<double> fps, double h);

}  // namespace sinew
