// A simulation in a file, to go on from it to the same bits.
//
//     saveCheckpoint("walk.bin", simulation, scene)                nothing, or what is wrong
//     Result<Simulation> again = loadCheckpoint("walk.bin");       of the scene that lies in the file
//     restoreCheckpoint("walk.bin", scene, simulation)             or in a simulation of the same scene
//
// A step depends on nothing but the State, so a checkpoint is the scene's text, the settings, the state and
// the clock. What a program adds to the scene from outside (simulation/inputs.h), and motors and
// controllers that it has set, are not part of it: set them again. The file is: "SINEWCKP", format version,
// length and hash of what follows, then the fields in order, little-endian as the machines we run on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

struct Checkpoint {
    std::string scenePath;  // for messages only
    std::string sceneText;  // JSON
    std::string solver, integrator;
    double step = 0;                         // s
    std::uint64_t slowBand = 1, spread = 0;  // of the integrator bands
    double tolerance = 0;                    // of integrators that adapt
    Simulation::Clock clock;
    State state;
    std::string extra;  // what a program adds, in a form of its own
};

[[nodiscard]] std::optional<Diagnostic> saveCheckpoint(const std::string& path,
                                                       const Simulation& simulation,
                                                       const Description& scene);
// Compiles the scene of the file.
Result<Simulation> loadCheckpoint(const std::string& path);
// The simulation keeps its model and what pushes it. If the file is of another scene or of other settings,
// all stays as it was.
[[nodiscard]] std::optional<Diagnostic> restoreCheckpoint(const std::string& path, const Description& scene,
                                                          Simulation& simulation);

// ---- parts ------------------------------------------------------------------------------------------

Checkpoint checkpointOf(const Simulation& simulation, std::string scenePath, std::string sceneText);
std::string checkpointBytes(const Checkpoint& checkpoint);
// The whole file of the fields of a checkpoint.
std::string sealedCheckpoint(const std::string& fields);
// `path` is for messages only.
Result<Checkpoint> parseCheckpoint(std::string_view bytes, const std::string& path);
Result<Checkpoint> readCheckpoint(const std::string& path);
// The settings that it was made with: all of them, none left open.
Result<Settings> settingsOf(const Checkpoint& checkpoint, const std::string& path);
// That a checkpoint cannot be what a run of its scene left, though its hash is right: a hash only says that
// it is as somebody wrote it.
Diagnostic unfitCheckpoint(const std::string& path, const std::string& why);

}  // namespace sinew
