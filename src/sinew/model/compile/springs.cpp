// What fills the space and what draws through it: fields, the medium, and springs between any two bodies.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/fields.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"

namespace sinew::compiling {
namespace {

// ---- fields and the medium ------------------------------------------------------------------------

using FieldType = FieldDescription::Type;

void checkName(const std::string& name, const std::string& pointer, const char* what,
               std::unordered_set<std::string>& known, Checker& check)
{
    check.require(name.empty() || known.insert(name).second, pointer + "/name",
                  std::string("there is a ") + what + " " + quoted(name) + " already; names must differ");
}

FieldDescription compileField(const FieldDescription& source, const std::string& pointer, Checker& check)
{
    FieldDescription field = source;
    check.finite(source.velocity, pointer + "/velocity");
    check.finite(source.position, pointer + "/position");
    if (source.signal) checkSignal(*source.signal, pointer + "/signal", check);
    switch (source.type) {
        case FieldType::wind:
            break;
        case FieldType::gusts:
            check.notNegative(source.speed, pointer + "/speed");
            check.positive(source.size, pointer + "/size");
            check.span(source.duration, pointer + "/duration");
            field.orientation = check.unit(source.orientation, pointer + "/orientation");
            break;
        case FieldType::vortex:
            check.finite(source.speed, pointer + "/speed");
            check.positive(source.radius, pointer + "/radius");
            field.axis = check.direction(source.axis, pointer + "/axis");
            break;
        case FieldType::attractor:
            check.finite(source.strength, pointer + "/strength");
            check.notNegative(source.softening, pointer + "/softening");
            check.require(source.exponent >= -1 && source.exponent <= 4, pointer + "/exponent",
                          "is " + std::to_string(source.exponent) + "; it must be from -1 to 4");
            break;
    }
    if (!check.failed() && source.type == FieldType::gusts) makeGustWaves(field);
    return field;
}

double volumeOf(const BodyDescription& body)
{
    double volume = 0;
    for (const ShapeDescription& part : body.shapes)
        volume += unitDensityInertia(checkedShape(part.shape).value()).mass;
    return volume;
}

// The cube root by Newton's method, the same to the last bit everywhere and at every scale.
double cubeRoot(double x)
{
    if (!(x > 0)) return 0;
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    while (exponent % 3 != 0) {
        m *= 0.5;
        ++exponent;
    }
    double root = 0.8;
    for (int i = 0; i < 40; ++i) root = (2 * root + m / (root * root)) / 3;
    return std::ldexp(root, exponent / 3);
}

void compileDrag(const Description& description, Model& model, Checker& check)
{
    const bool isThere = model.medium.viscosity > 0 || model.medium.density > 0;
    if (isThere) model.drags.assign(model.bodies.size(), {});
    for (std::size_t i = 0; i < description.bodies.size() && !check.failed(); ++i) {
        const DragDescription& drag = description.bodies[i].drag;
        const std::string pointer = at("bodies", i) + "/drag";
        if (drag.radius) check.notNegative(*drag.radius, pointer + "/radius");
        if (drag.area) check.notNegative(*drag.area, pointer + "/area");
        if (drag.coefficient) check.notNegative(*drag.coefficient, pointer + "/coefficient");
        if (!isThere || check.failed()) continue;
        const double radius =
            drag.radius ? *drag.radius : cubeRoot(volumeOf(description.bodies[i]) * 0.75 / pi);
        constexpr double sphere = 0.47;
        model.drags[static_cast<std::size_t>(model.bodyOrder[i])] = {
            radius, drag.coefficient.value_or(sphere) * drag.area.value_or(pi * radius * radius)};
    }
}

void compileFields(const Description& description, Model& model, Checker& check)
{
    check.notNegative(description.medium.viscosity, "/medium/viscosity");
    check.notNegative(description.medium.density, "/medium/density");
    model.medium = description.medium;
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < description.fields.size() && !check.failed(); ++i) {
        const std::string pointer = at("fields", i);
        checkName(description.fields[i].name, pointer, "field", names, check);
        model.fields.push_back(compileField(description.fields[i], pointer, check));
    }
    compileDrag(description, model, check);
}

// ---- springs --------------------------------------------------------------------------------------

// Into the axes of the body, from its centre of mass.
class FormInBody {
public:
    FormInBody(const Pose& rest, const std::string& pointer, Checker& check)
        : rest_(rest), pointer_(pointer), check_(check)
    {
    }
    SpringForm operator()(SpringPoint form) const
    {
        if (form.point)
            place(*form.point, "/point");
        else
            form.point = Vec3::Zero();
        return form;
    }
    SpringForm operator()(SpringCurve form) const
    {
        const std::string path = pointer_ + "/path";
        check_.require(form.points.size() >= 2, path + "/points", "has fewer than 2 points");
        check_.require(!form.closed || form.points.size() >= 3, path + "/points",
                       "has fewer than 3 points; a closed path needs them");
        const std::size_t count = form.points.size();
        for (std::size_t i = 0; i < count && !check_.failed(); ++i)
            place(form.points[i], "/path/points/" + std::to_string(i));
        for (std::size_t i = form.closed ? 0 : 1; i < count && !check_.failed(); ++i)
            check_.require(form.points[i] != form.points[(i + count - 1) % count],
                           path + "/points/" + std::to_string(i), "is the same as the point before it");
        return form;
    }
    SpringForm operator()(SpringPlane form) const
    {
        place(form.point, "/plane/point");
        turn(form.normal, "/plane/normal");
        return form;
    }
    SpringForm operator()(SpringSphere form) const
    {
        place(form.center, "/sphere/center");
        check_.positive(form.radius, pointer_ + "/sphere/radius");
        return form;
    }
    SpringForm operator()(SpringCylinder form) const
    {
        place(form.point, "/cylinder/point");
        turn(form.axis, "/cylinder/axis");
        check_.positive(form.radius, pointer_ + "/cylinder/radius");
        return form;
    }

private:
    void place(Vec3& point, const std::string& key) const
    {
        check_.finite(point, pointer_ + key);
        point = rest_.inverse() * point;
    }
    void turn(Vec3& direction, const std::string& key) const
    {
        direction = rest_.orientation.conjugate() * check_.direction(direction, pointer_ + key);
    }

    const Pose& rest_;
    const std::string& pointer_;
    Checker& check_;
};

Pose restOf(const Model& model, int body)
{
    return body < 0 ? Pose() : model.bodies[body].rest;
}

SpringEnd compileEnd(const SpringEndDescription& source, const Names& names, const Model& model,
                     bool needsPoint, const std::string& pointer, Checker& check)
{
    SpringEnd end;
    const int body = bodyIndex(names, source.body, pointer + "/body", check);
    if (check.failed()) return end;
    end.body = body == world ? world : model.bodyOrder[body];
    const auto* point = std::get_if<SpringPoint>(&source.form);
    check.require(!needsPoint || end.body != world || !point || point->point, pointer + "/point",
                  "is missing; an end in the world needs it");
    const Pose rest = restOf(model, end.body);
    end.form = springFormInBody(source.form, rest, pointer, check);
    return end;
}

bool slides(const SpringEnd& end)
{
    return !std::holds_alternative<SpringPoint>(end.form);
}

void checkSpring(const SpringDescription& source, const Spring& spring, const std::string& pointer,
                 Checker& check)
{
    const bool pulls = source.stiffness > 0 || source.damping > 0;
    check.require(pulls || spring.turns(), pointer,
                  "has no spring and no damper; give stiffness, damping, turn_stiffness or turn_damping");
    check.require(spring.a.body != spring.b.body, pointer,
                  spring.a.body == world
                      ? "both ends are in the world, which does not move"
                      : "both ends are on body " + quoted(source.first.body) + ", which does not stretch");
    check.require(!slides(spring.a), pointer, "both ends slide; one of them must be a point");
    check.require(pulls || (!slides(spring.b) && !source.length), pointer,
                  "has a length or an end that slides, but neither stiffness nor damping");
    if (source.length) check.notNegative(*source.length, pointer + "/length");
}

// An end on a mesh is compiled with the mesh (meshes.cpp); what can be wrong with it apart from that is
// told here.
void checkTie(const SpringDescription& source, const Description& description, const std::string& pointer,
              Checker& check)
{
    check.notNegative(source.stiffness, pointer + "/stiffness");
    check.notNegative(source.damping, pointer + "/damping");
    check.require(source.stiffness > 0 || source.damping > 0, pointer,
                  "has no spring and no damper; give stiffness or damping");
    check.require(source.turnStiffness == 0 && source.turnDamping == 0, pointer + "/turn_stiffness",
                  "a vertex of a mesh has no orientation that could be turned");
    if (source.length) check.notNegative(*source.length, pointer + "/length");
    const auto checkEnd = [&](const SpringEndDescription& end, const std::string& place) {
        const auto* point = std::get_if<SpringPoint>(&end.form);
        if (!end.isOnMesh()) return;
        const bool isKnown =
            std::any_of(description.meshes.begin(), description.meshes.end(),
                        [&](const SpringMeshDescription& mesh) { return mesh.name == end.mesh; });
        check.require(!end.mesh.empty(), place + "/vertex", "goes with mesh");
        check.require(isKnown, place + "/mesh", "there is no mesh " + quoted(end.mesh));
        check.require(end.vertex >= 0, place + "/vertex", "is missing; a spring holds on to one vertex");
        check.require(end.body == "world" && point && !point->point, place,
                      "is on a mesh and on a body; give one of them");
    };
    checkEnd(source.first, pointer + "/first");
    checkEnd(source.second, pointer + "/second");
}

void compileSpring(const SpringDescription& source, const Names& names, const std::string& pointer,
                   Model& model, Checker& check)
{
    Spring spring;
    spring.name = source.name;
    check.notNegative(source.stiffness, pointer + "/stiffness");
    check.notNegative(source.damping, pointer + "/damping");
    check.notNegative(source.turnStiffness, pointer + "/turn_stiffness");
    check.notNegative(source.turnDamping, pointer + "/turn_damping");
    const bool pulls = source.stiffness > 0 || source.damping > 0;
    spring.a = compileEnd(source.first, names, model, pulls, pointer + "/first", check);
    spring.b = compileEnd(source.second, names, model, pulls, pointer + "/second", check);
    if (check.failed()) return;
    if (slides(spring.a) && !slides(spring.b)) {
        std::swap(spring.a, spring.b);
        spring.isSwapped = true;
    }
    spring.stiffness = source.stiffness;
    spring.damping = source.damping;
    spring.acts = source.acts;
    spring.turnStiffness = source.turnStiffness;
    spring.turnDamping = source.turnDamping;
    checkSpring(source, spring, pointer, check);
    if (check.failed()) return;

    const Pose restA = restOf(model, spring.a.body), restB = restOf(model, spring.b.body);
    spring.turn = restA.orientation.conjugate() * restB.orientation;
    const Vec3 place = restB.inverse() * (restA * spring.pointA());
    spring.length = source.length.value_or(springReach(spring.b.form, place).distance);
    check.require(spring.acts != SpringActs::push || !spring.pulls() || !spring.isPin(), pointer + "/acts",
                  "is push, and the length is 0: there is nothing to keep apart");
    model.springs.push_back(std::move(spring));
}

// Skeletons that springs tie together, and those between them in the list, are one run.
void findRuns(Model& model)
{
    const int count = static_cast<int>(model.skeletons.size());
    std::vector<int> last(model.skeletons.size());
    std::iota(last.begin(), last.end(), 0);
    for (const Spring& spring : model.springs) {
        if (spring.a.body < 0 || spring.b.body < 0) continue;
        const auto [low, high] =
            std::minmax(model.skeletonOf[spring.a.body], model.skeletonOf[spring.b.body]);
        last[low] = std::max(last[low], high);
    }
    model.runOf.resize(model.skeletons.size());
    for (int s = 0; s < count;) {
        const int first = s;
        int end = last[s];
        for (; s <= end; ++s) {
            end = std::max(end, last[s]);
            model.runOf[s] = static_cast<int>(model.runs.size());
        }
        model.runs.push_back({first, s - first});
    }
}

}  // namespace

SpringForm springFormInBody(const SpringForm& form, const Pose& rest, const std::string& pointer,
                            Checker& check)
{
    return std::visit(FormInBody(rest, pointer, check), form);
}

void compileSprings(const Description& description, const Names& names, Model& model, Checker& check)
{
    if (!check.failed()) compileFields(description, model, check);
    std::unordered_set<std::string> known;
    for (std::size_t i = 0; i < description.springs.size() && !check.failed(); ++i) {
        const std::string pointer = at("springs", i);
        checkName(description.springs[i].name, pointer, "spring", known, check);
        const SpringDescription& spring = description.springs[i];
        if (spring.first.isOnMesh() || spring.second.isOnMesh())
            checkTie(spring, description, pointer, check);
        else
            compileSpring(spring, names, pointer, model, check);
    }
    if (!check.failed()) findRuns(model);
}

}  // namespace sinew::compiling
