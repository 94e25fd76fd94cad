// Time that work takes: by the clock, and of processors, all threads of the program together.
#pragma once

namespace sinew {

class Stopwatch {
public:
    // Runs from now on.
    Stopwatch();
    // Adds what has passed since then.
    void addTo(double& wallSeconds, double& cpuSeconds) const;

private:
    double wall_, cpu_;
};

}  // namespace sinew
