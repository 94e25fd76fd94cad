// Description → Model: checks, mass properties, tree order, anchors and axes in body coordinates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "sinew/geometry/mass.h"
#include "sinew/math/rotation.h"
#include "sinew/model/model.h"

namespace sinew {
namespace {

constexpr int world = -1;
constexpr double defaultDensity = 1000;  // kg/m³, water: about what animals have
// A universal joint's axes count as perpendicular within this: what a hand-written file can hold.
constexpr double perpendicularTolerance = 1e-6;

Diagnostic fault(std::string pointer, std::string message)
{
    Diagnostic d;
    d.pointer = std::move(pointer);
    d.message = std::move(message);
    return d;
}

std::string number(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

std::string quoted(const std::string& name)
{
    return "'" + name + "'";
}

std::string at(const char* list, std::size_t index)
{
    return std::string("/") + list + "/" + std::to_string(index);
}

// Collects the first fault; every check after it is a no-op. Keeps the checks below one line each.
class Checker {
public:
    bool failed() const { return failed_; }
    const Diagnostic& diagnostic() const { return diagnostic_; }

    void fail(const std::string& pointer, const std::string& message)
    {
        if (failed_) return;
        failed_ = true;
        diagnostic_ = fault(pointer, message);
    }
    void require(bool condition, const std::string& pointer, const std::string& message)
    {
        if (!condition) fail(pointer, message);
    }
    void finite(const Vec3& v, const std::string& pointer)
    {
        require(v.allFinite(), pointer, "has a number that is not finite");
    }
    void notNegative(double x, const std::string& pointer)
    {
        require(std::isfinite(x) && x >= 0, pointer, "is " + number(x) + "; it must be zero or more");
    }
    Quat unit(const Quat& q, const std::string& pointer)
    {
        const double norm = q.norm();
        require(std::isfinite(norm) && norm > 1e-6, pointer,
                "is not a rotation; give a quaternion x, y, z, w of length 1");
        return failed_ ? Quat::Identity() : q.normalized();
    }
    Vec3 direction(const std::optional<Vec3>& axis, const std::string& pointer, const char* what)
    {
        require(axis.has_value(), pointer, std::string("is missing; a ") + what + " joint needs it");
        if (failed_) return Vec3::UnitX();
        const double norm = axis->norm();
        require(std::isfinite(norm) && norm > 1e-9, pointer,
                "is zero or not finite; it must have a direction");
        return failed_ ? Vec3::UnitX() : Vec3(*axis / norm);
    }

private:
    bool failed_ = false;
    Diagnostic diagnostic_;
};

using Names = std::unordered_map<std::string, int>;

// ---- mass properties ----------------------------------------------------------------------------

Inertia shapesInertia(const BodyDescription& body, const std::string& pointer, Checker& check)
{
    Inertia sum;
    for (std::size_t i = 0; i < body.shapes.size() && !check.failed(); ++i) {
        const ShapeDescription& part = body.shapes[i];
        const std::string here = pointer + at("shapes", i);
        const Result<Shape> shape = checkedShape(part.shape);
        if (!shape) {
            check.fail(here + shape.error().pointer, shape.error().message);
            break;
        }
        check.require(!(part.density && part.mass), here,
                      "has both a density and a mass; give one of them");
        for (const auto& [value, key] :
             {std::pair(part.density, "/density"), std::pair(part.mass, "/mass")})
            check.require(!value || (std::isfinite(*value) && *value > 0), here + key,
                          "is " + number(value.value_or(0)) + "; it must be positive");
        check.finite(part.pose.position, here + "/position");
        Pose pose{part.pose.position, check.unit(part.pose.orientation, here + "/orientation")};
        if (check.failed()) break;
        const Inertia unit = unitDensityInertia(shape.value());
        const double mass = part.mass ? *part.mass : unit.mass * part.density.value_or(defaultDensity);
        sum = sum + withMass(unit, mass).placed(pose);
    }
    return sum;
}

Inertia bodyInertia(const BodyDescription& body, const std::string& pointer, Checker& check)
{
    Inertia inertia;
    if (body.mass)
        check.require(std::isfinite(*body.mass) && *body.mass > 0, pointer + "/mass",
                      "the mass of body " + quoted(body.name) + " is " + number(*body.mass) +
                          "; it must be positive");
    const Inertia shapes = shapesInertia(body, pointer, check);  // checked even when only for looks
    if (body.inertia) {
        check.require(body.mass.has_value(), pointer,
                      "body " + quoted(body.name) + " has an inertia but no mass; give both");
        const std::string why = inertiaFault(*body.inertia);
        check.require(why.empty(), pointer + "/inertia", why);
        if (check.failed()) return {};
        inertia = {*body.mass, body.center.value_or(Vec3::Zero()), *body.inertia};
        check.finite(inertia.center, pointer + "/center");
        return inertia;
    }
    check.require(!body.shapes.empty(), pointer,
                  "body " + quoted(body.name) +
                      " has no inertia; give mass and inertia, or shapes to take them from");
    check.require(!body.center, pointer + "/center",
                  "goes with mass and inertia; the shapes have their own centre of mass");
    if (check.failed()) return {};
    inertia = body.mass ? withMass(shapes, *body.mass) : shapes;
    const std::string why = inertiaFault(inertia.rotational);
    check.require(why.empty(), pointer + "/shapes", why);
    return inertia;
}

// ---- the tree -----------------------------------------------------------------------------------

// The joints as a graph over description indices of bodies; `world` is −1.
struct Graph {
    std::vector<int> first, second;        // per joint
    std::vector<std::vector<int>> joints;  // per body, in the description's order
};

int otherEnd(const Graph& graph, int joint, int body)
{
    return graph.first[joint] == body ? graph.second[joint] : graph.first[joint];
}

// Union-find over the bodies and the world (the last slot).
int findSet(std::vector<int>& set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

// The bodies on the way from `from` to `to`, both ends included.
std::string pathText(const Description& description, const Graph& graph, int from, int to)
{
    const int count = static_cast<int>(description.bodies.size());
    const auto slot = [&](int body) { return body == world ? count : body; };
    std::vector<int> cameFrom(count + 1, -2), queue{from};
    cameFrom[slot(from)] = from;
    const auto visit = [&](int body, int j) {
        const int next = otherEnd(graph, j, body);
        if (cameFrom[slot(next)] != -2) return;
        cameFrom[slot(next)] = body;
        queue.push_back(next);
    };
    for (std::size_t k = 0; k < queue.size() && cameFrom[slot(to)] == -2; ++k) {
        const int body = queue[k];
        if (body != world) {
            for (int j : graph.joints[body]) visit(body, j);
        } else {
            for (int j = 0; j < static_cast<int>(graph.first.size()); ++j)
                if (graph.first[j] == world || graph.second[j] == world) visit(body, j);
        }
    }
    std::string text;
    for (int body = to;; body = cameFrom[slot(body)]) {
        text = (body == world ? std::string("world") : description.bodies[body].name) +
               (text.empty() ? "" : " - ") + text;
        if (body == from) return text;
    }
}

int bodyIndex(const Names& names, const std::string& name, const std::string& pointer, Checker& check)
{
    if (name == "world") return world;
    const auto found = names.find(name);
    check.require(found != names.end(), pointer, "there is no body " + quoted(name));
    return found == names.end() ? world : found->second;
}

Graph buildGraph(const Description& description, const Names& names, Checker& check)
{
    const int count = static_cast<int>(description.bodies.size());
    Graph graph;
    graph.joints.resize(count);
    std::vector<int> set(count + 1);
    for (int i = 0; i <= count; ++i) set[i] = i;

    for (std::size_t j = 0; j < description.joints.size() && !check.failed(); ++j) {
        const JointDescription& joint = description.joints[j];
        const std::string pointer = at("joints", j);
        const int a = bodyIndex(names, joint.first, pointer + "/first", check);
        const int b = bodyIndex(names, joint.second, pointer + "/second", check);
        check.require(a != b, pointer, "joins " + quoted(joint.first) + " to itself; name two bodies");
        if (check.failed()) break;
        const int rootA = findSet(set, a == world ? count : a),
                  rootB = findSet(set, b == world ? count : b);
        if (rootA == rootB) {
            const std::string loop = pathText(description, graph, a, b);
            const std::string start = a == world ? "world" : description.bodies[a].name;
            check.fail(pointer, "joint " + quoted(joint.name) + " closes a loop: " + loop + " - " + start +
                                    "; joints must form a tree");
            break;
        }
        set[rootA] = rootB;
        graph.first.push_back(a);
        graph.second.push_back(b);
        if (a != world) graph.joints[a].push_back(static_cast<int>(j));
        if (b != world) graph.joints[b].push_back(static_cast<int>(j));
    }
    return graph;
}

// A body in tree order and the joint that leads to it (−1: a free root).
struct Visit {
    int body, joint, parent;  // parent is a tree index or world
};

// Parents before children, each skeleton in one piece, depth first.
std::vector<Visit> treeOrder(const Description& description, const Graph& graph, const Names& names,
                             Model& model, Checker& check)
{
    const int count = static_cast<int>(description.bodies.size());
    std::vector<char> chosen(count, 0), seen(count, 0);
    for (std::size_t r = 0; r < description.roots.size() && !check.failed(); ++r) {
        const int body = bodyIndex(names, description.roots[r], at("roots", r), check);
        check.require(body != world, at("roots", r), "'world' is always the root of what is tied to it");
        if (!check.failed()) chosen[body] = 1;
    }
    std::vector<Visit> order;
    for (int start = 0; start < count && !check.failed(); ++start) {
        if (seen[start]) continue;
        // All bodies of this skeleton, and who its root is.
        std::vector<int> members{start};
        seen[start] = 1;
        int rootBody = start, rootJoint = -1, named = -1;
        for (std::size_t k = 0; k < members.size(); ++k) {
            if (chosen[members[k]]) {
                check.require(named < 0, "/roots",
                              "two bodies of one skeleton are named, " +
                                  quoted(description.bodies[std::max(named, 0)].name) + " and " +
                                  quoted(description.bodies[members[k]].name));
                named = members[k];
            }
            for (int j : graph.joints[members[k]]) {
                const int next = otherEnd(graph, j, members[k]);
                if (next == world) {
                    rootBody = members[k];
                    rootJoint = j;
                } else if (!seen[next]) {
                    seen[next] = 1;
                    members.push_back(next);
                }
            }
        }
        if (named >= 0) {
            check.require(
                rootJoint < 0, "/roots",
                quoted(description.bodies[named].name) + " belongs to a skeleton tied to the world");
            rootBody = named;
        }
        const int first = static_cast<int>(order.size());
        std::vector<Visit> stack{{rootBody, rootJoint, world}};
        while (!stack.empty()) {
            const Visit visit = stack.back();
            stack.pop_back();
            const int index = static_cast<int>(order.size());
            order.push_back(visit);
            const std::vector<int>& joints = graph.joints[visit.body];
            for (auto j = joints.rbegin(); j != joints.rend(); ++j)
                if (*j != visit.joint) stack.push_back({otherEnd(graph, *j, visit.body), *j, index});
        }
        model.skeletons.push_back({first, static_cast<int>(order.size()) - first});
    }
    return order;
}

// ---- joints -------------------------------------------------------------------------------------

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_WC, Joint& joint,
                 Checker& check)
{
    // Reversed when the child is the first body, so that coordinates mean the same (model/joint.h).
    const double sign = joint.childIsFirst ? -1 : 1;
    const Mat3 R_CW = R_WC.transpose();
    switch (source.type) {
        case JointType::hinge:
        case JointType::slide:
            joint.axis =
                sign * (R_CW * check.direction(source.axis, pointer + "/axis", jointTypeName(source.type)));
            break;
        case JointType::universal: {
            Vec3 a = check.direction(source.axis, pointer + "/axis", "universal");
            const Vec3 b = check.direction(source.axis2, pointer + "/axis2", "universal");
            check.require(std::abs(a.dot(b)) < perpendicularTolerance, pointer + "/axis2",
                          "must be at right angles to axis; the cosine is " + number(a.dot(b)));
            a = (a - a.dot(b) * b).normalized();
            joint.axis = R_CW * (joint.childIsFirst ? Vec3(-b) : a);
            joint.axis2 = R_CW * (joint.childIsFirst ? Vec3(-a) : b);
            break;
        }
        default:
            break;
    }
    const bool two = source.type == JointType::universal;
    const bool one = two || source.type == JointType::hinge || source.type == JointType::slide;
    check.require(one || !source.axis, pointer + "/axis",
                  std::string("a ") + jointTypeName(source.type) + " joint has no axis");
    check.require(two || !source.axis2, pointer + "/axis2", "only a universal joint has a second axis");
}

void checkPerFreedom(const std::vector<double>& values, int freedoms, const std::string& pointer,
                     Checker& check)
{
    if (values.empty()) return;
    check.require(
        static_cast<int>(values.size()) == freedoms, pointer,
        "has " + std::to_string(values.size()) + " numbers; this joint takes " + std::to_string(freedoms));
    for (double x : values) check.require(std::isfinite(x), pointer, "has a number that is not finite");
}

void compileLimits(const JointDescription& source, const std::string& pointer, Joint& joint, Checker& check)
{
    if (source.limitStiffness)
        check.require(std::isfinite(*source.limitStiffness) && *source.limitStiffness > 0,
                      pointer + "/limit_stiffness", "must be positive");
    if (source.lower.empty() && source.upper.empty()) return;
    const bool limited = source.type == JointType::hinge || source.type == JointType::slide ||
                         source.type == JointType::universal;
    const std::string where = pointer + (source.lower.empty() ? "/upper" : "/lower");
    check.require(limited, where, "is for hinges, slides and universal joints");
    checkPerFreedom(source.lower, joint.freedoms(), pointer + "/lower", check);
    checkPerFreedom(source.upper, joint.freedoms(), pointer + "/upper", check);
    if (check.failed()) return;
    joint.limitStiffness = source.limitStiffness.value_or(JointDescription::defaultLimitStiffness);
    for (int i = 0; i < joint.freedoms(); ++i) {
        // A universal joint's freedoms are exchanged when the child is the first body.
        const int from = joint.childIsFirst ? joint.freedoms() - 1 - i : i;
        if (!source.lower.empty()) joint.lower[i] = source.lower[from];
        if (!source.upper.empty()) joint.upper[i] = source.upper[from];
        check.require(joint.lower[i] <= joint.upper[i], pointer + "/upper",
                      "is " + number(joint.upper[i]) + ", below the lower limit " + number(joint.lower[i]));
    }
}

// Where the spring is slack, in the terms of the tree (model/joint.h).
void compileRest(const JointDescription& source, Joint& joint)
{
    if (source.rest.empty() || source.type == JointType::free) return;
    if (source.type == JointType::spherical) {
        Vec3 phi(source.rest[0], source.rest[1], source.rest[2]);
        if (joint.childIsFirst) phi = -(joint.R_PC_rest.transpose() * phi);
        joint.restRotation = expRotation(phi);
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i)
        joint.rest[i] = source.rest[joint.childIsFirst ? joint.freedoms() - 1 - i : i];
}

Joint compileJoint(const JointDescription& source, const std::string& pointer, const Model& model,
                   const Visit& visit, bool childIsFirst, Checker& check)
{
    Joint joint;
    joint.name = source.name;
    joint.type = source.type;
    joint.parent = visit.parent;
    joint.childIsFirst = childIsFirst;
    joint.stiffness = source.stiffness;
    joint.damping = source.damping;
    joint.friction = source.friction;

    check.finite(source.position, pointer + "/position");
    check.notNegative(source.stiffness, pointer + "/stiffness");
    check.notNegative(source.damping, pointer + "/damping");
    check.notNegative(source.friction, pointer + "/friction");
    const bool friction = source.type == JointType::hinge || source.type == JointType::spherical;
    check.require(friction || source.friction == 0, pointer + "/friction",
                  "is for hinges and ball joints; use damping");
    const bool free = source.type == JointType::free;
    check.require(!free || (source.stiffness == 0 && source.damping == 0 && source.motor.empty() &&
                            source.rest.empty()),
                  pointer, "a free joint has no spring, damper or motor");
    check.require(!free || (source.coordinate.empty() && source.velocity.empty()), pointer,
                  "a free joint starts from the pose and velocity of its body; give them there");
    checkPerFreedom(source.motor, joint.freedoms(), pointer + "/motor", check);
    checkPerFreedom(source.coordinate, joint.freedoms(), pointer + "/coordinate", check);
    checkPerFreedom(source.velocity, joint.freedoms(), pointer + "/velocity", check);
    checkPerFreedom(source.rest, joint.freedoms(), pointer + "/rest", check);
    if (check.failed()) return joint;
    compileLimits(source, pointer, joint, check);
    for (std::size_t i = 0; i < source.motor.size(); ++i)
        joint.motor[static_cast<int>(i)] = source.motor[i];
    joint.hasMotor = !joint.motor.isZero(0);

    const Pose child = model.bodies.back().rest;
    const Pose parent = visit.parent == world ? Pose{} : model.bodies[visit.parent].rest;
    const Mat3 R_WC = child.orientation.toRotationMatrix();
    joint.R_PC_rest = parent.orientation.toRotationMatrix().transpose() * R_WC;
    if (free) {  // its coordinates are the place of the child's centre of mass
        joint.anchorParent = parent.inverse() * child.position;
    } else {
        joint.anchorParent = parent.inverse() * source.position;
        joint.anchorChild = child.inverse() * source.position;
    }
    compileAxes(source, pointer, R_WC, joint, check);
    compileRest(source, joint);
    return joint;
}

Joint freeRoot(const Body& body)
{
    Joint joint;
    joint.name = body.name;
    joint.declared = false;
    joint.R_PC_rest = body.rest.orientation.toRotationMatrix();
    joint.anchorParent = body.rest.position;
    return joint;
}

Names checkNames(const Description& description, Checker& check)
{
    check.require(!description.bodies.empty(), "/bodies", "is empty; a scene needs at least one body");
    Names bodies, joints;
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const std::string& name = description.bodies[i].name;
        const std::string pointer = at("bodies", i) + "/name";
        check.require(!name.empty(), pointer, "is empty; every body needs a name");
        check.require(name != "world", pointer, "'world' is taken by the world itself");
        check.require(bodies.emplace(name, static_cast<int>(i)).second, pointer,
                      "there is a body " + quoted(name) + " already; names must differ");
    }
    for (std::size_t j = 0; j < description.joints.size(); ++j) {
        const std::string& name = description.joints[j].name;
        const std::string pointer = at("joints", j) + "/name";
        check.require(!name.empty(), pointer, "is empty; every joint needs a name");
        check.require(joints.emplace(name, static_cast<int>(j)).second, pointer,
                      "there is a joint " + quoted(name) + " already; names must differ");
    }
    return bodies;
}

void compileLoads(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.forces.size() && !check.failed(); ++i) {
        const ForceDescription& force = description.forces[i];
        const std::string pointer = at("forces", i);
        const int body = bodyIndex(names, force.body, pointer + "/body", check);
        check.require(check.failed() || body != world, pointer + "/body", "the world cannot be pushed");
        check.finite(force.force, pointer + "/force");
        check.finite(force.torque, pointer + "/torque");
        if (force.point) check.finite(*force.point, pointer + "/point");
        if (check.failed()) return;
        BodyLoad load{model.bodyOrder[body], force.force, force.torque, Vec3::Zero()};
        if (force.point) load.point = model.bodies[load.body].rest.inverse() * *force.point;
        model.loads.push_back(load);
    }
}

}  // namespace

Result<Model> compile(const Description& description)
{
    Checker check;
    Model model;
    model.name = description.name;
    model.gravity = description.gravity;
    check.finite(description.gravity, "/gravity");

    const Names names = checkNames(description, check);
    if (check.failed()) return check.diagnostic();
    const Graph graph = buildGraph(description, names, check);
    if (check.failed()) return check.diagnostic();
    const std::vector<Visit> order = treeOrder(description, graph, names, model, check);
    if (check.failed()) return check.diagnostic();

    model.bodyOrder.resize(description.bodies.size());
    model.jointOrder.resize(description.joints.size());
    for (const Visit& visit : order) {
        const int index = model.size();
        const BodyDescription& source = description.bodies[visit.body];
        const std::string pointer = at("bodies", visit.body);
        const Inertia inertia = bodyInertia(source, pointer, check);
        check.finite(source.pose.position, pointer + "/position");
        const Pose frame{source.pose.position,
                         check.unit(source.pose.orientation, pointer + "/orientation")};
        if (source.velocity) check.finite(*source.velocity, pointer + "/velocity");
        if (source.angularVelocity) check.finite(*source.angularVelocity, pointer + "/angular_velocity");
        if (check.failed()) return check.diagnostic();
        const Mat3 I = 0.5 * (inertia.rotational + inertia.rotational.transpose());
        model.bodies.push_back({inertia.mass,
                                I,
                                I.inverse(),
                                inertia.center,
                                {frame * inertia.center, frame.orientation},
                                source.name});
        model.bodyOrder[visit.body] = index;

        Joint joint;
        if (visit.joint < 0) {
            joint = freeRoot(model.bodies.back());
        } else {
            const bool childIsFirst = graph.first[visit.joint] == visit.body;
            joint = compileJoint(description.joints[visit.joint], at("joints", visit.joint), model, visit,
                                 childIsFirst, check);
            model.jointOrder[visit.joint] = index;
        }
        if (check.failed()) return check.diagnostic();
        joint.q = model.coordinateCount;
        joint.u = model.freedomCount;
        model.coordinateCount += joint.coordinates();
        model.freedomCount += joint.freedoms();
        model.joints.push_back(std::move(joint));
    }
    compileLoads(description, names, model, check);
    if (check.failed()) return check.diagnostic();
    return model;
}

double Model::mass() const
{
    double sum = 0;
    for (const Body& body : bodies) sum += body.mass;
    return sum;
}

bool Model::isActive(int joint, double time) const
{
    bool active = true;
    if (!joints[joint].isSwitched) return active;
    for (const JointSwitch& s : switches)
        if (s.joint == joint && s.time <= time) active = s.active;
    return active;
}

int Model::findBody(std::string_view wanted) const
{
    for (int i = 0; i < size(); ++i)
        if (bodies[i].name == wanted) return i;
    return -1;
}

int Model::findJoint(std::string_view wanted) const
{
    for (int i = 0; i < size(); ++i)
        if (joints[i].declared && joints[i].name == wanted) return i;
    return -1;
}

}  // namespace sinew
