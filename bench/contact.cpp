// What contact costs, and how well it is done: prints one Markdown table per case, all engines beside each
// other. Each engine runs each case several times, in turns and in a process of its own; a step's time is
// the least of its passes, since the runs are equal to the last bit and neighbours are not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "child.h"
#include "contact_case.h"
#include "contact_figures.h"

namespace sinew::bench {
namespace {

constexpr double budget = 300;    // s for one run, measuring included
constexpr double apart = 0.1;     // m of a joint's gap: there is no figure any more
constexpr double lost = 100;      // m from the origin
constexpr int lookEvery = 6;      // steps between two looks at all pairs
constexpr double restTime = 0.5;  // s at the end over which kinetic energy is averaged

json::Value run(const ContactCase& scene, const ContactVariant& variant)
{
    const std::unique_ptr<ContactEngine> engine = variant.make(scene);
    ContactJudge judge(scene);
    const int steps = static_cast<int>(std::lround(scene.duration / scene.step));
    const int resting = static_cast<int>(std::lround(restTime / scene.step));
    std::vector<json::Value> times;
    std::string verdict;
    double contacts = 0, ground = 0, pairs = 0, gap = 0, kinetic = 0;
    int done = 0;
    while (done < steps && verdict.empty()) {
        const double start = processorSeconds();
        const bool went = engine->step();
        times.emplace_back(1e3 * (processorSeconds() - start));
        ++done;
        engine->read(judge.bodies());
        if (!went || !judge.isFinite())
            verdict = "gives up";
        else if (judge.jointGap() > apart)
            verdict = "comes apart";
        else if (judge.farthest() > lost)
            verdict = "is lost";
        if (!verdict.empty()) break;
        contacts += engine->contacts();
        ground = std::max(ground, judge.groundDepth());
        gap = std::max(gap, judge.jointGap());
        if (done % lookEvery == 0) pairs = std::max(pairs, judge.pairDepth());
        if (done > steps - resting) kinetic += judge.kineticEnergy() / resting;
    }
    json::Value result = json::Value::object();
    result.add("milliseconds", json::Value::array(std::move(times)));
    result.add("contacts", contacts / done);
    if (!verdict.empty()) {
        char text[64];
        std::snprintf(text, sizeof text, "%s at %.2f s", verdict.c_str(), done * scene.step);
        result.add("verdict", std::string(text));
        return result;
    }
    result.add("ground", ground);
    result.add("ground_end", judge.groundDepth());
    result.add("pairs", pairs);
    result.add("pairs_end", judge.pairDepth());
    result.add("gap", gap);
    result.add("kinetic", kinetic);
    result.add("displacement", judge.topDisplacement());
    return result;
}

// Two digits, as a person would write them.
std::string digits(double value)
{
    char text[32];
    const bool isLarge = value >= 99.5;
    std::snprintf(text, sizeof text, isLarge ? "%.0f" : "%.2g", value);
    return text;
}
std::string millimetres(double metres)
{
    return metres < 1e-9 ? "0" : digits(metres * 1e3);
}

struct Tally {
    json::Value result;
    std::vector<double> milliseconds;  // of each step, the least of all passes

    void add(json::Value pass)
    {
        const json::Value* times = pass.find("milliseconds");
        if (times) {
            const auto& items = times->items();
            milliseconds.resize(items.size(), HUGE_VAL);
            for (std::size_t i = 0; i < items.size(); ++i)
                milliseconds[i] = std::min(milliseconds[i], items[i].number());
        }
        result = std::move(pass);
    }
};

void print(const ContactCase& scene, const ContactVariant& variant, const Tally& tally)
{
    const json::Value& result = tally.result;
    if (result.find("failure")) {
        std::printf("| %s | %s |\n", variant.name.c_str(), textOf(result, "failure").c_str());
        return;
    }
    std::vector<double> sorted = tally.milliseconds;
    std::sort(sorted.begin(), sorted.end());
    std::printf("| %s | %.3g | %.3g | %.0f |", variant.name.c_str(), sorted[sorted.size() / 2],
                sorted.back(), numberOf(result, "contacts"));
    if (result.find("verdict")) {
        std::printf(" %s |\n", textOf(result, "verdict").c_str());
        return;
    }
    std::printf(" %s (%s) |", millimetres(numberOf(result, "ground")).c_str(),
                millimetres(numberOf(result, "ground_end")).c_str());
    if (scene.isFigure)
        std::printf(" %s | %s |", millimetres(numberOf(result, "gap")).c_str(),
                    millimetres(numberOf(result, "displacement")).c_str());
    else
        std::printf(" %s (%s) |", millimetres(numberOf(result, "pairs")).c_str(),
                    millimetres(numberOf(result, "pairs_end")).c_str());
    std::printf(" %s |\n", digits(numberOf(result, "kinetic")).c_str());
}

void compare(const ContactCase& scene, const std::vector<ContactVariant>& all, int passes,
             const std::string& complaints)
{
    std::vector<ContactVariant> variants;
    std::copy_if(all.begin(), all.end(), std::back_inserter(variants),
                 [&](const ContactVariant& variant) { return variant.knows(scene); });
    std::vector<Tally> tallies(variants.size());
    for (int pass = 0; pass < passes; ++pass)
        for (std::size_t i = 0; i < variants.size(); ++i)
            tallies[i].add(inChild(budget, complaints, [&] { return run(scene, variants[i]); }));

    std::printf("\n**%s**, %.0f s at 1/%.0f s\n\n", scene.title.c_str(), scene.duration, 1 / scene.step);
    const char* inside =
        scene.isFigure ? "joint gap, mm | head has moved, mm" : "box in box, mm (at the end)";
    std::printf(
        "| engine | median step, ms | worst step, ms | contact points | in the ground, mm (at the end) | "
        "%s | kinetic energy at the end, J |\n",
        inside);
    std::printf(scene.isFigure ? "|---|---|---|---|---|---|---|---|\n" : "|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < variants.size(); ++i) print(scene, variants[i], tallies[i]);
    std::printf("\n");
    for (const ContactVariant& variant : variants)
        std::printf("- %s: %s\n", variant.name.c_str(), variant.about.c_str());
    std::fflush(stdout);
}

}  // namespace
}  // namespace sinew::bench

// [PASSES [CASES]], CASES some of the letters f (figures), s (the standing one), b and e (boxes; with e,
// the exact solution of many seconds a step too)
int main(int argc, char** argv)
{
    using namespace sinew::bench;
    const int passes = argc > 1 ? std::atoi(argv[1]) : 3;
    const std::string cases = argc > 2 ? argv[2] : "fsbe";
    if (argc > 3 || passes < 1) {
        std::fprintf(stderr, "usage: %s [PASSES [CASES]]\n", argv[0]);
        return 2;
    }
    std::vector<ContactVariant> variants = sinewContactVariants();
    [[maybe_unused]] const auto add = [&variants](std::vector<ContactVariant> more) {
        variants.insert(variants.end(), more.begin(), more.end());
    };
#ifdef SINEW_BENCH_BULLET
    add(bulletContactVariants());
#endif
#ifdef SINEW_BENCH_ODE
    add(odeContactVariants());
#endif
    std::error_code failed;
    std::filesystem::create_directories("out/bench", failed);
    const std::string complaints = "out/bench/contact.log";
    std::filesystem::remove(complaints, failed);
    const auto wants = [&](char letter) { return cases.find(letter) != std::string::npos; };
    if (wants('f')) compareFigures(passes, complaints);
    if (wants('s')) compare(standingFigure(), variants, passes, complaints);
    if (!wants('e'))
        variants.erase(std::remove_if(variants.begin(), variants.end(),
                                      [](const ContactVariant& v) { return v.name == "Sinew implicit"; }),
                       variants.end());
    if (wants('b') || wants('e')) compare(fallingBoxes(), variants, passes, complaints);
    return 0;
}
