// The checkpoint of a run: that of its simulation, and what has been written and gathered so far.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/apps/measures.h"
#include "sinew/io/csv/contacts_csv.h"
#include "sinew/recording/checkpoint.h"
#include "sinew/simulation/energy_balance.h"

namespace sinew {

// Ten thousand million steps take days at the least; more is a slip in --step or --duration.
inline constexpr double mostSteps = 1e10;
inline constexpr double mostFrames = 1e10;
// Within one step: they are written without a pause.
inline constexpr double mostFramesOfStep = 1e5;

// In the file the members are the `extra` of the checkpoint.
struct RunRecord : Checkpoint {
    double duration = 0, fps = 0;
    double interval = 0;           // s between two checkpoints, 0: none
    std::uint64_t velocities = 0;  // 1: their table is written

    std::uint64_t steps = 0;      // made so far
    std::uint64_t nextFrame = 0;  // the frame that is due next
    std::uint64_t trajectoryBytes = 0, seriesBytes = 0, contactsBytes = 0, velocitiesBytes = 0,
                  particlesBytes = 0, meshesBytes = 0;
    std::vector<TouchingPair> touching;  // at the last frame
    Measures measures;
    EnergyBalance balance;
    CountedForces impulses;  // of the last step, for the balance
};

std::string runRecordBytes(const RunRecord& record);
// `path` is for messages only.
Result<RunRecord> parseRunRecord(std::string_view bytes, const std::string& path);
Result<RunRecord> readRunRecord(const std::string& directory);

}  // namespace sinew
