#include "sinew/apps/stopwatch.h"

#include <ctime>

namespace sinew {
namespace {

double secondsOf(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// Asking for the processors' time is a call of the system: the clock does not run meanwhile.
Stopwatch::Stopwatch() : cpu_(secondsOf(CLOCK_PROCESS_CPUTIME_ID))
{
    wall_ = secondsOf(CLOCK_MONOTONIC);
}

void Stopwatch::addTo(double& wallSeconds, double& cpuSeconds) const
{
    wallSeconds += secondsOf(CLOCK_MONOTONIC) - wall_;
    cpuSeconds += secondsOf(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
}

}  // namespace sinew
