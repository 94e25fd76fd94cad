// Closed loops: those that move although their rows repeat each other, those that move as the count of rows
// says, and those that do not move at all. All are described closed, so they are consistent at rest.
#include "random/builder.h"

namespace sinew::test {

// Points of a polygon about the origin, in the plane across z, with no angle near to flat.
static std::vector<Vec3> polygon(SceneBuilder& b, int corners, double size)
{
    std::vector<Vec3> points;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2 * pi * (i + b.between(-0.2, 0.2)) / corners;
        const double r = size * b.between(0.7, 1.2);
        points.push_back({r * std::cos(angle), r * std::sin(angle), 0});
    }
    return points;
}

// Bars around a polygon, on hinges square to it: three rows of the closing hinge say nothing new. Tied to
// the world by one bar that is the world itself.
void SceneBuilder::addPlanarLoop(int bars, bool isTied)
{
    note("planar");
    openGroup();
    const std::vector<Vec3> corner = polygon(*this, bars, size());
    const double radius = L * 0.5 * thickness();
    std::vector<int> bar;
    for (int i = 0; i < bars; ++i) {
        if (isTied && i == 0)
            bar.push_back(worldIndex);
        else
            bar.push_back(addLink(corner[i], corner[(i + 1) % bars], radius));
    }
    for (int i = 0; i < bars; ++i) addHinge(bar[(i + bars - 1) % bars], bar[i], corner[i], Vec3::UnitZ());
    closeGroup(isTied, true);
    if (bars > 3) groups.back().crank = static_cast<int>(groups.back().firstJoint);
}

// Two to four parallel cranks with a coupler: mobile for any number of them.
void SceneBuilder::addParallelogram(bool isTied)
{
    note("parallelogram");
    openGroup();
    const int cranks = 2 + random.below(3);
    const double width = size(), height = size(), lean = height * between(-0.6, 0.6);
    const double radius = L * 0.5 * thickness();
    const Vec3 over(lean, height, 0);
    const int base = isTied ? worldIndex : addLink(Vec3::Zero(), Vec3(width, 0, 0), radius);
    const int coupler = addLink(over, over + Vec3(width, 0, 0), radius);
    for (int i = 0; i < cranks; ++i) {
        const Vec3 foot(width * i / (cranks - 1), 0, 0);
        const int crank = addLink(foot, foot + over, radius);
        addHinge(base, crank, foot, Vec3::UnitZ());
        addHinge(crank, coupler, foot + over, Vec3::UnitZ());
    }
    closeGroup(isTied, true);
    groups.back().crank = static_cast<int>(groups.back().firstJoint);
}

// Beads on ball joints: no row repeats another.
void SceneBuilder::addRing(int beads, bool isTied)
{
    note("ring");
    openGroup();
    const double r = size();
    std::vector<Vec3> corner;
    for (int i = 0; i < beads; ++i) {
        const double angle = 2 * pi * i / beads;
        corner.push_back(r * Vec3(std::cos(angle), std::sin(angle), 0) + vector(0.3 * r, 0, 1));
    }
    const double radius = r / beads * 2 * thickness();
    const int base = static_cast<int>(d.bodies.size());
    for (int i = 0; i < beads; ++i) addLink(corner[i], corner[(i + 1) % beads], radius);
    for (int i = 0; i < beads; ++i)
        addJoint(chance(0.85) ? JointType::spherical : JointType::universal, base + (i + beads - 1) % beads,
                 base + i, corner[i]);
    if (isTied)
        addJoint(chance(0.5) ? JointType::spherical : JointType::hinge, worldIndex, base, corner[0]);
    closeGroup(isTied, true);
}

// Bennett's linkage: a skew quadrilateral with equal opposite sides, each hinge square to the two sides
// that meet in it. By the count of rows it would be rigid, and yet it moves.
void SceneBuilder::addBennett(bool isTied)
{
    note("bennett");
    openGroup();
    const double a = size(), b = size(), turn = between(0.8, 2.2), c = L * between(0.2, 0.8);
    const Vec3 corner[4] = {{a, 0, 0},
                            {b * std::cos(turn), b * std::sin(turn), c},
                            {-a, 0, 0},
                            {-b * std::cos(turn), -b * std::sin(turn), c}};
    const double radius = L * 0.5 * thickness();
    int bar[4];
    for (int i = 0; i < 4; ++i)
        bar[i] = isTied && i == 0 ? worldIndex : addLink(corner[i], corner[(i + 1) % 4], radius);
    for (int i = 0; i < 4; ++i) {
        const Vec3 before = corner[i] - corner[(i + 3) % 4], after = corner[(i + 1) % 4] - corner[i];
        addHinge(bar[(i + 3) % 4], bar[i], corner[i], before.cross(after).normalized());
    }
    closeGroup(isTied, true);
}

// A crank, a rod and a slide, in a plane or, with a ball at one end of the rod, in space.
void SceneBuilder::addSliderCrank()
{
    note("slider_crank");
    openGroup();
    const double crank = size(), rod = crank * between(1.5, 3), angle = between(0.5, 2.6);
    const double radius = L * 0.5 * thickness();
    const Vec3 pin = crank * Vec3(std::cos(angle), std::sin(angle), 0);
    const Vec3 piston(pin.x() + std::sqrt(rod * rod - pin.y() * pin.y()), 0, 0);
    const int a = addLink(Vec3::Zero(), pin, radius), b = addLink(pin, piston, radius);
    const int c = addLink(piston, piston + Vec3(0.5 * crank, 0, 0), 1.5 * radius);
    addHinge(worldIndex, a, Vec3::Zero(), Vec3::UnitZ());
    const bool isSpatial = chance(0.4);
    if (isSpatial)
        addJoint(JointType::spherical, a, b, pin);
    else
        addHinge(a, b, pin, Vec3::UnitZ());
    if (isSpatial && chance(0.5))
        addJoint(JointType::spherical, b, c, piston);  // the rod may spin
    else
        addHinge(b, c, piston, Vec3::UnitZ());
    addJoint(JointType::slide, c, worldIndex, piston).axis = Vec3::UnitX();
    closeGroup(true, true);
    groups.back().crank = static_cast<int>(groups.back().firstJoint);
}

// Any tree with one to three joints more: mobile or rigid, as it happens.
void SceneBuilder::addClosedTree(int bodies)
{
    note("closed_tree");
    const bool isTied = chance(0.6);
    addTree(std::max(bodies, 3), isTied);
    Group& group = groups.back();
    const int first = static_cast<int>(group.first), count = static_cast<int>(group.last - group.first);
    const int closures = 1 + random.below(2);
    int added = 0;
    for (int k = 0; k < 8 && added < closures; ++k) {
        const int a = first + random.below(count), b = first + random.below(count);
        const auto joined = [&](const JointDescription& j) {
            const std::string &x = d.bodies[a].name, &y = d.bodies[b].name;
            return (j.first == x && j.second == y) || (j.first == y && j.second == x);
        };
        if (a == b || std::any_of(d.joints.begin(), d.joints.end(), joined)) continue;
        constexpr JointType types[] = {JointType::spherical, JointType::spherical, JointType::hinge,
                                       JointType::universal, JointType::slide,     JointType::weld};
        const bool toWorld = isTied && chance(0.2);
        const Vec3 place =
            0.5 * (d.bodies[a].pose.position + d.bodies[b].pose.position) + 0.2 * L * direction();
        addJoint(types[random.below(6)], a, toWorld ? worldIndex : b, place);
        ++added;
    }
    closeGroup(isTied, added > 0);
}

void SceneBuilder::addLoop(int bodies)
{
    note("loop");
    const bool isTied = chance(0.7);
    switch (random.below(8)) {
        case 0:
        case 1:
            return addPlanarLoop(4, isTied);
        case 2:
            return addPlanarLoop(3 + random.below(4), isTied);
        case 3:
            return addParallelogram(isTied);
        case 4:
            return addRing(3 + random.below(std::max(bodies - 2, 3)), isTied);
        case 5:
            return addBennett(isTied);
        case 6:
            return addSliderCrank();
        default:
            return addClosedTree(bodies);
    }
}

}  // namespace sinew::test
