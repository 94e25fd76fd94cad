// Spring meshes.
#include "sinew/io/json/scene_writer.h"
#include "sinew/model/spring_mesh.h"

namespace sinew::writing {
namespace {

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

}  // namespace

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

}  // namespace sinew::writing
