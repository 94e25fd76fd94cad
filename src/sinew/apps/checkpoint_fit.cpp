#include "sinew/apps/checkpoint_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "sinew/apps/files.h"
#include "sinew/apps/run_files.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/kinematics.h"

namespace sinew {

namespace {

bool isIn(std::int64_t index, std::int64_t low, std::size_t size)
{
    return index >= low && index < static_cast<std::int64_t>(size);
}

bool isTurn(const Quat& q)
{
    constexpr double tolerance = 1e-6;  // what many steps make of a length of one
    return std::abs(q.coeffs().norm() - 1) < tolerance;
}

bool areBodies(const LargeVector<BodyState>& bodies)
{
    return std::all_of(bodies.begin(), bodies.end(), [](const BodyState& b) {
        return b.position.allFinite() && isTurn(b.orientation) && b.velocity.allFinite() &&
               b.angularVelocity.allFinite();
    });
}

template <class Range>
bool areFinite(const Range& values)
{
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool isContact(const Contact& c, const Model& model)
{
    // A body and its own collider; a collider of the world belongs to none.
    const auto isSide = [&](int body, int collider) {
        return isIn(collider, 0, model.colliders.size()) && model.colliders[collider].body == body;
    };
    for (const Vec3* v : {&c.pointA, &c.pointB, &c.normal, &c.impulse, &c.turning, &c.blow})
        if (!v->allFinite()) return false;
    for (const double x : {c.roundA, c.roundB, c.friction, c.staticFriction, c.rollingFriction,
                           c.spinningFriction, c.restitution})
        if (!(std::isfinite(x) && x >= 0)) return false;
    return isSide(c.bodyA, c.colliderA) && isSide(c.bodyB, c.colliderB) && std::isfinite(c.gap);
}

bool isSlowLink(const SlowLink& link)
{
    for (const Mat3* matrix : {&link.R_I, &link.R, &link.T, &link.K, &link.M})
        if (!matrix->allFinite()) return false;
    for (const Vec3* vector : {&link.a_c, &link.g, &link.f, &link.turn})
        if (!vector->allFinite()) return false;
    return isTurn(link.orientation) && link.age >= 0;
}

// Steps in joint coordinates keep the same pose twice.
bool isOnePose(const State& state, const Model& model)
{
    constexpr double rounding = 1e-9;
    State placed = state;
    bodiesFromJoints(model, placed);
    for (int i = 0; i < model.size(); ++i) {
        const Skeleton& figure = model.skeletons[model.skeletonOf[i]];
        const Vec3 &a = state.bodies[i].position, &b = placed.bodies[i].position;
        if (!((a - b).norm() <= rounding * (figure.length * figure.count + a.norm()))) return false;
    }
    return true;
}

bool noneOr(std::size_t size, std::size_t wanted)
{
    return size == 0 || size == wanted;
}

// The settings, which no other reader has seen.
bool settingsFit(const Checkpoint& record)
{
    return record.slowBand >= 1 && record.slowBand <= std::numeric_limits<int>::max() &&
           record.spread <= 1 && record.velocities <= 1 && std::isfinite(record.interval) &&
           record.interval >= 0 && static_cast<double>(record.steps) <= mostSteps &&
           static_cast<double>(record.nextFrame) <= mostFrames + 1;
}

// What of the state cannot be one of this simulation of the scene, or an empty string.
std::string unfitState(const Checkpoint& record, const Simulation& simulation,
                       const Description& description)
{
    const Model& model = simulation.model;
    const State& s = record.state;
    if (s.q.size() != model.coordinateCount || s.u.size() != model.freedomCount ||
        s.bodies.size() != model.bodies.size() ||
        s.memory.size() != static_cast<Eigen::Index>(model.memory.size()) ||
        !noneOr(s.previous.size(), model.bodies.size()) ||
        !noneOr(s.jumped.size(), model.skeletons.size()) || !noneOr(s.slow.size(), model.bodies.size()) ||
        !noneOr(s.quiet.size(), model.skeletons.size()) ||
        !noneOr(s.loopImpulses.size(), model.loops.size() + model.couplings.size()))
        return "the state is of another size";
    if (!s.q.allFinite() || !s.u.allFinite() || !s.memory.allFinite() || !areBodies(s.bodies) ||
        !areBodies(s.previous) || !areFinite(s.quiet) ||
        !std::all_of(s.slow.begin(), s.slow.end(), isSlowLink) ||
        !std::all_of(s.loopImpulses.begin(), s.loopImpulses.end(),
                     [](const Vec6& impulse) { return impulse.allFinite(); }))
        return "the state has numbers that are not finite, or turns that are none";
    if (simulation.method->coordinates == Coordinates::joint && !isOnePose(s, model))
        return "joints and bodies of the state are not at the same place";
    // As LiveSimulation counts it.
    if (s.time != static_cast<double>(record.steps) * record.step)
        return "the time of the state is not that of its steps";
    if (!std::all_of(s.contacts.begin(), s.contacts.end(),
                     [&](const Contact& c) { return isContact(c, model); }))
        return "the state has a contact that the scene cannot have";
    const std::int64_t lowest = -1 - static_cast<std::int64_t>(description.obstacles.size());
    for (const TouchingPair& pair : record.touching)
        for (const std::int64_t party : pair)
            if (!isIn(party, lowest, model.bodies.size())) return "bodies touch that the scene has not";
    const Measures& m = record.measures;
    for (const double x : {m.energyStart,       m.energyEnd,        m.energyMin,       m.energyMax,
                           m.energyDeviation,   m.energyScale,      m.linearDeviation, m.linearScale,
                           m.angularDeviation,  m.angularScale,     m.gapMax,          m.gapEnd,
                           m.wallSeconds,       m.newtonIterations, m.stepsHalved,     m.stepsUnconverged,
                           m.penetrationMax,    m.contacts,         m.contactCaps,     m.linearStart.sum(),
                           m.angularStart.sum()})
        if (!std::isfinite(x)) return "its measures have numbers that are not finite";
    return {};
}

// One table up to its size: the heading it must have, then `rows` rows as wide (any number: −1). Gives the
// time in the last row.
std::string unfitTable(const std::string& path, const std::string& heading, std::uint64_t size,
                       std::int64_t rows, std::string& lastTime)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
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

Result<RestoredRun> restoredRun(const Checkpoint& record, const std::string& path)
{
    const auto foreign = [&](const std::string& why) {
        return fileError(path, "the checkpoint does not fit its scene: " + why + "; start the run again");
    };
    if (!settingsFit(record)) return foreign("its settings are not those of a run");
    Result<Description> description = parseScene(record.sceneText, record.scenePath);
    if (!description) return description.error();
    Settings settings{record.solver, record.integrator, record.step};
    const Integrator* integrator = findIntegrator(record.integrator);
    if (integrator && integrator->hasSlowBand) {
        settings.slowBand = static_cast<int>(record.slowBand);
        settings.spread = record.spread != 0;
    }
    Result<LiveSimulation> live = LiveSimulation::create(description.value(), settings);
    if (!live) return inScene(live.error(), record.scenePath);
    if (const std::string why = unfitState(record, live.value().simulation(), description.value());
        !why.empty())
        return foreign(why);
    live.value().resume(record.state, record.steps);
    return RestoredRun{std::move(description.value()), std::move(live.value())};
}

std::optional<Diagnostic> unfitTables(const Checkpoint& record, const Model& model, bool hasContacts,
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
