// A progress bar with the time left, on stderr, if that is a terminal.
#pragma once

#include <chrono>

namespace sinew {

class Progress {
public:
    // Counts from `done` (a resumed run has some behind it) to `total`.
    Progress(long long done, long long total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(long long done);

private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    long long first_, total_;
    Clock::time_point start_, shown_;
};

}  // namespace sinew
