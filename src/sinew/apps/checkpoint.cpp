#include "sinew/apps/checkpoint.h"

#include "sinew/apps/run_files.h"
#include "sinew/io/binary/archive.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

template <class Archive>
void fields(Archive& archive, std::vector<TouchingPair>& pairs)
{
    pairs.resize(archive.count(pairs.size(), 2 * archiveWord));
    for (TouchingPair& pair : pairs)
        for (std::int64_t& party : pair) integer(archive, party);
}

template <class Archive>
void fields(Archive& archive, Measures& m)
{
    for (double* x :
         {&m.energyStart, &m.energyEnd,        &m.energyMin,      &m.energyMax,        &m.energyDeviation,
          &m.energyScale, &m.linearDeviation,  &m.linearScale,    &m.angularDeviation, &m.angularScale,
          &m.gapMax,      &m.gapEnd,           &m.wallSeconds,    &m.cpuSeconds,       &m.newtonIterations,
          &m.stepsHalved, &m.stepsUnconverged, &m.penetrationMax, &m.contacts,         &m.contactCaps,
          &m.evaluations, &m.partsRejected,    &m.meshIterations, &m.meshTurns,        &m.meshCaps,
          &m.meshResidual}) {
        archive.field(*x);
    }
    fields(archive, m.linearStart);
    fields(archive, m.angularStart);
}

template <class Archive>
void fields(Archive& archive, EnergyBalance& b)
{
    for (double* x : {&b.start, &b.end, &b.dampers, &b.friction, &b.contact, &b.drives, &b.hands})
        archive.field(*x);
}

template <class Archive>
void fields(Archive& archive, CountedForces& f)
{
    for (VecX* each : {&f.dampers, &f.friction, &f.drives}) fields(archive, *each);
    for (LargeVector<Force>* each : {&f.contact, &f.driveOfBody, &f.damperOfBody}) {
        each->resize(archive.count(each->size(), 6 * archiveWord));
        for (Force& force : *each) {
            fields(archive, force.force);
            fields(archive, force.torque);
        }
    }
}

template <class Archive>
void fields(Archive& archive, RunRecord& r)
{
    for (double* x : {&r.duration, &r.fps, &r.interval}) archive.field(*x);
    for (std::uint64_t* x : {&r.velocities, &r.steps, &r.nextFrame, &r.trajectoryBytes, &r.seriesBytes,
                             &r.contactsBytes, &r.velocitiesBytes, &r.particlesBytes, &r.meshesBytes})
        archive.field(*x);
    fields(archive, r.touching);
    fields(archive, r.measures);
    fields(archive, r.balance);
    fields(archive, r.impulses);
}

Result<RunRecord> recordOf(const Result<Checkpoint>& checkpoint, const std::string& path)
{
    if (!checkpoint) return checkpoint.error();
    RunRecord record;
    static_cast<Checkpoint&>(record) = checkpoint.value();
    if (record.extra.empty())
        return fileError(path, "this is the checkpoint of a program, not of a run; start the run again");
    ArchiveReader reader{record.extra};
    fields(reader, record);
    if (!reader.good || !reader.bytes.empty())
        return fileError(path, "the checkpoint is damaged; start the run again");
    record.extra.clear();
    return record;
}

}  // namespace

std::string runRecordBytes(const RunRecord& record)
{
    RunRecord copy = record;  // fields() reads and writes with the same lines
    ArchiveWriter extra;
    fields(extra, copy);
    copy.extra = std::move(extra.bytes);
    return checkpointBytes(copy);
}

Result<RunRecord> parseRunRecord(std::string_view bytes, const std::string& path)
{
    return recordOf(parseCheckpoint(bytes, path), path);
}

Result<RunRecord> readRunRecord(const std::string& directory)
{
    const std::string path = RunFiles(directory).checkpoint;
    return recordOf(readCheckpoint(path), path);
}

}  // namespace sinew
