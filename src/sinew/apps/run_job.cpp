#include "sinew/apps/run_job.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/apps/checkpoint_fit.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/scene_notes.h"
#include "sinew/apps/text.h"
#include "sinew/apps/threads.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace {

bool positive(double x)
{
    return std::isfinite(x) && x > 0;
}

// Of duration or fps, by an option or by the scene.
Diagnostic wrongLength(bool isOption, const std::string& name, std::string message)
{
    return isOption ? optionError("--" + name, std::move(message))
                    : faultAt("/run/" + name, std::move(message));
}

// The command line's number, else the scene's, else the default; it must be a positive one.
Result<double> chosen(std::optional<double> option, std::optional<double> wish, double fallback,
                      const char* name, const char* unit)
{
    const double value = option ? *option : wish.value_or(fallback);
    if (positive(value)) return value;
    return wrongLength(option.has_value(), name,
                       fmt::format("must be a positive number of {}, not {}", unit, value));
}

// Names are checked here as well as in Simulation::create, to suggest the one that was meant.
std::optional<Diagnostic> unknownChoice(const RunOptions& options)
{
    if (!options.solver.empty() && !findMethod(options.solver)) {
        std::vector<std::string_view> known;
        for (const Method& method : methods()) known.push_back(method.name);
        return optionError("--solver", unknownName("solver", options.solver, known));
    }
    if (!options.integrator.empty() && !findIntegrator(options.integrator)) {
        std::vector<std::string_view> known;
        for (const Integrator& integrator : integrators()) known.push_back(integrator.name);
        return optionError("--integrator", unknownName("integrator", options.integrator, known));
    }
    return {};
}

Result<double> checkpointInterval(const RunOptions& options, double fallback)
{
    if (!options.checkpoint) return fallback;
    if (positive(*options.checkpoint)) return *options.checkpoint;
    return optionError("--checkpoint",
                       fmt::format("must be a positive number of seconds, not {}", *options.checkpoint));
}

// What a live or replayed run cannot heed.
std::optional<Diagnostic> untimely(const RunOptions& options)
{
    if (!options.live && options.replay.empty()) return {};
    const std::string word = options.live ? "--live" : "--replay";
    if (options.live && !options.replay.empty())
        return optionError("--replay", "does not go with --live; choose one");
    if (!options.resume.empty()) return optionError("--resume", "does not go with " + word);
    if (options.checkpoint)
        return optionError("--checkpoint",
                           "does not go with " + word + "; the recording leads to every state");
    if (!options.live && options.duration)
        return optionError("--duration", "does not go with --replay; the recording says how long it is");
    return {};
}

Result<Recording> readRecording(const std::string& path)
{
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    return parseRecording(text.value(), path);
}

// What of a recording cannot be done to the simulation. Whether it can does not depend on the motion, so
// this is known before anything is written.
std::optional<Diagnostic> unplayable(const Recording& recording, const std::string& path,
                                     LiveSimulation live)
{
    for (std::size_t i = 0; i < recording.interactions.size(); ++i) {
        std::optional<Diagnostic> fault = live.apply(recording.interactions[i].action);
        if (!fault) continue;
        fault->file = path;
        fault->line = recording.lines[i];
        return fault;
    }
    return {};
}

// A replay does what was done to one scene simulated in one way; an option that says otherwise is a
// mistake.
std::optional<Diagnostic> misfit(const RunOptions& options, const Recording& recording,
                                 const std::string& sceneName)
{
    const auto differs = [](const char* option, const auto& was) {
        return optionError(option, fmt::format("the recording has {}; leave the option out", was));
    };
    if (sceneName != recording.scene)
        return fileError(options.replay, fmt::format("is a recording of scene {}, and this is {}",
                                                     quotedName(recording.scene), quotedName(sceneName)));
    if (static_cast<double>(recording.steps) > mostSteps)
        return fileError(options.replay,
                         fmt::format("has {} steps, at most {:.0e} are made", recording.steps, mostSteps));
    if (!options.solver.empty() && options.solver != recording.solver)
        return differs("--solver", recording.solver);
    if (!options.integrator.empty() && options.integrator != recording.integrator)
        return differs("--integrator", recording.integrator);
    if (options.step && *options.step != recording.step) return differs("--step", recording.step);
    const Method* method = findMethod(recording.solver);
    if (!options.coordinates.empty() && method && options.coordinates != coordinatesName(*method))
        return differs("--coordinates", coordinatesName(*method));
    return {};
}

// A recording's own settings cannot be blamed on options that nobody gave.
Diagnostic inRecording(const Diagnostic& error, const std::string& path)
{
    if (error.setting.empty()) return error;
    return {.message = error.message, .pointer = "/" + error.setting, .file = path, .line = 1};
}

Result<RunJob> prepareNew(const RunOptions& options)
{
    if (options.scene.empty()) return optionError("SCENE", "say which scene to run, or --resume a folder");
    if (options.output.empty())
        return optionError("--output", "say where the results shall go, such as -o out");
    if (const auto unknown = unknownChoice(options)) return *unknown;
    if (options.step && !positive(*options.step))
        return optionError("--step",
                           fmt::format("must be a positive number of seconds, not {}", *options.step));
    Result<double> interval = checkpointInterval(options, 0);
    if (!interval) return interval.error();
    const Result<int> threads = chosenThreads(options.threads, 1);
    if (!threads) return threads.error();

    Result<SceneFile> scene = openScene(options.scene, options.import);
    if (!scene) return scene.error();
    const Description& description = scene.value().description;
    RunJob job;
    Settings settings{options.solver,   options.integrator, options.step,     options.coordinates,
                      options.slowBand, options.spread,     options.tolerance};
    if (!options.replay.empty()) {
        Result<Recording> recording = readRecording(options.replay);
        if (!recording) return recording.error();
        if (const auto fault = misfit(options, recording.value(), description.name)) return *fault;
        job.replay = std::move(recording.value());
        job.replayedFrom = options.replay;
        settings.solver = job.replay->solver;
        settings.integrator = job.replay->integrator;
        settings.step = job.replay->step;
        settings.coordinates = {};
        settings.slowBand = job.replay->slowBand;
        settings.spread = job.replay->spread;
        settings.tolerance = job.replay->tolerance;
    }
    Result<LiveSimulation> live = LiveSimulation::create(description, settings);
    if (!live && job.replay) return inScene(inRecording(live.error(), options.replay), options.scene);
    if (!live) return inScene(live.error(), options.scene);
    if (job.replay)
        if (const auto fault = unplayable(*job.replay, options.replay, live.value())) return *fault;
    const double h = live.value().simulation().h;
    Result<RunLength> length = runLength(description.run, options.duration, options.fps, h);
    if (!length) return inScene(length.error(), options.scene);

    if (!options.quiet) printSceneNotes(scene.value(), live.value().simulation().model());
    job.directory = options.output;
    job.description = description;
    job.live = std::move(live.value());
    job.live.useThreads(threads.value());
    job.keepsInteraction = options.live || job.replay;
    job.steps = job.replay ? job.replay->steps : length.value().steps;
    static_cast<Checkpoint&>(job.record) =
        checkpointOf(job.simulation(), options.scene, std::move(scene.value().text));
    job.record.duration = length.value().duration;
    job.record.fps = length.value().fps;
    job.record.interval = interval.value();
    job.record.velocities = options.velocities;
    return job;
}

// A run goes on with what it began with; an option that says otherwise is a mistake.
std::optional<Diagnostic> contradiction(const RunOptions& options, const RunRecord& record)
{
    const auto differs = [](const char* option, const auto& was) {
        return optionError(option, fmt::format("the run to resume has {}; leave the option out", was));
    };
    if (!options.scene.empty()) {
        Result<SceneFile> scene = openScene(options.scene, options.import);
        if (!scene) return scene.error();
        if (scene.value().text != record.sceneText)
            return fileError(options.scene, "is not the scene of the run to resume (" + record.scenePath +
                                                " as it was then); leave it out");
    }
    if (!options.solver.empty() && options.solver != record.solver)
        return differs("--solver", record.solver);
    if (!options.integrator.empty() && options.integrator != record.integrator)
        return differs("--integrator", record.integrator);
    const Method* method = findMethod(record.solver);
    if (!options.coordinates.empty() && method && options.coordinates != coordinatesName(*method))
        return differs("--coordinates", coordinatesName(*method));
    if (options.step && *options.step != record.step) return differs("--step", record.step);
    if (options.slowBand &&
        (*options.slowBand < 0 || static_cast<std::uint64_t>(*options.slowBand) != record.slowBand))
        return differs("--slow-band", record.slowBand);
    if (options.spread && !record.spread) return differs("--spread", "a slow band in blocks");
    if (options.tolerance && *options.tolerance != record.tolerance)
        return differs("--tolerance", record.tolerance);
    if (options.velocities && !record.velocities) return differs("--velocities", "no table of velocities");
    if (options.fps && *options.fps != record.fps) return differs("--fps", record.fps);
    return {};
}

Result<RunJob> prepareResumed(const RunOptions& options)
{
    // Locked first: what the checkpoint says must still hold when the tables are opened.
    std::error_code code;
    const bool inPlace =
        options.output.empty() || std::filesystem::equivalent(options.output, options.resume, code);
    Result<FolderLock> lock =
        lockRun(options.resume, inPlace ? FolderLock::Kind::alone : FolderLock::Kind::withReaders);
    if (!lock) return lock.error();
    const std::string place = newestRun(options.resume);
    Result<RunRecord> stored = readRunRecord(place);
    if (!stored) return stored.error();
    RunRecord& record = stored.value();
    if (const auto unknown = unknownChoice(options)) return *unknown;
    if (const auto error = contradiction(options, record)) return *error;
    Result<double> interval = checkpointInterval(options, record.interval);
    if (!interval) return interval.error();
    const Result<int> threads = chosenThreads(options.threads, 1);
    if (!threads) return threads.error();

    const std::string path = RunFiles(place).checkpoint;
    Result<RestoredRun> restored = restoredRun(record, path);
    if (!restored) return restored.error();
    const Description& description = restored.value().description;
    if (const auto fault = unfitTables(record, restored.value().live.simulation().model(),
                                       description.contact.has_value(), place))
        return *fault;

    // A longer duration makes a finished run go on.
    RunSettings wish = description.run;
    if (!options.duration) wish.duration = record.duration;
    Result<RunLength> length = runLength(wish, options.duration, record.fps, record.step);
    if (!length) return inScene(length.error(), record.scenePath);
    if (length.value().steps < record.steps) {
        return optionError("--duration", fmt::format("the run to resume is already at {} s, ask for more",
                                                     static_cast<double>(record.steps) * record.step));
    }

    RunJob job;
    job.directory = options.output.empty() ? options.resume : options.output;
    job.resumedFrom = place;
    job.resumesInPlace = inPlace;
    job.lock.emplace(std::move(lock.value()));
    job.description = std::move(restored.value().description);
    job.live = std::move(restored.value().live);
    job.live.useThreads(threads.value());
    job.steps = length.value().steps;
    job.record = std::move(record);
    job.record.duration = length.value().duration;
    job.record.interval = interval.value();
    const std::uint64_t next = job.record.nextFrame;
    if (next == 0 || job.hasReached(next) || !job.hasReached(next - 1))
        return fileError(path,
                         "the checkpoint does not fit its scene: its frames are not those of its "
                         "steps; start the run again");
    return job;
}

}  // namespace

Result<RunLength> runLength(const RunSettings& wish, std::optional<double> duration,
                            std::optional<double> fps, double h)
{
    Result<double> seconds =
        chosen(duration, wish.duration, Settings::defaultDuration, "duration", "seconds");
    if (!seconds) return seconds.error();
    Result<double> rate = chosen(fps, wish.fps, Settings::defaultFps, "fps", "frames per second");
    if (!rate) return rate.error();
    const double steps =
        std::ceil(seconds.value() / h - 1e-6);  // 10 s of 1 ms are 10,000 steps, not 10,001
    if (!(steps <= mostSteps)) {
        return wrongLength(duration.has_value(), "duration",
                           fmt::format("{} s in steps of {} s are {:.3g} steps, at most {:.0e} are made; "
                                       "take a longer step or a shorter duration",
                                       seconds.value(), h, steps, mostSteps));
    }
    if (!(seconds.value() * rate.value() <= mostFrames)) {
        return wrongLength(
            fps.has_value(), "fps",
            fmt::format("{} s at {} frames per second are {:.3g} frames, at most {:.0e} are written",
                        seconds.value(), rate.value(), seconds.value() * rate.value(), mostFrames));
    }
    if (!(h * rate.value() <= mostFramesOfStep)) {
        return wrongLength(
            fps.has_value(), "fps",
            fmt::format("a step of {} s has {:.3g} frames at {} frames per second, at most {:.0e} are "
                        "written; take a shorter step or fewer frames",
                        h, h * rate.value(), rate.value(), mostFramesOfStep));
    }
    return RunLength{seconds.value(), rate.value(),
                     std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps))};
}

// Both times are rounded once, however long the run. Frames are never nearer to each other than this.
double RunJob::frameSlack() const
{
    return std::min(1e-6 * simulation().h, 1e-3 / record.fps) +
           4 * std::numeric_limits<double>::epsilon() * live.elapsed();
}

bool RunJob::hasReached(std::uint64_t frame) const
{
    return static_cast<double>(frame) / record.fps <= live.elapsed() + frameSlack();
}

std::optional<double> RunJob::takeFrame()
{
    if (!hasReached(record.nextFrame)) return {};
    const double now = live.elapsed(), due = static_cast<double>(record.nextFrame) / record.fps;
    ++record.nextFrame;
    return due >= now - frameSlack() ? now : due;
}

bool RunJob::checkpointDue() const
{
    if (record.interval <= 0) return false;
    const double stride = std::round(std::min(record.interval / record.step, 2 * mostSteps));
    return record.steps % std::max<std::uint64_t>(1, static_cast<std::uint64_t>(stride)) == 0;
}

Result<RunJob> prepareRun(const RunOptions& options)
{
    if (const auto fault = untimely(options)) return *fault;
    return options.resume.empty() ? prepareNew(options) : prepareResumed(options);
}

const char* simulationOption(const RunOptions& options)
{
    if (options.import.fixedBase) return *options.import.fixedBase ? "--fixed-base" : "--floating-base";
    if (options.import.limp) return "--limp";
    if (options.import.ground) return "--ground";
    if (!options.import.meshPaths.empty()) return "--mesh-path";
    if (!options.import.keyframe.empty()) return "--key";
    if (!options.output.empty()) return "--output";
    if (!options.solver.empty()) return "--solver";
    if (!options.integrator.empty()) return "--integrator";
    if (!options.coordinates.empty()) return "--coordinates";
    if (options.step) return "--step";
    if (options.slowBand) return "--slow-band";
    if (options.spread) return "--spread";
    if (options.tolerance) return "--tolerance";
    if (options.threads) return "--threads";
    if (options.duration) return "--duration";
    return options.fps ? "--fps" : nullptr;
}

}  // namespace sinew
