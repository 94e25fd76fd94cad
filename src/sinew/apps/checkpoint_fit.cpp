#include "sinew/apps/checkpoint_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "sinew/apps/files.h"
#include "sinew/apps/run_files.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/file_stream.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/named.h"

namespace sinew {

namespace {

bool isIn(std::int64_t index, std::int64_t low, std::size_t size)
{
    return index >= low && index < static_cast<std::int64_t>(size);
}

// The settings, which no other reader has seen.
bool settingsFit(const RunRecord& record)
{
    return record.velocities <= 1 && std::isfinite(record.interval) && record.interval >= 0 &&
           static_cast<double>(record.steps) <= mostSteps &&
           static_cast<double>(record.nextFrame) <= mostFrames + 1;
}

std::string unfitBalance(const RunRecord& record, const Model& model)
{
    const EnergyBalance& b = record.balance;
    for (const double x : {b.start, b.end, b.dampers, b.friction, b.contact, b.drives, b.hands})
        if (!std::isfinite(x)) return "its energies have numbers that are not finite";
    for (const VecX* each : {&record.impulses.dampers, &record.impulses.friction, &record.impulses.drives})
        if (each->size() != model.freedomCount || !each->allFinite())
            return "its impulses are not those of the scene's joints";
    for (const LargeVector<Force>* each :
         {&record.impulses.contact, &record.impulses.driveOfBody, &record.impulses.damperOfBody}) {
        if (each->size() != model.bodies.size()) return "its impulses are not those of the scene's bodies";
        for (const Force& force : *each)
            if (!force.force.allFinite() || !force.torque.allFinite())
                return "its impulses have numbers that are not finite";
    }
    return {};
}

// What of the record cannot be of this simulation of the scene, or an empty string.
std::string unfitRecord(const RunRecord& record, const Simulation& simulation,
                        const Description& description)
{
    const Model& model = simulation.model();
    const State& s = record.state;
    const bool inJointCoordinates = simulation.method->coordinates == Coordinates::joint;
    if (std::string why = unfitState(model, s, inJointCoordinates); !why.empty()) return why;
    // As LiveSimulation counts it.
    if (s.time != static_cast<double>(record.steps) * record.step)
        return "the time of the state is not that of its steps";
    const std::int64_t lowest = -1 - static_cast<std::int64_t>(description.obstacles.size());
    for (const TouchingPair& pair : record.touching)
        for (const std::int64_t party : pair)
            if (!isIn(party, lowest, model.bodies.size())) return "bodies touch that the scene has not";
    const Measures& m = record.measures;
    for (const double x : {m.energyStart,       m.energyEnd,        m.energyMin,
                           m.energyMax,         m.energyDeviation,  m.energyScale,
                           m.linearDeviation,   m.linearScale,      m.angularDeviation,
                           m.angularScale,      m.gapMax,           m.gapEnd,
                           m.wallSeconds,       m.cpuSeconds,       m.newtonIterations,
                           m.stepsHalved,       m.stepsUnconverged, m.penetrationMax,
                           m.contacts,          m.contactCaps,      m.evaluations,
                           m.partsRejected,     m.meshIterations,   m.meshTurns,
                           m.meshCaps,          m.meshResidual,     m.linearStart.sum(),
                           m.angularStart.sum()})
        if (!std::isfinite(x)) return "its measures have numbers that are not finite";
    return unfitBalance(record, model);
}

// One table up to its size: the heading it must have, then `rows` rows as wide (any number: −1). Gives the
// time in the last row.
std::string unfitTable(const std::string& path, const std::string& heading, std::uint64_t size,
                       std::int64_t rows, std::string& lastTime)
{
    const FileStream file(std::fopen(path.c_str(), "rb"));
    if (!file) return "cannot go on: it cannot be read";
    if (size < heading.size()) return "cannot go on: the checkpoint cuts its heading";
    std::string start(heading.size(), '\0');
    if (std::fread(start.data(), 1, start.size(), file.get()) != start.size() || start != heading)
        return "cannot go on: its heading is not that of this scene's table";
    // Names may have commas, numbers have none: rows are as wide as the first one.
    std::int64_t found = 0, commas = 0, width = -1;
    std::string time;
    char last = '\n', buffer[1 << 16];
    for (std::uint64_t left = size - heading.size(); left > 0;) {
        const std::size_t count = std::fread(
            buffer, 1, static_cast<std::size_t>(std::min<std::uint64_t>(left, sizeof buffer)), file.get());
        if (count == 0)
            return fmt::format("cannot go on: it has {} bytes, the checkpoint was made when it had {}",
                               size - left, size);
        left -= count;
        last = buffer[count - 1];
        for (std::size_t i = 0; i < count; ++i) {
            if (buffer[i] == ',') ++commas;
            if (commas == 0) time += buffer[i];
            if (buffer[i] != '\n') continue;
            if (rows >= 0 && width >= 0 && commas != width)
                return fmt::format("cannot go on: row {} is of another width", found + 1);
            width = std::exchange(commas, 0);
            lastTime = std::exchange(time, {});
            ++found;
        }
    }
    if (last != '\n') return "cannot go on: the checkpoint ends in the midst of a row";
    if (rows >= 0 && found != rows)
        return fmt::format("cannot go on: it has {} rows, the checkpoint was made when it had {}", found,
                           rows);
    return {};
}

}  // namespace

Result<RestoredRun> restoredRun(const RunRecord& record, const std::string& path)
{
    if (!settingsFit(record)) return unfitCheckpoint(path, "its settings are not those of a run");
    const Result<Settings> settings = settingsOf(record, path);
    if (!settings) return settings.error();
    Result<Description> description = parseScene(record.sceneText, record.scenePath);
    if (!description) return description.error();
    Result<LiveSimulation> live = LiveSimulation::create(description.value(), settings.value());
    if (!live) return inScene(live.error(), record.scenePath);
    if (const std::string why = unfitRecord(record, live.value().simulation(), description.value());
        !why.empty())
        return unfitCheckpoint(path, why);
    live.value().resume(record.state, record.steps);
    return RestoredRun{std::move(description.value()), std::move(live.value())};
}

std::optional<Diagnostic> unfitTables(const RunRecord& record, const Model& model, bool hasContacts,
                                      const std::string& directory)
{
    const RunFiles files(directory);
    const auto frames = static_cast<std::int64_t>(record.nextFrame);
    struct Table {
        const std::string& path;
        std::string heading;
        std::uint64_t size;
        std::int64_t rows;
        bool isWanted;
    };
    for (const Table& table :
         {Table{files.trajectory, trajectoryHeader(model), record.trajectoryBytes, frames, true},
          Table{files.series, seriesHeader(model), record.seriesBytes, frames, true},
          Table{files.velocities, velocitiesHeader(model), record.velocitiesBytes, frames,
                record.velocities != 0},
          Table{files.contacts, contactsHeader(), record.contactsBytes, -1, hasContacts}}) {
        if (!table.isWanted) continue;
        std::string time;
        std::string why = unfitTable(table.path, table.heading, table.size, table.rows, time);
        const double last = static_cast<double>(frames - 1) / record.fps;
        if (why.empty() && table.rows > 0 &&
            !(std::abs(std::strtod(time.c_str(), nullptr) - last) <= 2e-6 * record.step))
            why = fmt::format("cannot go on: its last row is not that of frame {}", frames - 1);
        if (!why.empty()) return fileError(table.path, why);
    }
    return {};
}

}  // namespace sinew
