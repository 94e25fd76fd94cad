#include "sinew/apps/run_job.h"

#include <fmt/core.h>

#include <cmath>

#include "sinew/apps/files.h"
#include "sinew/apps/run_files.h"
#include "sinew/apps/text.h"
#include "sinew/io/json/scene.h"

namespace sinew {

namespace {

// Ten thousand million steps take days at the least; more is a slip in --step or --duration.
constexpr double mostSteps = 1e10;

Diagnostic at(std::string pointer, std::string message)
{
    Diagnostic error;
    error.pointer = std::move(pointer);
    error.message = std::move(message);
    return error;
}

bool positive(double x)
{
    return std::isfinite(x) && x > 0;
}

// The command line's number, else the scene's, else the default; it must be a positive one.
Result<double> chosen(std::optional<double> option, std::optional<double> wish, double fallback,
                      const char* name, const char* unit)
{
    const double value = option ? *option : wish.value_or(fallback);
    if (positive(value)) return value;
    return at((option ? "--" : "/run/") + std::string(name),
              fmt::format("must be a positive number of {}, not {}", unit, value));
}

// Names are checked here as well as in Simulation::create, to suggest the one that was meant.
std::optional<Diagnostic> unknownChoice(const RunOptions& options)
{
    if (!options.solver.empty() && !findMethod(options.solver)) {
        std::vector<std::string_view> known;
        for (const Method& method : methods()) known.push_back(method.name);
        return at("--solver", unknownName("solver", options.solver, known));
    }
    if (!options.integrator.empty() && !findIntegrator(options.integrator)) {
        std::vector<std::string_view> known;
        for (const Integrator& integrator : integrators()) known.push_back(integrator.name);
        return at("--integrator", unknownName("integrator", options.integrator, known));
    }
    return {};
}

Result<double> checkpointInterval(const RunOptions& options, double fallback)
{
    if (!options.checkpoint) return fallback;
    if (positive(*options.checkpoint)) return *options.checkpoint;
    return at("--checkpoint",
              fmt::format("must be a positive number of seconds, not {}", *options.checkpoint));
}

Result<RunJob> prepareNew(const RunOptions& options)
{
    if (options.scene.empty()) return at("SCENE", "say which scene to run, or --resume a folder");
    if (options.output.empty()) return at("--output", "say where the results shall go, such as -o out");
    if (const auto unknown = unknownChoice(options)) return *unknown;
    if (options.step && !positive(*options.step))
        return at("--step", fmt::format("must be a positive number of seconds, not {}", *options.step));
    Result<double> interval = checkpointInterval(options, 0);
    if (!interval) return interval.error();

    Result<SceneFile> scene = loadScene(options.scene);
    if (!scene) return scene.error();
    const Description& description = scene.value().description;
    Result<Simulation> simulation = Simulation::create(
        description, {options.solver, options.integrator, options.step, options.coordinates});
    if (!simulation) return inScene(simulation.error(), options.scene);
    Result<RunLength> length =
        runLength(description.run, options.duration, options.fps, simulation.value().h);
    if (!length) return inScene(length.error(), options.scene);

    RunJob job;
    job.directory = options.output;
    job.description = description;
    job.simulation = std::move(simulation.value());
    job.steps = length.value().steps;
    job.record.scenePath = options.scene;
    job.record.sceneText = std::move(scene.value().text);
    job.record.solver = job.simulation.method->name;
    job.record.integrator = job.simulation.integrator->name;
    job.record.step = job.simulation.h;
    job.record.duration = length.value().duration;
    job.record.fps = length.value().fps;
    job.record.interval = interval.value();
    return job;
}

// A run goes on with what it began with; an option that says otherwise is a mistake.
std::optional<Diagnostic> contradiction(const RunOptions& options, const Checkpoint& record)
{
    const auto differs = [](const char* option, const auto& was) {
        return at(option, fmt::format("the run to resume has {}; leave the option out", was));
    };
    if (!options.scene.empty()) {
        Result<SceneFile> scene = loadScene(options.scene);
        if (!scene) return scene.error();
        if (scene.value().text != record.sceneText) {
            Diagnostic error;
            error.file = options.scene;
            error.message = "is not the scene of the run to resume (" + record.scenePath +
                            " as it was then); leave it out";
            return error;
        }
    }
    if (!options.solver.empty() && options.solver != record.solver)
        return differs("--solver", record.solver);
    if (!options.integrator.empty() && options.integrator != record.integrator)
        return differs("--integrator", record.integrator);
    const Method* method = findMethod(record.solver);
    if (!options.coordinates.empty() && method && options.coordinates != coordinatesName(*method))
        return differs("--coordinates", coordinatesName(*method));
    if (options.step && *options.step != record.step) return differs("--step", record.step);
    if (options.fps && *options.fps != record.fps) return differs("--fps", record.fps);
    return {};
}

Result<RunJob> prepareResumed(const RunOptions& options)
{
    Result<Checkpoint> stored = readCheckpoint(options.resume);
    if (!stored) return stored.error();
    Checkpoint& record = stored.value();
    if (const auto unknown = unknownChoice(options)) return *unknown;
    if (const auto error = contradiction(options, record)) return *error;
    Result<double> interval = checkpointInterval(options, record.interval);
    if (!interval) return interval.error();

    Result<Description> description = parseScene(record.sceneText, record.scenePath);
    if (!description) return description.error();
    Result<Simulation> simulation =
        Simulation::create(description.value(), {record.solver, record.integrator, record.step, {}});
    if (!simulation) return inScene(simulation.error(), record.scenePath);
    const Model& model = simulation.value().model;
    Diagnostic foreign;
    foreign.file = RunFiles(options.resume).checkpoint;
    foreign.message = "the state does not fit the scene; start the run again";
    if (record.state.q.size() != model.coordinateCount || record.state.u.size() != model.freedomCount ||
        record.state.bodies.size() != model.bodies.size() ||
        record.state.memory.size() != static_cast<Eigen::Index>(model.memory.size())) {
        return foreign;
    }

    // A longer duration makes a finished run go on.
    RunSettings wish = description.value().run;
    if (!options.duration) wish.duration = record.duration;
    Result<RunLength> length = runLength(wish, options.duration, record.fps, record.step);
    if (!length) return inScene(length.error(), record.scenePath);
    if (length.value().steps < record.steps) {
        return at("--duration", fmt::format("the run to resume is already at {} s, ask for more",
                                            static_cast<double>(record.steps) * record.step));
    }

    RunJob job;
    job.directory = options.output.empty() ? options.resume : options.output;
    job.resumedFrom = options.resume;
    job.description = std::move(description.value());
    job.simulation = std::move(simulation.value());
    job.simulation.state = record.state;
    job.steps = length.value().steps;
    job.record = std::move(record);
    job.record.duration = length.value().duration;
    job.record.interval = interval.value();
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
        return at(duration ? "--duration" : "/run/duration",
                  fmt::format("{} s in steps of {} s are {:.3g} steps, at most {:.0e} are made; "
                              "take a longer step or a shorter duration",
                              seconds.value(), h, steps, mostSteps));
    }
    return RunLength{seconds.value(), rate.value(),
                     std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps))};
}

std::uint64_t RunJob::frameStep(std::uint64_t frame) const
{
    const double time = static_cast<double>(frame) / record.fps;
    // More frames than steps: every step is one.
    if (record.fps * record.step >= 1) return frame;
    const double step = std::ceil((time - 1e-9) / record.step);
    // Frames past any run, at a rate of one in a million years, still have a step number.
    return step <= 0 ? 0 : static_cast<std::uint64_t>(std::min(step, 2 * mostSteps));
}

bool RunJob::checkpointDue() const
{
    if (record.interval <= 0) return false;
    const double stride = std::round(std::min(record.interval / record.step, 2 * mostSteps));
    return record.steps % std::max<std::uint64_t>(1, static_cast<std::uint64_t>(stride)) == 0;
}

Result<RunJob> prepareRun(const RunOptions& options)
{
    return options.resume.empty() ? prepareNew(options) : prepareResumed(options);
}

const char* simulationOption(const RunOptions& options)
{
    if (!options.output.empty()) return "--output";
    if (!options.solver.empty()) return "--solver";
    if (!options.integrator.empty()) return "--integrator";
    if (!options.coordinates.empty()) return "--coordinates";
    if (options.step) return "--step";
    if (options.duration) return "--duration";
    return options.fps ? "--fps" : nullptr;
}

}  // namespace sinew
