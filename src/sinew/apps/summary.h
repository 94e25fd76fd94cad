// The end of a run, for scripts and for people.
#pragma once

#include <optional>
#include <string>

#include "sinew/apps/run_job.h"

namespace sinew {

// How a run ended, if not by reaching its duration.
struct RunOutcome {
    std::optional<StepReport> diverged;
    bool interrupted = false;

    bool isGood() const { return !diverged && !interrupted; }
};

std::string summaryJson(const RunJob& job, const RunOutcome& outcome);
std::string summaryTable(const RunJob& job);

}  // namespace sinew
