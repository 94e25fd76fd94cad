// A minute of a hundred bodies as GLB: quickly, and without much memory.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "sinew/io/gltf/export_run.h"
#include "support/recorded_run.h"

namespace sinew::test {
namespace {

// The most memory that was in use since the last reset, in bytes; 0 where Linux does not tell.
double peakMemory()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return 1024 * std::strtod(line.c_str() + 6, nullptr);
    return 0;
}

void resetPeak()
{
    std::ofstream("/proc/self/clear_refs") << "5";
}

// A chain of a hundred capsules in which every link waves at its own pace, 60 frames a second.
RecordedRun wavingChain(int links, double duration)
{
    RecordedRun run;
    run.description.name = "chain";
    for (int i = 0; i < links; ++i) {
        run.description.bodies.push_back(
            solid("link" + std::to_string(i), Capsule{0.05, 0.2}, Vec3(0, -0.3 * i, 0)));
        run.description.joints.push_back(joined("joint" + std::to_string(i), JointType::spherical,
                                                i > 0 ? "link" + std::to_string(i - 1) : "world",
                                                "link" + std::to_string(i), Vec3(0, 0.15 - 0.3 * i, 0)));
    }
    for (int k = 0; k <= static_cast<int>(duration * 60); ++k) {
        const double t = k / 60.;
        Frame frame{t, {}};
        Vec3 end(0, 0.15, 0);
        for (int i = 0; i < links; ++i) {
            const Quat turn(AngleAxis(0.7 * std::sin(5 * t + 0.3 * i) + 0.05 * std::sin(31 * t + i),
                                      Vec3(std::sin(0.1 * i), 0, std::cos(0.1 * i))));
            frame.bodies.push_back({end - turn * Vec3(0, 0.15, 0), turn});
            end -= turn * Vec3(0, 0.3, 0);
        }
        run.motion.push_back(std::move(frame));
    }
    return run;
}

void expectFrugal(const char* name, const GlbRunOptions& options)
{
    const RecordedRun run = wavingChain(100, 60);
    resetPeak();
    const double before = peakMemory();
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpuStart = std::clock();
    double size = 0;
    {
        const Result<Glb> glb = runGlb(run.description, run.motion, options);
        ASSERT_TRUE(glb);
        const Result<std::uint64_t> written = writeGlb(glb.value(), outputFile(std::string(name) + ".glb"));
        ASSERT_TRUE(written);
        size = static_cast<double>(written.value());
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double cpu = static_cast<double>(std::clock() - cpuStart) / CLOCKS_PER_SEC;
    const double peak = peakMemory();
    std::printf(
        "%s: %.2f s (computing %.2f s), file %.2f MB, memory for writing %.2f MB (%.2f files), of the "
        "process %.1f MB (%.2f "
        "files)\n",
        name, seconds, cpu, size / 1e6, (peak - before) / 1e6, (peak - before) / size, peak / 1e6,
        peak / size);
    EXPECT_LT(cpu, 1);  // the wall's time is the disk's and the neighbours'
    if (peak > 0) {
        EXPECT_LT(peak - before, 5 * size);
    }
}

TEST(ExportTiming, a_minute_of_a_hundred_bodies_takes_less_than_a_second_and_little_memory)
{
    GlbRunOptions options;
    expectFrugal("reduced", options);
    options.bounds = {};
    expectFrugal("every_frame", options);
    options.skeleton = true;
    expectFrugal("skeleton", options);
}

}  // namespace
}  // namespace sinew::test
