// A run under way: the simulation makes its steps, and what happens goes into the files of the run's
// folder.
#pragma once

#include <optional>
#include <string>

#include "sinew/apps/run_files.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/summary.h"
#include "sinew/io/csv/csv.h"

namespace sinew {

// Each function gives an empty string, or the line that says why the disk refused.
class Run {
public:
    // Makes the folder and opens the tables. The job must outlive the run.
    static Result<Run> open(RunJob& job);

    std::string begin();
    // One step, measured; the frames within it and at its end; a checkpoint, if one is due.
    std::string step();
    std::string saveCheckpoint();
    std::string finish();

    RunJob& job;
    RunOutcome outcome;
    bool tookFrame = false;  // by the last step, or by the start

    struct Tables {
        CsvFile trajectory, series;
        std::optional<CsvFile> contacts;    // of scenes with contact
        std::optional<CsvFile> velocities;  // where they are asked for
    };

private:
    Run(RunJob& theJob, Tables tables) : job(theJob), files_(theJob.directory), tables_(std::move(tables))
    {
    }
    std::string writeDueFrames();
    std::string writeFrame(double time, const State& state);
    std::string sync();

    RunFiles files_;
    Tables tables_;
    Forces forces_;
    State between_;
    std::string text_;
};

// For whatever else makes the folder of a run. Makes it, takes away what an earlier run left there, and
// opens empty tables; a page, a scene or a recording that is somebody's own is an error. `replayedFrom`, if
// given, is a recording that may lie there.
Result<Run::Tables> openNewTables(const std::string& directory, const std::string& scenePath,
                                  const std::string& replayedFrom = {});
// Writes scene.json, unless the scene's own file lies there, comments and all.
std::string writeRunScene(const RunFiles& files, const std::string& scenePath,
                          const Description& description);

}  // namespace sinew
