// A live run that is told the lines of the input, one before each step: it stays finite, and what it
// recorded, written and read again, brings a fresh one to the same bits.
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/io/json/scene.h"
#include "sinew/recording/recording.h"
#include "sinew/state/measure.h"

using namespace sinew;

namespace {

constexpr std::uint64_t mostSteps = 8;

// A figure of two links, what draws its end, and a ball that lies on the ground.
constexpr std::string_view sceneText = R"({"sinew": 1,
 "bodies": [{"name": "arm", "position": [0.5, 1, 0], "shapes": [{"type": "capsule", "radius": 0.05, "length": 0.8}]},
            {"name": "palm", "position": [1.5, 1, 0], "shapes": [{"type": "capsule", "radius": 0.05, "length": 0.8}]},
            {"name": "ball", "position": [3, 0.1, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}],
 "joints": [{"name": "j", "type": "hinge", "first": "world", "second": "arm", "position": [0, 1, 0], "axis": [0, 0, 1], "stiffness": 1000, "damping": 2},
            {"name": "k", "type": "spherical", "first": "arm", "second": "palm", "position": [1, 1, 0], "coulomb": 1}],
 "targets": [{"body": "palm", "stiffness": 100, "damping": 10, "path": [{"time": 0}]}],
 "obstacles": [{"name": "ground", "type": "plane"}], "contact": true})";

LiveSimulation fresh(const Settings& settings)
{
    static const Result<Description> scene = parseScene(sceneText, "scene");
    expect(static_cast<bool>(scene));
    Result<LiveSimulation> live = LiveSimulation::create(scene.value(), settings);
    expect(static_cast<bool>(live));
    return std::move(live.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    LiveSimulation live = fresh({});
    std::string_view text = textOf(data, size);
    for (int number = 1; !text.empty() && live.stepsMade() < mostSteps; ++number) {
        const auto said = parseLiveLine(text.substr(0, text.find('\n')), "f", number);
        text.remove_prefix(std::min(text.size(), text.substr(0, text.find('\n')).size() + 1));
        if (!said) {
            expect(isOneLine(said.error().text()));
            continue;
        }
        if (!said.value()) break;  // quit
        if (const auto refused = live.apply(*said.value())) expect(isOneLine(refused->text()));
        const StepReport report = live.step();
        const State& state = live.simulation().state;
        expect(state.q.allFinite() && state.u.allFinite());
        if (!report.ok) {
            expect(isOneLine(report.message));
            break;
        }
    }
    const Result<Recording> recording = parseRecording(writeRecording(recordingOf(live)), "f");
    expect(static_cast<bool>(recording));
    LiveSimulation replayed = fresh(live.startSettings());
    for (std::size_t next = 0;;) {
        expect(!applyDue(recording.value().interactions, next, replayed));
        if (replayed.stepsMade() >= recording.value().steps) break;
        expect(replayed.step().ok);
    }
    expect(stateHash(replayed.simulation().state) == stateHash(live.simulation().state));
    return 0;
}
