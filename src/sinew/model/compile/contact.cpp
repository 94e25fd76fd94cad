// Contact of a description → Model: colliders, layers, and who passes through whom.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/distance.h"
#include "sinew/geometry/support.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"

namespace sinew::compiling {
namespace {

// The layers that bodies and obstacles name, each a bit.
class Layers {
public:
    static constexpr std::size_t most = 32;

    std::uint32_t bit(const std::string& name, const std::string& pointer, Checker& check)
    {
        const std::string& known = name.empty() ? defaultName : name;
        const auto [place, isNew] = numbers_.emplace(known, numbers_.size());
        check.require(numbers_.size() <= most, pointer, "is one layer too many; there can be 32");
        return check.failed() ? 1 : std::uint32_t{1} << place->second;
    }
    // Zero: there is no such layer.
    std::uint32_t find(const std::string& name) const
    {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? 0 : std::uint32_t{1} << found->second;
    }

private:
    const std::string defaultName = "default";
    std::unordered_map<std::string, std::size_t> numbers_;
};

constexpr const char* needsForces = "is for the responses resting and penalty";

void checkStatic(double value, double friction, const std::string& pointer, Checker& check)
{
    check.finite(value, pointer + "/static_friction");
    check.require(value >= friction, pointer + "/static_friction",
                  "is " + number(value) + "; it must not be less than the friction, " + number(friction));
}

// Of a body or an obstacle.
template <class Source>
void setMaterial(const Source& source, const ContactDescription& contact, const std::string& pointer,
                 Collider& collider, Checker& check)
{
    if (source.friction) check.notNegative(*source.friction, pointer + "/friction");
    if (source.restitution)
        check.require(*source.restitution >= 0 && *source.restitution <= 1, pointer + "/restitution",
                      "is " + number(*source.restitution) + "; it must be from 0 to 1");
    collider.friction = source.friction.value_or(contact.friction);
    collider.restitution = source.restitution.value_or(contact.restitution);
    collider.staticFriction = source.staticFriction.value_or(
        source.friction.value_or(contact.staticFriction.value_or(contact.friction)));
    if (source.staticFriction) checkStatic(*source.staticFriction, collider.friction, pointer, check);
    if (source.rollingFriction) check.notNegative(*source.rollingFriction, pointer + "/rolling_friction");
    if (source.spinningFriction)
        check.notNegative(*source.spinningFriction, pointer + "/spinning_friction");
    collider.rollingFriction = source.rollingFriction.value_or(contact.rollingFriction);
    collider.spinningFriction = source.spinningFriction.value_or(contact.spinningFriction);
    // A jump of velocities takes no time in which anything could be held.
    using Response = ContactDescription::Response;
    const bool turns = contact.response == Response::resting || contact.response == Response::penalty;
    check.require(turns || !source.staticFriction, pointer + "/static_friction", needsForces);
    for (const auto& [value, key] : {std::pair(source.rollingFriction, "/rolling_friction"),
                                     std::pair(source.spinningFriction, "/spinning_friction")})
        check.require(turns || value.value_or(0) == 0, pointer + key, needsForces);
}

void checkSettings(const ContactDescription& contact, Checker& check)
{
    const std::string here = "/contact";
    check.notNegative(contact.friction, here + "/friction");
    if (contact.staticFriction) checkStatic(*contact.staticFriction, contact.friction, here, check);
    using Response = ContactDescription::Response;
    const bool turns = contact.response == Response::resting || contact.response == Response::penalty;
    check.require(turns || !contact.staticFriction, here + "/static_friction", needsForces);
    for (const auto& [value, key] : {std::pair(contact.rollingFriction, "/rolling_friction"),
                                     std::pair(contact.spinningFriction, "/spinning_friction")}) {
        check.notNegative(value, here + key);
        check.require(turns || value == 0, here + key, needsForces);
    }
    for (const auto& [value, key] :
         {std::pair(contact.restitution, "/restitution"), std::pair(contact.keep, "/keep")})
        check.require(value >= 0 && value <= 1, here + key,
                      "is " + number(value) + "; it must be from 0 to 1");
    if (contact.bounceSpeed) check.notNegative(*contact.bounceSpeed, here + "/bounce_speed");
    check.positive(contact.stiffness, here + "/stiffness");
    check.notNegative(contact.damping, here + "/damping");
    if (contact.tolerance) check.positive(*contact.tolerance, here + "/tolerance");
    check.require(contact.sweeps >= 1, here + "/sweeps",
                  "is " + std::to_string(contact.sweeps) + "; at least one sweep is needed");
}

// The shapes have been checked with the bodies' mass properties.
void addBodyColliders(const Description& description, const ContactDescription& contact, Layers& layers,
                      Model& model, Checker& check)
{
    std::vector<int> order(model.bodies.size(), -1);
    for (std::size_t i = 0; i < model.bodyOrder.size(); ++i)
        order[model.bodyOrder[i]] = static_cast<int>(i);
    for (int index = 0; index < model.size(); ++index) {
        if (order[index] < 0) continue;  // a further part of a body
        const BodyDescription& source = description.bodies[order[index]];
        const std::string pointer = at("bodies", order[index]);
        Collider material;
        setMaterial(source, contact, pointer, material, check);
        const std::uint32_t layer = layers.bit(source.layer, pointer + "/layer", check);
        for (std::size_t k = 0; k < source.shapes.size() && source.collides && !check.failed(); ++k) {
            const ShapeDescription& part = source.shapes[k];
            Collider collider = material;
            collider.body = index;
            collider.form = checkedShape(part.shape).value();
            collider.pose = {part.pose.position - model.bodies[index].center,
                             part.pose.orientation.normalized()};
            collider.layer = layer;
            collider.source = static_cast<int>(k);
            model.colliders.push_back(std::move(collider));
        }
    }
}

void addObstacle(const ObstacleDescription& source, const std::string& pointer, Collider& collider,
                 Checker& check)
{
    using Type = ObstacleDescription::Type;
    check.finite(source.position, pointer + "/position");
    if (source.type == Type::plane) {
        const Vec3 n = check.direction(source.normal, pointer + "/normal");
        check.require(source.radius == 0, pointer + "/radius", "is for spheres; a plane has none");
        collider.form = HalfSpace{n, n.dot(source.position)};
        return;
    }
    collider.pose = {source.position, check.unit(source.orientation, pointer + "/orientation")};
    if (source.type == Type::terrain) {
        const Result<Terrain> terrain = checkedTerrain(source.terrain);
        if (!terrain)
            check.fail(pointer + terrain.error().pointer, terrain.error().message);
        else
            collider.form = terrain.value();
        return;
    }
    collider.form = boundedShape(source.type == Type::sphere ? Shape(Sphere{source.radius}) : source.shape,
                                 pointer, check);
}

void addObstacles(const Description& description, const ContactDescription& contact, Layers& layers,
                  Model& model, Checker& check)
{
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < description.obstacles.size() && !check.failed(); ++i) {
        const ObstacleDescription& source = description.obstacles[i];
        const std::string pointer = at("obstacles", i);
        check.require(source.name.empty() || names.insert(source.name).second, pointer + "/name",
                      "there is an obstacle " + quoted(source.name) + " already; names must differ");
        Collider collider;
        setMaterial(source, contact, pointer, collider, check);
        addObstacle(source, pointer, collider, check);
        collider.layer = layers.bit(source.layer, pointer + "/layer", check);
        collider.source = static_cast<int>(i);
        model.colliders.push_back(std::move(collider));
    }
}

// Pairs that the description wants to pass through each other: of layers, or of bodies.
void addIgnored(const Description& description, const Names& names, const Layers& layers, Model& model,
                Checker& check)
{
    for (std::size_t i = 0; i < description.contact->ignore.size() && !check.failed(); ++i) {
        const auto& pair = description.contact->ignore[i];
        const std::string pointer = "/contact" + at("ignore", i);
        std::uint32_t bits[2] = {};
        int bodies[2] = {-1, -1};
        for (int k = 0; k < 2; ++k) {
            const auto body = names.find(pair[k]);
            if (body != names.end())
                bodies[k] = model.bodyOrder[body->second];
            else
                bits[k] = layers.find(pair[k]);
            check.require(bodies[k] >= 0 || bits[k] != 0, pointer + "/" + std::to_string(k),
                          "there is neither a body nor a layer " + quoted(pair[k]));
        }
        if (check.failed()) return;
        if (bodies[0] >= 0 && bodies[1] >= 0) {
            model.silentPairs.push_back(std::minmax(bodies[0], bodies[1]));
            continue;
        }
        if (bodies[0] < 0 && bodies[1] < 0) {
            for (Collider& collider : model.colliders) {
                if (collider.layer == bits[0]) collider.touches &= ~bits[1];
                if (collider.layer == bits[1]) collider.touches &= ~bits[0];
            }
            continue;
        }
        const int body = std::max(bodies[0], bodies[1]);
        const std::uint32_t layer = bits[0] | bits[1];
        for (Collider& collider : model.colliders)
            if (collider.body == body) collider.touches &= ~layer;
    }
}

// Bones that overlap in the rest pose, such as both thighs with the pelvis, would push each other apart. So
// would those that just touch there: bones that end in the same joint touch in it however they turn, and
// rounding would tell which of them collide.
void silenceOverlaps(Model& model)
{
    constexpr double touching = 1e-6;  // of the figure's length
    DistanceWork work;
    const auto placed = [&](const Collider& c) {
        const Pose& rest = model.bodies[c.body].rest;
        return Pose{rest.position, rest.orientation} * c.pose;
    };
    for (std::size_t a = 0; a < model.colliders.size(); ++a) {
        const Collider& A = model.colliders[a];
        if (A.body < 0) break;
        const Pose poseA = placed(A);
        const double near = touching * model.skeletons[model.skeletonOf[A.body]].length;
        BoundingBox boxA = boundingBox(std::get<Shape>(A.form), poseA);
        boxA.low.array() -= near;
        boxA.high.array() += near;
        for (std::size_t b = a + 1; b < model.colliders.size(); ++b) {
            const Collider& B = model.colliders[b];
            if (B.body < 0 || model.skeletonOf[B.body] != model.skeletonOf[A.body]) break;
            if (B.body == A.body) continue;
            const Pose poseB = placed(B);
            if (!overlaps(boxA, boundingBox(std::get<Shape>(B.form), poseB))) continue;
            const double gap =
                distance(std::get<Shape>(A.form), poseA, std::get<Shape>(B.form), poseB, work).distance;
            if (gap < near) model.silentPairs.push_back({A.body, B.body});
        }
    }
}

// Bodies that welds make one piece. Nothing could part two of them where they touch.
void findPieces(Model& model)
{
    model.pieces.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        const bool isHeld = joint.isRigid();
        model.pieces[i] = !isHeld ? i : joint.parent < 0 ? -1 : model.pieces[joint.parent];
    }
}

// What is small among the bodies that touch, and the numbers that follow from it.
void measureContact(Model& model)
{
    // A bead beside a house does not make the house exact to a millionth of the bead.
    constexpr double leastPart = 1e-3;
    double least = HUGE_VAL, most = 0;
    for (const Collider& collider : model.colliders) {
        if (collider.body < 0) continue;
        const double reach = reachOf(std::get<Shape>(collider.form));
        least = std::min(least, reach);
        most = std::max(most, reach);
    }
    if (most > 0) model.contactLength = std::max(least, leastPart * most);
    ContactDescription& contact = *model.contact;
    if (!contact.tolerance) contact.tolerance = 1e-7 * model.contactLength;
    if (!contact.bounceSpeed)
        contact.bounceSpeed = std::max(std::sqrt(2 * model.gravity.norm() * 0.02 * model.contactLength),
                                       1e-3 * model.contactLength);  // weightless: a thousandth a second
}

}  // namespace

void compileContact(const Description& description, const Names& names, Model& model, Checker& check)
{
    if (check.failed()) return;
    // Vertices of meshes and particles touch bodies and obstacles even where these do not touch each other.
    const bool hasPoints = !description.meshes.empty() || !description.particles.empty();
    if (!description.contact && !hasPoints) return;
    const ContactDescription contact = description.contact.value_or(ContactDescription());
    checkSettings(contact, check);
    Layers layers;
    addBodyColliders(description, contact, layers, model, check);
    addObstacles(description, contact, layers, model, check);
    if (!description.contact || check.failed()) return;
    model.contact = contact;
    measureContact(model);
    addIgnored(description, names, layers, model, check);
    if (check.failed()) return;
    findPieces(model);
    silenceOverlaps(model);
    for (int i = 0; i < model.size(); ++i)
        if (model.joints[i].parent >= 0 && !model.joints[i].isFree()) {
            const int whole = model.bodies[i].cutFrom;
            model.silentPairs.push_back(std::minmax(model.joints[i].parent, whole < 0 ? i : whole));
        }
    for (const LoopJoint& loop : model.loops)
        if (loop.joint.parent >= 0) model.silentPairs.push_back(std::minmax(loop.joint.parent, loop.child));
    std::sort(model.silentPairs.begin(), model.silentPairs.end());
    model.silentPairs.erase(std::unique(model.silentPairs.begin(), model.silentPairs.end()),
                            model.silentPairs.end());
}

}  // namespace sinew::compiling

namespace sinew {

bool Model::mayCollide(int colliderA, int colliderB) const
{
    const Collider &a = colliders[colliderA], &b = colliders[colliderB];
    const auto piece = [&](const Collider& c) { return c.body < 0 ? -1 : pieces[c.body]; };
    if (a.body == b.body || piece(a) == piece(b) || !(a.touches & b.layer) || !(b.touches & a.layer))
        return false;
    return a.body < 0 || b.body < 0 ||
           !std::binary_search(silentPairs.begin(), silentPairs.end(),
                               std::pair<int, int>(std::minmax(a.body, b.body)));
}

}  // namespace sinew
