// What drives a scene: motors, controllers, prescribed motion, loads, couplings.
#include "random/builder.h"
#include "sinew/geometry/mass.h"

namespace sinew::test {

// About a size, as slowly as the scene itself moves. A motion starts where the joint is, at zero.
Signal SceneBuilder::signal(double size, bool isMotion)
{
    switch (random.below(isMotion ? 4 : 6)) {
        case 0:
            return Signal(SignalPart(SineSignal{size, between(0.02, 0.3) / T, 0, 0}));
        case 1:
            return Signal(SignalPart(StepSignal{0, size, between(0, 2) * T, between(0.5, 3) * T}));
        case 2: {
            KeySignal keys;
            double time = 0;
            keys.keys.push_back({0, 0});
            for (int i = 0; i < 3; ++i)
                keys.keys.push_back({time += between(1, 4) * T, size * between(-1, 1)});
            return Signal(SignalPart(keys));
        }
        case 3:
            return Signal(SignalPart(PulseSignal{size, between(0, 2) * T, between(2, 5) * T, 0, T}));
        case 4:
            return Signal(SignalPart(
                NoiseSignal{size, between(0.05, 0.3) / T, static_cast<std::uint32_t>(random.below(1000))}));
        default:
            return Signal(size);
    }
}

// With a damper, so that it turns with a few radians in the scene's own time and not ever faster.
void SceneBuilder::addMotor(const JointDescription& source)
{
    note("motor");
    JointDescription& joint = d.joints[static_cast<std::size_t>(&source - d.joints.data())];
    const double load = loadOf(joint), speed = joint.type == JointType::slide ? L / T : 1 / T;
    const double torque = load * logBetween(0.05, 1);
    joint.damping = std::max(joint.damping, torque / (3 * speed));
    const int freedoms = jointTypeInfo(joint.type).freedoms;
    if (chance(0.5)) {
        joint.motor.assign(freedoms, 0.);
        for (double& x : joint.motor) x = torque * between(-1, 1);
        return;
    }
    MotorDescription motor;
    motor.joint = joint.name;
    for (int i = 0; i < freedoms; ++i) motor.torque.push_back(signal(torque * between(-1, 1), false));
    d.motors.push_back(motor);
}

void SceneBuilder::addController(const JointDescription& joint)
{
    note("controller");
    const double unit = joint.type == JointType::slide ? L : 1;
    const double perUnit = loadOf(joint) / unit;
    ControllerDescription c;
    c.joint = joint.name;
    c.stiffness = perUnit * logBetween(1, 1e4);
    c.damping = between(0.3, 2) * std::sqrt(c.stiffness * perUnit) * T;
    for (int i = 0; i < jointTypeInfo(joint.type).freedoms; ++i)
        c.target.push_back(signal(0.4 * unit * between(-1, 1), true));
    if (chance(0.3)) c.limit = loadOf(joint) * logBetween(1, 10);
    d.controllers.push_back(c);
}

// One joint, or one floating root. Not where it could be led against what cannot yield: with contact only
// in a figure that can be lifted, in a loop only its crank.
void SceneBuilder::addPrescribed()
{
    const Group& group = groups[random.below(static_cast<int>(groups.size()))];
    if (!group.isTied && !d.contact && chance(0.4)) {
        note("prescribed_body");
        PrescribedDescription p;
        BodyDescription& root = d.bodies[group.first];
        p.body = root.name;
        double time = 0;
        p.path.push_back({0, {}, {}});
        for (int i = 0; i < 3; ++i) {
            TargetDescription::Key key;
            key.time = time += between(1, 4) * T;
            key.position = root.pose.position + 0.5 * L * direction();
            if (chance(0.5))
                key.orientation = (expRotation(0.5 * direction()) * root.pose.orientation).normalized();
            p.path.push_back(key);
        }
        d.prescribed.push_back(p);
        return;
    }
    if (d.contact && (group.isTied || groups.size() > 1 || d.obstacles.size() > 1)) return;
    const int count = static_cast<int>(group.lastJoint - group.firstJoint);
    if (count == 0 || (group.hasLoop && group.crank < 0)) return;
    JointDescription& joint =
        d.joints[group.hasLoop ? group.crank : static_cast<int>(group.firstJoint) + random.below(count)];
    if (joint.type == JointType::weld || joint.type == JointType::free || !mayForce(joint)) return;
    note("prescribed_joint");
    if (d.contact) {  // nor against the figure itself
        for (BodyDescription& b : d.bodies) b.layer = "figure";
        d.contact->ignore.push_back({"figure", "figure"});
    }
    PrescribedDescription p;
    p.joint = joint.name;
    const double size = (joint.type == JointType::slide ? L : 1) * (group.hasLoop ? 0.2 : 0.6);
    for (int i = 0; i < jointTypeInfo(joint.type).freedoms; ++i)
        p.motion.push_back(signal(size * between(-1, 1), true));
    d.prescribed.push_back(p);
}

void SceneBuilder::addLoad()
{
    note("load");
    const BodyDescription& body = d.bodies[random.below(static_cast<int>(d.bodies.size()))];
    ForceDescription force;
    force.body = body.name;
    force.force = vector(*body.mass * g, 0, 1);
    if (chance(0.5)) force.signal = signal(1, false);
    if (chance(0.3)) force.point = body.pose.position;
    d.forces.push_back(force);
}

// Two hinges or slides of one tree, geared.
void SceneBuilder::addCoupling()
{
    for (const Group& group : groups) {
        if (group.hasLoop) continue;
        const JointDescription* leader = nullptr;
        for (std::size_t j = group.firstJoint; j < group.lastJoint; ++j) {
            const JointDescription& joint = d.joints[j];
            if (joint.type != JointType::hinge) continue;
            if (!leader) {
                leader = &joint;
                continue;
            }
            note("coupling");
            double ratio = between(0.3, 3);
            if (!chance(0.5)) ratio = -ratio;
            d.couplings.push_back({joint.name, leader->name, ratio, 0});
            return;
        }
    }
}

void SceneBuilder::addDrives()
{
    if (chance(0.05) && d.prescribed.empty()) addCoupling();
    const double motors = chance(0.25) ? between(0.1, 0.7) : 0,
                 controllers = chance(0.2) ? between(0.2, 1) : 0;
    for (JointDescription& joint : d.joints) {
        if (joint.type == JointType::weld || joint.type == JointType::free) continue;
        const bool motor = chance(motors), controller = chance(controllers);
        if (!(motor || controller) || !mayForce(joint)) continue;
        if (motor) addMotor(joint);
        if (controller) addController(joint);
    }
    if (chance(0.15) && d.couplings.empty()) addPrescribed();
    if (chance(0.12)) addLoad();
    if (chance(0.2)) addExtras();
}

}  // namespace sinew::test
