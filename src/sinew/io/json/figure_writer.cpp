// Bodies, joints and what ties joints together.
#include "sinew/io/json/scene_writer.h"

namespace sinew::writing {
namespace {

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
    addShapeSizes(out, shape.shape);
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

}  // namespace

void addShapeSizes(Value& out, const Shape& shape)
{
    std::visit(AddSizes{out}, shape);
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
    addVector(out, "color", body.color);
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
    if (joint.swingCone) {
        Value cone = Value::object();
        addVector(cone, "center", joint.swingCone->center);
        addVector(cone, "toward", joint.swingCone->toward);
        cone.add("reach", list(joint.swingCone->reach.data(), 4));
        out.add("swing_cone", std::move(cone));
    }
    addNumber(out, "limit_stiffness", joint.limitStiffness);
    addNumber(out, "release", joint.release);
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
    const JointSettings& set = change.settings;
    if (change.active && (!*change.active || set.isAny())) out.add("active", *change.active);
    addNumber(out, "stiffness", set.stiffness);
    addNumber(out, "damping", set.damping);
    addFreedoms(out, "rest", set.rest);
    addFreedoms(out, "lower", set.lower);
    addFreedoms(out, "upper", set.upper);
    addNumber(out, "swing_limit", set.swingLimit);
    addNumber(out, "limit_stiffness", set.limitStiffness);
    if (set.limits) out.add("limits", *set.limits);
    addFreedoms(out, "motor", set.motor);
    return out;
}

}  // namespace sinew::writing
