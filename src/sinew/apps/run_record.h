// A run under way: the simulation makes its steps, and what happens goes into the files of the run's
// folder.
#pragma once

#include <optional>
#include <string>

#include "sinew/apps/page.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/summary.h"
#include "sinew/io/binary/points_file.h"
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
    // The summary and, if given, the page; then all takes its place.
    std::string finish(Page* page);

    RunJob& job;
    RunOutcome outcome;
    bool tookFrame = false;  // by the last step, or by the start

    struct Tables {
        CsvFile trajectory, series;
        std::optional<CsvFile> velocities;  // where they are asked for
        std::optional<CsvFile> contacts;    // of scenes with contact
        std::optional<CsvFile> particles;   // of scenes that have some; no table, but it grows as one
        std::optional<CsvFile> meshes;      // likewise
    };

private:
    Run(RunJob& theJob, RunFolder folder, Tables tables)
        : job(theJob), folder_(std::move(folder)), tables_(std::move(tables))
    {
    }
    std::string writeDueFrames();
    std::string writeFrame(double time, const State& state);
    std::string writeParticles(double time);
    std::string writeMeshes(double time);
    std::string sync();

    RunFolder folder_;
    Tables tables_;
    Forces forces_;
    EnergyMeter meter_;
    Collisions collisions_;
    State between_;
    PointsFrame points_;
    std::string text_;
};

// For whatever else makes the folder of a run; each gives an empty string, or why not.
// Writes scene.json, unless the scene's own file lies there, comments and all.
std::string writeRunScene(const RunFolder& folder, const Description& description);
// The end of a run in `directory`: the page if one is wanted, the summary, and all into its place.
std::string writeRunEnd(RunFolder& folder, const std::string& directory, const Description& description,
                        const Model& model, const std::string& summary, Page* page);

}  // namespace sinew
