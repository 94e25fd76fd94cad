// A cloth that hangs by one side and swings, stiff, at 1/60 s: time per frame, iterations, what is left
// over.
//
//     bench_cloth [segments 100] [stiffness 1e5] [frames 600] [fast iterations, 0: newton] [damping 0]
//                 [1: quick in place of fast]
//
// Prints a line every second of simulated time, and the whole at the end; exit code 1 if it is not stable,
// that is, if energy is gained or a solve is cut off.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "sinew/io/json/scene.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/mesh_state.h"

int main(int count, char** words)
{
    using namespace sinew;
    const auto number = [&](int i, double fallback) { return count > i ? std::atof(words[i]) : fallback; };
    const int segments = static_cast<int>(number(1, 100)), frames = static_cast<int>(number(3, 600)),
              fast = static_cast<int>(number(4, 0));
    const bool isQuick = number(6, 0) > 0;
    SpringMeshDescription cloth;
    cloth.name = "cloth";
    cloth.form = SpringMeshDescription::Form::cloth;
    cloth.size = {1, 1};
    cloth.segments = {segments, segments};
    cloth.mass = 0.3;
    cloth.stiffness = number(2, 1e5);
    cloth.bend = 1e-3 * cloth.stiffness;
    cloth.damping = number(5, 0);
    if (fast > 0) {
        cloth.step = isQuick ? SpringMeshDescription::Step::quick : SpringMeshDescription::Step::fast;
        cloth.iterations = fast;
    }
    PinDescription side;
    side.at.box = {{Vec3(-0.5, 0, -0.5), Vec3(0.5, 0, -0.5)}};
    cloth.pins.push_back(side);
    Description scene;
    scene.meshes.push_back(cloth);
    Result<Simulation> made = Simulation::create(scene, {.step = 1.0 / 60});
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().text().c_str());
        return 2;
    }
    Simulation& simulation = made.value();
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const double first = energy(simulation.model(), simulation.state).total();
    double most = first, slowest = 0, residual = 0, residualSum = 0;
    long iterations = 0;
    int caps = 0;
    for (int frame = 1; frame <= frames; ++frame) {
        const Clock::time_point before = Clock::now();
        const StepReport report = simulation.step();
        if (!report.ok) {
            std::fprintf(stderr, "%s\n", report.message.c_str());
            return 1;
        }
        slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - before).count());
        iterations += report.statistics.meshIterations;
        caps += report.statistics.meshCaps;
        residual = std::max(residual, report.statistics.meshResidual);
        residualSum += report.statistics.meshResidual;
        if (frame % 60 != 0 && frame != frames) continue;
        const Energy now = energy(simulation.model(), simulation.state);
        most = std::max(most, now.total());
        const VecX& x = simulation.state.meshes[0].x;
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        std::printf(
            "%6.2f s: %8.2f ms a frame, %.1f iterations, %d cut off, energy %.6f J, corner %.3f %.3f\n",
            frame / 60.0, 1e3 * seconds / frame, double(iterations) / frame, caps, now.total(),
            x[x.size() - 2], x[x.size() - 1]);
        std::fflush(stdout);
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf(
        "%d vertices, %.3g N/m, %s: %.2f ms a frame (slowest %.0f; %.2f of the processor), %.1f frames/s, "
        "%.1f iterations a "
        "frame, "
        "residual %.2g at most, %.2g in the mean, %d cut off, most energy above the start %.2g J\n",
        simulation.model().meshes[0].size(), cloth.stiffness,
        fast == 0 ? "newton"
        : isQuick ? "quick"
                  : "fast",
        1e3 * seconds / frames, 1e3 * slowest,
        1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC / frames, frames / seconds,
        double(iterations) / frames, residual, residualSum / frames, caps, most - first);
    return caps > 0 || most > first + 1e-6 ? 1 : 0;
}
