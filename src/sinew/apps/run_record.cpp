#include "sinew/apps/run_record.h"

#include <chrono>
#include <filesystem>

#include "sinew/apps/files.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

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

// What is replayed may lie where its results go; then it stays as it is.
bool isReplayed(const RunJob& job, const RunFiles& files)
{
    std::error_code code;
    return job.replay && fs::equivalent(files.interaction, job.replayedFrom, code);
}

// A page, a table, a scene or a recording that somebody else put into the folder, or empty.
std::string ownFile(const RunJob& job, const RunFiles& files)
{
    std::error_code code;
    if (fs::exists(files.trajectory, code)) return {};
    for (const std::string& path : {files.page, files.contacts})
        if (fs::exists(path, code)) return path;
    if (fs::exists(files.scene, code) && !isRunsScene(job, files)) return files.scene;
    return fs::exists(files.interaction, code) && !isReplayed(job, files) ? files.interaction
                                                                          : std::string();
}

Result<Run::Tables> openTables(const RunJob& job)
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
    if (!isReplayed(job, files)) fs::remove(files.interaction, code);
    const bool hasContact = job.description.contact.has_value();
    if (!hasContact) fs::remove(files.contacts, code);
    if (job.resumedFrom.empty()) fs::remove(files.checkpoint, code);

    const RunFiles from(job.resumedFrom);
    const bool isElsewhere = !job.resumedFrom.empty() && !fs::equivalent(directory, job.resumedFrom, code);
    const auto open = [&](std::string RunFiles::*file, std::uint64_t size) -> Result<CsvFile> {
        if (job.resumedFrom.empty()) return CsvFile::create(files.*file);
        if (isElsewhere) {
            const std::string fault = copyBeginning(from.*file, files.*file, size);
            if (!fault.empty()) return fileError("", fault);
        }
        return CsvFile::resume(files.*file, size);
    };
    Result<CsvFile> trajectory = open(&RunFiles::trajectory, job.record.trajectoryBytes);
    if (!trajectory) return trajectory.error();
    Result<CsvFile> series = open(&RunFiles::series, job.record.seriesBytes);
    if (!series) return series.error();
    Run::Tables tables{std::move(trajectory.value()), std::move(series.value()), {}};
    if (!hasContact) return tables;
    Result<CsvFile> contacts = open(&RunFiles::contacts, job.record.contactsBytes);
    if (!contacts) return contacts.error();
    tables.contacts = std::move(contacts.value());
    return tables;
}

}  // namespace

Result<Run> Run::open(RunJob& job)
{
    Result<Tables> tables = openTables(job);
    if (!tables) return tables.error();
    return Run(job, std::move(tables.value()));
}

std::string Run::begin()
{
    // The file of the scene itself may lie there, comments and all.
    if (!isRunsScene(job, files_)) {
        const std::string sceneFault = writeWhole(files_.scene, writeScene(job.description));
        if (!sceneFault.empty()) return sceneFault;
    }
    if (!job.resumedFrom.empty()) return {};
    const Model& model = job.simulation().model;
    job.record.measures.start(model, job.simulation().state);
    std::string fault = tables_.trajectory.write(trajectoryHeader(model));
    if (fault.empty()) fault = tables_.series.write(seriesHeader(model));
    if (fault.empty() && tables_.contacts) fault = tables_.contacts->write(contactsHeader());
    if (fault.empty()) fault = writeDueFrame();
    // The first checkpoint comes at once, so that a run can be resumed whenever it is killed.
    if (fault.empty() && job.checkpointDue()) fault = saveCheckpoint();
    return fault;
}

std::string Run::step()
{
    using Clock = std::chrono::steady_clock;
    Measures& measures = job.record.measures;
    const auto start = Clock::now();
    StepReport report = job.live.step();
    measures.wallSeconds += std::chrono::duration<double>(Clock::now() - start).count();
    measures.newtonIterations += static_cast<double>(report.statistics.newtonIterations);
    measures.stepsHalved += report.statistics.halvings;
    measures.contactCaps += report.statistics.contactCaps;
    tookFrame = false;
    if (!report.ok) {
        outcome.diverged = std::move(report);
        return {};
    }
    job.record.steps = job.live.stepsMade();
    measures.add(job.simulation().model, job.simulation().state);
    std::string fault = writeDueFrame();
    if (fault.empty() && job.checkpointDue()) fault = saveCheckpoint();
    return fault;
}

std::string Run::writeDueFrame()
{
    tookFrame = job.takeFrame();
    if (!tookFrame) return {};
    const Simulation& simulation = job.simulation();
    const Model& model = simulation.model;
    const State& state = simulation.state;
    text_.clear();
    appendTrajectoryRow(job.live.elapsed(), model, state, text_);
    std::string fault = tables_.trajectory.write(text_);
    if (!fault.empty()) return fault;
    const Accelerations& accelerations = job.live.accelerate();
    simulation.forces(model, state, forces_);
    text_.clear();
    appendSeriesRow(job.live.elapsed(), model, state, forces_, accelerations, text_);
    fault = tables_.series.write(text_);
    if (!fault.empty() || !tables_.contacts) return fault;
    text_.clear();
    appendContactRows(job.live.elapsed(), model, job.description, state, simulation.h, job.record.touching,
                      text_);
    return tables_.contacts->write(text_);
}

std::string Run::sync()
{
    std::string fault = tables_.trajectory.sync();
    if (fault.empty()) fault = tables_.series.sync();
    if (fault.empty() && tables_.contacts) fault = tables_.contacts->sync();
    return fault;
}

// The tables reach the disk first: a checkpoint never speaks of bytes that are not there.
std::string Run::saveCheckpoint()
{
    const std::string fault = sync();
    if (!fault.empty()) return fault;
    job.record.trajectoryBytes = tables_.trajectory.size();
    job.record.seriesBytes = tables_.series.size();
    job.record.contactsBytes = tables_.contacts ? tables_.contacts->size() : 0;
    job.record.state = job.simulation().state;
    return writeWhole(files_.checkpoint, checkpointBytes(job.record));
}

std::string Run::finish()
{
    std::string fault = sync();
    if (fault.empty() && job.keepsInteraction && !isReplayed(job, files_))
        fault = writeWhole(files_.interaction, writeRecording(recordingOf(job.live)));
    if (fault.empty()) fault = writeWhole(files_.summary, summaryJson(job, outcome));
    return fault;
}

}  // namespace sinew
