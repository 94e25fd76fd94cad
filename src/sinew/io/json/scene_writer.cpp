// Description → text.
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew {
namespace {

using json::Value;

Value list(const double* numbers, std::size_t size)
{
    return Value::array(std::vector<Value>(numbers, numbers + size));
}

Value list(const Vec3& v)
{
    return list(v.data(), 3);
}

Value matrix(const Mat3& m)
{
    const Mat3 diagonal = m.diagonal().asDiagonal();
    if (m == diagonal) return list(m.diagonal());
    Value rows = Value::array();
    for (int i = 0; i < 3; ++i) rows.add(list(Vec3(m.row(i).transpose())));
    return rows;
}

// Members that are left out when they say nothing but the default.
void addPosition(Value& out, const Vec3& position)
{
    if (!position.isZero(0)) out.add("position", list(position));
}
void addOrientation(Value& out, const Quat& q)
{
    if (q.coeffs() != Quat::Identity().coeffs()) out.add("orientation", list(q.coeffs().data(), 4));
}
void addNumber(Value& out, const char* key, const std::optional<double>& number)
{
    if (number) out.add(key, *number);
}
void addNumber(Value& out, const char* key, double number, double byDefault = 0)
{
    if (number != byDefault) out.add(key, number);
}
void addVector(Value& out, const char* key, const std::optional<Vec3>& v)
{
    if (v) out.add(key, list(*v));
}
void addText(Value& out, const char* key, const std::string& text)
{
    if (!text.empty()) out.add(key, text);
}
void addFreedoms(Value& out, const char* key, const std::vector<double>& numbers)
{
    if (numbers.size() == 1)
        out.add(key, numbers[0]);
    else if (!numbers.empty())
        out.add(key, list(numbers.data(), numbers.size()));
}

void addTriangles(Value& out, const std::vector<Vec3>& vertices,
                  const std::vector<std::array<int, 3>>& faces)
{
    Value places = Value::array(), corners = Value::array();
    for (const Vec3& vertex : vertices) places.add(list(vertex));
    for (const auto& face : faces) corners.add(Value::array({face[0], face[1], face[2]}));
    out.add("vertices", std::move(places));
    if (!faces.empty()) out.add("faces", std::move(corners));
}

struct AddSizes {
    Value& out;

    void operator()(const Sphere& shape) const { out.add("radius", shape.radius); }
    void operator()(const Box& shape) const { out.add("size", list(shape.size)); }
    void operator()(const Capsule& shape) const { round(shape.radius, shape.length); }
    void operator()(const Cylinder& shape) const { round(shape.radius, shape.length); }
    void operator()(const Ellipsoid& shape) const { out.add("radii", list(shape.radii)); }
    void operator()(const ConvexMesh& mesh) const { addTriangles(out, mesh.vertices, mesh.faces); }
    void round(double radius, double length) const
    {
        out.add("radius", radius);
        out.add("length", length);
    }
};

Value shapeValue(const ShapeDescription& shape)
{
    Value out = Value::object();
    out.add("type", shapeName(shape.shape));
    std::visit(AddSizes{out}, shape.shape);
    addPosition(out, shape.pose.position);
    addOrientation(out, shape.pose.orientation);
    addNumber(out, "density", shape.density);
    addNumber(out, "mass", shape.mass);
    return out;
}

Value dragValue(const DragDescription& drag)
{
    Value out = Value::object();
    addNumber(out, "radius", drag.radius);
    addNumber(out, "area", drag.area);
    addNumber(out, "coefficient", drag.coefficient);
    return out;
}

Value bodyValue(const BodyDescription& body)
{
    Value out = Value::object();
    out.add("name", body.name);
    addPosition(out, body.pose.position);
    addOrientation(out, body.pose.orientation);
    addNumber(out, "mass", body.mass);
    if (body.inertia) out.add("inertia", matrix(*body.inertia));
    addVector(out, "center", body.center);
    if (!body.shapes.empty()) {
        Value shapes = Value::array();
        for (const ShapeDescription& shape : body.shapes) shapes.add(shapeValue(shape));
        out.add("shapes", std::move(shapes));
    }
    addNumber(out, "friction", body.friction);
    addNumber(out, "static_friction", body.staticFriction);
    addNumber(out, "rolling_friction", body.rollingFriction);
    addNumber(out, "spinning_friction", body.spinningFriction);
    addNumber(out, "restitution", body.restitution);
    addText(out, "layer", body.layer);
    if (!body.collides) out.add("collides", false);
    Value drag = dragValue(body.drag);
    if (!drag.members().empty()) out.add("drag", std::move(drag));
    addVector(out, "velocity", body.velocity);
    addVector(out, "angular_velocity", body.angularVelocity);
    return out;
}

Value jointValue(const JointDescription& joint)
{
    Value out = Value::object();
    out.add("name", joint.name);
    out.add("type", jointTypeName(joint.type));
    out.add("first", joint.first);
    out.add("second", joint.second);
    addPosition(out, joint.position);
    addVector(out, "axis", joint.axis);
    addVector(out, "axis2", joint.axis2);
    addNumber(out, "stiffness", joint.stiffness);
    addNumber(out, "twist_stiffness", joint.twistStiffness);
    addNumber(out, "damping", joint.damping);
    addNumber(out, "armature", joint.armature);
    addNumber(out, "coulomb", joint.coulomb);
    addFreedoms(out, "motor", joint.motor);
    addFreedoms(out, "coordinate", joint.coordinate);
    addFreedoms(out, "velocity", joint.velocity);
    addFreedoms(out, "rest", joint.rest);
    addFreedoms(out, "lower", joint.lower);
    addFreedoms(out, "upper", joint.upper);
    addNumber(out, "swing_limit", joint.swingLimit);
    addNumber(out, "limit_stiffness", joint.limitStiffness);
    return out;
}

// Every key is told: what a number would be without one is nothing a reader of the file should look up.
struct SignalValueOf {
    Value operator()(const ConstantSignal& s) const { return s.value; }
    Value operator()(const SineSignal& s) const
    {
        return named("sine", {{"amplitude", s.amplitude},
                              {"frequency", s.frequency},
                              {"phase", s.phase},
                              {"offset", s.offset}});
    }
    Value operator()(const PulseSignal& s) const
    {
        return named("pulse", {{"height", s.height},
                               {"start", s.start},
                               {"length", s.length},
                               {"period", s.period},
                               {"ramp", s.ramp}});
    }
    Value operator()(const StepSignal& s) const
    {
        return named("step", {{"from", s.from}, {"to", s.to}, {"time", s.time}, {"ramp", s.ramp}});
    }
    Value operator()(const NoiseSignal& s) const
    {
        return named("noise", {{"amplitude", s.amplitude},
                               {"frequency", s.frequency},
                               {"seed", static_cast<double>(s.seed)}});
    }
    Value operator()(const KeySignal& s) const
    {
        Value out = Value::object(), keys = Value::array();
        for (const KeySignal::Key& key : s.keys) keys.add(Value::array({key.time, key.value}));
        out.add("keys", std::move(keys));
        if (!s.smooth) out.add("smooth", false);
        addNumber(out, "period", s.period);
        return out;
    }

private:
    static Value named(const char* form, std::initializer_list<std::pair<const char*, double>> numbers)
    {
        Value inner = Value::object(), out = Value::object();
        for (const auto& [key, number] : numbers) inner.add(key, number);
        out.add(form, std::move(inner));
        return out;
    }
};

Value signalValue(const Signal& signal)
{
    if (signal.parts.empty()) return 0.;
    if (signal.parts.size() == 1) return std::visit(SignalValueOf{}, signal.parts[0]);
    Value out = Value::object(), parts = Value::array();
    for (const SignalPart& part : signal.parts) parts.add(std::visit(SignalValueOf{}, part));
    out.add("sum", std::move(parts));
    return out;
}

void addSignals(Value& out, const char* key, const std::vector<Signal>& signals)
{
    if (signals.size() == 1) {
        out.add(key, signalValue(signals[0]));
    } else if (!signals.empty()) {
        Value all = Value::array();
        for (const Signal& signal : signals) all.add(signalValue(signal));
        out.add(key, std::move(all));
    }
}

Value conditionValue(const ConditionDescription& condition)
{
    static constexpr const char* quantities[] = {"angle", "height", "speed", "touch"};
    Value out = Value::object();
    out.add(quantities[static_cast<int>(condition.quantity)], condition.of);
    addNumber(out, "freedom", condition.freedom);
    addNumber(out, "above", condition.above);
    addNumber(out, "below", condition.below);
    return out;
}
void addConditions(Value& out, const std::optional<ConditionDescription>& when,
                   const std::optional<ConditionDescription>& during)
{
    if (when) out.add("when", conditionValue(*when));
    if (during) out.add("while", conditionValue(*during));
}
void addSignal(Value& out, const char* key, const std::optional<Signal>& signal)
{
    if (signal) out.add(key, signalValue(*signal));
}

Value forceValue(const ForceDescription& force)
{
    Value out = Value::object();
    out.add("body", force.body);
    if (!force.force.isZero(0)) out.add("force", list(force.force));
    if (!force.torque.isZero(0)) out.add("torque", list(force.torque));
    addVector(out, "point", force.point);
    addSignal(out, "signal", force.signal);
    addConditions(out, force.when, force.during);
    return out;
}

struct AddTerrain {
    Value& out;

    void operator()(const HalfSpace&) const {}  // a plane has a type of its own
    void operator()(const HeightField& field) const
    {
        out.add("type", "height_field");
        out.add("columns", field.columns);
        out.add("rows", field.rows);
        out.add("spacing", field.spacing);
        out.add("heights", list(field.heights.data(), field.heights.size()));
    }
    void operator()(const TriangleMesh& mesh) const
    {
        out.add("type", "triangles");
        addTriangles(out, mesh.vertices, mesh.faces);
    }
};

Value obstacleValue(const ObstacleDescription& obstacle)
{
    using Type = ObstacleDescription::Type;
    const ObstacleDescription usual;
    Value out = Value::object();
    addText(out, "name", obstacle.name);
    if (obstacle.type == Type::plane) {
        out.add("type", "plane");
        if (obstacle.normal != usual.normal) out.add("normal", list(obstacle.normal));
    } else if (obstacle.type == Type::sphere) {
        out.add("type", "sphere");
        out.add("radius", obstacle.radius);
    } else if (obstacle.type == Type::shape) {
        out.add("type", shapeName(obstacle.shape));
        std::visit(AddSizes{out}, obstacle.shape);
    } else {
        std::visit(AddTerrain{out}, obstacle.terrain);
    }
    addPosition(out, obstacle.position);
    addOrientation(out, obstacle.orientation);
    addNumber(out, "stiffness", obstacle.stiffness);
    addNumber(out, "damping", obstacle.damping);
    addNumber(out, "friction", obstacle.friction);
    addNumber(out, "static_friction", obstacle.staticFriction);
    addNumber(out, "rolling_friction", obstacle.rollingFriction);
    addNumber(out, "spinning_friction", obstacle.spinningFriction);
    addNumber(out, "restitution", obstacle.restitution);
    addText(out, "layer", obstacle.layer);
    return out;
}

// true where all is as usual.
Value contactValue(const ContactDescription& contact)
{
    static constexpr const char* responses[] = {"kinematic", "penalty", "impulse", "resting"};
    static constexpr const char* solvers[] = {"auto", "exact", "iterative"};
    const ContactDescription usual;
    Value out = Value::object();
    if (contact.response != usual.response)
        out.add("response", responses[static_cast<int>(contact.response)]);
    addNumber(out, "friction", contact.friction, usual.friction);
    addNumber(out, "static_friction", contact.staticFriction);
    addNumber(out, "rolling_friction", contact.rollingFriction, usual.rollingFriction);
    addNumber(out, "spinning_friction", contact.spinningFriction, usual.spinningFriction);
    addNumber(out, "restitution", contact.restitution, usual.restitution);
    addNumber(out, "bounce_speed", contact.bounceSpeed);
    addNumber(out, "keep", contact.keep, usual.keep);
    addNumber(out, "stiffness", contact.stiffness, usual.stiffness);
    addNumber(out, "damping", contact.damping, usual.damping);
    if (!contact.atFraction) out.add("time", "step");
    if (contact.solver != usual.solver) out.add("solver", solvers[static_cast<int>(contact.solver)]);
    addNumber(out, "sweeps", contact.sweeps, usual.sweeps);
    addNumber(out, "tolerance", contact.tolerance);
    if (contact.plainInertia) out.add("inertia", "plain");
    if (contact.sleeping) out.add("sleeping", true);
    if (!contact.ignore.empty()) {
        Value pairs = Value::array();
        for (const auto& [one, other] : contact.ignore) pairs.add(Value::array({one, other}));
        out.add("ignore", std::move(pairs));
    }
    return out.members().empty() ? Value(true) : out;
}

Value pathValue(const std::vector<TargetDescription::Key>& keys)
{
    Value path = Value::array();
    for (const TargetDescription::Key& key : keys) {
        Value item = Value::object();
        item.add("time", key.time);
        addVector(item, "position", key.position);
        // Kept even if it is no turn at all: without it the body's own rest pose would be meant.
        if (key.orientation) item.add("orientation", list(key.orientation->coeffs().data(), 4));
        path.add(std::move(item));
    }
    return path;
}

Value targetValue(const TargetDescription& target)
{
    Value out = Value::object();
    out.add("body", target.body);
    addVector(out, "point", target.point);
    addNumber(out, "stiffness", target.stiffness);
    addNumber(out, "damping", target.damping);
    addNumber(out, "turn_stiffness", target.turnStiffness);
    addNumber(out, "turn_damping", target.turnDamping);
    out.add("path", pathValue(target.path));
    if (target.smooth) out.add("smooth", true);
    addNumber(out, "limit", target.limit);
    addSignal(out, "weight", target.weight);
    return out;
}

Value couplingValue(const CouplingDescription& coupling)
{
    Value out = Value::object();
    out.add("follower", coupling.follower);
    out.add("leader", coupling.leader);
    if (coupling.ratio != 1) out.add("ratio", coupling.ratio);
    addNumber(out, "offset", coupling.offset);
    return out;
}

Value switchValue(const SwitchDescription& change)
{
    Value out = Value::object();
    out.add("time", change.time);
    addText(out, "joint", change.joint);
    if (!change.active) out.add("active", false);
    return out;
}

Value motorValue(const MotorDescription& motor)
{
    Value out = Value::object();
    out.add("joint", motor.joint);
    addSignals(out, "torque", motor.torque);
    addConditions(out, motor.when, motor.during);
    return out;
}

Value torqueValue(const TorqueDescription& torque)
{
    using Part = TorqueDescription::Part;
    Value out = Value::object();
    out.add("joint", torque.joint);
    if (torque.part != Part::freedom) out.add("part", torque.part == Part::swing ? "swing" : "twist");
    addNumber(out, "freedom", torque.freedom);
    const auto addPair = [&](const char* key, const std::optional<std::array<double, 2>>& pair) {
        if (pair) out.add(key, list(pair->data(), 2));
    };
    addPair("free", torque.free);
    addPair("slope", torque.slope);
    addPair("most", torque.most);
    if (!torque.curve.empty()) {
        Value curve = Value::array();
        for (const auto& [angle, moment] : torque.curve) curve.add(Value::array({angle, moment}));
        out.add("curve", std::move(curve));
    }
    addSignals(out, "center", torque.center);
    addNumber(out, "free_damping", torque.freeDamping);
    return out;
}

Value controllerValue(const ControllerDescription& controller)
{
    Value out = Value::object();
    out.add("joint", controller.joint);
    addNumber(out, "stiffness", controller.stiffness);
    addNumber(out, "damping", controller.damping);
    addSignals(out, "target", controller.target);
    addText(out, "motion", controller.motion);
    addNumber(out, "limit", controller.limit);
    addSignal(out, "weight", controller.weight);
    return out;
}

Value names(const std::vector<std::string>& words)
{
    Value out = Value::array();
    for (const std::string& word : words) out.add(word);
    return out;
}

Value supportValue(const SupportDescription& support)
{
    static constexpr const char* places[] = {"body", "center", "feet"};
    Value out = Value::object();
    out.add("at", places[static_cast<int>(support.at)]);
    if (support.bodies.size() == 1)
        out.add("body", support.bodies[0]);
    else
        out.add("bodies", names(support.bodies));
    addNumber(out, "share", support.share, 1);
    addVector(out, "point", support.point);
    addSignal(out, "weight", support.weight);
    return out;
}

Value motionValue(const MotionDescription& motion)
{
    Value out = Value::object(), joints = Value::object(), roots = Value::object();
    out.add("name", motion.name);
    for (const MotionDescription::JointCurve& curve : motion.joints)
        addSignals(joints, curve.joint.c_str(), curve.coordinate);
    for (const MotionDescription::RootPath& root : motion.roots) {
        Value one = Value::object();
        one.add("path", pathValue(root.path));
        if (!root.smooth) one.add("smooth", false);
        roots.add(root.body, std::move(one));
    }
    if (!motion.joints.empty()) out.add("joints", std::move(joints));
    if (!motion.roots.empty()) out.add("roots", std::move(roots));
    return out;
}

Value trackValue(const TrackDescription& track)
{
    Value out = Value::object();
    out.add("motion", track.motion);
    if (!track.bodies.empty()) out.add("bodies", names(track.bodies));
    addNumber(out, "stiffness", track.stiffness);
    addNumber(out, "damping", track.damping);
    addNumber(out, "turn_stiffness", track.turnStiffness);
    addNumber(out, "turn_damping", track.turnDamping);
    if (!track.weights.empty()) {
        Value weights = Value::object();
        for (const TrackDescription::Weight& own : track.weights) weights.add(own.body, own.weight);
        out.add("weights", std::move(weights));
    }
    addSignal(out, "weight", track.weight);
    return out;
}

Value prescribedValue(const PrescribedDescription& given)
{
    Value out = Value::object();
    addText(out, "joint", given.joint);
    addSignals(out, "motion", given.motion);
    addText(out, "body", given.body);
    if (!given.path.empty()) out.add("path", pathValue(given.path));
    if (!given.smooth) out.add("smooth", false);
    addVector(out, "point", given.point);
    addNumber(out, "from", given.from);
    addNumber(out, "until", given.until);
    addNumber(out, "blend", given.blend);
    return out;
}

void addChoice(Value& out, const VertexChoice& choice)
{
    if (!choice.vertices.empty()) {
        Value all = Value::array();
        for (int i : choice.vertices) all.add(i);
        out.add("vertices", std::move(all));
    }
    if (choice.box) out.add("box", Value::array({list((*choice.box)[0]), list((*choice.box)[1])}));
    addVector(out, "near", choice.near);
    addNumber(out, "radius", choice.radius);
}

Value pinValue(const PinDescription& pin)
{
    Value out = Value::object();
    addChoice(out, pin.at);
    if (pin.body != "world") out.add("body", pin.body);
    addNumber(out, "stiffness", pin.stiffness);
    addNumber(out, "damping", pin.damping);
    return out;
}

Value vertexForceValue(const VertexForceDescription& force)
{
    Value out = Value::object();
    addChoice(out, force.at);
    out.add("force", list(force.force));
    addSignal(out, "signal", force.signal);
    return out;
}

template <class T>
void addList(Value& out, const char* key, const std::vector<T>& items, Value (*valueOf)(const T&))
{
    if (items.empty()) return;
    Value all = Value::array();
    for (const T& item : items) all.add(valueOf(item));
    out.add(key, std::move(all));
}

// A mesh out of a file is written with its vertices and faces.
Value meshValue(const SpringMeshDescription& mesh)
{
    using M = SpringMeshDescription;
    Value out = Value::object();
    out.add("name", mesh.name);
    if (mesh.form != M::Form::given)
        out.add("type", mesh.form == M::Form::cloth  ? "cloth"
                        : mesh.form == M::Form::ball ? "ball"
                                                     : "beam");
    const auto corners = [](const auto& items) {
        Value all = Value::array();
        for (const auto& item : items) {
            Value one = Value::array();
            for (int i : item) one.add(i);
            all.add(std::move(one));
        }
        return all;
    };
    if (!mesh.vertices.empty()) {
        Value all = Value::array();
        for (const Vec3& v : mesh.vertices) all.add(list(v));
        out.add("vertices", std::move(all));
    }
    if (!mesh.faces.empty()) out.add("faces", corners(mesh.faces));
    if (!mesh.edges.empty()) out.add("edges", corners(mesh.edges));
    if (!mesh.size.empty()) out.add("size", list(mesh.size.data(), mesh.size.size()));
    if (!mesh.segments.empty()) {
        Value all = Value::array();
        for (int i : mesh.segments) all.add(i);
        out.add("segments", std::move(all));
    }
    addPosition(out, mesh.pose.position);
    addOrientation(out, mesh.pose.orientation);
    if (!mesh.velocity.isZero(0)) out.add("velocity", list(mesh.velocity));
    const M blank;
    addNumber(out, "mass", mesh.mass, blank.mass);
    if (mesh.massBy == M::MassBy::vertex) out.add("mass_by", "vertex");
    addNumber(out, "stiffness", mesh.stiffness, blank.stiffness);
    addNumber(out, "damping", mesh.damping);
    addNumber(out, "shear", mesh.shear);
    addNumber(out, "bend", mesh.bend);
    addNumber(out, "bend_damping", mesh.bendDamping);
    addNumber(out, "fold", mesh.fold);
    addNumber(out, "fold_damping", mesh.foldDamping);
    addNumber(out, "struts", mesh.struts);
    addNumber(out, "strut_damping", mesh.strutDamping);
    addNumber(out, "pressure", mesh.pressure);
    addNumber(out, "bulk", mesh.bulk);
    addNumber(out, "strain_limit", mesh.strainLimit);
    addNumber(out, "drag", mesh.drag);
    addNumber(out, "lift", mesh.lift);
    addNumber(out, "thickness", mesh.thickness);
    addNumber(out, "friction", mesh.friction);
    if (!mesh.collides) out.add("collides", false);
    if (!mesh.ignore.empty()) out.add("ignore", names(mesh.ignore));
    addList(out, "pins", mesh.pins, pinValue);
    addList(out, "forces", mesh.forces, vertexForceValue);
    if (mesh.step == M::Step::fast) out.add("step", "fast");
    if (mesh.step == M::Step::quick) out.add("step", "quick");
    if (mesh.step == M::Step::scheme) out.add("step", mesh.scheme);
    if (mesh.iterations != blank.iterations) out.add("iterations", mesh.iterations);
    addNumber(out, "tolerance", mesh.tolerance, blank.tolerance);
    return out;
}

// ---- springs and fields ---------------------------------------------------------------------------

struct AddForm {
    Value& out;

    void operator()(const SpringPoint& form) const { addVector(out, "point", form.point); }
    void operator()(const SpringCurve& form) const
    {
        Value points = Value::array(), path = Value::object();
        for (const Vec3& point : form.points) points.add(list(point));
        path.add("points", std::move(points));
        if (form.smooth) path.add("smooth", true);
        if (form.closed) path.add("closed", true);
        out.add("path", std::move(path));
    }
    void operator()(const SpringPlane& form) const
    {
        Value plane = Value::object();
        plane.add("point", list(form.point));
        plane.add("normal", list(form.normal));
        out.add("plane", std::move(plane));
    }
    void operator()(const SpringSphere& form) const
    {
        Value sphere = Value::object();
        sphere.add("center", list(form.center));
        sphere.add("radius", form.radius);
        out.add("sphere", std::move(sphere));
    }
    void operator()(const SpringCylinder& form) const
    {
        Value cylinder = Value::object();
        cylinder.add("point", list(form.point));
        cylinder.add("axis", list(form.axis));
        cylinder.add("radius", form.radius);
        out.add("cylinder", std::move(cylinder));
    }
};

Value endValue(const SpringEndDescription& end)
{
    Value out = Value::object();
    if (end.isOnMesh()) {
        out.add("mesh", end.mesh);
        out.add("vertex", end.vertex);
        return out;
    }
    out.add("body", end.body);
    std::visit(AddForm{out}, end.form);
    return out;
}

Value springValue(const SpringDescription& spring)
{
    Value out = Value::object();
    addText(out, "name", spring.name);
    out.add("first", endValue(spring.first));
    out.add("second", endValue(spring.second));
    addNumber(out, "length", spring.length);
    addNumber(out, "stiffness", spring.stiffness);
    addNumber(out, "damping", spring.damping);
    if (spring.acts != SpringActs::both) out.add("acts", spring.acts == SpringActs::push ? "push" : "pull");
    addNumber(out, "turn_stiffness", spring.turnStiffness);
    addNumber(out, "turn_damping", spring.turnDamping);
    return out;
}

// ---- wishes ---------------------------------------------------------------------------------------

Value placeValue(const WishPlace& place)
{
    if (place.body == "world" && place.point) return list(*place.point);
    if (!place.point) return place.body;
    Value out = Value::object();
    out.add("body", place.body);
    out.add("point", list(*place.point));
    return out;
}

Value wishValue(const WishDescription& wish)
{
    Value out = Value::object();
    addText(out, "name", wish.name);
    out.add("type", wish.type);
    if (wish.of.body != "world") out.add("body", wish.of.body);
    addVector(out, "point", wish.of.point);
    if (wish.to) out.add("to", placeValue(*wish.to));
    std::visit(AddForm{out}, wish.on);
    addList(out, "points", wish.points, placeValue);
    if (!wish.joints.empty()) {
        Value joints = Value::object();
        for (const auto& [joint, coordinate] : wish.joints) addFreedoms(joints, joint.c_str(), coordinate);
        out.add("joints", std::move(joints));
    }
    addVector(out, "axis", wish.axis);
    addVector(out, "direction", wish.direction);
    if (wish.orientation) out.add("orientation", list(wish.orientation->coeffs().data(), 4));
    addVector(out, "velocity", wish.velocity);
    addNumber(out, "length", wish.length);
    if (wish.side != WishDescription::Side::both)
        out.add("side", wish.side == WishDescription::Side::atLeast ? "at_least" : "at_most");
    addNumber(out, "weight", wish.weight, 1);
    if (wish.soft) out.add("soft", true);
    addNumber(out, "from", wish.from);
    addNumber(out, "until", wish.until);
    if (wish.acts) out.add("acts", true);
    addNumber(out, "damping", wish.damping);
    return out;
}

// ---- a motion to be found -------------------------------------------------------------------------

Value driveValue(const PlanDescription::Drive& drive)
{
    Value out = Value::object();
    addText(out, "joint", drive.joint);
    addText(out, "body", drive.body);
    addNumber(out, "limit", drive.limit);
    addNumber(out, "cost", drive.cost, 1);
    return out;
}

Value planContactValue(const PlanDescription::Contact& contact)
{
    Value out = Value::object();
    addText(out, "name", contact.name);
    out.add("body", contact.body);
    addList(
        out, "points", contact.points, +[](const Vec3& point) { return list(point); });
    out.add("from", contact.from);
    out.add("until", contact.until);
    if (contact.normal != Vec3(0, 1, 0)) out.add("normal", list(contact.normal));
    addNumber(out, "height", contact.height);
    addNumber(out, "friction", contact.friction, 1);
    return out;
}

Value clearanceValue(const PlanDescription::Clearance& clearance)
{
    Value out = Value::object();
    addText(out, "name", clearance.name);
    out.add("body", clearance.body);
    addVector(out, "point", clearance.point);
    if (clearance.normal != Vec3(0, 1, 0)) out.add("normal", list(clearance.normal));
    addNumber(out, "height", clearance.height);
    return out;
}

Value stillValue(const PlanDescription::Still& still)
{
    if (still.joints.empty()) return still.time;
    Value out = Value::object();
    out.add("time", still.time);
    addList(
        out, "joints", still.joints, +[](const std::string& name) { return Value(name); });
    return out;
}

Value guessValue(const PlanDescription::Guess& guess)
{
    Value out = Value::object();
    out.add("time", guess.time);
    Value joints = Value::object();
    for (const auto& [joint, coordinate] : guess.joints) addFreedoms(joints, joint.c_str(), coordinate);
    if (!guess.joints.empty()) out.add("joints", std::move(joints));
    return out;
}

Value planValue(const PlanDescription& plan)
{
    Value out = Value::object();
    out.add("duration", plan.duration);
    addNumber(out, "piece", plan.piece, 0.05);
    if (plan.points != 3) out.add("points", plan.points);
    if (plan.start != PlanDescription::Start::state)
        out.add("start", plan.start == PlanDescription::Start::pose ? "pose" : "free");
    addList(out, "drives", plan.drives, driveValue);
    if (plan.force != 1 || plan.power != 0 || plan.acceleration != 0) {
        Value cost = Value::object();
        addNumber(cost, "force", plan.force);
        addNumber(cost, "power", plan.power);
        addNumber(cost, "acceleration", plan.acceleration);
        out.add("minimize", std::move(cost));
    }
    addList(out, "still", plan.still, stillValue);
    addList(out, "contacts", plan.contacts, planContactValue);
    addList(out, "clear", plan.clearances, clearanceValue);
    addList(out, "guess", plan.guess, guessValue);
    return out;
}

Value mediumValue(const MediumDescription& medium)
{
    Value out = Value::object();
    addNumber(out, "viscosity", medium.viscosity);
    addNumber(out, "density", medium.density);
    return out;
}

Value fieldValue(const FieldDescription& field)
{
    using Type = FieldDescription::Type;
    static constexpr const char* types[] = {"wind", "gusts", "vortex", "attractor"};
    Value out = Value::object();
    out.add("type", types[static_cast<std::size_t>(field.type)]);
    addText(out, "name", field.name);
    if (field.type == Type::wind || !field.velocity.isZero(0)) out.add("velocity", list(field.velocity));
    if (field.type == Type::gusts || field.type == Type::vortex) out.add("speed", field.speed);
    addPosition(out, field.position);
    if (field.type == Type::gusts) {
        out.add("size", field.size);
        addNumber(out, "duration", field.duration);
        if (field.seed != 0) out.add("seed", static_cast<double>(field.seed));
        addOrientation(out, field.orientation);
        if (field.mirrored) out.add("mirrored", true);
    } else if (field.type == Type::vortex) {
        out.add("axis", list(field.axis));
        out.add("radius", field.radius);
    } else if (field.type == Type::attractor) {
        out.add("strength", field.strength);
        if (field.exponent != FieldDescription().exponent) out.add("exponent", field.exponent);
        addNumber(out, "softening", field.softening);
        if (!field.byMass) out.add("gives", "force");
    }
    addSignal(out, "signal", field.signal);
    return out;
}

Value runValue(const RunSettings& run)
{
    Value out = Value::object();
    addText(out, "solver", run.solver);
    addText(out, "integrator", run.integrator);
    addText(out, "coordinates", run.coordinates);
    addNumber(out, "step", run.step);
    addNumber(out, "duration", run.duration);
    addNumber(out, "fps", run.fps);
    if (run.slowBand) out.add("slow_band", *run.slowBand);
    if (run.spread) out.add("spread", true);
    addNumber(out, "tolerance", run.tolerance);
    return out;
}

// ---- particles ----------------------------------------------------------------------------------

Value spreadValue(const Spread& spread)
{
    if (spread.kind == Spread::Kind::constant) return spread.value;
    const bool isUniform = spread.kind == Spread::Kind::uniform;
    Value out = Value::object();
    out.add(isUniform ? "from" : "mean", spread.value);
    out.add(isUniform ? "to" : "deviation", spread.other);
    return out;
}

void addSpread(Value& out, const char* key, const Spread& spread, double byDefault)
{
    if (spread.kind != Spread::Kind::constant || spread.value != byDefault)
        out.add(key, spreadValue(spread));
}

Value emitterValue(const EmitterDescription& emitter)
{
    using Type = EmitterDescription::Type;
    static constexpr const char* types[] = {"point", "disc", "sphere", "mesh", "body"};
    Value out = Value::object();
    out.add("type", types[static_cast<int>(emitter.type)]);
    addText(out, "body", emitter.body);
    addPosition(out, emitter.pose.position);
    addOrientation(out, emitter.pose.orientation);
    if (emitter.type == Type::disc || emitter.type == Type::sphere) {
        out.add("radius", emitter.radius);
        if (emitter.surface) out.add("surface", true);
    }
    if (emitter.type == Type::mesh) addTriangles(out, emitter.mesh.vertices, emitter.mesh.faces);
    addNumber(out, "inherit", emitter.inherit, 1);
    return out;
}

Value birthVelocityValue(const BirthVelocity& velocity)
{
    using Kind = BirthVelocity::Kind;
    if (velocity.kind == Kind::fixed) return list(velocity.value);
    Value out = Value::object();
    if (velocity.kind == Kind::cone) {
        if (velocity.direction != Vec3(0, 1, 0)) out.add("direction", list(velocity.direction));
        out.add("speed", spreadValue(velocity.speed));
        addNumber(out, "angle", velocity.angle);
        return out;
    }
    out.add(velocity.kind == Kind::box ? "from" : "mean", list(velocity.value));
    out.add(velocity.kind == Kind::box ? "to" : "deviation", list(velocity.other));
    return out;
}

Value overLifeValue(const ParticlesDescription& particles)
{
    Value out = Value::object();
    const auto add = [&](const char* key, const std::vector<LifeKey>& keys) {
        Value curve = Value::array();
        for (const LifeKey& each : keys) curve.add(Value::array({each.life, each.value}));
        if (!keys.empty()) out.add(key, std::move(curve));
    };
    add("size", particles.sizeOverLife);
    add("opacity", particles.opacityOverLife);
    add("drag", particles.dragOverLife);
    Value colors = Value::array();
    for (const LifeColor& each : particles.colorOverLife)
        colors.add(Value::array({Value(each.life), list(each.color)}));
    if (!particles.colorOverLife.empty()) out.add("color", std::move(colors));
    return out;
}

Value particleTargetValue(const ParticleTargetDescription& target)
{
    Value out = Value::object();
    addNumber(out, "stiffness", target.stiffness);
    addNumber(out, "damping", target.damping);
    if (!target.path.empty()) out.add("path", pathValue(target.path));
    if (target.smooth) out.add("smooth", true);
    addText(out, "body", target.body);
    addVector(out, "point", target.point);
    return out;
}

// true where all is as usual.
Value bounceValue(const BounceDescription& bounce)
{
    const BounceDescription usual;
    Value out = Value::object();
    if (bounce.response != usual.response) out.add("response", "penalty");
    addNumber(out, "keep", bounce.keep, usual.keep);
    addNumber(out, "friction", bounce.friction, usual.friction);
    if (!bounce.atFraction) out.add("time", "step");
    addNumber(out, "stiffness", bounce.stiffness);
    addNumber(out, "damping", bounce.damping);
    if (bounce.dies) out.add("dies", true);
    return out.members().empty() ? Value(true) : out;
}

void addBirths(Value& out, const ParticlesDescription& particles)
{
    using Births = ParticlesDescription::Births;
    if (!particles.rate.parts.empty()) out.add("rate", signalValue(particles.rate));
    if (particles.births == Births::uniform) out.add("spread", particles.rateSpread);
    if (particles.births == Births::even) out.add("spread", "even");
    addNumber(out, "from", particles.from);
    addNumber(out, "until", particles.until);
    Value bursts = Value::array();
    for (const Burst& burst : particles.bursts) {
        Value one = Value::object();
        addNumber(one, "time", burst.time);
        one.add("count", burst.count);
        addNumber(one, "every", burst.every);
        bursts.add(std::move(one));
    }
    if (!particles.bursts.empty()) out.add("bursts", std::move(bursts));
    out.add("most", particles.most);
    addNumber(out, "seed", static_cast<double>(particles.seed));
}

Value particlesValue(const ParticlesDescription& particles)
{
    static constexpr const char* shapes[] = {"point", "streak", "sprite", "sphere"};
    const ParticlesDescription usual;
    Value out = Value::object();
    out.add("name", particles.name);
    out.add("emitter", emitterValue(particles.emitter));
    addBirths(out, particles);
    const BirthVelocity& velocity = particles.velocity;
    if (velocity.kind != BirthVelocity::Kind::fixed || !velocity.value.isZero(0))
        out.add("velocity", birthVelocityValue(velocity));
    addSpread(out, "outward", particles.outward, 0);
    addSpread(out, "life", particles.life, usual.life.value);
    addSpread(out, "size", particles.size, usual.size.value);
    addSpread(out, "opacity", particles.opacity, usual.opacity.value);
    if (particles.otherColor) {
        Value color = Value::object();
        color.add("from", list(particles.color));
        color.add("to", list(*particles.otherColor));
        out.add("color", std::move(color));
    } else if (particles.color != usual.color) {
        out.add("color", list(particles.color));
    }
    if (particles.shape != usual.shape) out.add("shape", shapes[static_cast<int>(particles.shape)]);
    if (particles.shadow) out.add("shadow", true);
    if (particles.emission) out.add("emission", true);
    Value curves = overLifeValue(particles);
    if (!curves.members().empty()) out.add("over_life", std::move(curves));
    addNumber(out, "mass", particles.mass);
    addNumber(out, "density", particles.density, usual.density);
    addNumber(out, "drag_coefficient", particles.dragCoefficient, usual.dragCoefficient);
    addNumber(out, "gravity", particles.gravity, usual.gravity);
    if (particles.target) out.add("target", particleTargetValue(*particles.target));
    if (particles.bounce) out.add("bounce", bounceValue(*particles.bounce));
    if (particles.trail > 0) {
        Value trail = Value::object();
        trail.add("places", particles.trail);
        addNumber(trail, "every", particles.trailEvery, usual.trailEvery);
        out.add("trail", std::move(trail));
    }
    return out;
}

}  // namespace

std::string writeScene(const Description& description)
{
    Value out = Value::object();
    out.add("sinew", sceneVersion);
    addText(out, "name", description.name);
    addText(out, "about", description.about);
    out.add("gravity", list(description.gravity));
    addNumber(out, "inertia_floor", description.inertiaFloor);

    Value bodies = Value::array(), roots = Value::array();
    for (const BodyDescription& body : description.bodies) bodies.add(bodyValue(body));
    for (const std::string& root : description.roots) roots.add(root);
    out.add("bodies", std::move(bodies));
    addList(out, "joints", description.joints, jointValue);
    addList(out, "forces", description.forces, forceValue);
    addList(out, "obstacles", description.obstacles, obstacleValue);
    if (description.contact) out.add("contact", contactValue(*description.contact));
    addList(out, "targets", description.targets, targetValue);
    addList(out, "couplings", description.couplings, couplingValue);
    addList(out, "switches", description.switches, switchValue);
    addList(out, "motors", description.motors, motorValue);
    addList(out, "torques", description.torques, torqueValue);
    addList(out, "controllers", description.controllers, controllerValue);
    addList(out, "supports", description.supports, supportValue);
    addList(out, "motions", description.motions, motionValue);
    addList(out, "tracks", description.tracks, trackValue);
    addNumber(out, "gravity_compensation", description.gravityCompensation);
    addList(out, "prescribed", description.prescribed, prescribedValue);
    addList(out, "meshes", description.meshes, meshValue);
    addList(out, "springs", description.springs, springValue);
    Value medium = mediumValue(description.medium);
    if (!medium.members().empty()) out.add("medium", std::move(medium));
    addList(out, "fields", description.fields, fieldValue);
    addList(out, "particles", description.particles, particlesValue);
    addList(out, "wishes", description.wishes, wishValue);
    if (description.plan) out.add("optimize", planValue(*description.plan));
    if (!description.roots.empty()) out.add("roots", std::move(roots));

    Value run = runValue(description.run);
    if (!run.members().empty()) out.add("run", std::move(run));
    return json::write(out);
}

}  // namespace sinew
