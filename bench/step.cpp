// What a step costs in each engine that is installed, in turns in one process: chains of ball joints and of
// hinges, a person in the air on joint springs, and stiff chains at a step of a frame. Prints the tables of
// docs/benchmarks.md. Times are processor time of stepping alone, the least of some rounds.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "simbody_chain.h"
#include "sinew/crowd/crowd.h"
#include "sinew/simulation/simulation.h"
#include "step_engines.h"

namespace sinew::bench {
namespace {

double processorSeconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Steps : public ChainEngine {
public:
    Steps(const ChainCase& chain, const char* integrator, double h)
        : simulation_(made(chain, integrator, h))
    {
    }
    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) {
            const StepReport report = simulation_.step();
            iterations_ += report.statistics.newtonIterations;
            if (!report.ok) return false;
        }
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override { bodies = simulation_.state.bodies; }
    long iterations() const override { return iterations_; }

private:
    static Simulation made(const ChainCase& chain, const char* integrator, double h)
    {
        Settings settings;
        settings.integrator = integrator;
        settings.step = h;
        Result<Simulation> simulation = Simulation::create(chain.description, settings);
        if (!simulation) {
            std::fprintf(stderr, "%s\n", simulation.error().text().c_str());
            std::abort();
        }
        return std::move(simulation.value());
    }

    Simulation simulation_;
    long iterations_ = 0;
};

// One character of a crowd, stepped by itself: springs and dampers are implicit, with one solve a step.
class OneOfACrowd : public ChainEngine {
public:
    OneOfACrowd(const ChainCase& chain, double h) : state_(restState(chain.model)), crowd_(made(chain, h))
    {
    }
    bool advance(int steps) override
    {
        crowd_.step(steps);
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override
    {
        crowd_.read(0, state_);
        bodies = state_.bodies;
    }

private:
    static Crowd made(const ChainCase& chain, double h)
    {
        Result<Crowd> crowd = Crowd::create(chain.model, {.count = 1, .step = h, .lanes = 1});
        if (!crowd) {
            std::fprintf(stderr, "%s\n", crowd.error().text().c_str());
            std::abort();
        }
        return std::move(crowd.value());
    }

    State state_;
    Crowd crowd_;
};

struct Entry {
    const char* name;
    std::function<std::unique_ptr<ChainEngine>(const ChainCase&, double h)> make;
    int mostLinks = 10000;  // longer chains take too long to make, or to step
    double least = 0;       // s a step
    Vec3 end = Vec3::Zero();
};

std::unique_ptr<ChainEngine> makeSinew(const ChainCase& chain, double h)
{
    return std::make_unique<Steps>(chain, "semi_implicit_euler", h);
}

void addOthers(std::vector<Entry>& entries)
{
#ifdef SINEW_BENCH_BULLET
    entries.push_back({"Bullet multibody", makeBulletChain});
#endif
#ifdef SINEW_BENCH_SIMBODY
    entries.push_back({"Simbody semi-explicit Euler", [](const ChainCase& chain, double h) {
                           return makeSimbodyChain(chain, h, SimbodyMethod::fixedEuler);
                       }});
#endif
#ifdef SINEW_BENCH_DART
    entries.push_back({"DART", makeDartChain, 100});
#endif
#ifdef SINEW_BENCH_MUJOCO
    entries.push_back({"MuJoCo Euler", makeMujocoChain, 90});  // its reader takes no deeper trees
#endif
    (void)entries;
}

// In turns. What a run of `steps` from the start takes at least, and where the last body is then.
void measure(const ChainCase& chain, double h, int steps, int rounds, bool startsAnew,
             std::vector<Entry>& entries)
{
    std::vector<std::unique_ptr<ChainEngine>> engines;
    for (Entry& entry : entries) {
        entry.least = HUGE_VAL;
        engines.push_back(chain.model.size() <= entry.mostLinks ? entry.make(chain, h) : nullptr);
    }
    LargeVector<BodyState> bodies(chain.model.bodies.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t e = 0; e < entries.size(); ++e) {
            if (!engines[e]) continue;
            if (startsAnew && round > 0) engines[e] = entries[e].make(chain, h);
            const double start = processorSeconds();
            if (!engines[e]->advance(steps)) std::abort();
            entries[e].least = std::min(entries[e].least, (processorSeconds() - start) / steps);
            if (round > 0) continue;
            engines[e]->read(bodies);
            entries[e].end = bodies.back().position;
        }
}

// All must have simulated the same: how far the last body is from where Sinew has it, over how far it came.
void printAgreement(const ChainCase& chain, const std::vector<Entry>& entries)
{
    const Vec3 moved = entries.front().end - chain.model.bodies.back().rest.position;
    std::fprintf(stderr, "%s: last body moved %.3g m;", chain.title.c_str(), moved.norm());
    for (const Entry& entry : entries)
        if (std::isfinite(entry.least))
            std::fprintf(stderr, " %s off by %.1e;", entry.name, (entry.end - entries.front().end).norm());
    std::fprintf(stderr, "\n");
}

void printChains(JointType joint)
{
    const int sizes[] = {100, 1000, 10000};
    std::vector<Entry> entries = {{"Sinew semi_implicit_euler", makeSinew}};
    addOthers(entries);
    std::vector<std::string> rows;
    for (const Entry& entry : entries) rows.push_back("| " + std::string(entry.name) + " |");
    for (const int links : sizes) {
        const ChainCase chain = swayingChain(links, joint);
        measure(chain, 0.1 / links, std::max(4, 20000 / links), links > 1000 ? 6 : 10, false, entries);
        printAgreement(chain, entries);
        for (std::size_t e = 0; e < entries.size(); ++e) {
            char text[40] = " – |";
            if (std::isfinite(entries[e].least))
                std::snprintf(text, sizeof text, " %.3f (%.1f) |", entries[e].least * 1e6 / links,
                              entries[e].least / entries.front().least);
            rows[e] += text;
        }
    }
    std::printf(
        "\n| chain of %s joints, µs a link and step (times Sinew's) | 100 | 1,000 | 10,000 |\n"
        "|---|---|---|---|\n",
        jointTypeName(joint));
    for (const std::string& row : rows) std::printf("%s\n", row.c_str());
}

void printPerson()
{
    const ChainCase chain = personInTheAir(SINEW_SCENE_DIR "/../examples/crowd/standing.json");
    // So short that springs which are not implicit bear it.
    constexpr double h = 1e-5;
    std::vector<Entry> entries = {
        {"Sinew, springs and dampers implicit (`Crowd`, one at a time)",
         [](const ChainCase& c, double step) { return std::make_unique<OneOfACrowd>(c, step); }},
        {"Sinew semi_implicit_euler", makeSinew}};
    addOthers(entries);
    std::erase_if(entries, [](const Entry& e) { return std::string(e.name).starts_with("Simbody"); });
    measure(chain, h, 500, 20, false, entries);
    printAgreement(chain, entries);
    std::printf("\n| person of %d bones in the air | µs a step | times Sinew's |\n|---|---|---|\n",
                chain.model.size());
    for (const Entry& entry : entries)
        std::printf("| %s | %.2f | %.1f |\n", entry.name, entry.least * 1e6,
                    entry.least / entries.front().least);
}

void printStiff()
{
    std::printf(
        "\n| 50 links at 1/60 s, 10 s | µs a link and step | iterations a step | µs a link and iteration |"
        " DART, µs a link and step |\n|---|---|---|---|---|\n");
    for (const double stiffness : {10., 1e3, 1e5}) {
        const ChainCase chain = stiffChain(stiffness);
        long iterations = 0;
        std::vector<Entry> entries = {{"Sinew implicit", [](const ChainCase& c, double h) {
                                           return std::make_unique<Steps>(c, "implicit", h);
                                       }}};
#ifdef SINEW_BENCH_DART
        if (stiffness > 10) entries.push_back({"DART", makeDartChain});  // else it explodes, and aborts
#endif
        constexpr int steps = 600;
        measure(chain, 1. / 60, steps, 10, true, entries);
        Steps counted(chain, "implicit", 1. / 60);
        counted.advance(steps);
        iterations = counted.iterations();
        const double own = entries[0].least * 1e6 / 50, each = static_cast<double>(iterations) / steps;
        std::printf("| k = %g N·m/rad | %.2f | %.1f | %.2f |", stiffness, own, each, own / each);
        std::printf(entries.size() > 1 ? " %.2f |\n" : " – |\n", entries.back().least * 1e6 / 50);
    }
}

}  // namespace
}  // namespace sinew::bench

// [stiff]: those tables alone
int main(int argc, char** argv)
{
    using namespace sinew;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a table is there when it is made
    if (argc < 2 || std::string(argv[1]) != "stiff") {
        bench::printChains(JointType::spherical);
        bench::printChains(JointType::hinge);
        bench::printPerson();
    }
    bench::printStiff();
}
