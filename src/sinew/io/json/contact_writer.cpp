// Obstacles and contact.
#include "sinew/io/json/scene_writer.h"

namespace sinew::writing {
namespace {

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

}  // namespace

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
        addShapeSizes(out, obstacle.shape);
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
    if (contact.accuracy != usual.accuracy) out.add("accuracy", "fast");
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

}  // namespace sinew::writing
