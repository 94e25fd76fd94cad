#include "sinew/apps/run_record.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "sinew/apps/stopwatch.h"
#include "sinew/base/text.h"
#include "sinew/io/binary/mesh_file.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"

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
    report.body = simulation.model().bodies[fastest].name;
    report.message = fmt::format(
        "the motion of body {} diverged after {:.6g} s: forces or energies are beyond floating point; try "
        "a smaller step than {:.3g} s",
        quotedName(report.body), time, simulation.h);
    return report;
}

// The tables that a run has, by where their sizes are in a checkpoint.
struct TableOf {
    std::string RunFiles::*file;
    std::uint64_t RunRecord::*size;
    bool isWanted;
};
std::vector<TableOf> tablesOf(const RunJob& job)
{
    return {{&RunFiles::trajectory, &RunRecord::trajectoryBytes, true},
            {&RunFiles::series, &RunRecord::seriesBytes, true},
            {&RunFiles::velocities, &RunRecord::velocitiesBytes, job.record.velocities != 0},
            {&RunFiles::contacts, &RunRecord::contactsBytes, job.description.contact.has_value()},
            {&RunFiles::particles, &RunRecord::particlesBytes, !job.description.particles.empty()},
            {&RunFiles::meshes, &RunRecord::meshesBytes, !job.description.meshes.empty()}};
}

RunFolder::Sources sourcesOf(const RunJob& job)
{
    return {job.record.scenePath, job.replayedFrom};
}

// Copies all that it takes to go on; the checkpoint comes last, since it speaks of the others.
std::optional<Diagnostic> copyRun(const RunJob& job, const RunFiles& from, const RunFiles& to)
{
    std::vector<std::string RunFiles::*> files;
    for (const TableOf& table : tablesOf(job)) {
        if (!table.isWanted) continue;
        if (const auto fault = CsvFile::tooShort(from.*table.file, job.record.*table.size)) return fault;
        files.push_back(table.file);
    }
    files.push_back(&RunFiles::checkpoint);
    for (const auto file : files) {
        std::error_code code;
        fs::copy_file(from.*file, to.*file, fs::copy_options::overwrite_existing, code);
        if (code) return fileError(to.*file, "cannot be copied from " + from.*file + ": " + code.message());
    }
    return {};
}

// A run that was not finished goes on where it is. One that was, or that goes on elsewhere, is copied.
Result<RunFolder> resumedFolder(RunJob& job)
{
    std::error_code code;
    const RunFiles from(job.resumedFrom);
    if (job.resumesInPlace && !fs::exists(from.summary, code))
        return RunFolder::reopen(job.directory, job.resumedFrom, sourcesOf(job), std::move(*job.lock));
    std::optional<FolderLock> lock;
    if (job.resumesInPlace) lock.emplace(std::move(*job.lock));
    Result<RunFolder> folder = RunFolder::create(job.directory, sourcesOf(job), std::move(lock));
    if (!folder) return folder.error();
    if (const auto fault = copyRun(job, from, folder.value().files())) return *fault;
    return folder;
}

}  // namespace

Result<Run> Run::open(RunJob& job)
{
    const bool isNew = job.resumedFrom.empty();
    Result<RunFolder> folder =
        isNew ? RunFolder::create(job.directory, sourcesOf(job)) : resumedFolder(job);
    job.lock.reset();
    if (!folder) return folder.error();
    std::vector<std::optional<CsvFile>> tables;
    for (const TableOf& table : tablesOf(job)) {
        std::optional<CsvFile>& opened = tables.emplace_back();
        if (!table.isWanted) continue;
        const std::string& path = folder.value().files().*table.file;
        Result<CsvFile> file =
            isNew ? CsvFile::create(path) : CsvFile::reopen(path, job.record.*table.size);
        if (!file) return file.error();
        opened = std::move(file.value());
    }
    // Nothing is cut before all of them could be opened.
    for (std::optional<CsvFile>& table : tables) {
        if (isNew || !table) continue;
        const std::string fault = table->cut();
        if (!fault.empty()) return Diagnostic{fault};
    }
    if (!isNew) folder.value().keep();
    return Run(job, std::move(folder.value()),
               {std::move(*tables[0]), std::move(*tables[1]), std::move(tables[2]), std::move(tables[3]),
                std::move(tables[4]), std::move(tables[5])});
}

std::string writeRunScene(const RunFolder& folder, const Description& description)
{
    return folder.hasOwnScene() ? std::string() : writeWhole(folder.files().scene, writeScene(description));
}

std::string Run::begin()
{
    std::string fault = writeRunScene(folder_, job.description);
    if (!fault.empty()) return fault;
    job.live.measureEnergy();
    if (!job.resumedFrom.empty()) {
        meter_.balance = job.record.balance;
        meter_.impulses = job.record.impulses;
        return fault;
    }
    const Model& model = job.simulation().model();
    job.record.measures.start(model, job.simulation().state, collisions_);
    meter_.start(job.simulation());
    job.record.balance = meter_.balance;
    fault = tables_.trajectory.write(trajectoryHeader(model));
    if (fault.empty()) fault = tables_.series.write(seriesHeader(model));
    if (fault.empty() && tables_.velocities) fault = tables_.velocities->write(velocitiesHeader(model));
    if (fault.empty() && tables_.contacts) fault = tables_.contacts->write(contactsHeader());
    if (fault.empty() && tables_.particles)
        fault = tables_.particles->write(pointsHeaderBytes(pointsHeader(model, job.record.fps, true)));
    if (fault.empty() && tables_.meshes)
        fault = tables_.meshes->write(meshHeaderBytes(meshFileHeader(model, job.record.fps)));
    if (fault.empty()) fault = writeDueFrames();
    // The first checkpoint comes at once, so that a run can be resumed whenever it is killed.
    if (fault.empty() && outcome.isGood() && job.checkpointDue()) fault = saveCheckpoint();
    return fault;
}

std::string Run::step()
{
    Measures& measures = job.record.measures;
    const Stopwatch watch;
    StepReport report = job.live.step();
    tookFrame = false;
    if (report.stopped) {
        outcome.interrupted = true;
        return {};
    }
    watch.addTo(measures.wallSeconds, measures.cpuSeconds);
    measures.newtonIterations += static_cast<double>(report.statistics.newtonIterations);
    measures.evaluations += static_cast<double>(report.statistics.evaluations);
    measures.meshIterations += static_cast<double>(report.statistics.meshIterations);
    measures.meshTurns += report.statistics.meshTurns;
    measures.meshCaps += report.statistics.meshCaps;
    measures.meshResidual = std::max(measures.meshResidual, report.statistics.meshResidual);
    measures.partsRejected += static_cast<double>(report.statistics.rejected);
    measures.stepsHalved += report.statistics.halvings;
    measures.stepsUnconverged += report.statistics.unconverged;
    measures.contactCaps += report.statistics.contactCaps;
    if (!report.ok) {
        outcome.diverged = std::move(report);
        return {};
    }
    meter_.add(job.simulation(), report);
    job.record.balance = meter_.balance;
    job.record.steps = job.live.stepsMade();
    measures.add(job.simulation().model(), job.simulation().state, collisions_);
    std::string fault = writeDueFrames();
    if (fault.empty() && outcome.isGood() && job.checkpointDue()) fault = saveCheckpoint();
    return fault;
}

std::string Run::writeDueFrames()
{
    tookFrame = false;
    // Hands may have chosen another step than the one that the run began with.
    const double due = job.live.elapsed() * job.record.fps - static_cast<double>(job.record.nextFrame);
    if (due > mostFramesOfStep)
        return fmt::format(
            "a step of {} s has {:.3g} frames, at most {:.0e} are written; choose a shorter step",
            job.simulation().h, due, mostFramesOfStep);
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
    const Model& model = simulation.model();
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
    if (fault.empty() && tables_.particles) fault = writeParticles(time);
    if (fault.empty() && tables_.meshes) fault = writeMeshes(time);
    if (!fault.empty() || !tables_.contacts) return fault;
    text_.clear();
    appendContactRows(time, model, job.description, state, simulation.h, job.record.touching, text_);
    return tables_.contacts->write(text_);
}

// Particles of a frame within a step are as far back along their velocities.
std::string Run::writeParticles(double time)
{
    const Simulation& simulation = job.simulation();
    recordPoints(simulation.model(), simulation.state, true, job.live.elapsed() - time, points_);
    points_.time = time;
    text_.clear();
    appendPointsFrame(points_, job.record.nextFrame - 1, text_);
    return tables_.particles->write(text_);
}

// Likewise.
std::string Run::writeMeshes(double time)
{
    text_.clear();
    appendMeshFrame(job.simulation().state, time, job.live.elapsed() - time, job.record.nextFrame - 1,
                    text_);
    return tables_.meshes->write(text_);
}

std::string Run::sync()
{
    std::string fault = tables_.trajectory.sync();
    if (fault.empty()) fault = tables_.series.sync();
    if (fault.empty() && tables_.velocities) fault = tables_.velocities->sync();
    if (fault.empty() && tables_.contacts) fault = tables_.contacts->sync();
    if (fault.empty() && tables_.particles) fault = tables_.particles->sync();
    if (fault.empty() && tables_.meshes) fault = tables_.meshes->sync();
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
    job.record.particlesBytes = tables_.particles ? tables_.particles->size() : 0;
    job.record.meshesBytes = tables_.meshes ? tables_.meshes->size() : 0;
    job.record.state = job.simulation().state;
    job.record.clock = job.simulation().clock();
    job.record.impulses = meter_.impulses;
    const std::string refused = writeWhole(folder_.files().checkpoint, runRecordBytes(job.record));
    if (refused.empty()) folder_.keep();
    return refused;
}

std::string Run::finish(Page* page)
{
    const RunFiles& files = folder_.files();
    const std::string summary = summaryJson(job, outcome);
    std::string fault = sync();
    for (const RunJob::Text& text : job.texts)
        if (fault.empty()) fault = writeWhole(files.*text.file, text.text);
    if (fault.empty() && job.keepsInteraction && !folder_.hasOwnRecording())
        fault = writeWhole(files.interaction, writeRecording(recordingOf(job.live)));
    if (fault.empty())
        fault =
            writeRunEnd(folder_, job.directory, job.description, job.simulation().model(), summary, page);
    return fault;
}

std::string writeRunEnd(RunFolder& folder, const std::string& directory, const Description& description,
                        const Model& model, const std::string& summary, Page* page)
{
    std::error_code code;
    if (page) {
        Result<Page> written = writePage(folder.files(), description, model, summary);
        if (!written) return written.error().text();
        *page = std::move(written.value());
        page->path = RunFiles(directory).page;
    } else {
        fs::remove(folder.files().page, code);  // of one that was killed at its end, and then resumed
    }
    const std::string fault = writeWhole(folder.files().summary, summary);
    return fault.empty() ? folder.finish() : fault;
}

}  // namespace sinew
