// sinew pose: the pose that the wishes of a scene and of the command line want (optimize/pose.h), as the
// folder of a run that goes there from the start.
#include "sinew/optimize/pose.h"

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
#include "sinew/base/words.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/wish.h"
#include "sinew/optimize/wish_slopes.h"
#include "sinew/state/between.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

constexpr double posesPerSecond = 60;
constexpr int poseFrames = 60;  // from the start to the pose

// BODY:X,Y,Z, the centre of mass at a place; all else is JSON.
Result<WishDescription> readWish(const std::string& text)
{
    const std::string where = "--wish";
    if (text.find_first_not_of(" \n\t") != std::string::npos &&
        text[text.find_first_not_of(" \n\t")] == '{')
        return parseWish(text, where);
    const std::size_t colon = text.rfind(':');
    double x = 0, y = 0, z = 0;
    char rest = 0;
    if (colon == std::string::npos || colon == 0 ||
        std::sscanf(text.c_str() + colon + 1, "%lf,%lf,%lf%c", &x, &y, &z, &rest) != 3)
        return optionError(where,
                           "must be JSON such as {\"type\": \"upright\", \"body\": \"head\"}, or "
                           "BODY:X,Y,Z, not " +
                               words::quoted(text));
    WishDescription wish;
    wish.type = "point";
    wish.of.body = text.substr(0, colon);
    wish.to = WishPlace{"world", Vec3(x, y, z)};
    return wish;
}

// The scene with the wishes of the command line; they come after its own.
Result<Evaluation> loadWithWishes(const PoseCommand& options)
{
    Result<SceneFile> opened = openScene(options.scene);
    if (!opened) return opened.error();
    SceneFile& scene = opened.value();
    if (options.only) scene.description.wishes.clear();
    const std::size_t own = scene.description.wishes.size();
    for (const std::string& text : options.wishes) {
        Result<WishDescription> wish = readWish(text);
        if (!wish) return wish.error();
        scene.description.wishes.push_back(std::move(wish.value()));
    }
    Result<Model> model = compile(scene.description);
    if (!model) {
        // What is wrong with a wish of the command line is not in the file.
        Diagnostic error = model.error();
        for (std::size_t i = own; i < scene.description.wishes.size(); ++i) {
            const std::string pointer = "/wishes/" + std::to_string(i);
            if (error.pointer.rfind(pointer + "/", 0) != 0 && error.pointer != pointer) continue;
            error.pointer.erase(0, pointer.size());
            error.file = "--wish";
            return error;
        }
        return inScene(error, options.scene);
    }
    Result<State> state = initialState(model.value(), scene.description);
    if (!state) return inScene(state.error(), options.scene);
    return Evaluation{std::move(scene), std::move(model.value()), std::move(state.value()), {}};
}

json::Value outcomeValue(const Model& model, const WishOutcome& outcome)
{
    const Wish& wish = model.wishes[static_cast<std::size_t>(outcome.wish)];
    json::Value out = json::Value::object();
    out.add("wish", wishLabel(wish));
    out.add("type", wish.type->name);
    out.add("error", outcome.error);
    out.add("fulfilled", outcome.isFulfilled);
    if (outcome.isSoft) out.add("soft", true);
    if (!outcome.isFulfilled && !outcome.isSoft) out.add("error_alone", outcome.alone);
    return out;
}

// Every joint's coordinates in the scene's terms.
json::Value poseValue(const Model& model, const State& state)
{
    json::Value pose = json::Value::object();
    for (const int link : model.jointOrder) {
        const Joint& joint = model.joints[link];
        if (joint.freedoms() == 0) continue;
        double numbers[6];
        describedCoordinate(model, state, link, numbers);
        json::Value list = json::Value::array();
        for (int i = 0; i < joint.freedoms(); ++i) list.add(numbers[i]);
        pose.add(joint.name, std::move(list));
    }
    return pose;
}

double worstOf(const PoseReport& report)
{
    double worst = 0;
    for (const WishOutcome& outcome : report.wishes)
        if (!outcome.isSoft) worst = std::max(worst, outcome.error);
    return worst;
}

std::string poseSummary(const Evaluation& scene, const PoseReport& report, double wallSeconds)
{
    json::Value summary = json::Value::object(), wishes = json::Value::array();
    for (const WishOutcome& outcome : report.wishes) wishes.add(outcomeValue(scene.model, outcome));
    summary.add("scene", scene.model.name);
    summary.add("bodies", scene.model.describedSize());
    summary.add("joints", scene.model.declaredJointCount());
    summary.add("dof", scene.model.freedomCount);
    summary.add("fps", posesPerSecond);
    summary.add("time", poseFrames / posesPerSecond);
    summary.add("wall_seconds", wallSeconds);
    summary.add("iterations", report.iterations);
    summary.add("restarts", report.restarts);
    summary.add("cost", report.minimum.energy);
    summary.add("wish_error_max", worstOf(report));
    summary.add("fulfilled", report.isFulfilled);
    summary.add("wishes", std::move(wishes));
    summary.add("pose", poseValue(scene.model, scene.state));
    summary.add("state_hash", hashText(stateHash(scene.state)));
    return json::write(summary);
}

std::string poseTable(const PoseCommand& options, const Evaluation& scene, const PoseReport& report,
                      double wallSeconds)
{
    using Align = Table::Align;
    Table table(
        {{"wish", Align::left}, {"type", Align::left}, {"missed by", Align::right}, {"", Align::left}});
    for (const WishOutcome& outcome : report.wishes) {
        const Wish& wish = scene.model.wishes[static_cast<std::size_t>(outcome.wish)];
        const char* how = outcome.isFulfilled ? "" : outcome.isSoft ? "soft" : "NOT fulfilled";
        table.row({wishLabel(wish), wish.type->name, fmt::format("{:.2e}", outcome.error), how});
    }
    const std::string name = scene.model.name.empty() ? options.scene : scene.model.name;
    return fmt::format("{}: {}, {} in {:.3g} ms\n{}", shownName(name),
                       counted(scene.model.freedomCount, "freedom", "freedoms"),
                       counted(report.iterations, "iteration", "iterations"), 1e3 * wallSeconds,
                       table.text());
}

// Which wishes stand in each other's way, and which no pose fulfils, in one line.
std::string conflictLine(const Model& model, const PoseReport& report, double tolerance)
{
    std::string conflict, unreachable;
    for (const WishOutcome& outcome : report.wishes) {
        if (outcome.isFulfilled || outcome.isSoft) continue;
        std::string& list = outcome.alone > tolerance ? unreachable : conflict;
        if (!list.empty()) list += ", ";
        list += wishLabel(model.wishes[static_cast<std::size_t>(outcome.wish)]);
        if (outcome.alone > tolerance) list += fmt::format(" (by {:.3g} at best)", outcome.alone);
    }
    std::string line;
    if (!unreachable.empty()) line = "out of reach: " + unreachable;
    if (!conflict.empty()) line += (line.empty() ? "" : "; ") + ("in conflict with others: " + conflict);
    return line;
}

std::string writeFrames(const State& start, const State& end, Evaluation& scene, StillRecord& record)
{
    State from = start, to = end;
    from.time = 0;
    to.time = 1;
    std::string fault = record.begin();
    for (int i = 0; i <= poseFrames && fault.empty(); ++i) {
        const double t = static_cast<double>(i) / poseFrames;
        stateBetween(scene.model, from, to, t * t * (3 - 2 * t), true, scene.state);
        fault = record.frame(i / posesPerSecond);
    }
    scene.state = end;
    return fault.empty() ? record.finish() : fault;
}

std::string poseOptionFault(const PoseCommand& options)
{
    if (!(std::isfinite(options.tolerance) && options.tolerance > 0))
        return fmt::format("--tolerance: must be a positive number, not {}", options.tolerance);
    if (options.iterations < 1 || options.iterations > 1'000'000)
        return fmt::format("--iterations: must be from 1 to 1000000, not {}", options.iterations);
    if (!std::isfinite(options.time)) return "--time: must be a finite number";
    return {};
}

}  // namespace

int poseFigure(const PoseCommand& options)
{
    if (const std::string fault = poseOptionFault(options); !fault.empty()) return fail(fault);
    Result<Evaluation> loaded = loadWithWishes(options);
    if (!loaded) return fail(loaded.error());
    Evaluation& scene = loaded.value();
    const Model& model = scene.model;
    const std::vector<int> wishes = wishesAt(model, options.time);
    if (wishes.empty())
        return fail(
            fmt::format("{}: has no wishes of a pose at that time; give --wish", printable(options.scene)));
    if (const std::string fault = poseFault(model); !fault.empty())
        return fail(fmt::format("{}: {}", printable(options.scene), fault));

    using Clock = std::chrono::steady_clock;
    const State start = scene.state;
    PoseOptions how;
    how.tolerance = options.tolerance;
    how.iterations = options.iterations;
    const auto begin = Clock::now();
    const PoseReport report = solvePose(model, wishes, how, scene.state);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();

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
    fault = writeFrames(start, scene.state, scene, record);
    Page page;
    if (fault.empty())
        fault = writeRunEnd(folder, options.output, scene.scene.description, model,
                            poseSummary(scene, report, seconds), &page);
    if (!fault.empty()) return fail(fault);
    fmt::print("{}results in {}\n{}", poseTable(options, scene, report, seconds), printable(options.output),
               pageLines(page));
    if (report.isFulfilled) return exitDone;
    fmt::print(stderr, "sinew: not all wishes can be fulfilled: {}\n",
               conflictLine(model, report, options.tolerance));
    return exitInfeasible;
}

}  // namespace sinew
