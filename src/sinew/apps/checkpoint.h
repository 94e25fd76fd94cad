// Everything a run needs to go on to the same bits, in one file.
//
// A step depends on nothing but State, so a checkpoint is the scene's text, the settings, the state and
// what has been gathered so far. The file is: "SINEWCKP", format version, length and hash of what
// follows, then the fields in order, little-endian as the machines we run on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/apps/measures.h"
#include "sinew/base/result.h"
#include "sinew/io/csv/contacts_csv.h"

namespace sinew {

// Ten thousand million steps take days at the least; more is a slip in --step or --duration.
inline constexpr double mostSteps = 1e10;
inline constexpr double mostFrames = 1e10;
// Within one step: they are written without a pause.
inline constexpr double mostFramesOfStep = 1e5;

struct Checkpoint {
    std::string scenePath;  // for messages only
    std::string sceneText;
    std::string solver, integrator;
    double step = 0, duration = 0, fps = 0;
    double interval = 0;                     // s between two checkpoints, 0: none
    std::uint64_t slowBand = 1, spread = 0;  // of the integrator bands
    std::uint64_t velocities = 0;            // 1: their table is written

    std::uint64_t steps = 0;      // made so far
    std::uint64_t nextFrame = 0;  // the frame that is due next
    std::uint64_t trajectoryBytes = 0, seriesBytes = 0, contactsBytes = 0, velocitiesBytes = 0;
    std::vector<TouchingPair> touching;  // at the last frame
    Measures measures;
    State state;
};

std::string checkpointBytes(const Checkpoint& checkpoint);
// The whole file of the fields of a checkpoint.
std::string sealedCheckpoint(const std::string& fields);
// `path` is for messages only.
Result<Checkpoint> parseCheckpoint(std::string_view bytes, const std::string& path);
Result<Checkpoint> readCheckpoint(const std::string& directory);

}  // namespace sinew
