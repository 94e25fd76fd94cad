// sinew optimize: a motion that fulfils the wishes of a scene, planned and then simulated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/interrupt.h"
#include "sinew/apps/plan_file.h"
#include "sinew/apps/run_record.h"
#include "sinew/apps/text.h"
#include "sinew/io/csv/csv.h"
#include "sinew/optimize/motion_contact.h"
#include "sinew/optimize/motion_ipopt.h"
#include "sinew/optimize/motion_merit.h"
#include "sinew/optimize/motion_refine.h"
#include "sinew/optimize/motion_scene.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double replayStep = 1e-4;    // s, of rk4
constexpr double feedbackStep = 1e-3;  // s

std::string iterationsCsv(const std::vector<MotionIteration>& history)
{
    std::string text = "iteration,round,cost,infeasibility,merit,merit_before,step\n";
    for (const MotionIteration& i : history)
        text += fmt::format("{},{},{},{},{},{},{}\n", i.number, i.round, i.cost, i.infeasibility, i.merit,
                            i.meritBefore, i.step);
    return text;
}

std::string placeName(const ContactPhase& phase, int place)
{
    if (phase.isHold()) return place == 0 ? "force" : "torque";
    return fmt::format("{}", place + 1);
}

// Forces along the freedoms, at places in contact, and what has been paid for them, at the points of Gauss.
std::string planCsv(const MotionProblem& problem, const MotionPlan& plan)
{
    const Model& model = *problem.model;
    std::string text = "time";
    for (const Joint& joint : model.joints)
        for (int k = 0; k < joint.freedoms(); ++k)
            text += "," + csvField(fmt::format("{}.force{}", joint.name, k + 1));
    for (const ContactPhase& phase : problem.phases)
        for (int p = 0; p < placesOf(phase); ++p)
            for (const char axis : {'x', 'y', 'z'})
                text += "," + csvField(fmt::format("{}.{}.{}", phase.name, placeName(phase, p), axis));
    text += ",force_squared\n";
    double paid = 0;
    for (const MotionPiece& piece : plan.pieces)
        for (int j = 0; j < plan.points.stages; ++j) {
            const double time = piece.start + plan.points.c[j] * piece.length;
            text += fmt::format("{}", time);
            for (int k = 0; k < model.freedomCount; ++k) {
                const double Q = piece.forces[j * model.freedomCount + k];
                const bool isDriven = problem.isDriven[static_cast<std::size_t>(k)];
                text += fmt::format(",{}", isDriven ? Q : 0);
                if (isDriven) paid += plan.points.weight[j] * piece.length * Q * Q;
            }
            int place = 0;
            for (const ContactPhase& phase : problem.phases)
                for (int p = 0; p < placesOf(phase); ++p) {
                    Vec3 f = Vec3::Zero();
                    if (phase.isOn(time))
                        f = placeUnit(problem, phase, p) * plan.readPlace(problem, time, place++);
                    text += fmt::format(",{},{},{}", f.x(), f.y(), f.z());
                }
            text += fmt::format(",{}\n", paid);
        }
    return text;
}

// What of the plan is not met at this moment of the simulation.
class WishMeter {
public:
    explicit WishMeter(const MotionProblem& problem) : problem_(problem) {}

    void look(const State& state, double step)
    {
        const MotionMoment moment{*problem_.model, state, unused_};
        for (const MotionCondition& condition : problem_.conditions) {
            const bool isNear =
                state.time > condition.time - 0.5 * step && state.time < condition.end() + 0.5 * step;
            if (!isNear || condition.weight > 0) continue;
            rows_.start(0, false);
            condition.addRows(moment, RowKind::equal, 0, 1, rows_);
            for (std::size_t r = 0; r < rows_.rows.size(); ++r)
                worst_ = std::max(worst_, violationOf(rows_, r, false));
        }
    }
    double worst() const { return worst_; }

private:
    const MotionProblem& problem_;
    DynamicsDerivatives unused_;
    MotionRows rows_;
    double worst_ = 0;
};

struct Found {
    RefinedMotion motion;
    MotionFeedback feedback;
};

void show(const MotionIteration& i)
{
    fmt::print("{:5} {:5} {:14.8g} {:14.3g} {:20.12g}\n", i.number, i.round, i.cost, i.infeasibility,
               i.merit);
    std::fflush(stdout);
}

Found findMotion(const OptimizeOptions& options, const MotionProblem& problem, MotionPlan& plan)
{
    MotionOptions own;
    own.iterations = options.iterations;
    own.tolerance = options.tolerance;
    own.byIpopt = options.solver == "ipopt";
    own.stop.isWanted = [](void*) { return interrupted(); };
    if (!options.quiet) {
        fmt::print("{:>5} {:>5} {:>14} {:>14} {:>20}\n", "step", "round", "cost", "infeasibility", "merit");
        own.progress = show;
    }
    Found found;
    RefineOptions refine;
    refine.pieceError = options.accuracy;
    found.motion = solveRefined(problem, own, refine, plan);
    if (options.feedback) found.feedback = motionFeedback(problem, plan, feedbackStep);
    return found;
}

void addRemarks(const Found& found, const WishMeter& meter, const ReplayReport& replay, RunJob& job)
{
    const MotionResult& result = found.motion.result;
    const auto add = [&job](const char* key, json::Value value) {
        job.remarks.push_back({key, std::move(value)});
    };
    add("cost", result.cost);
    add("infeasibility", result.infeasibility);
    add("iterations", found.motion.iterations);
    add("feasible", result.converged);
    add("pieces", found.motion.pieces.back());
    add("piece_error", found.motion.errors.back());
    add("wish_error_max", meter.worst());
    add("replay_error_max", replay.largest);
    add("replay_error_end", replay.atEnd);
    json::Value conflicts = json::Value::array();
    for (const Violation& violation : result.violations) {
        json::Value one = json::Value::object();
        one.add("name", violation.name);
        one.add("amount", violation.amount);
        conflicts.add(std::move(one));
    }
    if (!result.converged) add("violations", std::move(conflicts));
}

// How far the simulation is from the plan.
void compare(const MotionProblem& problem, const MotionPlan& plan, const State& now, ReplayReport& report)
{
    State planned = problem.base;
    plan.read(*problem.model, std::min(now.time, plan.duration()), planned.q, planned.u);
    bodiesFromJoints(*problem.model, planned);
    report.atEnd = 0;
    for (int i = 0; i < problem.model->size(); ++i)
        report.atEnd = std::max(report.atEnd, (now.bodies[i].position - planned.bodies[i].position).norm());
    report.largest = std::max(report.largest, report.atEnd);
}

// All steps of the run; an empty string, or why the disk refused.
std::string simulate(const MotionProblem& problem, const MotionPlan& plan, Run& run, WishMeter& meter,
                     ReplayReport& report)
{
    RunJob& job = run.job;
    std::string fault = run.begin();
    meter.look(job.simulation().state, job.simulation().h);
    while (fault.empty() && job.record.steps < job.steps && run.outcome.isGood()) {
        fault = run.step();
        meter.look(job.simulation().state, job.simulation().h);
        if (run.tookFrame || job.record.steps == job.steps)
            compare(problem, plan, job.simulation().state, report);
    }
    return fault;
}

int verdict(const OptimizeOptions& options, const Run& run, const MotionResult& result)
{
    if (result.stopped) {
        if (!options.quiet)
            fmt::print(stderr, "interrupted: the best motion so far is written; it is off by {:.3g}\n",
                       result.infeasibility);
        return exitInterrupted;
    }
    if (run.outcome.diverged) {
        fmt::print(stderr, "{}\n", printable(run.outcome.diverged->message));
        return exitDiverged;
    }
    if (result.converged) return exitDone;
    std::string line = printable(options.scene) + ": ";
    if (result.violations.empty()) {
        line += fmt::format("not solved in {}", counted(result.iterations, "iteration", "iterations"));
    } else {
        line += "no motion fulfils all of this:";
        for (std::size_t i = 0; i < result.violations.size(); ++i)
            line += fmt::format("{} {} (off by {:.3g})", i == 0 ? "" : ",",
                                printable(result.violations[i].name), result.violations[i].amount);
        line += "; the best compromise is written";
    }
    fmt::print(stderr, "{}\n", line);
    return exitInfeasible;
}

}  // namespace

int optimizeMotion(const OptimizeOptions& options)
{
    if (!(std::isfinite(options.tolerance) && options.tolerance > 0))
        return fail(fmt::format("--tolerance: must be a positive number, not {}", options.tolerance));
    if (!(std::isfinite(options.accuracy) && options.accuracy > 0))
        return fail(fmt::format("--accuracy: must be a positive number, not {}", options.accuracy));
    if (options.iterations < 1)
        return fail(fmt::format("--iterations: must be 1 or more, not {}", options.iterations));
    if (options.solver != "own" && options.solver != "ipopt")
        return fail(fmt::format("--solver: must be own or ipopt, not '{}'", printable(options.solver)));
    if (options.solver == "ipopt" && !hasIpopt())
        return fail(
            "--solver ipopt: this command was built without IPOPT; install coinor-libipopt-dev and build "
            "again");
    Result<SceneFile> scene = openScene(options.scene);
    if (!scene) return fail(scene.error());
    Result<PlannedScene> planned = plannedScene(scene.value().description);
    if (!planned) return fail(inScene(planned.error(), options.scene));
    if (!options.from.empty())
        if (const auto fault =
                startFrom(options.from, scene.value().description.plan->piece, planned.value()))
            return fail(*fault);
    const MotionProblem& problem = planned.value().problem;
    MotionPlan& plan = planned.value().guess;

    RunOptions own;
    own.scene = options.scene;
    own.output = options.output;
    own.integrator = "rk4";
    own.coordinates = "joint";
    own.step = replayStep;
    own.duration = problem.duration;
    own.page = options.page;
    own.quiet = options.quiet;
    Result<RunJob> prepared = prepareRun(own);
    if (!prepared) return fail(prepared.error());
    RunJob& job = prepared.value();
    Result<Run> opened = Run::open(job);
    if (!opened) return fail(opened.error());

    catchInterrupts();
    const Found found = findMotion(options, problem, plan);
    State start = job.simulation().state;
    start.q = plan.start.q;
    start.u = plan.start.u;
    bodiesFromJoints(job.simulation().model(), start);
    job.live.resume(std::move(start), 0);
    MotionDrive drive(problem, plan, options.feedback ? &found.feedback : nullptr);
    // Where the scene has nothing to touch, what the plan leans on pushes as it says.
    if (!scene.value().description.contact && scene.value().description.obstacles.empty())
        drive.pushContacts();
    if (const auto fault = job.live.setForceLaw([&drive](ForceContext& at) { drive.push(at); }))
        return fail(*fault);
    WishMeter meter(problem);
    ReplayReport report;
    std::string fault = simulate(problem, plan, opened.value(), meter, report);
    addRemarks(found, meter, report, job);
    job.texts = {{&RunFiles::plan, planCsv(problem, plan)},
                 {&RunFiles::motion, planText(problem, plan)},
                 {&RunFiles::iterations, iterationsCsv(found.motion.result.history)}};
    Page page;
    if (fault.empty()) fault = opened.value().finish(options.page ? &page : nullptr);
    if (!fault.empty()) return fail(fault);
    if (!options.quiet) {
        fmt::print(
            "cost {:.8g}, off by {:.2g}; simulated: wishes off by {:.2g}, end off by {:.2g} m\nresults in "
            "{}\n",
            found.motion.result.cost, found.motion.result.infeasibility, meter.worst(), report.atEnd,
            printable(job.directory));
        if (options.page) fmt::print("{}", pageLines(page));
    }
    return verdict(options, opened.value(), found.motion.result);
}

}  // namespace sinew
