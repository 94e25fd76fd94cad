// Features that few scenes have: torque functions, targets, switches, other coordinates.
#include "random/builder.h"

namespace sinew::test {

void SceneBuilder::addTorqueFunction(JointDescription& joint)
{
    note("torque_function");
    const double unit = joint.type == JointType::slide ? L : 1, load = loadOf(joint);
    TorqueDescription t;
    t.joint = joint.name;
    if (joint.type == JointType::spherical) {
        if (!joint.axis) joint.axis = direction();
        t.part = chance(0.5) ? TorqueDescription::Part::swing : TorqueDescription::Part::twist;
    }
    const double low = unit * between(0.05, 0.5), high = unit * between(0.05, 0.5);
    const bool isSwing = t.part == TorqueDescription::Part::swing;
    t.free = std::array<double, 2>{isSwing ? 0 : -low, high};
    t.slope = std::array<double, 2>{load / unit * logBetween(0.1, 100), load / unit * logBetween(0.1, 100)};
    t.most = std::array<double, 2>{load * logBetween(0.3, 10), load * logBetween(0.3, 10)};
    t.freeDamping = load / unit * T * between(0, 0.1);
    d.torques.push_back(t);
}

// A spring that draws a body along a path.
void SceneBuilder::addTarget()
{
    note("target");
    const BodyDescription& body = d.bodies[random.below(static_cast<int>(d.bodies.size()))];
    const double weight = *body.mass * g;
    TargetDescription t;
    t.body = body.name;
    t.stiffness = weight / L * logBetween(0.3, 1e3);
    t.damping = between(0, 1) * std::sqrt(t.stiffness * *body.mass);
    if (chance(0.5)) {
        t.turnStiffness = weight * L * logBetween(0.01, 10);
        t.turnDamping = 0.3 * std::sqrt(t.turnStiffness * weight * L) * T;
    }
    double time = 0;
    t.path.push_back({0, body.pose.position, {}});
    for (int i = 0; i < 2; ++i)
        t.path.push_back({time += between(1, 4) * T, body.pose.position + 0.5 * L * direction(), {}});
    t.smooth = chance(0.5);
    if (chance(0.3)) t.limit = weight * logBetween(1, 20);
    d.targets.push_back(t);
}

void SceneBuilder::addSwitch()
{
    note("switch");
    const double off = between(0.5, 3) * T;
    d.switches.push_back({off, "", false});
    if (chance(0.5)) d.switches.push_back({off + between(0.5, 3) * T, "", true});
}

void SceneBuilder::addExtras()
{
    const bool isPlainTree =
        !d.contact && d.couplings.empty() &&
        std::none_of(groups.begin(), groups.end(), [](const Group& x) { return x.hasLoop; });
    switch (random.below(5)) {
        case 0:
            for (JointDescription& joint : d.joints)
                if (joint.type != JointType::weld && joint.type != JointType::free && chance(0.5) &&
                    mayForce(joint))
                    addTorqueFunction(joint);
            return;
        case 1:
            return addTarget();
        case 2:
            if (!d.joints.empty()) addSwitch();
            return;
        case 3:
            note("compensated");
            d.gravityCompensation = between(0.2, 1);
            return;
        default:
            if (!isPlainTree) return;
            note("maximal");
            d.run.coordinates = "maximal";
    }
}

}  // namespace sinew::test
