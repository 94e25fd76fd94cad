// sinew pull: leads a point of a body to a place step by step (posing/pull.h), and writes the folder of a
// run.
#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "sinew/apps/commands.h"
#include "sinew/apps/evaluation.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/run_record.h"
#include "sinew/apps/still_record.h"
#include "sinew/apps/text.h"
#include "sinew/base/hash.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/json/json.h"
#include "sinew/posing/pull.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

constexpr double framesPerSecond = 60;
constexpr int mostPullSteps = 100'000;
constexpr int mostSweeps = 1'000'000;

struct PullTotals {
    long long sweeps = 0;
    int sweepsMax = 0;
    double residualMax = 0, jointGapMax = 0, wallSeconds = 0;
    PullReport last;
};

std::string optionFault(const PullOptions& options)
{
    if (!options.to.allFinite()) return "--to: must be finite numbers";
    if (options.point && !options.point->allFinite()) return "--point: must be finite numbers";
    if (options.steps < 1 || options.steps > mostPullSteps)
        return fmt::format("--steps: must be from 1 to {}, not {}", mostPullSteps, options.steps);
    if (options.sweeps < 1 || options.sweeps > mostSweeps)
        return fmt::format("--sweeps: must be from 1 to {}, not {}", mostSweeps, options.sweeps);
    return {};
}

std::string unknownBody(const char* option, const std::string& name, const Model& model)
{
    std::vector<std::string_view> known;
    for (int i : model.bodyOrder) known.push_back(model.bodies[i].name);
    return fmt::format("{}: {}", option, unknownName("body", name, known));
}

// Why the body cannot be held, or an empty string.
std::string holdFault(const Model& model, const PullOptions& options, int body, int held)
{
    if (options.hold.empty()) return {};
    if (held < 0) return unknownBody("--hold", options.hold, model);
    if (held == body) return fmt::format("--hold: '{}' is the body to pull", shownName(options.hold));
    if (isTiedToWorld(model, body))
        return fmt::format("--hold: a joint ties '{}' to the world, which holds it; leave the option out",
                           shownName(options.body));
    return {};
}

std::string pullAll(const PullOptions& options, const PullPlan& plan, const Vec3& point, Evaluation& scene,
                    StillRecord& record, PullTotals& totals)
{
    using Clock = std::chrono::steady_clock;
    const BodyState& body = scene.state.bodies[plan.bones.front().body];
    const Vec3 start = body.position + body.orientation * point;
    PullLimits limits;
    limits.sweeps = options.sweeps;
    std::string fault = record.begin();
    if (fault.empty()) fault = record.frame(0);
    for (int i = 1; i <= options.steps && fault.empty(); ++i) {
        const Vec3 goal = start + (options.to - start) * i / options.steps;
        const auto begin = Clock::now();
        totals.last = pull(scene.model, plan, point, goal, limits, scene.state);
        totals.wallSeconds += std::chrono::duration<double>(Clock::now() - begin).count();
        totals.sweeps += totals.last.sweeps;
        totals.sweepsMax = std::max(totals.sweepsMax, totals.last.sweeps);
        totals.residualMax = std::max(totals.residualMax, totals.last.residual);
        totals.jointGapMax = std::max(totals.jointGapMax, largestJointError(scene.model, scene.state).gap);
        fault = record.frame(i / framesPerSecond);
    }
    return fault.empty() ? record.finish() : fault;
}

std::string pullSummary(const PullOptions& options, const Evaluation& scene, const PullTotals& totals)
{
    json::Value summary = json::Value::object();
    summary.add("scene", scene.model.name);
    summary.add("pulled", options.body);
    if (!options.hold.empty()) summary.add("held", options.hold);
    summary.add("bodies", scene.model.describedSize());
    summary.add("joints", scene.model.declaredJointCount());
    summary.add("dof", scene.model.freedomCount);
    summary.add("steps", options.steps);
    summary.add("fps", framesPerSecond);
    summary.add("time", options.steps / framesPerSecond);
    summary.add("wall_seconds", totals.wallSeconds);
    summary.add("sweeps", static_cast<double>(totals.sweeps));
    summary.add("sweeps_max", totals.sweepsMax);
    summary.add("residual_max", totals.residualMax);
    summary.add("residual_end", totals.last.residual);
    summary.add("gap_end", totals.last.gap);
    summary.add("joint_gap_max", totals.jointGapMax);
    summary.add("state_hash", hashText(stateHash(scene.state)));
    return json::write(summary);
}

std::string pullTable(const PullOptions& options, const Evaluation& scene, const PullTotals& totals)
{
    using Align = Table::Align;
    Table table({{"", Align::left}, {"", Align::right}, {"", Align::left}});
    table.row({"steps", fmt::format("{}", options.steps), ""});
    const double mean = static_cast<double>(totals.sweeps) / options.steps;
    table.row({"sweeps", fmt::format("{}", totals.sweeps),
               fmt::format("{:.3g} a step, at most {}", mean, totals.sweepsMax)});
    table.row({"wall time", fmt::format("{:.4g}", totals.wallSeconds), "s, pulling alone"});
    table.row({"largest residual", fmt::format("{:.2e}", totals.residualMax), "m, off the anchor"});
    table.row({"gap at the end", fmt::format("{:.2e}", totals.last.gap), "m, to the goal"});
    table.row({"largest joint gap", fmt::format("{:.2e}", totals.jointGapMax), "m"});
    const std::string name = scene.model.name.empty() ? options.scene : scene.model.name;
    return fmt::format("{}: {}, pulled by '{}'\n{}", shownName(name),
                       counted(scene.model.describedSize(), "body", "bodies"), shownName(options.body),
                       table.text());
}

}  // namespace

int pullBody(const PullOptions& options)
{
    if (const std::string fault = optionFault(options); !fault.empty()) return fail(fault);
    Result<Evaluation> loaded = loadEvaluation(options.scene);
    if (!loaded) return fail(loaded.error());
    Evaluation& scene = loaded.value();
    const Model& model = scene.model;
    const int body = model.findBody(options.body);
    if (body < 0) return fail(unknownBody("--body", options.body, model));
    const int held = options.hold.empty() ? -1 : model.findBody(options.hold);
    if (const std::string fault = holdFault(model, options, body, held); !fault.empty()) return fail(fault);

    const PullPlan plan = planPull(model, body, held);
    if (held >= 0 && plan.path.empty())
        return fail(fmt::format("--hold: no joints lead from '{}' to '{}'", shownName(options.body),
                                shownName(options.hold)));

    Result<RunFolder> opened = RunFolder::create(options.output, {options.scene, {}});
    if (!opened) return fail(opened.error());
    RunFolder& folder = opened.value();
    Result<CsvFile> trajectory = CsvFile::create(folder.files().trajectory);
    if (!trajectory) return fail(trajectory.error());
    Result<CsvFile> series = CsvFile::create(folder.files().series);
    if (!series) return fail(series.error());
    std::string fault = writeRunScene(folder, scene.scene.description);
    if (!fault.empty()) return fail(fault);
    StillRecord record(scene, std::move(trajectory.value()), std::move(series.value()));
    PullTotals totals;
    const Vec3 point = options.point.value_or(Vec3::Zero()) - model.bodies[body].center;
    fault = pullAll(options, plan, point, scene, record, totals);
    Page page;
    if (fault.empty())
        fault = writeRunEnd(folder, options.output, scene.scene.description, model,
                            pullSummary(options, scene, totals), &page);
    if (!fault.empty()) return fail(fault);
    fmt::print("{}results in {}\n{}", pullTable(options, scene, totals), printable(options.output),
               pageLines(page));
    return exitDone;
}

}  // namespace sinew
