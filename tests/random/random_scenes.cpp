// Runs random scenes by the thousand and says which fail, and how.
//
//     sinew_random_scenes --class mild --first 1 --count 1000 --jobs 2 --dump failures
//
// Each scene runs in a process of its own, so that one that hangs or aborts is a line in the table like any
// other. One line per failing seed, then a table. Exit status: 0 if all is well, 1 if a scene failed, 2 for
// a wrong option.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "random/generator.h"
#include "random/run_scene.h"
#include "random/shrink.h"
#include "sinew/io/json/scene.h"

namespace {

using namespace sinew;
using namespace sinew::test;

struct Options {
    std::vector<const SceneClass*> classes;
    long first = 1, count = 100;
    double secondsEach = 20;
    double allowed = 0;  // the share of scenes that may fail
    std::string dump;
    int jobs = 1;
    bool shrink = false, verbose = false, order = true;
    bool fast = false;  // resting contact with a fixed budget of work
    std::vector<std::string> files;
    std::vector<std::string> only;  // features that a scene must have
};

bool isWanted(const Options& options, const RandomScene& scene)
{
    return std::all_of(options.only.begin(), options.only.end(), [&](const std::string& feature) {
        return std::find(scene.features.begin(), scene.features.end(), feature) != scene.features.end();
    });
}

struct Child {
    pid_t process = -1;
    int pipe = -1;
    long seed = 0;
};

// Starts a scene in a child.
Child begin(const Description& scene, const RunLimits& limits, long seed)
{
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    std::fflush(nullptr);
    Child child;
    child.seed = seed;
    child.process = fork();
    if (child.process == 0) {
        close(ends[0]);
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 2);  // what an assertion says
        // A step that hangs is ended by the system: the run itself looks at the clock between steps only.
        const rlim_t most = static_cast<rlim_t>(3 * limits.seconds) + 1;
        const rlimit processor{most, most + 1};
        setrlimit(RLIMIT_CPU, &processor);
        const Outcome outcome = runScene(scene, limits);
        const ssize_t written = write(ends[1], &outcome, sizeof outcome);
        _exit(written == sizeof outcome ? 0 : 1);
    }
    close(ends[1]);
    child.pipe = ends[0];
    return child;
}

// The child's outcome, if it has ended.
bool finished(Child& child, Outcome& outcome)
{
    pollfd wait{child.pipe, POLLIN, 0};
    if (poll(&wait, 1, 5) <= 0) return false;
    outcome = {};
    const ssize_t size = read(child.pipe, &outcome, sizeof outcome);
    close(child.pipe);
    int status = 0;
    waitpid(child.process, &status, 0);
    if (size == static_cast<ssize_t>(sizeof outcome)) return true;
    outcome = {};
    const bool isHung = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    outcome.faults = isHung ? slow : crashed;
    std::snprintf(outcome.message, sizeof outcome.message,
                  isHung ? "hung within a step" : "the process died");
    return true;
}

Outcome runApart(const Description& scene, const RunLimits& limits)
{
    Child child = begin(scene, limits, 0);
    Outcome outcome;
    while (!finished(child, outcome)) {
    }
    return outcome;
}

struct Tally {
    long scenes = 0, finishedWell = 0, clean = 0, refused = 0;
    std::map<std::string, long> faults;
    struct Of {
        long scenes = 0, failed = 0;
    };
    std::map<std::string, Of> features;
    double mostIterations = 0, slowest = 0, largestGain = 0;
    long caps = 0, mostIterationsSeed = 0, slowestSeed = 0, largestGainSeed = 0;

    void add(long seed, const RandomScene& scene, const Outcome& o)
    {
        ++scenes;
        const bool endedEarly = o.faults & (invalid | ended | slow | sinew::test::caps | crashed);
        if (!endedEarly) ++finishedWell;
        if (!o.faults) ++clean;
        for (int bit = 0; bit < faultCount; ++bit)
            if (o.faults & (1u << bit)) ++faults[faultName(bit)];
        for (const std::string& f : scene.features) {
            ++features[f].scenes;
            if (o.faults) ++features[f].failed;
        }
        caps += o.contactCaps;
        const auto most = [&](double value, double& largest, long& at) {
            if (value > largest) {
                largest = value;
                at = seed;
            }
        };
        most(o.iterations, mostIterations, mostIterationsSeed);
        most(o.seconds, slowest, slowestSeed);
        most(o.energyGain, largestGain, largestGainSeed);
    }

    void print(const char* name) const
    {
        std::printf("\n%s: %ld scenes, %.2f %% finished, %.2f %% without any fault\n", name, scenes,
                    100. * static_cast<double>(finishedWell) / static_cast<double>(scenes),
                    100. * static_cast<double>(clean) / static_cast<double>(scenes));
        std::printf(
            "  most iterations a step %.1f (seed %ld), contact solves at their cap %ld, slowest %.1f s "
            "(seed %ld), largest energy gain %.3g (seed %ld)\n",
            mostIterations, mostIterationsSeed, caps, slowest, slowestSeed, largestGain, largestGainSeed);
        if (refused > 0) std::printf("  ended with a message, as they may: %ld\n", refused);
        for (const auto& [fault, count] : faults) std::printf("  %-12s %ld\n", fault.c_str(), count);
        std::printf("  of scenes with:\n");
        for (const auto& [feature, of] : features)
            std::printf("    %-18s %4ld of %4ld fail\n", feature.c_str(), of.failed, of.scenes);
    }
};

void printLine(const char* className, long seed, const RandomScene& scene, const Outcome& o)
{
    std::printf(
        "%s %ld: %s at %.4g s after %d steps; %.1f iterations a step (most %d), %d halvings, %d caps, "
        "gain %.2g/%.2g, gap %.2g, depth %.2g, cone %.2g, distance %.2g, momentum %.2g %.2g, methods "
        "%.2g, order %.2g, %.2f s; %d bodies, L %.3g m, h %.3g s; %s",
        className, seed, o.faults ? faultText(o.faults).c_str() : "fine", o.failedAt, o.steps, o.iterations,
        o.mostIterations, o.halvings, o.contactCaps, o.energyGain, o.refinedGain, o.gap, o.depth,
        o.friction, o.distance, o.linear, o.angular, o.methods, o.order, o.seconds, o.bodies, scene.length,
        *scene.description.run.step, featureText(scene).c_str());
    if (o.message[0]) std::printf("; %s", o.message);
    std::printf("\n");
    std::fflush(stdout);
}

void dumpScene(const Options& options, const char* className, long seed, const RandomScene& scene,
               const Outcome& outcome, const RunLimits& limits)
{
    Description d = scene.description;
    d.about = faultText(outcome.faults) + ": " + featureText(scene);
    if (options.shrink) {
        // The gravest of its faults must stay: the first of these.
        std::uint32_t gravest = outcome.faults;
        for (const std::uint32_t fault :
             {std::uint32_t{crashed}, std::uint32_t{invalid}, std::uint32_t{ended}, std::uint32_t{slow},
              std::uint32_t{iterations}})
            if (outcome.faults & fault) {
                gravest = fault;
                break;
            }
        d = shrunk(
            d,
            [&](const Description& smaller) {
                const Outcome o = runApart(smaller, limits);
                return (o.faults & gravest) == gravest && !(o.faults & invalid & ~gravest);
            },
            120);
        std::printf("  shrunk from %zu bodies to %zu\n", scene.description.bodies.size(), d.bodies.size());
    }
    const std::string path = options.dump + "/" + className + "_" + std::to_string(seed) + ".json";
    std::ofstream(path) << writeScene(d);
}

void runClass(const Options& options, const SceneClass& c, bool& anyFailed)
{
    RunLimits limits;
    limits.seconds = options.secondsEach;
    limits.checkOrder = options.order;
    Tally tally;
    std::vector<std::pair<Child, RandomScene>> running;
    long next = options.first;
    const long end = options.first + options.count;
    while (next < end || !running.empty()) {
        while (next < end && static_cast<int>(running.size()) < options.jobs) {
            RandomScene scene = randomScene(c, static_cast<std::uint64_t>(next));
            if (options.fast && scene.description.contact &&
                scene.description.contact->response == ContactDescription::Response::resting)
                scene.description.contact->accuracy = ContactDescription::Accuracy::fast;
            if (!scene.fault.empty())
                std::printf("%s %ld: no valid scene in %d attempts: %s\n", c.name, next, scene.attempts,
                            scene.fault.c_str());
            if (!isWanted(options, scene)) {
                ++next;
                continue;
            }
            Child child = begin(scene.description, limits, next++);
            running.emplace_back(child, std::move(scene));
        }
        for (std::size_t i = 0; i < running.size();) {
            Outcome outcome;
            auto& [child, scene] = running[i];
            if (!finished(child, outcome)) {
                ++i;
                continue;
            }
            // Of what has no solution it is asked that the run says so, or goes on.
            if (!c.isSolvable) {
                tally.refused += (outcome.faults & ended) != 0;
                outcome.faults &= invalid | slow | crashed;
            }
            tally.add(child.seed, scene, outcome);
            if (outcome.faults || options.verbose) printLine(c.name, child.seed, scene, outcome);
            if (outcome.faults && !options.dump.empty())
                dumpScene(options, c.name, child.seed, scene, outcome, limits);
            running.erase(running.begin() + static_cast<long>(i));
        }
    }
    tally.print(c.name);
    const double failed = static_cast<double>(tally.scenes - tally.clean);
    anyFailed |= failed > options.allowed * static_cast<double>(tally.scenes);
}

// Scenes from files, such as the program dumps them.
void runFiles(const Options& options, bool& anyFailed)
{
    RunLimits limits;
    limits.seconds = options.secondsEach;
    limits.checkOrder = options.order;
    for (const std::string& path : options.files) {
        RandomScene scene;
        const Result<Description> read = readScene(path);
        if (!read) {
            std::printf("%s\n", read.error().text().c_str());
            anyFailed = true;
            continue;
        }
        scene.description = read.value();
        scene.length = scaleOf(read.value()).length;
        if (!scene.description.run.step) scene.description.run.step = 1. / 60;
        const Outcome outcome = runApart(scene.description, limits);
        printLine(path.c_str(), 0, scene, outcome);
        anyFailed |= outcome.faults != 0;
    }
}

int wrong(const std::string& what)
{
    std::fprintf(
        stderr,
        "sinew_random_scenes: %s; options are --class mild|wide|extreme|unsolvable|all --first SEED "
        "--count N --seconds-each S --allow SHARE --dump FOLDER --shrink --jobs N --verbose --no-order --fast "
        "--only FEATURE --file SCENE\n",
        what.c_str());
    return 2;
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--fast") {
            options.fast = true;
            continue;
        }
        if (name == "--shrink" || name == "--verbose" || name == "--no-order") {
            (name == "--shrink"    ? options.shrink
             : name == "--verbose" ? options.verbose
                                   : options.order) = name != "--no-order";
            continue;
        }
        if (i + 1 == argc) return wrong("'" + name + "' needs a value or is no option");
        const char* value = argv[++i];
        if (name == "--class") {
            for (const SceneClass& c : sceneClasses)
                if (std::strcmp(value, "all") == 0 || std::strcmp(value, c.name) == 0)
                    options.classes.push_back(&c);
            if (options.classes.empty()) return wrong(std::string("there is no class '") + value + "'");
        } else if (name == "--first") {
            options.first = std::atol(value);
        } else if (name == "--count") {
            options.count = std::atol(value);
        } else if (name == "--seconds-each") {
            options.secondsEach = std::atof(value);
        } else if (name == "--file") {
            options.files.push_back(value);
        } else if (name == "--only") {
            options.only.push_back(value);
        } else if (name == "--allow") {
            options.allowed = std::atof(value);
        } else if (name == "--dump") {
            options.dump = value;
        } else if (name == "--jobs") {
            options.jobs = std::max(1, std::atoi(value));
        } else {
            return wrong("there is no option '" + name + "'");
        }
    }
    if (options.classes.empty() && options.files.empty()) options.classes.push_back(findSceneClass("mild"));
    bool anyFailed = false;
    runFiles(options, anyFailed);
    for (const SceneClass* c : options.classes) runClass(options, *c, anyFailed);
    return anyFailed ? 1 : 0;
}
