// The engine as a WebAssembly module: one live simulation behind plain C functions. web/README.md lists
// them; web/src/engine.js is the other side. Bodies are counted in the order of the scene, points are given
// in the bodies' own frames, text is UTF-8.
#include <string>
#include <vector>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/live.h"
#include "sinew/state/series.h"

#define SINEW_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

using namespace sinew;

std::string room, message, information;
std::optional<LiveSimulation> live;
bool sceneHasSprings = false, sceneHasDampers = false;
json::Value sceneIntegrators;  // those that know all of the scene; a grab does not count
std::vector<double> row;

// 1 for success; otherwise the reason becomes the message.
int told(const std::optional<Diagnostic>& fault)
{
    message = fault ? fault->text() : std::string();
    return fault ? 0 : 1;
}

// The body in tree order and the point from its centre of mass.
struct Place {
    int body = 0;
    Vec3 point = Vec3::Zero();
};
std::optional<Place> placeOn(int body, const Vec3& point)
{
    if (!live) return {};
    const Model& model = live->simulation().model;
    if (body < 0 || body >= model.size()) return {};
    const int index = model.bodyOrder[body];
    return Place{index, point - model.bodies[index].center};
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

std::string describe(const LiveSimulation& open)
{
    const Simulation& simulation = open.simulation();
    json::Value gravity = json::Value::array(), columns = json::Value::array();
    for (double part : open.parameters().gravity) gravity.add(part);
    for (const std::string& name : seriesNames(simulation.model)) columns.add(name);
    json::Value info = json::Value::object();
    info.add("solver", simulation.method->name);
    info.add("integrator", simulation.integrator->name);
    info.add("coordinates", coordinatesName(*simulation.method));
    info.add("step", simulation.h);
    info.add("gravity", std::move(gravity));
    info.add("bodies", simulation.model.size());
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
    Result<LiveSimulation> made = LiveSimulation::create(std::move(description.value()), {});
    if (!made) return told(made.error());
    live = std::move(made.value());
    sceneIntegrators = integratorsFor(live->simulation().model);
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
SINEW_EXPORT(choose) int choose(int length, double step)
{
    if (!live) return 0;
    const std::string text = room.substr(0, length);
    const std::size_t end = std::min(text.find('\n'), text.size());
    Settings settings;
    settings.solver = text.substr(0, end);
    settings.integrator = text.substr(std::min(end + 1, text.size()));
    if (step > 0) settings.step = step;
    return told(live->choose(settings));
}

SINEW_EXPORT(change)
int change(double gx, double gy, double gz, double stiffnessFactor, double dampingFactor,
           double addedStiffness, double addedDamping, int torques)
{
    if (!live) return 0;
    return told(live->change(
        {Vec3(gx, gy, gz), stiffnessFactor, dampingFactor, addedStiffness, addedDamping, torques != 0}));
}

SINEW_EXPORT(reset) int reset()
{
    if (!live) return 0;
    live->reset();
    return 1;
}

// Steps made. Fewer than asked for: the motion diverged, and the message says where.
SINEW_EXPORT(advance) int advance(int count)
{
    if (!live) return 0;
    for (int i = 0; i < count; ++i) {
        const StepReport report = live->step();
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
    if (live) appendPoses(live->simulation().model, live->simulation().state, row);
    return row.data();
}

SINEW_EXPORT(measures) const double* measures()
{
    row.clear();
    if (live) appendMeasures(live->simulation().model, live->simulation().state, row);
    return row.data();
}

SINEW_EXPORT(series) const double* series()
{
    row.clear();
    if (live) {
        const Simulation& simulation = live->simulation();
        const Accelerations& accelerations = live->accelerate();
        appendSeries(simulation.model, simulation.state, simulation.work.forces, accelerations, row);
    }
    return row.data();
}

SINEW_EXPORT(grab) void grab(int body, double px, double py, double pz, double x, double y, double z)
{
    if (const auto place = placeOn(body, {px, py, pz})) live->grab(place->body, place->point, {x, y, z});
}

SINEW_EXPORT(moveGrab) void moveGrab(double x, double y, double z)
{
    if (live) live->moveGrab({x, y, z});
}

SINEW_EXPORT(release) void release()
{
    if (live) live->release();
}

SINEW_EXPORT(push) void push(int body, double px, double py, double pz, double ix, double iy, double iz)
{
    if (const auto place = placeOn(body, {px, py, pz})) live->push(place->body, place->point, {ix, iy, iz});
}

SINEW_EXPORT(stateHash) std::uint64_t hashOfState()
{
    return live ? stateHash(live->simulation().state) : 0;
}
