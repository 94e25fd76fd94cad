#include "sinew/apps/checkpoint.h"

#include <bit>
#include <cstring>

#include "sinew/apps/run_files.h"
#include "sinew/base/hash.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"

namespace sinew {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr char magic[8] = {'S', 'I', 'N', 'E', 'W', 'C', 'K', 'P'};
constexpr std::uint64_t formatVersion = 6;
constexpr std::size_t headSize = sizeof magic + 3 * sizeof(std::uint64_t);
constexpr std::size_t sizeLimit = std::size_t{4} << 30;

std::uint64_t hashOf(std::string_view bytes)
{
    Hash hash;
    hash.add(bytes.data(), bytes.size());
    return hash.value();
}

void putRaw(std::string& bytes, const void* data, std::size_t size)
{
    bytes.append(static_cast<const char*>(data), size);
}

struct Writer {
    std::string bytes;

    void field(std::uint64_t& v) { putRaw(bytes, &v, sizeof v); }
    void field(double& v) { putRaw(bytes, &v, sizeof v); }
    void field(std::string& v)
    {
        std::uint64_t size = v.size();
        field(size);
        putRaw(bytes, v.data(), v.size());
    }
    // Numbers in a row, whose count is stored too.
    std::uint64_t count(std::uint64_t present, std::size_t = 0)
    {
        field(present);
        return present;
    }
    void refuse() {}
};

// Reads what Writer wrote. After the first field that is not there, `good` is false and values are zero.
struct Reader {
    std::string_view bytes;
    bool good = true;

    void raw(void* data, std::size_t size)
    {
        if (size > bytes.size()) {
            good = false;
            bytes = {};
            std::memset(data, 0, size);
            return;
        }
        std::memcpy(data, bytes.data(), size);
        bytes.remove_prefix(size);
    }
    void refuse() { good = false; }
    void field(std::uint64_t& v) { raw(&v, sizeof v); }
    void field(double& v) { raw(&v, sizeof v); }
    void field(std::string& v)
    {
        const std::uint64_t size = count(0, 1);
        v.assign(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    // A count of things of at least `unit` bytes each cannot be larger than what is left.
    std::uint64_t count(std::uint64_t, std::size_t unit = sizeof(double))
    {
        std::uint64_t stored = 0;
        field(stored);
        if (stored > bytes.size() / unit) good = false;
        return good ? stored : 0;
    }
};

template <class Archive>
void fields(Archive& archive, Vec3& v)
{
    for (double& x : v) archive.field(x);
}

template <class Archive>
void fields(Archive& archive, VecX& v)
{
    v.resize(static_cast<int>(archive.count(static_cast<std::uint64_t>(v.size()))));
    for (double& x : v) archive.field(x);
}

template <class Archive, class Integer>
void integer(Archive& archive, Integer& v)
{
    std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    archive.field(bits);
    v = static_cast<Integer>(static_cast<std::int64_t>(bits));
    if (static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) != bits) archive.refuse();
}

constexpr std::size_t word = 8;  // of each number in the file

template <class Archive>
void fields(Archive& archive, LargeVector<BodyState>& bodies)
{
    bodies.resize(archive.count(bodies.size(), 13 * word));
    for (BodyState& body : bodies) {
        fields(archive, body.position);
        for (double& x : body.orientation.coeffs()) archive.field(x);
        fields(archive, body.velocity);
        fields(archive, body.angularVelocity);
    }
}

template <class Archive>
void fields(Archive& archive, LargeVector<SlowLink>& links)
{
    links.resize(archive.count(links.size(), 62 * word));
    for (SlowLink& link : links) {
        for (Mat3* matrix : {&link.R_I, &link.R, &link.T, &link.K, &link.M})
            for (double& x : *matrix) archive.field(x);
        for (Vec3* vector : {&link.a_c, &link.g, &link.f, &link.turn}) fields(archive, *vector);
        for (double& x : link.orientation.coeffs()) archive.field(x);
        integer(archive, link.age);
    }
}

template <class Archive>
void fields(Archive& archive, std::vector<Contact>& contacts)
{
    contacts.resize(archive.count(contacts.size(), 32 * word));
    for (Contact& c : contacts) {
        for (int* x : {&c.bodyA, &c.bodyB, &c.colliderA, &c.colliderB}) integer(archive, *x);
        integer(archive, c.feature);
        for (Vec3* v : {&c.pointA, &c.pointB, &c.normal, &c.impulse, &c.turning, &c.blow})
            fields(archive, *v);
        for (double* x : {&c.roundA, &c.roundB, &c.gap, &c.friction, &c.staticFriction, &c.rollingFriction,
                          &c.spinningFriction, &c.restitution})
            archive.field(*x);
        integer(archive, c.slipping);
    }
}

template <class Archive>
void fields(Archive& archive, std::vector<TouchingPair>& pairs)
{
    pairs.resize(archive.count(pairs.size(), 2 * word));
    for (TouchingPair& pair : pairs)
        for (std::int64_t& party : pair) integer(archive, party);
}

template <class Archive>
void fields(Archive& archive, State& state)
{
    archive.field(state.time);
    fields(archive, state.q);
    fields(archive, state.u);
    fields(archive, state.bodies);
    fields(archive, state.previous);
    state.jumped.resize(archive.count(state.jumped.size()));
    for (char& jumped : state.jumped) {
        bool flag = jumped;
        integer(archive, flag);
        jumped = flag;
    }
    fields(archive, state.memory);
    fields(archive, state.slow);
    fields(archive, state.contacts);
    state.loopImpulses.resize(archive.count(state.loopImpulses.size(), 6 * word));
    for (Vec6& impulse : state.loopImpulses)
        for (double& x : impulse) archive.field(x);
    state.quiet.resize(archive.count(state.quiet.size()));
    for (double& x : state.quiet) archive.field(x);
}

template <class Archive>
void fields(Archive& archive, Measures& m)
{
    for (double* x :
         {&m.energyStart, &m.energyEnd, &m.energyMin, &m.energyMax, &m.energyDeviation, &m.energyScale,
          &m.linearDeviation, &m.linearScale, &m.angularDeviation, &m.angularScale, &m.gapMax, &m.gapEnd,
          &m.wallSeconds, &m.newtonIterations, &m.stepsHalved, &m.stepsUnconverged, &m.penetrationMax,
          &m.contacts, &m.contactCaps}) {
        archive.field(*x);
    }
    fields(archive, m.linearStart);
    fields(archive, m.angularStart);
}

template <class Archive>
void fields(Archive& archive, Checkpoint& c)
{
    for (std::string* text : {&c.scenePath, &c.sceneText, &c.solver, &c.integrator}) archive.field(*text);
    for (double* x : {&c.step, &c.duration, &c.fps, &c.interval}) archive.field(*x);
    for (std::uint64_t* x : {&c.slowBand, &c.spread, &c.velocities}) archive.field(*x);
    for (std::uint64_t* x :
         {&c.steps, &c.nextFrame, &c.trajectoryBytes, &c.seriesBytes, &c.contactsBytes, &c.velocitiesBytes})
        archive.field(*x);
    fields(archive, c.touching);
    fields(archive, c.measures);
    fields(archive, c.state);
}

}  // namespace

std::string checkpointBytes(const Checkpoint& checkpoint)
{
    Checkpoint copy = checkpoint;  // fields() reads and writes with the same lines
    Writer body;
    fields(body, copy);
    return sealedCheckpoint(body.bytes);
}

std::string sealedCheckpoint(const std::string& fields)
{
    std::string bytes(magic, sizeof magic);
    for (std::uint64_t number :
         {formatVersion, static_cast<std::uint64_t>(fields.size()), hashOf(fields)}) {
        putRaw(bytes, &number, sizeof number);
    }
    return bytes + fields;
}

Result<Checkpoint> parseCheckpoint(std::string_view bytes, const std::string& path)
{
    const auto damaged = [&path](const std::string& why) {
        return fileError(path, why + "; start the run again");
    };
    if (bytes.substr(0, sizeof magic) != std::string_view(magic, sizeof magic).substr(0, bytes.size()) ||
        bytes.empty()) {
        return damaged("this is not a checkpoint");
    }
    if (bytes.size() < headSize) return damaged("the checkpoint is cut short");
    std::uint64_t head[3];
    std::memcpy(head, bytes.data() + sizeof magic, sizeof head);
    if (head[0] != formatVersion) {
        return damaged("this checkpoint has format " + std::to_string(head[0]) + ", this sinew reads " +
                       std::to_string(formatVersion));
    }
    const std::string_view body = bytes.substr(headSize);
    if (body.size() < head[1]) return damaged("the checkpoint is cut short");
    if (body.size() > head[1] || hashOf(body) != head[2]) return damaged("the checkpoint is damaged");

    Checkpoint checkpoint;
    Reader reader{body};
    fields(reader, checkpoint);
    if (!reader.good || !reader.bytes.empty()) return damaged("the checkpoint is damaged");
    return checkpoint;
}

Result<Checkpoint> readCheckpoint(const std::string& directory)
{
    const std::string path = RunFiles(directory).checkpoint;
    const Result<std::string> file = json::readFile(path, sizeLimit);
    if (!file) return file.error();
    return parseCheckpoint(file.value(), path);
}

}  // namespace sinew
