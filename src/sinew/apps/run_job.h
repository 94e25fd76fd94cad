// What `sinew run` is about to do, fully checked before anything is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sinew/apps/checkpoint.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/folder_lock.h"
#include "sinew/apps/run_files.h"
#include "sinew/io/json/json.h"
#include "sinew/recording/recording.h"
#include "sinew/simulation/live.h"

namespace sinew {

struct RunJob {
    std::string directory;  // where the results go
    std::string
        resumedFrom;  // empty for a new run; the folder of the checkpoint, which may be a hidden one
    bool resumesInPlace = false;
    std::optional<FolderLock> lock;  // of the folder to resume, until the run has its own
    RunRecord record;                // settings and progress: what a checkpoint would say now
    Description description;
    LiveSimulation live;
    std::uint64_t steps = 0;          // in all
    std::optional<Recording> replay;  // what is done meanwhile, and how it ended then
    std::string replayedFrom;         // the file of it

    bool keepsInteraction = false;  // in a file of its own
    // Of what made the motion: for the summary, and files beside it.
    std::vector<json::Member> remarks;
    struct Text {
        std::string RunFiles::*file;
        std::string text;
    };
    std::vector<Text> texts;

    const Simulation& simulation() const { return live.simulation(); }
    // The time of the next frame, k / fps, if the last step reached it; counts it. A state that is there
    // but for rounding is the frame, and its time is given.
    std::optional<double> takeFrame();
    bool hasReached(std::uint64_t frame) const;
    bool checkpointDue() const;

private:
    double frameSlack() const;
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
