#include "sinew/recording/checkpoint.h"

#include <limits>
#include <utility>

#include "sinew/base/hash.h"
#include "sinew/base/text.h"
#include "sinew/io/binary/archive.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/particles.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/particle_state.h"

namespace sinew {

namespace {

constexpr char magic[8] = {'S', 'I', 'N', 'E', 'W', 'C', 'K', 'P'};
constexpr std::uint64_t formatVersion = 9;
constexpr std::size_t headSize = sizeof magic + 3 * sizeof(std::uint64_t);
constexpr std::size_t sizeLimit = std::size_t{4} << 30;

std::uint64_t hashOf(std::string_view bytes)
{
    Hash hash;
    hash.add(bytes.data(), bytes.size());
    return hash.value();
}

template <class Archive>
void fields(Archive& archive, LargeVector<BodyState>& bodies)
{
    bodies.resize(archive.count(bodies.size(), 13 * archiveWord));
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
    links.resize(archive.count(links.size(), 62 * archiveWord));
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
    contacts.resize(archive.count(contacts.size(), 32 * archiveWord));
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

// Those that live; the rest of the memory is as good as empty.
template <class Archive, class Number>
void livingFields(Archive& archive, LargeVector<Number>& row, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        double number = static_cast<double>(row[i]);
        archive.field(number);
        row[i] = static_cast<Number>(number);
    }
}

template <class Archive>
void fields(Archive& archive, ParticleState& s)
{
    for (std::uint64_t* x : {&s.born, &s.died, &s.turnedAway, &s.steps, &s.trailCount, &s.trailTime})
        archive.field(*x);
    const std::uint64_t count = archive.count(static_cast<std::uint64_t>(s.alive), 11 * archiveWord);
    const std::uint64_t trail = archive.count(s.x.empty() ? 0 : s.trail.size() / s.x.size() * count);
    if (count > mostParticles || (count == 0 ? trail != 0 : trail % count != 0)) {
        archive.refuse();
        return;
    }
    // A step makes room for more.
    s.setRoom(static_cast<int>(count), count == 0 ? 0 : trail / count);
    s.alive = static_cast<int>(count);
    for (LargeVector<float>* row : {&s.x, &s.y, &s.z, &s.vx, &s.vy, &s.vz, &s.age, &s.life, &s.size})
        livingFields(archive, *row, count);
    for (LargeVector<std::uint32_t>* row : {&s.color, &s.id}) livingFields(archive, *row, count);
    livingFields(archive, s.trail, trail);
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
    state.loopImpulses.resize(archive.count(state.loopImpulses.size(), 6 * archiveWord));
    for (Vec6& impulse : state.loopImpulses)
        for (double& x : impulse) archive.field(x);
    state.quiet.resize(archive.count(state.quiet.size()));
    for (double& x : state.quiet) archive.field(x);
    state.meshes.resize(archive.count(state.meshes.size(), 6 * archiveWord));
    for (MeshState& mesh : state.meshes) {
        for (VecX* part : {&mesh.x, &mesh.v, &mesh.a, &mesh.anchor, &mesh.pressed}) fields(archive, *part);
        mesh.touched.resize(archive.count(mesh.touched.size()));
        for (int& collider : mesh.touched) integer(archive, collider);
    }
    state.particles.resize(archive.count(state.particles.size(), 9 * archiveWord));
    for (ParticleState& particles : state.particles) fields(archive, particles);
}

template <class Archive>
void fields(Archive& archive, Checkpoint& c)
{
    for (std::string* text : {&c.scenePath, &c.sceneText, &c.solver, &c.integrator}) archive.field(*text);
    archive.field(c.step);
    for (std::uint64_t* x : {&c.slowBand, &c.spread}) archive.field(*x);
    archive.field(c.tolerance);
    for (double* x : {&c.clock.start, &c.clock.h, &c.clock.now}) archive.field(*x);
    archive.field(c.clock.steps);
    fields(archive, c.state);
    archive.field(c.extra);
}

// The scene's name in what is wrong with the scene.
Diagnostic inSceneOf(const Checkpoint& checkpoint, Diagnostic error)
{
    if (error.file.empty() && error.setting.empty()) error.file = checkpoint.scenePath;
    return error;
}

}  // namespace

std::string checkpointBytes(const Checkpoint& checkpoint)
{
    Checkpoint copy = checkpoint;  // fields() reads and writes with the same lines
    ArchiveWriter body;
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
    ArchiveReader reader{body};
    fields(reader, checkpoint);
    if (!reader.good || !reader.bytes.empty()) return damaged("the checkpoint is damaged");
    return checkpoint;
}

Result<Checkpoint> readCheckpoint(const std::string& path)
{
    const Result<std::string> file = json::readFile(path, sizeLimit);
    if (!file) return file.error();
    return parseCheckpoint(file.value(), path);
}

Diagnostic unfitCheckpoint(const std::string& path, const std::string& why)
{
    return fileError(path, "the checkpoint does not fit its scene: " + why + "; start the run again");
}

Result<Settings> settingsOf(const Checkpoint& checkpoint, const std::string& path)
{
    if (checkpoint.slowBand < 1 || checkpoint.slowBand > std::numeric_limits<int>::max() ||
        checkpoint.spread > 1)
        return unfitCheckpoint(path, "its settings are not those of a run");
    Settings settings{
        .solver = checkpoint.solver, .integrator = checkpoint.integrator, .step = checkpoint.step};
    const Integrator* integrator = findIntegrator(checkpoint.integrator);
    if (integrator && integrator->hasSlowBand) {
        settings.slowBand = static_cast<int>(checkpoint.slowBand);
        settings.spread = checkpoint.spread != 0;
    }
    if (integrator && integrator->adapts) settings.tolerance = checkpoint.tolerance;
    return settings;
}

Checkpoint checkpointOf(const Simulation& simulation, std::string scenePath, std::string sceneText)
{
    Checkpoint checkpoint;
    checkpoint.scenePath = std::move(scenePath);
    checkpoint.sceneText = std::move(sceneText);
    checkpoint.solver = simulation.method->name;
    checkpoint.integrator = simulation.integrator->name;
    checkpoint.step = simulation.h;
    checkpoint.slowBand = static_cast<std::uint64_t>(simulation.slowBand());
    checkpoint.spread = simulation.spread();
    checkpoint.tolerance = simulation.tolerance();
    checkpoint.clock = simulation.clock();
    checkpoint.state = simulation.state;
    return checkpoint;
}

std::optional<Diagnostic> saveCheckpoint(const std::string& path, const Simulation& simulation,
                                         const Description& scene)
{
    if (!simulation.method || !simulation.integrator)
        return Diagnostic{"there is no simulation to save; create one first"};
    if (auto foreign = unfitScene(simulation.model(), scene)) return foreign;
    return faultOf(writeWhole(path, checkpointBytes(checkpointOf(simulation, path, writeScene(scene)))));
}

Result<Simulation> loadCheckpoint(const std::string& path)
{
    Result<Checkpoint> read = readCheckpoint(path);
    if (!read) return read.error();
    Checkpoint& checkpoint = read.value();
    const Result<Settings> settings = settingsOf(checkpoint, path);
    if (!settings) return settings.error();
    const Result<Description> scene = parseScene(checkpoint.sceneText, checkpoint.scenePath);
    if (!scene) return scene.error();
    Result<Simulation> simulation = Simulation::create(scene.value(), settings.value());
    if (!simulation) return inSceneOf(checkpoint, simulation.error());
    if (const auto unfit = simulation.value().setState(std::move(checkpoint.state), checkpoint.clock))
        return unfitCheckpoint(path, unfit->message);
    return simulation;
}

std::optional<Diagnostic> restoreCheckpoint(const std::string& path, const Description& scene,
                                            Simulation& simulation)
{
    if (!simulation.method || !simulation.integrator)
        return Diagnostic{"there is no simulation to put the checkpoint into; create one first"};
    Result<Checkpoint> read = readCheckpoint(path);
    if (!read) return read.error();
    Checkpoint& checkpoint = read.value();
    if (auto foreign = unfitScene(simulation.model(), scene)) return foreign;
    const Result<Description> theirs = parseScene(checkpoint.sceneText, checkpoint.scenePath);
    if (!theirs) return theirs.error();
    // As it is written a scene has no comments, and no key that says what goes without saying.
    if (writeScene(theirs.value()) != writeScene(scene))
        return fileError(path, "is a checkpoint of another scene");
    const Checkpoint now = checkpointOf(simulation, {}, {});
    if (checkpoint.solver != now.solver || checkpoint.integrator != now.integrator ||
        checkpoint.step != now.step || checkpoint.slowBand != now.slowBand ||
        checkpoint.spread != now.spread || checkpoint.tolerance != now.tolerance)
        return fileError(path, "is a checkpoint of other settings: solver " +
                                   quotedName(checkpoint.solver) + ", integrator " +
                                   quotedName(checkpoint.integrator) + ", step " +
                                   std::to_string(checkpoint.step) + " s");
    if (const auto unfit = simulation.setState(std::move(checkpoint.state), checkpoint.clock))
        return unfitCheckpoint(path, unfit->message);
    return {};
}

}  // namespace sinew
