// What joints have of their own: springs, dampers, limits, friction, armature; and how the scene starts.
#include "random/builder.h"

namespace sinew::test {

bool SceneBuilder::mayForce(const JointDescription& joint)
{
    // Whether what has forces already joins the two ends.
    std::vector<std::string> reached{joint.first};
    for (std::size_t k = 0; k < reached.size(); ++k)
        for (const auto& pair : forced_)
            for (int end : {0, 1})
                if (pair[end] == reached[k] &&
                    std::find(reached.begin(), reached.end(), pair[1 - end]) == reached.end())
                    reached.push_back(pair[1 - end]);
    const std::array<std::string, 2> ends = {joint.first, joint.second};
    if (std::find(forced_.begin(), forced_.end(), ends) != forced_.end()) return true;
    if (std::find(reached.begin(), reached.end(), joint.second) != reached.end()) return false;
    forced_.push_back(ends);
    return true;
}

double SceneBuilder::loadOf(const JointDescription& joint) const
{
    const double m = std::min(massOf(joint.first), massOf(joint.second));
    return joint.type == JointType::slide ? m * g : m * g * L;
}

void SceneBuilder::addSpring(JointDescription& joint)
{
    note("spring");
    const double load = loadOf(joint);
    const double perUnit = joint.type == JointType::slide ? load / L : load;  // N/m, N·m/rad
    joint.stiffness = chance(0.5) ? logBetween(1, 1e8) : perUnit * logBetween(0.1, 1e5);
    const double inertia = perUnit * T * T;
    if (chance(0.7)) joint.damping = between(0, 1) * std::sqrt(joint.stiffness * inertia);
    if (joint.stiffness > 1e5) note("stiff");
    if (!chance(0.3)) return;
    // Wound up by about what it would gain by falling its own length.
    const double wound = std::min(0.5, std::sqrt(2 * perUnit / joint.stiffness)) * between(-1, 1);
    const double unit = joint.type == JointType::slide ? L : 1;
    joint.rest.assign(jointTypeInfo(joint.type).freedoms, 0.);
    for (double& x : joint.rest) x = wound * unit * between(-1, 1);
}

void SceneBuilder::addLimits(JointDescription& joint)
{
    note("limit");
    const double unit = joint.type == JointType::slide ? L : 1;
    if (joint.type == JointType::spherical) {
        joint.axis = direction();
        joint.swingLimit = between(0.2, 1.5);
        if (chance(0.5)) {
            joint.lower = {-between(0.2, 1.5)};
            joint.upper = {between(0.2, 1.5)};
        }
    } else {
        for (int i = 0; i < jointTypeInfo(joint.type).freedoms; ++i) {
            joint.lower.push_back(-unit * between(0.1, 1.5));
            joint.upper.push_back(unit * between(0.1, 1.5));
        }
    }
    if (joint.type == JointType::spherical && chance(0.3))
        joint.twistStiffness = joint.stiffness * between(0, 2);
    if (chance(0.5)) joint.limitStiffness = loadOf(joint) / unit * logBetween(1e2, 1e5);
}

void SceneBuilder::addForces()
{
    const double springs = chance(0.5) ? between(0.1, 1) : 0, dampers = chance(0.4) ? between(0, 1) : 0,
                 limits = chance(0.4) ? between(0.1, 1) : 0, dry = chance(0.15) ? 0.5 : 0,
                 rotors = chance(0.15) ? 0.5 : 0;
    for (JointDescription& joint : d.joints) {
        if (joint.type == JointType::weld || joint.type == JointType::free) continue;
        const bool spring = chance(springs), damper = chance(dampers), limit = chance(limits),
                   friction = chance(dry), rotor = chance(rotors);
        if (!(spring || damper || limit || friction || rotor) || !mayForce(joint)) continue;
        const double load = loadOf(joint);
        const double perUnit = joint.type == JointType::slide ? load / L : load;
        if (spring) addSpring(joint);
        if (damper && joint.damping == 0) {
            note("damper");
            joint.damping = perUnit * T * logBetween(1e-3, 10);
        }
        if (limit) addLimits(joint);
        if (friction) {
            note("coulomb");
            joint.coulomb = load * logBetween(1e-3, 1);
        }
        if (friction && joint.type == JointType::hinge && chance(0.5)) {
            note("hakenberg");
            joint.damping += perUnit * T * logBetween(1e-3, 1);
        }
        if (rotor) {
            note("armature");
            joint.armature = perUnit * T * T * logBetween(1e-3, 1);
        }
    }
}

// Coordinates and velocities that fit: of trees each joint's own, of skeletons with loops those of the
// whole.
void SceneBuilder::addStart()
{
    const bool moves = chance(0.5), isBent = !d.contact && chance(0.4);
    for (const Group& group : groups) {
        if (!group.isTied && moves && !d.bodies[group.first].angularVelocity) {
            note("thrown");
            BodyDescription& root = d.bodies[group.first];
            root.velocity = vector(L / T, 0, 1.5);
            root.angularVelocity = vector(1 / T, 0, 2);
        }
        if (group.hasLoop || !d.couplings.empty()) continue;
        for (std::size_t j = group.firstJoint; j < group.lastJoint; ++j) {
            JointDescription& joint = d.joints[j];
            const bool isLed = std::any_of(d.prescribed.begin(), d.prescribed.end(),
                                           [&](const auto& p) { return p.joint == joint.name; });
            if (isLed || joint.type == JointType::weld || joint.type == JointType::free) continue;
            const double unit = joint.type == JointType::slide ? L : 1;
            const int freedoms = jointTypeInfo(joint.type).freedoms;
            if (moves && joint.velocity.empty() && chance(0.5)) {
                joint.velocity.assign(freedoms, 0.);
                for (double& x : joint.velocity) x = unit / T * between(-2, 2);
            }
            const bool isStiff = joint.stiffness > 10 * loadOf(joint) / unit;
            if (isBent && !isStiff && joint.lower.empty() && joint.upper.empty() && !joint.swingLimit) {
                joint.coordinate.assign(freedoms, 0.);
                for (double& x : joint.coordinate) x = unit * between(-0.7, 0.7);
                note("bent");
            }
        }
    }
}

}  // namespace sinew::test
