// Description → Model: names, mass properties, tree order. The joints and what acts on bodies have files of
// their own.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/geometry/mass.h"
#include "sinew/geometry/support.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/model/action.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/link.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/wish.h"

namespace sinew {

using namespace compiling;

namespace {

constexpr double defaultDensity = 1000;  // kg/m³, water: about what animals have

// ---- mass properties ----------------------------------------------------------------------------

Inertia shapesInertia(const BodyDescription& body, const std::string& pointer, Checker& check)
{
    Inertia sum;
    for (std::size_t i = 0; i < body.shapes.size() && !check.failed(); ++i) {
        const ShapeDescription& part = body.shapes[i];
        const std::string here = pointer + at("shapes", i);
        const Shape shape = boundedShape(part.shape, here, check);
        check.require(!(part.density && part.mass), here,
                      "has both a density and a mass; give one of them");
        for (const auto& [value, key] :
             {std::pair(part.density, "/density"), std::pair(part.mass, "/mass")})
            if (value) check.positive(*value, here + key);
        check.finite(part.pose.position, here + "/position");
        Pose pose{part.pose.position, check.unit(part.pose.orientation, here + "/orientation")};
        if (check.failed()) break;
        const Inertia unit = unitDensityInertia(shape);
        const double mass = part.mass ? *part.mass : unit.mass * part.density.value_or(defaultDensity);
        sum = sum + withMass(unit, mass).placed(pose);
    }
    return sum;
}

// A mass between the bounds of all numbers, and moments that such a mass can have at the sizes of shapes.
void checkBounds(const BodyDescription& body, const Inertia& inertia, const std::string& pointer,
                 Checker& check)
{
    constexpr double leastMoment = 1e-50, largestMoment = 1e50;  // kg·m²
    check.require(inertia.mass >= Checker::least && inertia.mass <= Checker::largest,
                  pointer + (body.mass ? "/mass" : ""),
                  "the mass of body " + quoted(body.name) + " is " + number(inertia.mass) +
                      " kg; 1e-30 to 1e30 is taken");
    const double moment = inertia.rotational.cwiseAbs().maxCoeff();
    check.require(moment >= leastMoment && moment <= largestMoment,
                  pointer + (body.inertia ? "/inertia" : ""),
                  "the largest moment of inertia of body " + quoted(body.name) + " is " + number(moment) +
                      " kg·m²; 1e-50 to 1e50 is taken");
}

Inertia bodyInertia(const BodyDescription& body, const std::string& pointer, Checker& check)
{
    Inertia inertia;
    if (body.mass)
        check.require(std::isfinite(*body.mass) && *body.mass >= 0, pointer + "/mass",
                      "the mass of body " + quoted(body.name) + " is " + number(*body.mass) +
                          "; it must be positive, or 0 for a link between joints");
    const Inertia shapes = shapesInertia(body, pointer, check);  // checked even when only for looks
    if (body.mass && *body.mass == 0) {
        check.require(!body.inertia || body.inertia->isZero(0), pointer + "/inertia",
                      "a body without mass has no inertia either; leave it out");
        if (body.center) check.finite(*body.center, pointer + "/center");
        return {0, body.center.value_or(Vec3::Zero()), Mat3::Zero()};
    }
    if (body.inertia) {
        check.require(body.mass.has_value(), pointer,
                      "body " + quoted(body.name) + " has an inertia but no mass; give both");
        const std::string why = inertiaFault(*body.inertia);
        check.require(why.empty(), pointer + "/inertia", why);
        if (check.failed()) return {};
        inertia = {*body.mass, body.center.value_or(Vec3::Zero()), *body.inertia};
        check.finite(inertia.center, pointer + "/center");
        checkBounds(body, inertia, pointer, check);
        return inertia;
    }
    check.require(!body.shapes.empty(), pointer,
                  "body " + quoted(body.name) +
                      " has no inertia; give mass and inertia, or shapes to take them from");
    if (body.center) check.finite(*body.center, pointer + "/center");
    if (check.failed()) return {};
    inertia = body.mass ? withMass(shapes, *body.mass) : shapes;
    inertia.center = body.center.value_or(inertia.center);
    const std::string why = inertiaFault(inertia.rotational);
    check.require(why.empty(), pointer + "/shapes", why);
    checkBounds(body, inertia, pointer, check);
    return inertia;
}

// No principal moment less than this part of the largest one. What solid bodies must obey, that none
// exceeds the sum of the others, stays true when the lesser ones grow.
Mat3 withFloor(const Mat3& inertia, double floor)
{
    if (floor <= 0) return inertia;
    const SymmetricEigen3 principal(inertia);
    const Vec3& moments = principal.eigenvalues();  // rising
    if (moments[0] >= floor * moments[2]) return inertia;
    const Mat3& axes = principal.eigenvectors();
    const Mat3 raised = axes * moments.cwiseMax(floor * moments[2]).asDiagonal() * axes.transpose();
    return 0.5 * (raised + raised.transpose());
}

// ---- the tree -----------------------------------------------------------------------------------

// The joints as a graph over description indices of bodies, and then of further parts of those that are
// cut; `world` is −1.
struct Graph {
    std::vector<int> first, second;        // per joint
    std::vector<std::vector<int>> joints;  // per body, in the description's order, without those that close
    std::vector<int> closing;              // joints that close loops
    std::vector<int> body;                 // of each node, in the description
    std::vector<int> parts;                // per body of the description

    int size() const { return static_cast<int>(body.size()); }
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

// Those that something else in the scene drives.
std::unordered_set<std::string> drivenJoints(const Description& description)
{
    std::unordered_set<std::string> names;
    for (const MotorDescription& motor : description.motors) names.insert(motor.joint);
    for (const TorqueDescription& torque : description.torques) names.insert(torque.joint);
    for (const ControllerDescription& controller : description.controllers) names.insert(controller.joint);
    for (const PrescribedDescription& prescribed : description.prescribed) names.insert(prescribed.joint);
    for (const MotionDescription& motion : description.motions)
        for (const auto& curve : motion.joints) names.insert(curve.joint);
    for (const CouplingDescription& coupling : description.couplings)
        names.insert({coupling.follower, coupling.leader});
    for (const SwitchDescription& change : description.switches) names.insert(change.joint);
    for (const ActionDescription& action : description.actions)
        for (const StrengthDescription& strength : action.joints) names.insert(strength.joint);
    return names;
}

// Which joints close loops. Those with springs and motors make the tree first, as what closes a loop is a
// mere constraint, then those with many rows, so that few are left to hold, then in the description's
// order.
std::vector<int> closingJoints(const Description& description, const Graph& graph,
                               const std::vector<char>& keepsCoordinate)
{
    const int joints = static_cast<int>(description.joints.size());
    std::vector<int> order(description.joints.size());
    for (int j = 0; j < joints; ++j) order[j] = j;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto rank = [&](int j) {
            return std::pair(-keepsCoordinate[j], -jointTypeInfo(description.joints[j].type).rowCount());
        };
        return rank(a) < rank(b);
    });
    const int count = graph.size();
    std::vector<int> set(count + 1), closing;
    for (int i = 0; i <= count; ++i) set[i] = i;
    for (int j : order) {
        if (description.joints[j].release) continue;  // holds for a while, and so is never of the tree
        const int a = graph.first[j], b = graph.second[j];
        const int rootA = findSet(set, a == world ? count : a),
                  rootB = findSet(set, b == world ? count : b);
        if (rootA == rootB) closing.push_back(j);
        set[rootA] = rootB;
    }
    std::sort(closing.begin(), closing.end());
    return closing;
}

// The joint leads to a new part of one of its bodies, and closes nothing any more.
void cutBody(const Description& description, int j, Graph& graph, Checker& check)
{
    const auto hasMass = [&](int node) {
        if (node == world) return false;
        const BodyDescription& body = description.bodies[graph.body[node]];
        return !(body.mass && *body.mass == 0);
    };
    const bool second = hasMass(graph.second[j]);
    int& end = second ? graph.second[j] : graph.first[j];
    check.require(
        second || hasMass(end), at("joints", j),
        "joint " + quoted(description.joints[j].name) +
            " closes a loop and has forces or a start of its own, for which one of its bodies must "
            "have mass");
    if (check.failed()) return;
    const int part = graph.size(), body = graph.body[end];
    graph.body.push_back(body);
    graph.joints.emplace_back();
    ++graph.parts[body];
    end = part;
}

Graph buildGraph(const Description& description, const Names& names, Checker& check)
{
    const int count = static_cast<int>(description.bodies.size());
    const int joints = static_cast<int>(description.joints.size());
    Graph graph;
    graph.joints.resize(count);
    graph.parts.assign(count, 1);
    for (int i = 0; i < count; ++i) graph.body.push_back(i);
    for (int j = 0; j < joints && !check.failed(); ++j) {
        const JointDescription& joint = description.joints[j];
        const std::string pointer = at("joints", j);
        const int a = bodyIndex(names, joint.first, pointer + "/first", check);
        const int b = bodyIndex(names, joint.second, pointer + "/second", check);
        check.require(a != b, pointer, "joins " + quoted(joint.first) + " to itself; name two bodies");
        graph.first.push_back(a);
        graph.second.push_back(b);
    }
    if (check.failed()) return graph;

    const std::unordered_set<std::string> driven = drivenJoints(description);
    std::vector<char> keepsCoordinate(description.joints.size(), 0);
    for (int j = 0; j < joints; ++j) {
        const JointDescription& joint = description.joints[j];
        keepsCoordinate[j] = hasOwnForces(joint) || driven.contains(joint.name);
    }
    std::vector<char> closes(description.joints.size(), 0);
    for (int j = 0; j < joints; ++j) {
        if (!description.joints[j].release) continue;
        check.require(!keepsCoordinate[j], at("joints", j) + "/release",
                      "joint " + quoted(description.joints[j].name) +
                          " lets go: it can have no forces, no limits and no start of its own");
        closes[j] = 1;
        graph.closing.push_back(j);
    }
    if (check.failed()) return graph;
    for (int j : closingJoints(description, graph, keepsCoordinate)) {
        closes[j] = !keepsCoordinate[j] || jointTypeInfo(description.joints[j].type).isFree();
        if (closes[j])
            graph.closing.push_back(j);
        else
            cutBody(description, j, graph, check);
        if (check.failed()) return graph;
    }
    std::sort(graph.closing.begin(), graph.closing.end());
    for (int j = 0; j < joints; ++j) {
        if (closes[j]) continue;
        for (int body : {graph.first[j], graph.second[j]})
            if (body != world) graph.joints[body].push_back(j);
    }
    return graph;
}

// Who is the root of a floating skeleton that nobody chose one for: the first of its bodies, unless another
// is much heavier. Then that one: a body hangs on its root by all joints in between, and where their turns
// are off by θ, it is off by ½ θ² r. Of a heavy body that is a large force on the light ones between.
// A skeleton whose root a motion moves stays as it was told.
int chooseRoot(const Description& description, const Graph& graph, const std::vector<int>& members,
               const std::vector<Inertia>& inertias)
{
    constexpr double muchHeavier = 10;
    for (const MotionDescription& motion : description.motions)
        for (const MotionDescription::RootPath& root : motion.roots)
            for (const int node : members)
                if (description.bodies[graph.body[node]].name == root.body) return members.front();
    const auto massOf = [&](int node) {
        const int body = graph.body[node];
        return inertias[body].mass / graph.parts[body];
    };
    const auto heaviest = std::max_element(members.begin(), members.end(),
                                           [&](int a, int b) { return massOf(a) < massOf(b); });
    return massOf(*heaviest) > muchHeavier * massOf(members.front()) ? *heaviest : members.front();
}

// Parents before children, each skeleton in one piece, depth first.
std::vector<Visit> treeOrder(const Description& description, const Graph& graph, const Names& names,
                             const std::vector<Inertia>& inertias, Model& model, Checker& check)
{
    const int count = graph.size();
    std::vector<const RootWish*> chosen(count, nullptr);
    std::vector<char> seen(count, 0);
    const std::vector<RootWish> wishes = rootWishes(description, names, check);
    for (const RootWish& wish : wishes) chosen[wish.body] = &wish;
    std::vector<Visit> order;
    for (int start = 0; start < count && !check.failed(); ++start) {
        if (seen[start]) continue;
        // All bodies of this skeleton, and who its root is.
        std::vector<int> members{start};
        seen[start] = 1;
        int rootBody = start, rootJoint = -1;
        const RootWish* named = nullptr;
        for (std::size_t k = 0; k < members.size(); ++k) {
            if (const RootWish* wish = chosen[members[k]]) {
                if (named) refuseTwoRoots(description, *named, *wish, check);
                named = wish;
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
        if (named) {
            // A free joint ties nothing.
            const bool floats =
                rootJoint < 0 || (named->isPrescribed && named->body == rootBody &&
                                  jointTypeInfo(description.joints[rootJoint].type).isFree());
            if (!floats) refuseTiedRoot(description, *named, description.joints[rootJoint].name, check);
            rootBody = named->body;
        } else if (rootJoint < 0) {
            rootBody = chooseRoot(description, graph, members, inertias);
        }
        if (check.failed()) break;
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
        model.skeletonOf.resize(order.size(), static_cast<int>(model.skeletons.size()));
        model.skeletons.push_back({first, static_cast<int>(order.size()) - first, 0, 0});
    }
    return order;
}

Names checkNames(const Description& description, Checker& check)
{
    check.require(
        !description.bodies.empty() || !description.meshes.empty() || !description.particles.empty(),
        "/bodies", "is empty; a scene needs at least one body, mesh or particle system");
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

void checkColors(const Description& description, Checker& check)
{
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        if (!description.bodies[i].color) continue;
        const Vec3& color = *description.bodies[i].color;
        for (int k = 0; k < 3; ++k)
            check.require(color[k] >= 0 && color[k] <= 1, at("bodies", i) + "/color/" + std::to_string(k),
                          "is " + number(color[k]) + "; it must be from 0 to 1");
    }
}

}  // namespace

int compiling::bodyIndex(const Names& names, const std::string& name, const std::string& pointer,
                         Checker& check)
{
    if (name == "world") return world;
    const auto found = names.find(name);
    check.require(found != names.end(), pointer, "there is no body " + quoted(name));
    return found == names.end() ? world : found->second;
}

Shape compiling::boundedShape(const Shape& shape, const std::string& pointer, Checker& check)
{
    constexpr double leastReach = 1e-10, largestReach = 1e10;  // m
    const Result<Shape> checked = checkedShape(shape);
    if (!checked) {
        check.fail(pointer + checked.error().pointer, checked.error().message);
        return Sphere{1};
    }
    const double reach = reachOf(checked.value());
    check.require(reach >= leastReach && reach <= largestReach, pointer,
                  "reaches " + number(reach) + " m from its centre; 1e-10 to 1e10 m is taken");
    return checked.value();
}

namespace {

// Limits whose stiffness follows from the figure. `weight`: of its mass, at an arm of 1.
void giveLimitsStrength(const Skeleton& skeleton, double weight, Joint& joint)
{
    if (joint.limitStiffness != stiffnessByDefault) return;
    const double arm = joint.keepsOrientation() ? 1 : skeleton.length;
    joint.limitStiffness = weight * arm * arm;
    joint.slideLimits = 1 / (arm * arm);
}

// Lengths of skeletons, units of freedoms, and what follows from them.
void measureFigures(Model& model)
{
    model.freedomUnits.assign(static_cast<std::size_t>(model.freedomCount), 1);
    for (Skeleton& skeleton : model.skeletons) {
        skeleton.leastMoment = HUGE_VAL;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            const Body& body = model.bodies[i];
            const Joint& joint = model.joints[i];
            double own = body.mass > 0 ? std::sqrt(0.5 * body.inertia.trace() / body.mass) : 0;
            if (joint.freedoms() < 6) own = std::max(own, joint.anchorChild.norm());
            skeleton.leastMoment = std::min(skeleton.leastMoment, body.mass * own);
            skeleton.length = std::max(skeleton.length, own);
            if (joint.freedoms() < 6 && joint.parent >= 0)
                skeleton.length = std::max(skeleton.length, joint.anchorParent.norm());
        }
        if (!(skeleton.length > 0)) skeleton.length = 1;  // points: nothing tells
        double mass = 0;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) mass += model.bodies[i].mass;
        const double rate = 2 * M_PI * JointDescription::defaultLimitFrequency;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            Joint& joint = model.joints[i];
            giveLimitsStrength(skeleton, rate * rate * mass, joint);
        }
        for (JointSetting& setting : model.settings)
            if (model.skeletonOf[setting.joint] == model.skeletonOf[skeleton.first])
                giveLimitsStrength(skeleton, rate * rate * mass, setting.numbers);
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            const Joint& joint = model.joints[i];
            for (int k = 0; k < joint.slides(); ++k) model.freedomUnits[joint.u + k] = skeleton.length;
        }
    }
    if (!model.contact && !model.skeletons.empty()) {
        const auto isShorter = [](const Skeleton& a, const Skeleton& b) { return a.length < b.length; };
        model.contactLength =
            std::min_element(model.skeletons.begin(), model.skeletons.end(), isShorter)->length;
    }
}

void compileModel(const Description& description, Model& model, Checker& check)
{
    model.name = description.name;
    model.gravity = description.gravity;
    check.finite(description.gravity, "/gravity");
    const double floor = description.inertiaFloor;
    check.require(floor >= 0 && floor <= 1, "/inertia_floor",
                  "is " + number(floor) + "; it must be from 0 to 1");

    const Names names = checkNames(description, check);
    checkColors(description, check);
    if (check.failed()) return;
    const Graph graph = buildGraph(description, names, check);
    if (check.failed()) return;
    const int describedCount = static_cast<int>(description.bodies.size());
    std::vector<Inertia> inertias;  // per body of the description
    for (int i = 0; i < describedCount && !check.failed(); ++i)
        inertias.push_back(bodyInertia(description.bodies[i], at("bodies", i), check));
    if (check.failed()) return;
    const std::vector<Visit> order = treeOrder(description, graph, names, inertias, model, check);
    if (check.failed()) return;

    model.bodyOrder.resize(description.bodies.size());
    model.linkOfJoint.assign(description.joints.size(), -1);
    std::vector<int> linkOf(graph.size());  // per node
    for (const Visit& visit : order) {
        const int index = model.size();
        const int described = graph.body[visit.body], parts = graph.parts[described];
        const BodyDescription& source = description.bodies[described];
        const std::string pointer = at("bodies", described);
        Inertia inertia = inertias[described];
        inertia.mass /= parts;
        inertia.rotational /= parts;
        check.finite(source.pose.position, pointer + "/position");
        const Pose frame{source.pose.position,
                         check.unit(source.pose.orientation, pointer + "/orientation")};
        if (source.velocity) check.finite(*source.velocity, pointer + "/velocity");
        if (source.angularVelocity) check.finite(*source.angularVelocity, pointer + "/angular_velocity");
        if (check.failed()) return;
        const Mat3 I = withFloor(0.5 * (inertia.rotational + inertia.rotational.transpose()), floor);
        model.bodies.push_back({inertia.mass,
                                I,
                                inertia.mass > 0 ? Mat3(I.inverse()) : Mat3(Mat3::Zero()),
                                inertia.center,
                                {frame * inertia.center, frame.orientation},
                                source.name,
                                parts});
        linkOf[visit.body] = index;
        if (visit.body == described) model.bodyOrder[described] = index;

        Joint joint;
        if (visit.joint < 0) {
            joint = freeRoot(model.bodies.back());
        } else {
            const bool childIsFirst = graph.first[visit.joint] == visit.body;
            joint = compileJoint(description.joints[visit.joint], at("joints", visit.joint), model,
                                 visit.parent, index, childIsFirst, check);
            model.linkOfJoint[visit.joint] = index;
        }
        if (check.failed()) return;
        joint.q = model.coordinateCount;
        joint.u = model.freedomCount;
        model.coordinateCount += joint.coordinates();
        model.freedomCount += joint.freedoms();
        model.joints.push_back(std::move(joint));
    }
    for (int link : model.linkOfJoint)
        if (link >= 0) model.jointOrder.push_back(link);
    checkMassless(model, check);
    compileLoops(description, names, graph.closing, model, check);
    for (int node = describedCount; node < graph.size() && !check.failed(); ++node) {
        const int part = linkOf[node];
        model.bodies[part].cutFrom = model.bodyOrder[graph.body[node]];
        compileSeam(description, graph.joints[node].front(), part, model, check);
    }
    compileCouplings(description, model, check);
    compileSurroundings(description, names, model, check);
    if (!check.failed()) measureFigures(model);
    compileContact(description, names, model, check);
    compileSprings(description, names, model, check);
    compileMeshes(description, names, model, check);
    compileControl(description, names, model, check);
    if (!check.failed()) compilePrescribed(description, names, model, check);
    compileParticles(description, names, model, check);
    compileWishes(description, names, model, check);
    compileBalances(description, names, model, check);
}

}  // namespace

Result<Model> compile(const Description& description)
{
    Checker check;
    Model model;
    compileModel(description, model, check);
    if (check.failed()) return asWritten(check.diagnostic(), description);
    compileLinks(model);
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
    const int first = joints[joint].firstSwitch;
    if (first < 0) return active;
    for (std::size_t i = static_cast<std::size_t>(first); i < switches.size(); ++i) {
        if (switches[i].joint != joint || switches[i].time > time + JointSwitch::slack) break;
        active = switches[i].active;
    }
    return active;
}

void Model::set(const JointSetting& setting)
{
    Joint& joint = joints[setting.joint];
    const Joint& from = setting.numbers;
    if (setting.spring) {
        joint.stiffness = from.stiffness;
        joint.twistStiffness = from.twistStiffness;
        joint.rest = from.rest;
        joint.restRotation = from.restRotation;
    }
    if (setting.damper) joint.damping = from.damping;
    if (setting.limits) {
        joint.limitStiffness = from.limitStiffness;
        joint.slideLimits = from.slideLimits;
        joint.swingLimit = from.swingLimit;
        joint.cone = from.cone;
        joint.lower = from.lower;
        joint.upper = from.upper;
    }
    if (setting.motor) {
        joint.motor = from.motor;
        joint.hasMotor = joint.hasMotor || from.hasMotor;
    }
    links[setting.joint].hasForces = joint.hasForces();
    hasJointForces = hasJointForces || joint.hasForces();
}

int Model::findBody(std::string_view wanted) const
{
    for (int i = 0; i < size(); ++i)
        if (bodies[i].name == wanted && bodies[i].cutFrom < 0) return i;
    return -1;
}

int Model::findJoint(std::string_view wanted) const
{
    for (int i = 0; i < size(); ++i)
        if (joints[i].declared && joints[i].name == wanted) return i;
    return -1;
}

}  // namespace sinew
