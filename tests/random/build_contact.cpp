// Where things are: skeletons in the air or over a ground, nothing inside anything else.
#include "random/builder.h"
#include "sinew/geometry/distance.h"
#include "sinew/geometry/support.h"

namespace sinew::test {

void SceneBuilder::movePart(const Group& group, const Pose& by)
{
    for (std::size_t i = group.first; i < group.last; ++i) {
        Pose& pose = d.bodies[i].pose;
        pose = by * pose;
        pose.orientation.normalize();
    }
    for (std::size_t j = group.firstJoint; j < group.lastJoint; ++j) {
        JointDescription& joint = d.joints[j];
        joint.position = by * joint.position;
        if (joint.axis) joint.axis = by.orientation * *joint.axis;
        if (joint.axis2) joint.axis2 = by.orientation * *joint.axis2;
    }
}

namespace {

void collect(const BodyDescription& body, std::vector<PlacedShape>& shapes)
{
    for (const ShapeDescription& part : body.shapes) {
        const Shape shape = checkedShape(part.shape).value();
        shapes.push_back({shape, body.pose * part.pose, reachOf(shape)});
    }
}

double lowest(const PlacedShape& p, const Vec3& up)
{
    const Vec3 down = p.pose.orientation.conjugate() * (-up);
    return up.dot(p.pose * coreSupport(p.shape, down)) - coreMargin(p.shape);
}

// The least distance of the two sets, not told beyond `enough`.
double apart(const std::vector<PlacedShape>& a, const std::vector<PlacedShape>& b, double enough,
             DistanceWork& work)
{
    double least = enough;
    for (const PlacedShape& x : a)
        for (const PlacedShape& y : b) {
            if ((x.pose.position - y.pose.position).norm() > x.reach + y.reach + least) continue;
            least = std::min(least, distance(x.shape, x.pose, y.shape, y.pose, work).distance);
        }
    return least;
}

}  // namespace

void SceneBuilder::place()
{
    for (const Group& group : groups) {
        const bool isUpright =
            features.end() != std::find(features.begin(), features.end(), "doll") && chance(0.6);
        const Quat turn = isUpright ? expRotation(pi * between(-1, 1) * Vec3::UnitY()) : rotation();
        movePart(group, {d.contact ? Vec3::Zero() : vector(L, 0, 3), turn});
    }
}

// Fixed things, near and on the ground.
void SceneBuilder::addObstacles(std::vector<PlacedShape>& there)
{
    for (int k = 1 + random.below(3); k > 0; --k) {
        note("obstacle");
        ObstacleDescription o;
        o.name = "o" + std::to_string(d.obstacles.size());
        o.position = L * within({-2, 2}, {-0.3, 0.6}, {-2, 2});
        const Quat turn = rotation();
        if (chance(0.4)) {
            o.type = ObstacleDescription::Type::sphere;
            o.radius = L * between(0.2, 0.6);
            there.push_back({Sphere{o.radius}, {o.position, Quat::Identity()}, o.radius});
        } else {
            o.type = ObstacleDescription::Type::shape;
            o.orientation = turn;
            const Vec3 edges = L * within({0.3, 1}, {0.3, 1}, {0.3, 1});
            o.shape = Box{edges};
            if (chance(0.4)) o.shape = Capsule{edges.x() / 2, edges.y()};
            there.push_back({o.shape, {o.position, o.orientation}, reachOf(o.shape)});
        }
        d.obstacles.push_back(o);
    }
}

// Hills that stay below the plane y = 0.
void SceneBuilder::addTerrain()
{
    note("terrain");
    HeightField field;
    field.columns = field.rows = 9;
    field.spacing = L;
    for (int i = 0; i < field.columns * field.rows; ++i) field.heights.push_back(-L * between(0, 0.4));
    ObstacleDescription o;
    o.name = "hills";
    o.type = ObstacleDescription::Type::terrain;
    o.position = -4 * L * Vec3(1, 0, 1);
    o.terrain = field;
    d.obstacles.push_back(o);
}

// One skeleton after the other: down to the ground, then up until it is clear of all others.
void SceneBuilder::restOn(const Vec3& up, std::vector<PlacedShape>& there)
{
    DistanceWork work;
    const double touching = 1e-6 * L;
    for (const Group& group : groups) {
        const double spread = chance(0.3) ? 0.1 : 1.5;
        movePart(group, {L * within({-spread, spread}, {0, 0}, {-spread, spread}), Quat::Identity()});
        std::vector<PlacedShape> mine;
        for (std::size_t i = group.first; i < group.last; ++i) collect(d.bodies[i], mine);
        double low = 1e300;
        for (const PlacedShape& p : mine) low = std::min(low, lowest(p, up));
        const auto raise = [&](double by) {
            movePart(group, {by * up, Quat::Identity()});
            for (PlacedShape& p : mine) p.pose.position += by * up;
        };
        raise(-low + (chance(0.4) ? touching : L * between(0, group.isTied ? 0.3 : 1)));
        for (int k = 0; k < 400; ++k) {
            const double gap = apart(mine, there, 0.05 * L, work);
            if (gap >= touching) break;
            raise(0.02 * L + std::max(0., -gap));
        }
        there.insert(there.end(), mine.begin(), mine.end());
    }
}

void SceneBuilder::addContact()
{
    note("contact");
    d.contact.emplace();
    ContactDescription& contact = *d.contact;
    const bool hasJoints = !d.joints.empty();
    contact.friction = chance(0.15) ? 0 : between(0, hasJoints ? 1 : 1.5);
    if (contact.friction == 0) note("frictionless");
    if (chance(0.25)) {
        note("restitution");
        contact.restitution = chance(0.2) ? 1 : between(0.1, 0.95);
    }
    if (chance(0.1)) {
        note("sleeping");
        contact.sleeping = true;
    }
    for (BodyDescription& b : d.bodies) {
        if (chance(0.1)) b.friction = between(0, hasJoints ? 1 : 1.5);
        if (contact.restitution > 0 && chance(0.2)) b.restitution = between(0, 1);
    }
    place();
    Vec3 up = Vec3::UnitY();
    std::vector<PlacedShape> there;
    const double kind = random.unit();
    if (kind < 0.08) {
        addTerrain();
    } else if (kind < 0.92) {
        note("ground");
        if (chance(0.3)) {
            note("slope");
            up = expRotation(between(0, 0.35) * Vec3(1, 0, 0)) * up;
        }
        ObstacleDescription ground;
        ground.name = "ground";
        ground.normal = up;
        d.obstacles.push_back(ground);
    }
    if (chance(0.3)) addObstacles(there);
    restOn(up, there);
}

void SceneBuilder::turnAndMove()
{
    const bool turns = chance(0.7);
    const Quat by = turns ? rotation() : Quat::Identity();
    Vec3 to = Vec3::Zero();
    if (chance(0.3)) {
        const Vec3 way = direction();
        to = L * logBetween(1, 1e3) * way;
    }
    if (turns) note("turned");
    if (!to.isZero(0)) note("moved");
    const Pose pose{to, by};
    for (const Group& group : groups) movePart(group, pose);
    d.gravity = by * d.gravity;
    for (BodyDescription& b : d.bodies) {
        if (b.velocity) b.velocity = by * *b.velocity;
        if (b.angularVelocity) b.angularVelocity = by * *b.angularVelocity;
    }
    for (ForceDescription& f : d.forces) {
        f.force = by * f.force;
        f.torque = by * f.torque;
        if (f.point) f.point = pose * *f.point;
    }
    for (ObstacleDescription& o : d.obstacles) {
        o.position = pose * o.position;
        // Planes have a normal instead, and a sphere is the same however it is turned.
        using Type = ObstacleDescription::Type;
        if (o.type == Type::shape || o.type == Type::terrain)
            o.orientation = (by * o.orientation).normalized();
        if (o.type == Type::plane) o.normal = by * o.normal;
    }
    const auto movePath = [&](std::vector<TargetDescription::Key>& path) {
        for (TargetDescription::Key& key : path) {
            if (key.position) key.position = pose * *key.position;
            if (key.orientation) key.orientation = (by * *key.orientation).normalized();
        }
    };
    for (PrescribedDescription& p : d.prescribed) movePath(p.path);
    for (TargetDescription& t : d.targets) {
        movePath(t.path);
        if (t.point) t.point = pose * *t.point;
    }
}

}  // namespace sinew::test
