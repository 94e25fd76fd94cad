// The fields of a checkpoint with a right head and hash: refused in one line, or a run that goes on, stays
// finite and can be kept again.
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/apps/checkpoint_fit.h"
#include "sinew/base/text.h"

using namespace sinew;

namespace {

constexpr std::size_t mostBodies = 40;  // more only take longer
constexpr int steps = 2;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string fields(textOf(data, size));
    expect(!parseRunRecord(fields, "f") || fields.starts_with("SINEWCKP"));  // as a whole file
    const Result<RunRecord> read = parseRunRecord(sealedCheckpoint(fields), "f");
    if (!read) {
        expect(isOneLine(read.error().text()));
        return 0;
    }
    const RunRecord& record = read.value();
    expect(runRecordBytes(record) == sealedCheckpoint(fields));
    if (record.state.bodies.size() > mostBodies) return 0;
    Result<RestoredRun> restored = restoredRun(record, "f");
    if (!restored) {
        expect(isOneLine(printable(restored.error().text())));  // the scene's path is the checkpoint's own
        return 0;
    }
    LiveSimulation& live = restored.value().live;
    for (int i = 0; i < steps; ++i) {
        const StepReport report = live.step();
        const State& state = live.simulation().state;
        expect(state.q.allFinite() && state.u.allFinite());
        if (!report.ok) {
            expect(isOneLine(report.message));
            return 0;
        }
    }
    RunRecord later = record;
    later.state = live.simulation().state;
    later.steps += steps;
    const Result<RunRecord> again = parseRunRecord(runRecordBytes(later), "f");
    expect(again && again.value().state.q == later.state.q && again.value().state.u == later.state.u);
    return 0;
}
