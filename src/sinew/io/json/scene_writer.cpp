// Description → text.
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

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

template <class T>
void addList(Value& out, const char* key, const std::vector<T>& items, Value (*valueOf)(const T&))
{
    if (items.empty()) return;
    Value all = Value::array();
    for (const T& item : items) all.add(valueOf(item));
    out.add(key, std::move(all));
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
    if (!description.roots.empty()) out.add("roots", std::move(roots));

    Value run = runValue(description.run);
    if (!run.members().empty()) out.add("run", std::move(run));
    return json::write(out);
}

}  // namespace sinew
