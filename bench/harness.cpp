#include "harness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "child.h"

namespace sinew::bench {
namespace {

constexpr double maxGap = 0.01;        // m: what one sees
constexpr double maxRise = 0.01;       // of the energy range
constexpr double explosion = 0.1;      // of the energy range: a run is cut short only here
constexpr double lookEvery = 1e-3;     // s of simulated time between two measurements, or a step
constexpr double smallestStep = 1e-6;  // s: no search goes on below
constexpr double costBudget = 20;      // s of stepping for one size of the cost series
constexpr double setupBudget = 60;     // s for building the longest chains

struct Options {
    std::string only;
    std::string out = "out/bench";
    double budget = 60;  // s of processor time per trial
};

double secondsSince(double start)
{
    return processorSeconds() - start;
}

std::string complaints;  // the file for what engines say

bool anyStable(const json::Value& trials)
{
    const auto& items = trials.items();
    return std::any_of(items.begin(), items.end(),
                       [](const json::Value& trial) { return trial.find("stable")->boolean(); });
}

// ---- heavy tip and stiff chains ------------------------------------------------------------------

struct Trial {
    std::string verdict = "stable";
    double reached = 0;  // s
    double seconds = 0;  // s of processor time, stepping alone
    double energyStart = 0, energyEnd = 0, rise = 0, gap = 0;
    long steps = 0, iterations = 0, halvings = 0;
};

Trial runTrial(const ChainCase& chain, const Variant& variant, double h, double budget)
{
    Trial trial;
    const std::unique_ptr<ChainEngine> engine = variant.make(chain, h);
    Meter meter(chain.model);
    engine->read(meter.bodies());
    trial.energyStart = trial.energyEnd = meter.measure().energy;

    const long total = std::lround(chain.duration / h);
    const long stride = std::max(1L, std::lround(lookEvery / h));
    while (trial.steps < total && trial.verdict == "stable") {
        const long count = std::min(stride, total - trial.steps);
        const double start = processorSeconds();
        const bool went = engine->advance(static_cast<int>(count));
        trial.seconds += secondsSince(start);
        trial.steps += count;
        trial.reached = h * static_cast<double>(trial.steps);

        engine->read(meter.bodies());
        const Measures now = meter.measure();
        if (!went || !now.finite) {
            trial.verdict = went ? "not finite" : "gave up";
            break;
        }
        trial.energyEnd = now.energy;
        trial.rise = std::max(trial.rise, now.energy - trial.energyStart);
        trial.gap = std::max(trial.gap, now.gap);
        if (trial.rise > explosion * chain.energyRange)
            trial.verdict = "explodes";
        else if (trial.gap > maxGap)
            trial.verdict = "comes apart";
        else if (trial.seconds > budget && trial.steps < total)
            trial.verdict = "too slow";
    }
    // Not good, but not lost either: told apart, so that the strictness of one bound decides nothing.
    if (trial.verdict == "stable" && trial.rise > maxRise * chain.energyRange)
        trial.verdict = "energy rises";
    trial.iterations = engine->iterations();
    trial.halvings = engine->halvings();
    return trial;
}

// The least of several runs where that does not take long: others share the caches.
double leastTime(const ChainCase& chain, const Variant& variant, double h, double first)
{
    constexpr int repeats = 100;
    constexpr double enough = 4;  // s
    double least = first, spent = first;
    for (int again = 0; again < repeats && spent + least < 2 * enough && (again < 1 || spent < enough);
         ++again) {
        const std::unique_ptr<ChainEngine> engine = variant.make(chain, h);
        const double start = processorSeconds();
        if (!engine->advance(static_cast<int>(std::lround(chain.duration / h)))) return least;
        const double seconds = secondsSince(start);
        least = std::min(least, seconds);
        spent += seconds;
    }
    return least;
}

json::Value trialInChild(const ChainCase& chain, const Variant& variant, double h, double budget)
{
    // Setting up, measuring and repeating take time beside the budget; far beyond it something hangs.
    json::Value result = inChild(3 * budget + 60, complaints, [&] {
        const Trial trial = runTrial(chain, variant, h, budget);
        const bool stable = trial.verdict == "stable";
        const bool survives = stable || trial.verdict == "energy rises";
        json::Value object = json::Value::object();
        object.add("step", h);
        object.add("stable", stable);
        object.add("survives", survives);
        object.add("verdict", trial.verdict);
        object.add("time", trial.reached);
        object.add("processor_seconds",
                   survives ? leastTime(chain, variant, h, trial.seconds) : trial.seconds);
        object.add("energy_start", trial.energyStart);
        object.add("energy_end", trial.energyEnd);
        object.add("energy_rise", trial.rise);
        object.add("gap", trial.gap);
        object.add("steps", trial.steps);
        object.add("iterations", trial.iterations);
        object.add("halvings", trial.halvings);
        return object;
    });
    if (!result.find("step")) {
        const std::string why = textOf(result, "failure");
        result.add("step", h);
        result.add("stable", false);
        result.add("verdict", why);
    }
    return result;
}

void printTrial(const json::Value& trial, bool errorControlled)
{
    const double h = numberOf(trial, "step");
    char step[32];
    std::snprintf(step, sizeof step,
                  errorControlled ? "own"
                  : h > 1e-3      ? "1/%.0f s"
                                  : "%.3g s",
                  h > 1e-3 ? 1 / h : h);
    std::printf("    %-10s %-13s until %7.3f s  in %9.4f s  energy %9.2f J  rise %9.2e J  gap %8.1e m",
                step, textOf(trial, "verdict").c_str(), numberOf(trial, "time"),
                numberOf(trial, "processor_seconds"), numberOf(trial, "energy_end"),
                numberOf(trial, "energy_rise"), numberOf(trial, "gap"));
    if (numberOf(trial, "iterations") > 0)
        std::printf("  %.2f %s", numberOf(trial, "iterations") / numberOf(trial, "steps"),
                    errorControlled ? "own steps each" : "iterations a step");
    if (numberOf(trial, "halvings") > 0) std::printf("  %.0f halved", numberOf(trial, "halvings"));
    std::printf("\n");
    std::fflush(stdout);
}

json::Value stability(const Engine& engine, const Options& options)
{
    json::Value runs = json::Value::array();
    for (const ChainCase& chain : {heavyTip(), stiffChain(10), stiffChain(1e3), stiffChain(1e5)}) {
        std::printf("\n%s, %g s; range of energy %.1f J\n", chain.title.c_str(), chain.duration,
                    chain.energyRange);
        for (const Variant& variant : engine.variants) {
            if (!variant.inStability) continue;
            std::printf("  %s\n", variant.name.c_str());
            json::Value trials = json::Value::array();
            if (!variant.steps.empty()) {
                for (double h : variant.steps) {
                    trials.add(trialInChild(chain, variant, h, options.budget));
                    printTrial(trials.items().back(), variant.errorControlled);
                }
            } else {
                for (double h = 1.0 / 30; h > smallestStep; h /= 2) {
                    trials.add(trialInChild(chain, variant, h, options.budget));
                    const json::Value& last = trials.items().back();
                    printTrial(last, false);
                    // 1/60 s is tried in any case: it is what the engines are compared at.
                    if (h < 1.01 / 60 && (anyStable(trials) || textOf(last, "verdict") == "too slow"))
                        break;
                }
            }
            json::Value run = json::Value::object();
            run.add("case", chain.name);
            run.add("variant", variant.name);
            run.add("error_controlled", variant.errorControlled);
            run.add("trials", std::move(trials));
            runs.add(std::move(run));
        }
    }
    return runs;
}

// ---- cost of a step ------------------------------------------------------------------------------

json::Value gaveUp()
{
    json::Value object = json::Value::object();
    object.add("failure", "gave up");
    return object;
}

// The least of many batches, µs per step. Every batch is the same motion from the start again, so that the
// least is of equal work, unless setting up takes so long that the batches have to go on from each other.
json::Value costInChild(const ChainCase& chain, const Variant& variant, double h, int stepsPerBatch)
{
    return inChild(costBudget + setupBudget, complaints, [&] {
        constexpr double slowSetup = 0.5;  // s
        constexpr double enough = 4;       // s: long enough that neighbours are quiet for once
        json::Value object = json::Value::object();
        std::unique_ptr<ChainEngine> engine;
        double setup = 0, best = 1e300, iterations = 0, spent = 0;
        int done = 0;
        for (; (done < 3 || spent < enough) && spent < costBudget; ++done) {
            if (!engine || setup < slowSetup) {
                engine.reset();
                const double begin = processorSeconds();
                engine = variant.make(chain, h);
                setup = secondsSince(begin);
                spent += setup < slowSetup ? setup : 0;
                if (!engine->advance(1)) return gaveUp();  // also brings memory and caches to life
            }
            const long before = engine->iterations();
            const double start = processorSeconds();
            if (!engine->advance(stepsPerBatch)) return gaveUp();
            const double seconds = secondsSince(start);
            spent += seconds;
            if (1e6 * seconds / stepsPerBatch > best) continue;
            best = 1e6 * seconds / stepsPerBatch;
            iterations = static_cast<double>(engine->iterations() - before) / stepsPerBatch;
        }
        const int links = chain.model.size();
        object.add("variant", variant.name);
        object.add("case", chain.name);
        object.add("links", links);
        object.add("step", h);
        object.add("microseconds", best);
        object.add("microseconds_per_link", best / links);
        if (iterations > 0) {
            object.add("iterations_per_step", iterations);
            object.add("microseconds_per_iteration", best / iterations);
        }
        object.add("setup_seconds", setup);
        object.add("batches", done);
        return object;
    });
}

void printCost(const json::Value& cost, int links, const std::string& variant)
{
    std::printf("  %-34s %6d links  ", variant.c_str(), links);
    if (!cost.find("microseconds")) {
        std::printf("%s\n", textOf(cost, "failure").c_str());
        return;
    }
    std::printf("%11.2f µs a step  %7.3f µs a link", numberOf(cost, "microseconds"),
                numberOf(cost, "microseconds_per_link"));
    if (cost.find("iterations_per_step"))
        std::printf("  %5.2f iterations  %7.3f µs a link and iteration",
                    numberOf(cost, "iterations_per_step"),
                    numberOf(cost, "microseconds_per_iteration") / links);
    std::printf("\n");
    std::fflush(stdout);
}

json::Value costs(const Engine& engine)
{
    std::printf("\nCost of a step, swaying chain of ball joints without springs\n");
    json::Value list = json::Value::array();
    for (const Variant& variant : engine.variants) {
        if (!variant.inCost) continue;
        for (int links : {10, 100, 1000, 10000}) {
            const int steps = std::max(5, 5000 / links);
            json::Value cost = costInChild(swayingChain(links), variant, variant.costStep, steps);
            printCost(cost, links, variant.name);
            const bool failed = cost.find("failure");
            if (failed) {
                cost.add("variant", variant.name);
                cost.add("links", links);
            }
            // The next chain is ten times as long, and costs at least ten times as much.
            const bool enough = failed || numberOf(cost, "microseconds") * steps > 1e6 * costBudget / 10;
            list.add(std::move(cost));
            if (enough) break;
        }
    }
    return list;
}

json::Value handCosts(const Engine& engine)
{
    std::printf("\nHand of 16 bones: wrist, 5 ball joints, 10 hinges, all with springs\n");
    json::Value list = json::Value::array();
    for (const Variant& variant : engine.variants) {
        if (!variant.inCost || !variant.inHand) continue;
        json::Value cost = costInChild(hand(), variant, variant.costStep, 30);
        printCost(cost, hand().model.size(), variant.name);
        list.add(std::move(cost));
    }
    return list;
}

bool parseOptions(int argc, char** argv, Options& options)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc) return false;
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--only" && (value == "stability" || value == "cost" || value == "hand"))
            options.only = value;
        else if (name == "--out")
            options.out = value;
        else if (name == "--budget" && std::atof(value.c_str()) > 0)
            options.budget = std::atof(value.c_str());
        else
            return false;
    }
    return true;
}

}  // namespace

int runEngine(int argc, char** argv, const Engine& engine)
{
    Options options;
    if (!parseOptions(argc, argv, options)) {
        std::fprintf(stderr, "usage: %s [--only stability|cost|hand] [--out FOLDER] [--budget SECONDS]\n",
                     argv[0]);
        return 2;
    }
    std::printf("%s %s\n", engine.name.c_str(), engine.version.c_str());
    json::Value root = json::Value::object();
    root.add("engine", engine.name);
    root.add("version", engine.version);
    json::Value variants = json::Value::array();
    for (const Variant& variant : engine.variants) {
        std::printf("  %s: %s\n", variant.name.c_str(), variant.about.c_str());
        json::Value entry = json::Value::object();
        entry.add("name", variant.name);
        entry.add("about", variant.about);
        variants.add(std::move(entry));
    }
    root.add("variants", std::move(variants));
    std::error_code failed;
    std::filesystem::create_directories(options.out, failed);
    complaints = options.out + "/" + engine.name + ".log";
    std::filesystem::remove(complaints, failed);

    const auto wanted = [&](const char* part) { return options.only.empty() || options.only == part; };
    if (wanted("stability")) root.add("stability", stability(engine, options));
    if (wanted("cost")) root.add("cost", costs(engine));
    if (engine.hasHand && wanted("hand")) root.add("hand", handCosts(engine));

    // A part run alone does not overwrite the whole.
    const std::string path =
        options.out + "/" + engine.name + (options.only.empty() ? "" : "." + options.only) + ".json";
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
        return 2;
    }
    std::fputs((json::write(root) + "\n").c_str(), file);
    std::fclose(file);
    std::printf("\nresults in %s\n", path.c_str());
    return 0;
}

}  // namespace sinew::bench
