// Bodies of random shapes, and trees of them.
#include "random/builder.h"
#include "sinew/math/rotation.h"

namespace sinew::test {

SceneBuilder::SceneBuilder(const SceneClass& sceneClassArgument, Random& randomArgument)
    : sceneClass(sceneClassArgument), random(randomArgument)
{
}

Vec3 SceneBuilder::direction()
{
    const double x = random.normal(), y = random.normal(), z = random.normal();
    return Vec3(x, y, z).normalized();
}

Vec3 SceneBuilder::vector(double factor, double low, double high)
{
    const Vec3 way = direction();
    return factor * between(low, high) * way;
}

Vec3 SceneBuilder::within(const Range& x, const Range& y, const Range& z)
{
    const auto draw = [&](const Range& range) {
        return range.low < range.high ? between(range.low, range.high) : range.low;
    };
    const double atZ = draw(z), atY = draw(y), atX = draw(x);
    return {atX, atY, atZ};
}

double SceneBuilder::mass()
{
    const double half = std::sqrt(sceneClass.massRatio);
    return m0 * logBetween(1 / half, half);
}

double SceneBuilder::size()
{
    const double half = std::sqrt(sceneClass.sizeRatio);
    return L * logBetween(1 / half, half);
}

double SceneBuilder::thickness()
{
    return logBetween(sceneClass.leastThickness, 0.3);
}

void SceneBuilder::note(const std::string& feature)
{
    if (std::find(features.begin(), features.end(), feature) == features.end()) features.push_back(feature);
}

Shape SceneBuilder::linkShape(double length, double radius)
{
    switch (random.below(6)) {
        case 0:
            return Box{Vec3(2 * radius, length, 2 * radius * between(0.5, 1))};
        case 1:
            return Cylinder{radius, length};
        case 2:
            note("ellipsoid");
            return Ellipsoid{Vec3(radius, length / 2, radius * between(0.5, 1))};
        case 3: {
            note("mesh");
            // A spindle: two tips and a ring of four.
            const double r = radius, l = length / 2;
            return ConvexMesh{{Vec3(0, l, 0), Vec3(0, -l, 0), Vec3(r, 0, 0), Vec3(-r, 0, 0), Vec3(0, 0, r),
                               Vec3(0, 0, -r)},
                              {}};
        }
        default:
            return Capsule{radius, std::max(length - 2 * radius, 0.1 * length)};
    }
}

Shape SceneBuilder::lumpShape(double s)
{
    switch (random.below(7)) {
        case 0:
            return Sphere{s / 2};
        case 1:
            return Capsule{s * between(0.1, 0.3), s * between(0.3, 0.7)};
        case 2:
            return Cylinder{s * between(0.15, 0.5), s * between(0.2, 1)};
        case 3:
            note("ellipsoid");
            return Ellipsoid{0.5 * s * within({0.4, 1}, {0.4, 1}, {0.4, 1})};
        case 4: {
            note("mesh");
            ConvexMesh mesh;
            const int count = 5 + random.below(8);
            for (int i = 0; i < count; ++i) mesh.vertices.push_back(s / 2 * direction());
            return mesh;
        }
        default:
            return Box{s * within({0.3, 1}, {0.3, 1}, {0.3, 1})};
    }
}

int SceneBuilder::addLink(const Vec3& from, const Vec3& to, double radius)
{
    BodyDescription b;
    b.name = "b" + std::to_string(d.bodies.size());
    const Vec3 way = to - from;
    b.pose.position = 0.5 * (from + to);
    b.pose.orientation = rotationBetween(Vec3::UnitY(), way.normalized());
    b.mass = mass();
    b.shapes.push_back({linkShape(way.norm(), radius), {}, {}, {}});
    d.bodies.push_back(b);
    return static_cast<int>(d.bodies.size()) - 1;
}

int SceneBuilder::addLump(const Vec3& position, double s)
{
    BodyDescription b;
    b.name = "b" + std::to_string(d.bodies.size());
    b.pose = {position, rotation()};
    b.mass = mass();
    b.shapes.push_back({lumpShape(s), {}, {}, {}});
    if (chance(0.15)) {  // a head on it
        note("compound");
        b.shapes.push_back({Sphere{0.2 * s}, {0.4 * s * direction(), Quat::Identity()}, {}, {}});
    }
    if (chance(0.1)) {
        note("center");
        b.center = 0.1 * s * direction();
    }
    d.bodies.push_back(b);
    return static_cast<int>(d.bodies.size()) - 1;
}

double SceneBuilder::massOf(const std::string& name) const
{
    for (const BodyDescription& b : d.bodies)
        if (b.name == name) return *b.mass;
    return 1e300;
}

JointDescription& SceneBuilder::addJoint(JointType type, int first, int second, const Vec3& place)
{
    JointDescription j;
    j.name = "j" + std::to_string(d.joints.size());
    j.type = type;
    j.first = first == worldIndex ? "world" : d.bodies[first].name;
    j.second = second == worldIndex ? "world" : d.bodies[second].name;
    if (chance(0.3)) std::swap(j.first, j.second);
    j.position = place;
    if (type == JointType::hinge || type == JointType::slide || type == JointType::universal)
        j.axis = direction();
    if (type == JointType::universal) j.axis2 = directorsAcross(*j.axis).first;
    note(jointTypeName(type));
    d.joints.push_back(j);
    return d.joints.back();
}

JointDescription& SceneBuilder::addHinge(int first, int second, const Vec3& place, const Vec3& axis)
{
    JointDescription& j = addJoint(JointType::hinge, first, second, place);
    j.axis = axis;
    return j;
}

JointType SceneBuilder::anyJoint()
{
    constexpr JointType types[] = {JointType::hinge,     JointType::hinge,     JointType::spherical,
                                   JointType::spherical, JointType::universal, JointType::slide,
                                   JointType::weld};
    return types[random.below(7)];
}

SceneBuilder::Group& SceneBuilder::openGroup()
{
    groups.push_back({d.bodies.size(), 0, d.joints.size(), 0, false, false, -1});
    return groups.back();
}

void SceneBuilder::closeGroup(bool isTied, bool hasLoop)
{
    Group& group = groups.back();
    group.last = d.bodies.size();
    group.lastJoint = d.joints.size();
    group.isTied = isTied;
    group.hasLoop = hasLoop;
}

void SceneBuilder::addTree(int bodies, bool isTied)
{
    note("tree");
    openGroup();
    const bool isSerial = chance(0.4);
    const double thin = thickness();
    struct Ends {
        Vec3 from, to;
        double radius;
    };
    std::vector<Ends> ends;
    const int base = static_cast<int>(d.bodies.size());
    for (int i = 0; i < bodies; ++i) {
        const int parent = i == 0 ? -1 : isSerial ? i - 1 : random.below(i);
        const Vec3 from = parent < 0 ? Vec3::Zero() : chance(0.8) ? ends[parent].to : ends[parent].from;
        const double length = size();
        const Vec3 to = from + length * direction();
        const double radius = length * (chance(0.7) ? thin : thickness());
        addLink(from, to, radius);
        ends.push_back({from, to, radius});
        if (parent >= 0)
            addJoint(anyJoint(), base + parent, base + i, from);
        else if (isTied)
            addJoint(anyJoint(), worldIndex, base, from);
    }
    closeGroup(isTied, false);
}

// A figure of nine bones or eleven: trunk, head, arms and legs of two bones each, sometimes feet.
void SceneBuilder::addDoll()
{
    note("doll");
    openGroup();
    const double a = 0.5 * size(), r = a * between(0.1, 0.25);
    const Vec3 hip(0, 2 * a, 0), neck(0, 3.2 * a, 0);
    const int trunk = addLink(hip, neck, 1.5 * r);
    const int head = addLink(neck, neck + Vec3(0, 0.6 * a, 0), r);
    addJoint(JointType::spherical, trunk, head, neck);
    const bool feet = chance(0.3);
    for (double side : {-1., 1.}) {
        const Vec3 shoulder = neck + Vec3(side * 0.4 * a, 0, 0), elbow = shoulder + Vec3(side * a, 0, 0),
                   hand = elbow + Vec3(side * a, 0, 0);
        const int upper = addLink(shoulder, elbow, 0.6 * r), lower = addLink(elbow, hand, 0.5 * r);
        addJoint(JointType::spherical, trunk, upper, shoulder);
        addHinge(upper, lower, elbow, Vec3(0, 1, 0));
        const Vec3 thigh = hip + Vec3(side * 0.3 * a, 0, 0), knee = thigh - Vec3(0, a, 0),
                   ankle = knee - Vec3(0, a, 0);
        const int top = addLink(thigh, knee, 0.8 * r), shin = addLink(knee, ankle, 0.6 * r);
        addJoint(chance(0.3) ? JointType::universal : JointType::spherical, trunk, top, thigh);
        addHinge(top, shin, knee, Vec3(1, 0, 0));
        if (!feet) continue;
        const int foot = addLink(ankle, ankle + Vec3(0, 0, 0.5 * a), 0.4 * r);
        addHinge(shin, foot, ankle, Vec3(1, 0, 0));
    }
    closeGroup(false, false);
}

void SceneBuilder::addSingle()
{
    openGroup();
    addLump(Vec3::Zero(), size());
    note("free");
    closeGroup(false, false);
}

// Boxes and discs on each other, whole faces in touch: single bodies, placed as one.
void SceneBuilder::addStack(int bodies)
{
    note("stack");
    openGroup();
    double height = 0;
    const double width = size();
    for (int i = 0; i < bodies; ++i) {
        const double thick = width * between(0.2, 0.8);
        BodyDescription b;
        b.name = "b" + std::to_string(d.bodies.size());
        const Vec3 aside = 0.1 * width * within({-1, 1}, {0, 0}, {-1, 1});
        b.pose = {Vec3(0, height + thick / 2, 0) + aside, expRotation(Vec3(0, between(-0.5, 0.5), 0))};
        b.mass = mass();
        if (chance(0.8))
            b.shapes.push_back({Box{Vec3(width, thick, width * between(0.7, 1))}, {}, {}, {}});
        else
            b.shapes.push_back({Cylinder{width / 2, thick}, {}, {}, {}});
        height += thick + (chance(0.5) ? 0 : 1e-6 * L);
        d.bodies.push_back(b);
    }
    closeGroup(false, false);
}

// A disc on a rod that spins faster than anything else moves: up to a turn or so in a step.
void SceneBuilder::addSpinner()
{
    note("spinner");
    openGroup();
    const double rod = size(), radius = 0.5 * rod * between(0.3, 1);
    const Vec3 tip = rod * direction();
    BodyDescription b;
    b.name = "b" + std::to_string(d.bodies.size());
    b.pose = {tip, rotationBetween(Vec3::UnitY(), tip.normalized())};
    b.mass = mass();
    b.shapes.push_back({Cylinder{radius, 0.2 * radius}, {}, {}, {}});
    d.bodies.push_back(b);
    const int index = static_cast<int>(d.bodies.size()) - 1;
    const bool isTied = chance(0.6);
    const double spin = logBetween(0.1, 3) / *d.run.step;
    if (isTied) {
        JointDescription& joint = addJoint(JointType::spherical, worldIndex, index, Vec3::Zero());
        joint.first = "world";
        joint.second = b.name;
        joint.velocity = {0, spin, 0};
    } else {
        d.bodies.back().angularVelocity = spin * tip.normalized();
    }
    closeGroup(isTied, false);
}

}  // namespace sinew::test
