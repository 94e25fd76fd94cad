// Springs between bodies, the medium and fields.
#include "sinew/io/json/scene_writer.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"

namespace sinew::writing {
namespace {

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
    addForm(out, end.form);
    return out;
}

}  // namespace

void addForm(Value& out, const SpringForm& form)
{
    std::visit(AddForm{out}, form);
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

}  // namespace sinew::writing
