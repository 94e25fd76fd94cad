#include "sinew/apps/run_record.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "sinew/apps/files.h"
#include "sinew/base/text.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// Rows of numbers have an n only in nan and inf.
bool isFiniteRow(const std::string& row)
{
    return row.find('n') == row.npos;
}

// A state can be finite where its energy, or what it would do next, is not. The fastest body is to blame.
StepReport beyondNumbers(const Simulation& simulation, const State& state, double time)
{
    const auto speed = [](const BodyState& body) {
        return body.velocity.norm() + body.angularVelocity.norm();
    };
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < state.bodies.size(); ++i)
        if (!(speed(state.bodies[i]) <= speed(state.bodies[fastest]))) fastest = i;
    StepReport report;
    report.ok = false;
    report.time = time;
    report.body = simulation.model.bodies[fastest].name;
    report.message = fmt::format(
        "the motion of body {} diverged after {:.6g} s: forces or energies are beyond floating point; try "
        "a "
        "smaller step than {:.3g} s",
        quotedName(report.body), time, simulation.h);
    return report;
}

// Copies the beginning of a table, when a run is resumed into another folder.
std::string copyBeginning(const std::string& from, const std::string& to, std::uint64_t size)
{
    std::error_code code;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
    if (!code && fs::file_size(to, code) > size && !code) fs::resize_file(to, size, code);
    return code ? to + ": cannot be copied from " + from + ": " + code.message() : std::string();
}

bool isSameFile(const std::string& one, const std::string& other)
{
    std::error_code code;
    return fs::equivalent(one, other, code);
}

// What is replayed may lie where its results go; then it stays as it is.
bool isReplayed(const std::string& replayedFrom, const RunFiles& files)
{
    return !replayedFrom.empty() && isSameFile(files.interaction, replayedFrom);
}

// A page, a table, a scene or a recording that somebody else put into the folder, or empty.
std::string ownFile(const RunFiles& files, const std::string& scenePath, const std::string& replayedFrom)
{
    std::error_code code;
    if (fs::exists(files.trajectory, code)) return {};
    for (const std::string& path : {files.page, files.contacts, files.velocities})
        if (fs::exists(path, code)) return path;
    if (fs::exists(files.scene, code) && !isSameFile(files.scene, scenePath)) return files.scene;
    return fs::exists(files.interaction, code) && !isReplayed(replayedFrom, files) ? files.interaction
                                                                                   : std::string();
}

// Makes the folder of a run, without what an earlier one left that must not be taken for this one's.
std::optional<Diagnostic> makeRunFolder(const std::string& directory, const std::string& scenePath,
                                        const std::string& replayedFrom)
{
    const RunFiles files(directory);
    std::error_code code;
    if (const std::string own = ownFile(files, scenePath, replayedFrom); !own.empty())
        return fileError(own, "is not of an earlier run and would be lost; choose another folder");
    fs::create_directories(directory, code);
    if (code || !fs::is_directory(directory))
        return fileError(directory,
                         "this folder cannot be made: " + (code ? code.message() : "a file is there"));
    fs::remove(files.summary, code);
    fs::remove(files.page, code);
    if (!isReplayed(replayedFrom, files)) fs::remove(files.interaction, code);
    return {};
}

Result<Run::Tables> resumeTables(const RunJob& job)
{
    const std::string& directory = job.directory;
    if (const auto fault = makeRunFolder(directory, job.record.scenePath, job.replayedFrom)) return *fault;
    const RunFiles files(directory), from(job.resumedFrom);
    std::error_code code;
    const bool isElsewhere = !fs::equivalent(directory, job.resumedFrom, code);
    const auto open = [&](std::string RunFiles::*file, std::uint64_t size) -> Result<CsvFile> {
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
    Run::Tables tables{std::move(trajectory.value()), std::move(series.value()), {}, {}};
    const auto reopen = [&](bool isWanted, std::string RunFiles::*file, std::uint64_t size,
                            std::optional<CsvFile>& table) -> std::optional<Diagnostic> {
        if (!isWanted) {
            fs::remove(files.*file, code);
            return {};
        }
        Result<CsvFile> opened = open(file, size);
        if (!opened) return opened.error();
        table = std::move(opened.value());
        return {};
    };
    if (const auto fault = reopen(job.record.velocities, &RunFiles::velocities, job.record.velocitiesBytes,
                                  tables.velocities))
        return *fault;
    if (const auto fault = reopen(job.description.contact.has_value(), &RunFiles::contacts,
                                  job.record.contactsBytes, tables.contacts))
        return *fault;
    return tables;
}

}  // namespace

Result<Run::Tables> openNewTables(const std::string& directory, const std::string& scenePath,
                                  const std::string& replayedFrom)
{
    if (const auto fault = makeRunFolder(directory, scenePath, replayedFrom)) return *fault;
    const RunFiles files(directory);
    std::error_code code;
    for (const std::string& path : {files.checkpoint, files.contacts, files.velocities})
        fs::remove(path, code);
    Result<CsvFile> first = CsvFile::create(files.trajectory);
    if (!first) return first.error();
    Result<CsvFile> second = CsvFile::create(files.series);
    if (!second) return second.error();
    return Run::Tables{std::move(first.value()), std::move(second.value()), {}, {}};
}

std::string writeRunScene(const RunFiles& files, const std::string& scenePath,
                          const Description& description)
{
    return isSameFile(files.scene, scenePath) ? std::string()
                                              : writeWhole(files.scene, writeScene(description));
}

Result<Run> Run::open(RunJob& job)
{
    Result<Tables> tables = job.resumedFrom.empty()
                                ? openNewTables(job.directory, job.record.scenePath, job.replayedFrom)
                                : resumeTables(job);
    if (!tables) return tables.error();
    if (!job.resumedFrom.empty()) return Run(job, std::move(tables.value()));
    const RunFiles files(job.directory);
    const auto create = [](bool isWanted, const std::string& path,
                           std::optional<CsvFile>& table) -> std::optional<Diagnostic> {
        if (!isWanted) return {};
        Result<CsvFile> made = CsvFile::create(path);
        if (!made) return made.error();
        table = std::move(made.value());
        return {};
    };
    if (const auto fault = create(job.record.velocities, files.velocities, tables.value().velocities))
        return *fault;
    if (const auto fault =
            create(job.description.contact.has_value(), files.contacts, tables.value().contacts))
        return *fault;
    return Run(job, std::move(tables.value()));
}

std::string Run::begin()
{
    std::string fault = writeRunScene(files_, job.record.scenePath, job.description);
    if (!fault.empty() || !job.resumedFrom.empty()) return fault;
    const Model& model = job.simulation().model;
    job.record.measures.start(model, job.simulation().state);
    fault = tables_.trajectory.write(trajectoryHeader(model));
    if (fault.empty()) fault = tables_.series.write(seriesHeader(model));
    if (fault.empty() && tables_.velocities) fault = tables_.velocities->write(velocitiesHeader(model));
    if (fault.empty() && tables_.contacts) fault = tables_.contacts->write(contactsHeader());
    if (fault.empty()) fault = writeDueFrames();
    // The first checkpoint comes at once, so that a run can be resumed whenever it is killed.
    if (fault.empty() && outcome.isGood() && job.checkpointDue()) fault = saveCheckpoint();
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
    measures.stepsUnconverged += report.statistics.unconverged;
    measures.contactCaps += report.statistics.contactCaps;
    tookFrame = false;
    if (!report.ok) {
        outcome.diverged = std::move(report);
        return {};
    }
    job.record.steps = job.live.stepsMade();
    measures.add(job.simulation().model, job.simulation().state);
    std::string fault = writeDueFrames();
    if (fault.empty() && outcome.isGood() && job.checkpointDue()) fault = saveCheckpoint();
    return fault;
}

std::string Run::writeDueFrames()
{
    tookFrame = false;
    while (outcome.isGood()) {
        const std::optional<double> time = job.takeFrame();
        if (!time) break;
        tookFrame = true;
        const bool isAtEnd = *time == job.live.elapsed();
        if (!isAtEnd) job.live.stateWithinStep(*time, between_);
        const std::string fault = writeFrame(*time, isAtEnd ? job.simulation().state : between_);
        if (!fault.empty()) return fault;
    }
    return {};
}

std::string Run::writeFrame(double time, const State& state)
{
    const Simulation& simulation = job.simulation();
    const Model& model = simulation.model;
    std::string poses, velocities, series;
    appendTrajectoryRow(time, model, state, poses);
    if (tables_.velocities) appendVelocitiesRow(time, model, state, velocities);
    const Accelerations& accelerations = job.live.accelerateAt(state);
    simulation.forces(model, state, forces_);
    appendSeriesRow(time, model, state, forces_, accelerations, series);
    if (!isFiniteRow(poses) || !isFiniteRow(velocities) || !isFiniteRow(series)) {
        outcome.diverged = beyondNumbers(simulation, state, time);
        return {};
    }
    std::string fault = tables_.trajectory.write(poses);
    if (fault.empty() && tables_.velocities) fault = tables_.velocities->write(velocities);
    if (fault.empty()) fault = tables_.series.write(series);
    if (!fault.empty() || !tables_.contacts) return fault;
    text_.clear();
    appendContactRows(time, model, job.description, state, simulation.h, job.record.touching, text_);
    return tables_.contacts->write(text_);
}

std::string Run::sync()
{
    std::string fault = tables_.trajectory.sync();
    if (fault.empty()) fault = tables_.series.sync();
    if (fault.empty() && tables_.velocities) fault = tables_.velocities->sync();
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
    job.record.velocitiesBytes = tables_.velocities ? tables_.velocities->size() : 0;
    job.record.contactsBytes = tables_.contacts ? tables_.contacts->size() : 0;
    job.record.state = job.simulation().state;
    return writeWhole(files_.checkpoint, checkpointBytes(job.record));
}

std::string Run::finish()
{
    std::string fault = sync();
    if (fault.empty() && job.keepsInteraction && !isReplayed(job.replayedFrom, files_))
        fault = writeWhole(files_.interaction, writeRecording(recordingOf(job.live)));
    if (fault.empty()) fault = writeWhole(files_.summary, summaryJson(job, outcome));
    return fault;
}

}  // namespace sinew
