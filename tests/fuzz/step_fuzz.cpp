// Any scene that can be simulated takes a few steps, or says why not; it stays finite, its work is
// bounded, and what it moves can be written to files that read back.
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/io/gltf/export_run.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"

using namespace sinew;

namespace {

constexpr std::size_t mostBodies = 40;  // more only take longer
constexpr int steps = 3;

void expectReadable(const Description& scene, const Trajectory& motion, bool skeleton)
{
    GlbRunOptions options;
    options.skeleton = skeleton;
    const Result<Glb> glb = runGlb(scene, motion, options);
    if (!glb) return expect(isOneLine(glb.error().text()));
    const Result<std::string> bytes = glbBytes(glb.value());
    if (!bytes) return expect(isOneLine(bytes.error().text()));
    expect(static_cast<bool>(parseGltf(bytes.value(), "f", nothingBeside)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<Description> scene = parseScene(textOf(data, size), "f");
    if (!scene || scene.value().bodies.size() > mostBodies) return 0;
    auto simulation = Simulation::create(scene.value(), {});
    if (!simulation) {
        expect(isOneLine(simulation.error().text()));
        return 0;
    }
    Simulation& s = simulation.value();
    Trajectory motion{recordFrame(s.model(), s.state)};
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        expect(s.state.q.allFinite() && s.state.u.allFinite());
        if (!report.ok) {
            expect(isOneLine(report.message));
            break;
        }
        motion.push_back(recordFrame(s.model(), s.state));
    }
    for (const bool skeleton : {false, true}) expectReadable(scene.value(), motion, skeleton);
    return 0;
}
