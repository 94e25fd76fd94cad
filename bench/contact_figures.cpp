#include "contact_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#ifdef SINEW_BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif

#include "child.h"
#include "sinew/base/random.h"
#include "sinew/figure/chain.h"
#include "sinew/io/load_scene.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"

namespace sinew::bench {
namespace {

constexpr double budget = 300;  // s for one run
constexpr double frame = 1.0 / 60;
constexpr double lying = 0.5;  // s at the end, in which nothing should turn

// What a run takes and comes to.
struct Figures {
    double seconds = 0;   // of processor time, of all steps
    double median = 0;    // s, of a step
    double worst = 0;     // likewise
    double lying = 0;     // a step, as a mean of the second half
    double contacts = 0;  // a mean
    double depth = 0;     // m, of the deepest contact in any step
    double gap = 0;       // m, of the worst joint at the end
    double kinetic = 0;   // J, at the end
    double spin = 0;      // rad/s, of the fastest body in the last half second
};

json::Value valueOf(const Figures& f)
{
    json::Value value = json::Value::object();
    value.add("seconds", f.seconds);
    value.add("median", f.median);
    value.add("worst", f.worst);
    value.add("lying", f.lying);
    value.add("contacts", f.contacts);
    value.add("depth", f.depth);
    value.add("gap", f.gap);
    value.add("kinetic", f.kinetic);
    value.add("spin", f.spin);
    return value;
}

void setTimes(std::vector<double> times, Figures& f)
{
    const std::size_t half = times.size() / 2;
    for (std::size_t i = 0; i < times.size(); ++i) {
        f.seconds += times[i];
        if (i >= half) f.lying += times[i] / static_cast<double>(times.size() - half);
    }
    std::sort(times.begin(), times.end());
    f.median = times[half];
    f.worst = times.back();
}

Description fast(Description description)
{
    if (!description.contact) description.contact.emplace();
    description.contact->accuracy = ContactDescription::Accuracy::fast;
    return description;
}

json::Value simulate(const Description& description, double step, double duration)
{
    Settings settings;
    settings.integrator = "implicit";
    settings.step = step;
    Result<Simulation> made = Simulation::create(description, settings);
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().text().c_str());
        std::abort();
    }
    Simulation& simulation = made.value();
    const int steps = static_cast<int>(std::lround(duration / step));
    std::vector<double> times;
    Figures f;
    for (int i = 0; i < steps; ++i) {
        const double start = processorSeconds();
        const StepReport report = simulation.step();
        times.push_back(processorSeconds() - start);
        if (!report.ok) {
            std::fprintf(stderr, "%s\n", report.message.c_str());
            std::abort();
        }
        f.contacts += static_cast<double>(simulation.state.contacts.size()) / steps;
        for (const Contact& contact : simulation.state.contacts)
            f.depth = std::max(f.depth, -contactGap(contact, simulation.state));
        if (i * step < duration - lying) continue;
        for (const BodyState& body : simulation.state.bodies)
            f.spin = std::max(f.spin, body.angularVelocity.norm());
    }
    setTimes(std::move(times), f);
    f.gap = largestJointError(simulation.model(), simulation.state).gap;
    f.kinetic = energy(simulation.model(), simulation.state).kinetic;
    return valueOf(f);
}

Description loaded(const std::string& path)
{
    auto scene = loadScene(path);
    if (!scene) {
        std::fprintf(stderr, "%s\n", scene.error().text().c_str());
        std::abort();
    }
    return std::move(scene.value().description);
}

#ifdef SINEW_BENCH_MUJOCO
json::Value simulateInMujoco(const std::string& path, double duration)
{
    char fault[1000] = "";
    mjModel* model = mj_loadXML(path.c_str(), nullptr, fault, sizeof fault);
    if (!model) {
        std::fprintf(stderr, "MuJoCo: %s\n", fault);
        std::abort();
    }
    mjData* data = mj_makeData(model);
    const int steps = static_cast<int>(std::lround(duration / model->opt.timestep));
    std::vector<double> times;
    Figures f;
    for (int i = 0; i < steps; ++i) {
        const double start = processorSeconds();
        mj_step(model, data);
        times.push_back(processorSeconds() - start);
        f.contacts += static_cast<double>(data->ncon) / steps;
        for (int c = 0; c < data->ncon; ++c) f.depth = std::max(f.depth, -data->contact[c].dist);
        if (i * model->opt.timestep < duration - lying) continue;
        for (int b = 1; b < model->nbody; ++b) {
            mjtNum velocity[6];
            mj_objectVelocity(model, data, mjOBJ_BODY, b, velocity, 0);
            f.spin = std::max(f.spin, Vec3(velocity[0], velocity[1], velocity[2]).norm());
        }
    }
    setTimes(std::move(times), f);
    std::vector<mjtNum> momentum(static_cast<std::size_t>(model->nv));
    mj_mulM(model, data, momentum.data(), data->qvel);
    for (int k = 0; k < model->nv; ++k)
        f.kinetic += 0.5 * momentum[static_cast<std::size_t>(k)] * data->qvel[k];
    mj_deleteData(data);
    mj_deleteModel(model);
    return valueOf(f);
}
#endif

struct Run {
    std::string name;
    std::function<json::Value()> work;
    json::Value result;
};

// Passes in turns: of each run the one that took least.
void measure(std::vector<Run>& runs, int passes, const std::string& complaints)
{
    for (int pass = 0; pass < passes; ++pass)
        for (Run& run : runs) {
            json::Value result = inChild(budget, complaints, run.work);
            if (pass == 0 || numberOf(result, "seconds") < numberOf(run.result, "seconds"))
                run.result = std::move(result);
        }
}

void printRow(const Run& run, double reference)
{
    if (run.result.find("failure")) {
        std::printf("| %s | %s |\n", run.name.c_str(), textOf(run.result, "failure").c_str());
        return;
    }
    const auto of = [&](const char* key) { return numberOf(run.result, key); };
    std::printf("| %s | %.3g |", run.name.c_str(), of("seconds"));
    if (reference > 0) std::printf(" %.2g |", of("seconds") / reference);
    std::printf(" %.3g | %.3g | %.3g | %.0f | %.2g | %.1g | %.2g | %.2g |\n", 1e3 * of("median"),
                1e3 * of("worst"), 1e3 * of("lying"), of("contacts"), 1e3 * of("depth"), 1e3 * of("gap"),
                of("kinetic"), of("spin") * 180 / pi);
}

void print(const char* title, const std::vector<Run>& runs, double reference)
{
    std::printf(
        "\n**%s**\n\n| | processor time, s |%s median step, ms | worst, ms | second half, ms | contacts | "
        "deepest, mm | joint gap, mm | kinetic energy at the end, J | fastest turn while lying, °/s |\n",
        title, reference > 0 ? " over MuJoCo's |" : "");
    std::printf("|---|---|%s---|---|---|---|---|---|---|---|\n", reference > 0 ? "---|" : "");
    for (const Run& run : runs) printRow(run, reference);
    std::fflush(stdout);
}

// Persons who lie one above the other, each turned and aside by chance, fall onto the floor and onto each
// other.
Description heapOf(int persons)
{
    const Description one = loaded(SINEW_SCENE_DIR "/../tests/data/eight_stairs.json");
    Description heap = one;
    heap.bodies.clear();
    heap.joints.clear();
    heap.obstacles.resize(1);  // the floor
    const Vec3 middle(0, 2.2, 0);
    Random random(1);
    for (int k = 0; k < persons; ++k) {
        const double x = random.uniform(-0.3, 0.3), z = random.uniform(-0.3, 0.3);
        const double yaw = random.uniform(-3, 3), tilt = pi / 2 + random.uniform(-0.15, 0.15);
        const Quat turn = AngleAxis(yaw, Vec3::UnitY()) * AngleAxis(tilt, Vec3::UnitX());
        const auto placed = [&](const Vec3& place) -> Vec3 {
            return middle + Vec3(x, 0.7 * k - 1.5, z) + turn * (place - middle);
        };
        const std::string suffix = "_" + std::to_string(k + 1);
        for (BodyDescription body : one.bodies) {
            body.name += suffix;
            body.pose.position = placed(body.pose.position);
            body.pose.orientation = turn * body.pose.orientation;
            body.velocity.reset();
            body.angularVelocity.reset();
            heap.bodies.push_back(std::move(body));
        }
        for (JointDescription joint : one.joints) {
            joint.name += suffix;
            joint.first += suffix;
            joint.second += suffix;
            joint.position = placed(joint.position);
            if (joint.axis) joint.axis = turn * *joint.axis;
            heap.joints.push_back(std::move(joint));
        }
    }
    return heap;
}

// Straight, a millimetre above the floor.
Description lyingChain(int links)
{
    ChainOptions options;
    options.links = links;
    options.horizontal = true;
    options.pinned = false;
    Description chain = makeChain(options);
    const double height = options.radius + 1e-3;
    for (BodyDescription& body : chain.bodies) body.pose.position.y() += height;
    for (JointDescription& joint : chain.joints) joint.position.y() += height;
    ObstacleDescription floor;
    floor.name = "floor";
    chain.obstacles.push_back(floor);
    chain.contact.emplace();
    return chain;
}

void compareHumanoids([[maybe_unused]] int passes, [[maybe_unused]] const std::string& complaints)
{
#if defined(SINEW_BENCH_MUJOCO) && defined(SINEW_BENCH_HUMANOID)
    const std::string path = SINEW_BENCH_HUMANOID;
    constexpr double duration = 10;
    std::vector<Run> runs = {
        {"MuJoCo, 5 ms", [&] { return simulateInMujoco(path, duration); }, {}},
        {"**Sinew**, 5 ms", [&] { return simulate(loaded(path), 0.005, duration); }, {}},
        {"**Sinew**, 1/60 s", [&] { return simulate(loaded(path), frame, duration); }, {}},
        {"**Sinew** fast, 5 ms", [&] { return simulate(fast(loaded(path)), 0.005, duration); }, {}},
        {"**Sinew** fast, 1/60 s", [&] { return simulate(fast(loaded(path)), frame, duration); }, {}},
    };
    measure(runs, passes, complaints);
    print("MuJoCo's humanoid falls and lies, 10 s", runs, numberOf(runs[0].result, "seconds"));
#else
    std::printf("\nMuJoCo's humanoid: skipped, MuJoCo or its models are not installed\n");
#endif
}

}  // namespace

void compareFigures(int passes, const std::string& complaints)
{
    compareHumanoids(passes, complaints);
    std::vector<Run> heaps;
    for (const int persons : {5, 10, 20, 40})
        heaps.push_back({std::to_string(persons) + " persons, fast",
                         [persons] { return simulate(fast(heapOf(persons)), frame, 10); },
                         {}});
    measure(heaps, 1, complaints);
    print("A heap of persons of 20 bones, 10 s at 1/60 s", heaps, 0);
    std::vector<Run> fingers = {
        {"65 bones, fast",
         [] {
             return simulate(fast(loaded(SINEW_SCENE_DIR "/../tests/data/person_with_fingers.json")), frame,
                             6);
         },
         {}}};
    measure(fingers, passes, complaints);
    print("A limp person with fingers falls and lies, 6 s at 1/60 s", fingers, 0);
    std::vector<Run> chains;
    for (const int links : {100, 1000, 10000})
        chains.push_back({std::to_string(links) + " links",
                          [links] { return simulate(lyingChain(links), frame, links > 1000 ? 0.5 : 1); },
                          {}});
    measure(chains, passes, complaints);
    print("A chain that lies on the floor, 1/60 s", chains, 0);
    std::printf("\n");
    for (const Run& run : chains)
        std::printf("- %s: %.3g µs a link in a step of the second half\n", run.name.c_str(),
                    1e6 * numberOf(run.result, "lying") / std::atof(run.name.c_str()));
}

}  // namespace sinew::bench
