// Short runs to write to files, and programs to read them with.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sinew/state/trajectory.h"
#include "support/contact_scenes.h"

namespace sinew::test {

struct RecordedRun {
    Description description;
    Trajectory motion;
};

// Frames 60 times a second, from the start on.
inline RecordedRun recordedRun(const Description& description, double duration)
{
    RecordedRun run{description, {}};
    Simulation s = started(description);
    run.motion.push_back(recordFrame(s.model(), s.state));
    runFor(s, duration, [&](const StepReport&) { run.motion.push_back(recordFrame(s.model(), s.state)); });
    return run;
}

inline std::string outputFile(const std::string& name)
{
    return std::string(SINEW_TEST_OUTPUT_DIR) + "/" + name;
}

inline std::string contentOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct ToolOutcome {
    int exitCode = -1;
    std::string text;  // of both streams
};

inline ToolOutcome runTool(const std::string& command)
{
    ToolOutcome outcome;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) return outcome;
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        outcome.text.append(buffer, got);
    const int status = pclose(pipe);
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

inline bool hasTool(const std::string& name)
{
    return runTool("command -v " + name).exitCode == 0;
}

}  // namespace sinew::test
