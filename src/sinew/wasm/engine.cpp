// The engine as a WebAssembly module: one live simulation behind plain C functions. web/README.md lists
// them; web/src/engine.js is the other side. Bodies are counted in the order of the scene, points are given
// in the bodies' own frames, text is UTF-8.
#include <string>
#include <unordered_map>
#include <vector>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/measure/series.h"
#include "sinew/model/balance.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/particle/look.h"
#include "sinew/recording/recording.h"
#include "sinew/simulation/live.h"
#include "sinew/state/contacts.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/particle_state.h"

#define SINEW_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

using namespace sinew;

std::string room, message, information, massText, recorded;
Description scene;
std::optional<LiveSimulation> live;
// What is replayed. Whoever touches the simulation meanwhile takes over.
std::optional<Recording> replay;
std::size_t nextReplayed = 0;
bool sceneHasSprings = false, sceneHasDampers = false;
json::Value sceneIntegrators;  // those that know all of the scene; a grab does not count
std::vector<double> row;
ParticleLook look;
std::vector<float> trails, places;

// 1 for success; otherwise the reason becomes the message.
int told(const std::optional<Diagnostic>& fault)
{
    message = fault ? fault->text() : std::string();
    return fault ? 0 : 1;
}

// What a hand does, which ends a replay.
int done(const Interaction::Action& action)
{
    replay.reset();
    return told(live->apply(action));
}

int applyReplayed()
{
    const auto fault = applyDue(replay->interactions, nextReplayed, *live);
    if (fault) replay.reset();
    return told(fault);
}

// The name of a body of the scene, counted in its order; null where there is none.
const std::string* nameOf(int body)
{
    if (!live || body < 0 || body >= live->simulation().model().describedSize()) return nullptr;
    const Model& model = live->simulation().model();
    return &model.bodies[model.bodyOrder[body]].name;
}

json::Value integratorsFor(const Model& model)
{
    json::Value list = json::Value::array();
    for (const Integrator& integrator : integrators()) {
        json::Value partners = json::Value::array();
        for (const Method& method : methods())
            if (integrator.stepFor(method) && unsuitableFor(model, method, integrator).reason.empty())
                partners.add(method.name);
        if (partners.items().empty()) continue;
        json::Value item = json::Value::object();
        item.add("name", integrator.name);
        item.add("title", integrator.title);
        item.add("solvers", std::move(partners));
        list.add(std::move(item));
    }
    return list;
}

json::Value solvers()
{
    json::Value list = json::Value::array();
    for (const Method& method : methods()) {
        json::Value item = json::Value::object();
        item.add("name", method.name);
        item.add("title", method.title);
        item.add("coordinates", coordinatesName(method));
        list.add(std::move(item));
    }
    return list;
}

json::Value list(const Vec3& v)
{
    return json::Value::array({v.x(), v.y(), v.z()});
}

json::Value changes(const LiveSimulation::Parameters& parameters)
{
    json::Value out = json::Value::object();
    out.add("stiffness", parameters.stiffnessFactor);
    out.add("damping", parameters.dampingFactor);
    out.add("addedStiffness", parameters.addedStiffness);
    out.add("addedDamping", parameters.addedDamping);
    out.add("torques", parameters.torques);
    return out;
}

// The body that a hand holds, or null.
json::Value held(const LiveSimulation& open)
{
    if (!open.isGrabbing()) return {};
    const Model& model = open.simulation().model();
    int body = 0;
    while (model.bodyOrder[body] != open.grabbedBody()) ++body;
    json::Value out = json::Value::object();
    out.add("body", body);
    out.add("point", list(open.grabbedPoint() + model.bodies[open.grabbedBody()].center));
    out.add("to", list(open.grabDestination()));
    return out;
}

json::Value numbers(const std::vector<double>& from, int count)
{
    json::Value out = json::Value::array();
    for (int i = 0; i < count; ++i)
        out.add(static_cast<std::size_t>(i) < from.size() ? from[static_cast<std::size_t>(i)] : 0.);
    return out;
}

json::Value plain(const std::vector<double>& from)
{
    json::Value out = json::Value::array();
    for (const double x : from) out.add(x);
    return out;
}

// Spring, damper and limits of a joint as hands left them. Sides without a limit are empty.
void addSettings(const JointDescription& joint, json::Value& out)
{
    out.add("type", jointTypeName(joint.type));
    out.add("spring", joint.stiffness);
    out.add("damper", joint.damping);
    out.add("lower", plain(joint.lower));
    out.add("upper", plain(joint.upper));
    if (joint.swingLimit) out.add("swing", *joint.swingLimit);
    out.add("hasAxis", joint.axis.has_value());
    out.add("hasCone", joint.swingCone.has_value());
}

// The motor that a hand put into a joint.
json::Value motorOf(const LiveSimulation& open, const std::string& joint)
{
    for (const Interaction::Motor& motor : open.motors()) {
        if (motor.joint != joint) continue;
        json::Value out = json::Value::object();
        out.add("target", plain(motor.target));
        out.add("speed", plain(motor.speed));
        out.add("stiffness", motor.stiffness.value_or(0));
        out.add("damping", motor.damping.value_or(0));
        if (motor.strength) out.add("strength", *motor.strength);
        return out;
    }
    return {};
}

// The joints that torques can drive: by their name, the body that they carry, what they have and what hands
// give them, and what their controllers, if the scene has any, aim at.
json::Value drivenJoints(const LiveSimulation& open)
{
    const Model& model = open.simulation().model();
    std::unordered_map<std::string_view, const JointDescription*> described;
    for (const JointDescription& joint : open.scene().joints) described.emplace(joint.name, &joint);
    json::Value list = json::Value::array();
    for (int body = 0; body < model.describedSize(); ++body) {
        const int link = model.bodyOrder[body];
        const Joint& joint = model.joints[link];
        if (!joint.declared || !joint.isArticulated() || joint.prescribed >= 0) continue;
        std::vector<double> torque;
        for (const LiveSimulation::JointInput& input : open.jointInputs())
            if (input.joint == joint.name) torque = input.torque;
        json::Value item = json::Value::object();
        item.add("name", joint.name);
        item.add("body", body);
        item.add("slides", joint.slides());
        item.add("torque", numbers(torque, joint.freedoms()));
        item.add("acts", model.isActive(link, open.simulation().state.time));
        if (const auto found = described.find(joint.name); found != described.end())
            addSettings(*found->second, item);
        item.add("motor", motorOf(open, joint.name));
        if (open.hasController(joint.name)) {
            const Controller& controller = model.drives[joint.drives].controllers.front();
            std::vector<double> target;
            for (const Signal& signal : controller.target)
                target.push_back(signal.at(open.simulation().state.time).value);
            item.add("target", numbers(target, joint.freedoms()));
            item.add("stiffness", controller.stiffness);
            item.add("damping", controller.damping);
        }
        list.add(std::move(item));
    }
    return list;
}

json::Value gaitOf(const GaitDescription& gait, double now)
{
    json::Value out = json::Value::object(), states = json::Value::array();
    for (const GaitStateDescription& state : gait.states) {
        json::Value item = json::Value::object();
        item.add("name", state.name);
        if (state.time) item.add("time", *state.time);
        item.add("lean", state.lean);
        item.add("distance", plain({state.distance[0], state.distance[1]}));
        item.add("speed", plain({state.speed[0], state.speed[1]}));
        states.add(std::move(item));
    }
    out.add("states", std::move(states));
    out.add("from", gait.from);
    out.add("heading", gait.heading ? gait.heading->at(now).value : 0);
    out.add("walks", now >= gait.from && !(gait.until && now >= *gait.until));
    return out;
}

// Figures that balance, with their gains.
json::Value balances(const LiveSimulation& open)
{
    json::Value list = json::Value::array();
    for (const BalanceDescription& balance : open.scene().balances) {
        json::Value item = json::Value::object();
        item.add("body", balance.body);
        item.add("stiffness", balance.stiffness);
        item.add("damping", balance.damping);
        item.add("sole", balance.sole);
        if (balance.step) {
            json::Value step = json::Value::object();
            step.add("time", balance.step->time);
            step.add("lift", balance.step->lift);
            step.add("reach", balance.step->reach);
            step.add("width", balance.step->width);
            step.add("further", balance.step->further);
            item.add("step", std::move(step));
        }
        if (balance.gait) item.add("gait", gaitOf(*balance.gait, open.simulation().state.time));
        list.add(std::move(item));
    }
    return list;
}

json::Value particleSystems(const Model& model)
{
    static constexpr const char* shapes[] = {"point", "streak", "sprite", "sphere"};
    json::Value list = json::Value::array();
    for (const ParticleSystem& system : model.particles) {
        json::Value item = json::Value::object();
        item.add("name", system.name);
        item.add("shape", shapes[static_cast<int>(system.shape)]);
        item.add("shadow", system.shadow);
        item.add("emission", system.emission);
        item.add("most", system.most);
        item.add("trail", system.trail);
        list.add(std::move(item));
    }
    return list;
}

json::Value meshList(const Model& model)
{
    json::Value list = json::Value::array();
    for (const SpringMesh& mesh : model.meshes) {
        json::Value item = json::Value::object(), faces = json::Value::array();
        for (const auto& face : mesh.faces)
            for (int corner : face) faces.add(corner);
        item.add("name", mesh.name);
        item.add("vertices", mesh.size());
        item.add("faces", std::move(faces));
        list.add(std::move(item));
    }
    return list;
}

// Null before the first step, and of a system that is not there.
const ParticleState* particlesOf(int system)
{
    if (!live || system < 0) return nullptr;
    const std::vector<ParticleState>& all = live->simulation().state.particles;
    return static_cast<std::size_t>(system) < all.size() ? &all[static_cast<std::size_t>(system)] : nullptr;
}

std::string describe(const LiveSimulation& open)
{
    const Simulation& simulation = open.simulation();
    json::Value columns = json::Value::array();
    for (const std::string& name : seriesNames(simulation.model())) columns.add(name);
    json::Value info = json::Value::object();
    info.add("solver", simulation.method->name);
    info.add("integrator", simulation.integrator->name);
    info.add("coordinates", coordinatesName(*simulation.method));
    info.add("step", simulation.h);
    info.add("gravity", list(open.parameters().gravity));
    info.add("changes", changes(open.parameters()));
    info.add("held", held(open));
    info.add("joints", drivenJoints(open));
    info.add("balances", balances(open));
    info.add("bodies", simulation.model().describedSize());
    info.add("particles", particleSystems(simulation.model()));
    info.add("meshes", meshList(simulation.model()));
    info.add("springs", sceneHasSprings);
    info.add("dampers", sceneHasDampers);
    info.add("columns", std::move(columns));
    info.add("solvers", solvers());
    info.add("integrators", sceneIntegrators);
    return json::write(info);
}

}  // namespace

SINEW_EXPORT(room) char* makeRoom(int bytes)
{
    room.assign(static_cast<std::size_t>(bytes), '\0');
    return room.data();
}

SINEW_EXPORT(message) const char* messageText()
{
    return message.data();
}

SINEW_EXPORT(messageLength) int messageLength()
{
    return static_cast<int>(message.size());
}

SINEW_EXPORT(openScene) int openScene(int length)
{
    Result<Description> description = parseScene(std::string_view(room).substr(0, length), "");
    if (!description) return told(description.error());
    sceneHasSprings = sceneHasDampers = false;
    for (const JointDescription& joint : description.value().joints) {
        if (joint.stiffness > 0 || joint.twistStiffness.value_or(0) > 0) sceneHasSprings = true;
        if (joint.damping > 0) sceneHasDampers = true;
    }
    Result<LiveSimulation> made = LiveSimulation::create(description.value(), {});
    if (!made) return told(made.error());
    scene = std::move(description.value());
    live = std::move(made.value());
    replay.reset();
    sceneIntegrators = integratorsFor(live->simulation().model());
    return told({});
}

// The text stays good until the next call.
SINEW_EXPORT(info) const char* info()
{
    information = live ? describe(*live) : std::string();
    return information.data();
}

SINEW_EXPORT(infoLength) int infoLength()
{
    return static_cast<int>(information.size());
}

// The room holds the solver's name, a line feed and the integrator's.
// Mass, centre and inertia of each body, as pages carry them: for scenes that a page was not made of.
SINEW_EXPORT(masses) const char* masses()
{
    json::Value all = json::Value::array();
    for (int index : live->simulation().model().bodyOrder) {
        const Body& body = live->simulation().model().bodies[index];
        json::Value rows = json::Value::array();
        for (int i = 0; i < 3; ++i) rows.add(list(body.wholeInertia().row(i).transpose()));
        json::Value item = json::Value::object();
        item.add("mass", body.wholeMass());
        item.add("center", list(body.center));
        item.add("inertia", std::move(rows));
        all.add(std::move(item));
    }
    massText = json::write(all);
    return massText.data();
}

SINEW_EXPORT(massesLength) int massesLength()
{
    return static_cast<int>(massText.size());
}

SINEW_EXPORT(choose) int choose(int length, double step)
{
    if (!live) return 0;
    const std::string text = room.substr(0, length);
    const std::size_t end = std::min(text.find('\n'), text.size());
    Settings settings;
    settings.solver = text.substr(0, end);
    settings.integrator = text.substr(std::min(end + 1, text.size()));
    if (step > 0) settings.step = step;
    return done(Interaction::Choose{settings});
}

SINEW_EXPORT(change)
int change(double gx, double gy, double gz, double stiffnessFactor, double dampingFactor,
           double addedStiffness, double addedDamping, int torques)
{
    if (!live) return 0;
    return done(Interaction::Change{Vec3(gx, gy, gz), stiffnessFactor, dampingFactor, addedStiffness,
                                    addedDamping, torques != 0});
}

SINEW_EXPORT(reset) int reset()
{
    return live ? done(Interaction::Reset{}) : 0;
}

// Steps made. Fewer than asked for: the motion diverged, and the message says where.
SINEW_EXPORT(advance) int advance(int count)
{
    if (!live) return 0;
    for (int i = 0; i < count; ++i) {
        const StepReport report = live->step();
        if (report.ok && replay && !applyReplayed()) return i + 1;
        if (replay && live->stepsMade() >= replay->steps) replay.reset();
        if (report.ok) continue;
        message = report.message;
        return i;
    }
    return count;
}

SINEW_EXPORT(time) double simulatedTime()
{
    return live ? live->simulation().state.time : 0;
}

SINEW_EXPORT(stepSize) double stepSize()
{
    return live ? live->simulation().h : 0;
}

// Each of these gives numbers that stay good until the next call.
SINEW_EXPORT(poses) const double* poses()
{
    row.clear();
    if (live) appendPoses(live->simulation().model(), live->simulation().state, row);
    return row.data();
}

SINEW_EXPORT(measures) const double* measures()
{
    row.clear();
    if (live) appendMeasures(live->simulation().model(), live->simulation().state, row);
    return row.data();
}

SINEW_EXPORT(series) const double* series()
{
    row.clear();
    if (live) {
        const Simulation& simulation = live->simulation();
        const Accelerations& accelerations = live->accelerate();
        appendSeries(simulation.model(), simulation.state, simulation.lastForces(), accelerations, row);
    }
    return row.data();
}

// Six numbers for each contact that bears a force: its place, and the force on its second body.
SINEW_EXPORT(contacts) const double* contacts()
{
    row.clear();
    if (!live) return row.data();
    const Simulation& simulation = live->simulation();
    for (const Contact& contact : simulation.state.contacts) {
        if (!bearsForce(contact)) continue;
        const ContactReading reading = readContact(contact, simulation.state, simulation.h);
        for (const Vec3* v : {&reading.place, &reading.force}) row.insert(row.end(), v->begin(), v->end());
    }
    return row.data();
}

SINEW_EXPORT(contactCount) int countContacts()
{
    return live ? contactCount(live->simulation().state) : 0;
}

// ---- meshes -------------------------------------------------------------------------------------

// Floats x y z of a mesh's vertices, until the next call; null if it is not there.
SINEW_EXPORT(meshPlaces) const float* meshPlaces(int mesh)
{
    if (!live || mesh < 0 || static_cast<std::size_t>(mesh) >= live->simulation().state.meshes.size())
        return nullptr;
    const VecX& x = live->simulation().state.meshes[static_cast<std::size_t>(mesh)].x;
    places.assign(x.begin(), x.end());
    return places.data();
}

// ---- particles ----------------------------------------------------------------------------------

// How many of a system live. What they look like is then where the four calls below say, until the next
// call of this one: floats x y z a particle, its radius, its colour as four bytes, and x y z of its
// velocity.
SINEW_EXPORT(particles) int particles(int system)
{
    const ParticleState* state = particlesOf(system);
    if (!state) return 0;
    lookAt(live->simulation().model().particles[static_cast<std::size_t>(system)], *state, true, look);
    return look.count();
}

SINEW_EXPORT(particlePlaces) const float* particlePlaces()
{
    return look.places.data();
}

SINEW_EXPORT(particleSizes) const float* particleSizes()
{
    return look.sizes.data();
}

SINEW_EXPORT(particleColors) const std::uint32_t* particleColors()
{
    return look.colors.data();
}

SINEW_EXPORT(particleVelocities) const float* particleVelocities()
{
    return look.velocities.data();
}

// The places that the particles of a system remember, x y z, the newest first, a particle after the other.
SINEW_EXPORT(particleTrails) const float* particleTrails(int system)
{
    trails.clear();
    const ParticleState* state = particlesOf(system);
    if (!state) return trails.data();
    const ParticleSystem& of = live->simulation().model().particles[static_cast<std::size_t>(system)];
    for (int i = 0; i < state->alive; ++i)
        for (int back = 0; back < of.trail; ++back) {
            const TrailPoint point = trailPoint(of, *state, i, back);
            trails.insert(trails.end(), {point.x, point.y, point.z});
        }
    return trails.data();
}

SINEW_EXPORT(grab) void grab(int body, double px, double py, double pz, double x, double y, double z)
{
    if (const std::string* name = nameOf(body))
        done(Interaction::Grab{*name, Vec3(px, py, pz), Vec3(x, y, z)});
}

SINEW_EXPORT(moveGrab) void moveGrab(double x, double y, double z)
{
    if (live && live->isGrabbing()) done(Interaction::MoveGrab{Vec3(x, y, z)});
}

SINEW_EXPORT(release) void release()
{
    if (live && live->isGrabbing()) done(Interaction::Release{});
}

// The room holds a line as `sinew run --live` reads it, of joints: what has no call of its own.
SINEW_EXPORT(act) int act(int length)
{
    if (!live) return 0;
    Result<std::optional<Interaction::Action>> action =
        parseLiveLine(std::string_view(room).substr(0, length), "", 1);
    if (!action) return told(action.error());
    return action.value() ? done(*action.value()) : 0;
}

SINEW_EXPORT(push) void push(int body, double px, double py, double pz, double ix, double iy, double iz)
{
    if (const std::string* name = nameOf(body))
        done(Interaction::Push{*name, Vec3(px, py, pz), Vec3(ix, iy, iz)});
}

// ---- recordings ---------------------------------------------------------------------------------

// All that was done since the scene was opened, as text that stays good until the next call.
SINEW_EXPORT(recording) const char* recordingText()
{
    recorded = live ? writeRecording(recordingOf(*live)) : std::string();
    return recorded.data();
}

SINEW_EXPORT(recordingLength) int recordingLength()
{
    return static_cast<int>(recorded.size());
}

// Begins the scene anew and does what the recording in the room says while `advance` makes its steps.
SINEW_EXPORT(replay) int beginReplay(int length)
{
    if (!live) return 0;
    Result<Recording> read = parseRecording(std::string_view(room).substr(0, length), "");
    if (!read) return told(read.error());
    Recording& recording = read.value();
    Result<LiveSimulation> made =
        LiveSimulation::create(scene, {recording.solver, recording.integrator, recording.step});
    if (!made) return told(made.error());
    live = std::move(made.value());
    replay = std::move(recording);
    nextReplayed = 0;
    if (!applyReplayed()) return 0;
    if (replay->steps == 0) replay.reset();
    return 1;
}

// Steps that a replay still has to make; none: it is over, or there was none.
SINEW_EXPORT(stepsToReplay) double stepsToReplay()
{
    return replay ? static_cast<double>(replay->steps - live->stepsMade()) : 0;
}

// Interactions so far: whoever shows settings knows by it when to look again.
SINEW_EXPORT(interactions) int interactions()
{
    return live ? static_cast<int>(live->recording().size()) : 0;
}

SINEW_EXPORT(stateHash) std::uint64_t hashOfState()
{
    return live ? stateHash(live->simulation().state) : 0;
}
