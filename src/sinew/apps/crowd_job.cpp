#include "sinew/apps/crowd_job.h"

#include <fmt/core.h>

#include <cmath>

#include "sinew/apps/files.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/text.h"
#include "sinew/apps/threads.h"
#include "sinew/base/parallel.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/variation.h"

namespace sinew {
namespace {

constexpr double defaultCrowdStep = 1. / 240;
constexpr int mostShown = 1000;

std::optional<Diagnostic> wrongOption(const CrowdOptions& options)
{
    if (options.count < 1 || options.count > Crowd::most)
        return optionError("--count",
                           fmt::format("must be from 1 to {}, not {}", Crowd::most, options.count));
    if (options.show < 1 || options.show > mostShown)
        return optionError("--show", fmt::format("must be from 1 to {}, not {}", mostShown, options.show));
    if (options.step && !(*options.step >= 1e-9 && *options.step <= 1))
        return optionError("--step", fmt::format("must be from 1e-9 to 1 s, not {}", *options.step));
    return {};
}

// Frames lie on steps: the step is the longest that divides a frame and is not longer than asked for.
std::optional<Diagnostic> chooseTimes(const CrowdOptions& options, CrowdJob& job)
{
    const double most = options.step.value_or(defaultCrowdStep);
    const RunSettings& wish = job.scene.description.run;
    Result<RunLength> length = runLength(wish, options.duration, options.fps, most);
    if (!length) return length.error();
    job.fps = length.value().fps;
    job.stepsOfFrame = std::max(1, static_cast<int>(std::ceil(1 / (job.fps * most) - 1e-6)));
    job.settings.step = 1 / (job.fps * job.stepsOfFrame);
    job.frames = 1 + static_cast<std::uint64_t>(std::floor(length.value().duration * job.fps + 1e-6));
    job.duration = static_cast<double>(job.frames - 1) / job.fps;
    return {};
}

std::optional<Diagnostic> varyAll(const CrowdOptions& options, State start, CrowdJob& job)
{
    Variation variation;
    if (!options.vary.empty()) {
        Result<std::string> text = json::readFile(options.vary);
        if (!text) return text.error();
        Result<Variation> read = parseVariation(text.value(), options.vary);
        if (!read) return read.error();
        variation = std::move(read.value());
        job.variation = std::move(text.value());
    }
    if (options.seed) variation.seed = *options.seed;
    job.seed = variation.seed;
    const auto inFile = [&](Diagnostic fault) {
        fault.file = options.vary;
        return fault;
    };
    const Result<CrowdVariation> made =
        CrowdVariation::create(*job.model, std::move(start), std::move(variation));
    if (!made) return inFile(made.error());
    job.drawnNames = made.value().names();
    job.drawn.resize(static_cast<std::size_t>(options.count));
    job.masses.resize(job.drawn.size());
    for (std::size_t c = 0; c < job.drawn.size(); ++c) {
        const Result<double> mass = made.value().apply(static_cast<int>(c), *job.crowd, job.drawn[c]);
        if (!mass) return inFile(mass.error());
        job.masses[c] = mass.value();
    }
    return {};
}

}  // namespace

Result<CrowdJob> prepareCrowd(const CrowdOptions& options)
{
    if (const auto fault = wrongOption(options)) return *fault;
    Result<int> threads = chosenThreads(options.threads, threadsAtHand());
    if (!threads) return threads.error();
    Result<SceneFile> scene = openScene(options.scene);
    if (!scene) return scene.error();
    CrowdJob job;
    job.scene = std::move(scene.value());
    Result<Model> model = compile(job.scene.description);
    if (!model) return inScene(model.error(), options.scene);
    job.model = std::make_unique<Model>(std::move(model.value()));
    if (job.model->size() == 0)
        return inScene(Diagnostic{"a crowd needs a body that moves"}, options.scene);
    job.settings.count = options.count;
    job.settings.threads = threads.value();
    job.settings.single = options.single;
    job.settings.implicitSprings = !options.explicitForces;
    if (const auto fault = chooseTimes(options, job)) return inScene(*fault, options.scene);
    Result<State> start = initialState(*job.model, job.scene.description);
    if (!start) return inScene(start.error(), options.scene);
    Result<Crowd> crowd = Crowd::create(*job.model, job.settings);
    if (!crowd) return inScene(crowd.error(), options.scene);
    job.crowd.emplace(std::move(crowd.value()));
    if (const auto fault = varyAll(options, std::move(start.value()), job)) return *fault;
    return job;
}

}  // namespace sinew
