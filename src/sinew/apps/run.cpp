// sinew run: steps a scene and writes what happened.
#include <fmt/core.h>

#include <cerrno>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/interrupt.h"
#include "sinew/apps/live_run.h"
#include "sinew/apps/progress.h"
#include "sinew/apps/run_record.h"
#include "sinew/apps/standard_files.h"
#include "sinew/apps/text.h"
#include "sinew/base/hash.h"

namespace sinew {

namespace {

std::string stepAll(Run& run)
{
    const RunJob& job = run.job;
    Progress progress(static_cast<long long>(job.record.steps), static_cast<long long>(job.steps));
    run.job.live.stopBy(progress.stop());
    while (job.record.steps < job.steps && run.outcome.isGood()) {
        run.outcome.interrupted = interrupted();
        if (run.outcome.interrupted) break;
        const std::string fault = run.step();
        if (!fault.empty()) return fault;
        progress.update(static_cast<long long>(job.record.steps));
    }
    run.job.live.stopBy({});
    return run.outcome.interrupted ? run.saveCheckpoint() : std::string();
}

// After everything is written: what a script is told, and a person too where not all is well.
int verdict(const RunOptions& options, const Run& run)
{
    const RunJob& job = run.job;
    if (run.outcome.diverged) {
        fmt::print(stderr, "{}\n", printable(run.outcome.diverged->message));
        return exitDiverged;
    }
    if (run.outcome.interrupted) {
        if (options.quiet) return exitInterrupted;
        const std::string on =
            job.keepsInteraction ? "" : "; go on with: sinew run --resume " + printable(job.directory);
        fmt::print(stderr, "interrupted at {:.6g} s{}\n", job.live.elapsed(), on);
        return exitInterrupted;
    }
    const std::uint64_t end = stateHash(job.simulation().state);
    if (job.replay && job.replay->endHash.value_or(end) != end) {
        fmt::print(
            stderr, "{}: ended in state {} after {} steps, here they lead to {}: another scene or build\n",
            printable(job.replayedFrom), hashText(*job.replay->endHash), job.replay->steps, hashText(end));
        return exitOtherState;
    }
    return exitDone;
}

}  // namespace

int runScene(const RunOptions& options)
{
    // Everything is checked before the first file is made.
    Result<RunJob> prepared = prepareRun(options);
    if (!prepared) return fail(prepared.error());
    RunJob& job = prepared.value();
    Result<Run> opened = Run::open(job);
    if (!opened) return fail(opened.error());
    Run& run = opened.value();

    catchInterrupts();
    std::string fault = run.begin();
    if (fault.empty()) fault = options.live ? stepLive(run) : job.replay ? stepReplayed(run) : stepAll(run);
    Page page;
    if (fault.empty()) fault = run.finish(options.page ? &page : nullptr);
    if (!fault.empty()) return fail(fault);

    std::string results = "results in " + printable(job.directory) + "\n";
    if (options.page) results += pageLines(page);
    // Of a live run all that goes to stdout is for the program at its other end.
    std::FILE* const out = options.live ? stderr : stdout;
    if (!options.quiet) fmt::print(out, "{}{}", summaryTable(job), results);
    if (std::fflush(stdout) != 0) noteOutputFault(errno);  // before the verdict, if both go to one place
    return verdict(options, run);
}

}  // namespace sinew
