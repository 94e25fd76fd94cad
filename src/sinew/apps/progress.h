// A progress bar with the time left, on stderr, if that is a terminal.
#pragma once

#include <chrono>

#include "sinew/base/stop.h"

namespace sinew {

class Progress {
public:
    // Counts from `done` (a resumed run has some behind it) to `total`.
    Progress(long long done, long long total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(long long done);
    // For the steps between two updates: keeps the bar alive and wants a stop once the run is interrupted.
    Stop stop();

private:
    void show();

    using Clock = std::chrono::steady_clock;
    bool terminal_;
    long long first_, done_, total_;
    Clock::time_point start_, shown_;
};

}  // namespace sinew
