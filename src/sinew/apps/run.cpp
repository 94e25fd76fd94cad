// sinew run: steps a scene and writes what happened.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/interrupt.h"
#include "sinew/apps/page.h"
#include "sinew/apps/progress.h"
#include "sinew/apps/run_files.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/summary.h"
#include "sinew/apps/text.h"
#include "sinew/io/csv/csv.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// The two tables of a run, open.
struct Tables {
    CsvFile trajectory, series;
};

// Copies the beginning of a table, when a run is resumed into another folder.
std::string copyBeginning(const std::string& from, const std::string& to, std::uint64_t size)
{
    std::error_code code;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
    if (!code && fs::file_size(to, code) > size && !code) fs::resize_file(to, size, code);
    return code ? to + ": cannot be copied from " + from + ": " + code.message() : std::string();
}

bool isRunsScene(const RunJob& job, const RunFiles& files)
{
    std::error_code code;
    return fs::equivalent(files.scene, job.record.scenePath, code);
}

// A page or a scene that somebody else put into the folder, or empty.
std::string ownFile(const RunJob& job, const RunFiles& files)
{
    std::error_code code;
    if (fs::exists(files.trajectory, code)) return {};
    if (fs::exists(files.page, code)) return files.page;
    return fs::exists(files.scene, code) && !isRunsScene(job, files) ? files.scene : std::string();
}

Result<Tables> openTables(const RunJob& job)
{
    const std::string& directory = job.directory;
    const RunFiles files(directory);
    std::error_code code;
    if (const std::string own = ownFile(job, files); !own.empty())
        return fileError(own, "is not of an earlier run and would be lost; choose another folder");
    fs::create_directories(directory, code);
    if (code || !fs::is_directory(directory))
        return fileError(directory,
                         "this folder cannot be made: " + (code ? code.message() : "a file is there"));

    // What an earlier run left must not be taken for this one's.
    fs::remove(files.summary, code);
    fs::remove(files.page, code);
    if (job.resumedFrom.empty()) {
        fs::remove(files.checkpoint, code);
        Result<CsvFile> first = CsvFile::create(files.trajectory);
        if (!first) return first.error();
        Result<CsvFile> second = CsvFile::create(files.series);
        if (!second) return second.error();
        return Tables{std::move(first.value()), std::move(second.value())};
    }
    if (!fs::equivalent(directory, job.resumedFrom, code)) {
        const RunFiles from(job.resumedFrom);
        std::string fault = copyBeginning(from.trajectory, files.trajectory, job.record.trajectoryBytes);
        if (fault.empty()) fault = copyBeginning(from.series, files.series, job.record.seriesBytes);
        if (!fault.empty()) return fileError("", fault);
    }
    Result<CsvFile> first = CsvFile::resume(files.trajectory, job.record.trajectoryBytes);
    if (!first) return first.error();
    Result<CsvFile> second = CsvFile::resume(files.series, job.record.seriesBytes);
    if (!second) return second.error();
    return Tables{std::move(first.value()), std::move(second.value())};
}

// A run under way. Each function gives an empty string, or the line that says why the disk refused.
class Run {
public:
    Run(RunJob& job, Tables& tables)
        : job_(job), files_(job.directory), tables_(tables), simulation_(job.simulation)
    {
    }

    std::string begin()
    {
        // The file of the scene itself may lie there, comments and all.
        if (!isRunsScene(job_, files_)) {
            const std::string sceneFault = writeWhole(files_.scene, writeScene(job_.description));
            if (!sceneFault.empty()) return sceneFault;
        }
        if (!job_.resumedFrom.empty()) return {};
        job_.record.measures.start(simulation_.model, simulation_.state);
        std::string fault = tables_.trajectory.write(trajectoryHeader(simulation_.model));
        if (fault.empty()) fault = tables_.series.write(seriesHeader(simulation_.model));
        if (fault.empty()) fault = writeDueFrame();
        // The first checkpoint comes at once, so that a run can be resumed whenever it is killed.
        if (fault.empty() && job_.checkpointDue()) fault = saveCheckpoint();
        return fault;
    }

    std::string stepAll()
    {
        Progress progress(static_cast<long long>(job_.record.steps), static_cast<long long>(job_.steps));
        while (job_.record.steps < job_.steps && outcome.isGood()) {
            if (interrupted()) {
                outcome.interrupted = true;
                return saveCheckpoint();
            }
            const std::string fault = step();
            if (!fault.empty()) return fault;
            progress.update(static_cast<long long>(job_.record.steps));
        }
        return {};
    }

    std::string finish()
    {
        std::string fault = tables_.trajectory.sync();
        if (fault.empty()) fault = tables_.series.sync();
        if (fault.empty()) fault = writeWhole(files_.summary, summaryJson(job_, outcome));
        return fault;
    }

    RunOutcome outcome;

private:
    std::string step()
    {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        StepReport report = simulation_.step();
        job_.record.measures.wallSeconds += std::chrono::duration<double>(Clock::now() - start).count();
        job_.record.measures.newtonIterations += static_cast<double>(report.statistics.newtonIterations);
        job_.record.measures.stepsHalved += report.statistics.halvings;
        if (!report.ok) {
            outcome.diverged = std::move(report);
            return {};
        }
        ++job_.record.steps;
        // Counted, not summed: the time of step n has one rounding, however long the run.
        simulation_.state.time = static_cast<double>(job_.record.steps) * simulation_.h;
        job_.record.measures.add(simulation_.model, simulation_.state);
        std::string fault = writeDueFrame();
        if (fault.empty() && job_.checkpointDue()) fault = saveCheckpoint();
        return fault;
    }

    std::string writeDueFrame()
    {
        if (job_.frameStep(job_.record.nextFrame) != job_.record.steps) return {};
        ++job_.record.nextFrame;
        const Model& model = simulation_.model;
        const State& state = simulation_.state;
        text_.clear();
        appendTrajectoryRow(model, state, text_);
        std::string fault = tables_.trajectory.write(text_);
        if (!fault.empty()) return fault;
        const Accelerations& accelerations = simulation_.accelerate();
        simulation_.forces(model, state, forces_);
        text_.clear();
        appendSeriesRow(model, state, forces_, accelerations, text_);
        return tables_.series.write(text_);
    }

    // The tables reach the disk first: a checkpoint never speaks of bytes that are not there.
    std::string saveCheckpoint()
    {
        std::string fault = tables_.trajectory.sync();
        if (fault.empty()) fault = tables_.series.sync();
        if (!fault.empty()) return fault;
        job_.record.trajectoryBytes = tables_.trajectory.size();
        job_.record.seriesBytes = tables_.series.size();
        job_.record.state = simulation_.state;
        return writeWhole(files_.checkpoint, checkpointBytes(job_.record));
    }

    RunJob& job_;
    RunFiles files_;
    Tables& tables_;
    Simulation& simulation_;
    Forces forces_;
    std::string text_;
};

}  // namespace

int runScene(const RunOptions& options)
{
    // Everything is checked before the first file is made.
    Result<RunJob> job = prepareRun(options);
    if (!job) return fail(job.error());
    Result<Tables> tables = openTables(job.value());
    if (!tables) return fail(tables.error());

    catchInterrupts();
    Run run(job.value(), tables.value());
    std::string fault = run.begin();
    if (fault.empty()) fault = run.stepAll();
    if (fault.empty()) fault = run.finish();
    if (!fault.empty()) return fail(fault);

    std::string results = "results in " + job.value().directory + "\n";
    if (options.page) {
        Result<Page> page =
            writePage(job.value().directory, job.value().description, job.value().simulation.model);
        if (!page) return fail(page.error());
        results += pageLines(page.value());
    }
    if (!options.quiet) fmt::print("{}{}", summaryTable(job.value()), results);
    std::fflush(stdout);
    if (run.outcome.diverged) {
        fmt::print(stderr, "{}\n", printable(run.outcome.diverged->message));
        return exitDiverged;
    }
    if (run.outcome.interrupted) {
        if (options.quiet) return exitInterrupted;
        fmt::print(stderr, "interrupted at {:.6g} s; go on with: sinew run --resume {}\n",
                   job.value().simulation.state.time, job.value().directory);
        return exitInterrupted;
    }
    return exitDone;
}

}  // namespace sinew
