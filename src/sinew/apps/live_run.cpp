#include "sinew/apps/live_run.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>

#include "sinew/apps/interrupt.h"
#include "sinew/apps/progress.h"
#include "sinew/apps/standard_files.h"
#include "sinew/apps/text.h"
#include "sinew/io/json/json.h"

namespace sinew {

namespace {

constexpr const char* inputName = "standard input";
constexpr std::size_t longestLine = 1 << 16;  // bytes
constexpr std::size_t mostAtOnce = 1 << 20;   // bytes taken before a step: a flood must not stop the clock
constexpr double longestWait = 0.1;           // s, so that an interrupt is noticed

using Clock = std::chrono::steady_clock;

// Lines of standard input as they come in, without ever waiting for one that is not whole.
class Input {
public:
    // Waits until something came in, or so long.
    void wait(double seconds)
    {
        const timespec time{static_cast<time_t>(seconds),
                            static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
        pollfd in{STDIN_FILENO, POLLIN, 0};
        ready_ = ::ppoll(&in, open_ ? 1 : 0, &time, nullptr) > 0;
    }

    // handle(line, number) for every whole line that is there.
    template <class Handle>
    void take(Handle handle)
    {
        for (std::size_t taken = 0; ready_ && open_ && taken < mostAtOnce; wait(0)) {
            char bytes[4096];
            const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
            if (count < 0 && errno == EINTR) return;
            if (count <= 0) {
                open_ = false;
                if (!pending_.empty()) add("\n", handle);  // the last line may lack its end
                return;
            }
            taken += static_cast<std::size_t>(count);
            add({bytes, static_cast<std::size_t>(count)}, handle);
        }
    }

private:
    template <class Handle>
    void add(std::string_view bytes, Handle handle)
    {
        for (char c : bytes) {
            if (c != '\n') {
                if (pending_.size() <= longestLine) pending_ += c;
                continue;
            }
            ++number_;
            handle(std::string_view(pending_), number_);
            pending_.clear();
        }
    }

    bool open_ = true, ready_ = false;
    std::string pending_;
    int number_ = 0;
};

// What goes to the program at the other end.
class Output {
public:
    // A reader that is gone must not end the run before its results are written.
    Output() { std::signal(SIGPIPE, SIG_IGN); }

    void write(std::string_view text)
    {
        while (good_ && !text.empty()) {
            const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
            if (count < 0 && errno == EINTR && !interrupted()) continue;
            good_ = count >= 0;
            if (!good_ && errno != EPIPE) noteOutputFault(errno);
            if (good_)
                text.remove_prefix(static_cast<std::size_t>(count));
            else if (!interrupted())
                fmt::print(stderr, "sinew run: nobody reads the frames any more; the run goes on\n");
        }
    }

private:
    bool good_ = true;
};

json::Value tripleOf(const Vec3& v)
{
    return json::Value::array({v.x(), v.y(), v.z()});
}

std::string frameLine(const LiveSimulation& live, double late)
{
    json::Value frame = json::Value::object(), targets = json::Value::array();
    frame.add("time", live.elapsed());
    frame.add("step", live.stepsMade());
    frame.add("late", late);
    if (live.isGrabbing()) {
        json::Value grab = json::Value::object();
        grab.add("place", tripleOf(live.grabbedPlace()));
        grab.add("force", tripleOf(live.grabForce()));
        frame.add("grab", std::move(grab));
    }
    const Model& model = live.simulation().model();
    for (int i = 0; i < live.targetCount(); ++i) {
        const Force force = live.targetForce(i);
        json::Value target = json::Value::object();
        target.add("body", model.bodies[model.targets[i].body].name);
        target.add("force", tripleOf(force.force));
        target.add("torque", tripleOf(force.torque));
        targets.add(std::move(target));
    }
    frame.add("targets", std::move(targets));
    return json::writeLine(frame);
}

// Does what a line says; a line that is wrong is told and left out, since a hand is on the run. True: quit.
bool obey(std::string_view line, int number, LiveSimulation& live)
{
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return false;
    Diagnostic fault;
    if (line.size() > longestLine) {
        fault.message = fmt::format("is longer than {} bytes", longestLine);
    } else {
        const auto said = parseLiveLine(line, inputName, number);
        if (said && !said.value()) return true;
        const auto refused = said ? live.apply(*said.value()) : std::optional(said.error());
        if (!refused) return false;
        fault = *refused;
    }
    fault.file = inputName;
    fault.line = number;
    fail(fault);
    return false;
}

}  // namespace

std::string stepLive(Run& run)
{
    LiveSimulation& live = run.job.live;
    live.stopBy({[](void*) { return interrupted(); }});
    Input input;
    Output output;
    const auto start = Clock::now();
    const auto wall = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const auto frame = [&] {
        if (run.tookFrame) output.write(frameLine(live, std::max(0., wall() - live.elapsed())));
    };
    bool quit = false;
    const auto hear = [&](std::string_view line, int number) { quit = quit || obey(line, number, live); };
    const auto hasMore = [&] {
        const double h = live.simulation().h;
        return live.elapsed() < run.job.record.duration - 1e-6 * h;  // as RunLength counts
    };

    frame();
    while (hasMore() && run.outcome.isGood()) {
        // The state at a time is not made before that time; what comes in until then still acts on it.
        for (;;) {
            const double left = live.elapsed() + live.simulation().h - wall();
            input.wait(std::clamp(left, 0., longestWait));
            input.take(hear);
            run.outcome.interrupted = interrupted();
            if (quit || run.outcome.interrupted) return {};
            if (live.elapsed() + live.simulation().h <= wall()) break;
        }
        const std::string fault = run.step();
        if (!fault.empty()) return fault;
        frame();
    }
    return {};
}

std::string stepReplayed(Run& run)
{
    RunJob& job = run.job;
    const Recording& recording = *job.replay;
    std::size_t next = 0;
    Progress progress(0, static_cast<long long>(job.steps));
    job.live.stopBy(progress.stop());
    for (;;) {
        if (auto fault = applyDue(recording.interactions, next, job.live)) {
            fault->file = job.replayedFrom;
            fault->line = recording.lines[next];
            return fault->text();
        }
        run.outcome.interrupted = job.live.stepsMade() < job.steps && interrupted();
        if (job.live.stepsMade() >= job.steps || !run.outcome.isGood()) break;
        const std::string fault = run.step();
        if (!fault.empty()) return fault;
        progress.update(static_cast<long long>(job.live.stepsMade()));
    }
    // What ended the recorded run ends this one.
    if (recording.diverged && run.outcome.isGood()) {
        const std::string fault = run.step();
        if (!fault.empty()) return fault;
    }
    job.live.stopBy({});
    job.record.duration = job.live.elapsed();
    return {};
}

}  // namespace sinew
