#include "sinew/apps/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "sinew/apps/interrupt.h"

namespace sinew {

namespace {

std::string timeLeft(double seconds)
{
    if (seconds < 60) return fmt::format("{:.0f} s", seconds);
    const auto whole = static_cast<long long>(seconds);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

Progress::Progress(long long done, long long total)
    : terminal_(::isatty(STDERR_FILENO) == 1),
      first_(done),
      done_(done),
      total_(total),
      start_(Clock::now()),
      shown_(start_)
{
}

Progress::~Progress()
{
    if (terminal_) std::fputs("\r\x1b[K", stderr);  // the line is gone, the result follows
}

void Progress::update(long long done)
{
    done_ = done;
    show();
}

Stop Progress::stop()
{
    const auto isWanted = [](void* self) {
        static_cast<Progress*>(self)->show();
        return interrupted();
    };
    return {isWanted, this};
}

void Progress::show()
{
    if (!terminal_) return;
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    constexpr int cells = 40;
    const double part = static_cast<double>(done_) / static_cast<double>(total_);
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double left = elapsed * static_cast<double>(total_ - done_) /
                        static_cast<double>(done_ > first_ ? done_ - first_ : 1);
    std::string bar;
    for (int i = 0; i < cells; ++i) bar += i < part * cells ? "━" : "┈";
    fmt::print(stderr, "\r\x1b[K{} {:3.0f} %  {} left", bar, 100 * part, timeLeft(left));
    std::fflush(stderr);
}

}  // namespace sinew
