#include "invariance/zoo.h"

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew::invariance {
namespace {

Quat aside(double x, double y, double z)
{
    const Vec3 turn(x, y, z);
    return Quat(AngleAxis(turn.norm(), turn.normalized()));
}

BodyDescription body(const std::string& name, const Shape& shape, const Vec3& place,
                     const Quat& orientation = Quat::Identity())
{
    BodyDescription made;
    made.name = name;
    made.pose = {place, orientation};
    made.shapes.push_back({shape, {}, {}, {}});
    return made;
}

JointDescription joint(JointType type, const std::string& first, const std::string& second,
                       const Vec3& place)
{
    JointDescription made;
    made.name = first + "_" + second;
    made.type = type;
    made.first = first;
    made.second = second;
    made.position = place;
    return made;
}

Signal sine(double amplitude, double frequency, double offset = 0)
{
    return Signal(SignalPart(SineSignal{amplitude, frequency, 0.3, offset}));
}

// A lopsided pyramid without symmetry.
ConvexMesh lump()
{
    return {{Vec3(0.1, 0, 0), Vec3(-0.06, 0, 0.09), Vec3(-0.07, 0, -0.08), Vec3(0.01, 0.12, 0.02)}, {}};
}

// One of each shape, in the air, turned and spinning.
std::vector<BodyDescription> shapes(double height)
{
    std::vector<BodyDescription> all = {
        body("ball", Sphere{0.08}, {0.3, height, 0.3}),
        body("brick", Box{{0.2, 0.1, 0.14}}, {0.7, height, 0.3}, aside(0.2, 0.3, 0.1)),
        body("pill", Capsule{0.05, 0.12}, {0.3, height, 0.7}, aside(0.4, 0.1, 1.2)),
        body("can", Cylinder{0.06, 0.15}, {0.7, height, 0.7}, aside(0.05, 0.2, 0.02)),
        body("roll", Cylinder{0.05, 0.2}, {1.1, height, 0.3}, aside(0.1, 0.1, 1.5)),
        body("egg", Ellipsoid{{0.06, 0.1, 0.07}}, {1.1, height, 0.7}, aside(0.3, 0.2, 0.8)),
        body("lump", lump(), {0.7, height, 1.1}, aside(0.3, 0.9, 0.1))};
    // Two shapes in one, its mass given, the centre moved.
    BodyDescription hammer =
        body("hammer", Capsule{0.02, 0.2}, {0.3, height + 0.1, 1.1}, aside(0.5, 0.2, 0.3));
    ShapeDescription head{Box{{0.12, 0.06, 0.06}}, {{0, 0.12, 0.01}, aside(0, 0.4, 0)}, {}, {}};
    head.density = 3000;
    hammer.shapes.push_back(head);
    hammer.mass = 0.8;
    hammer.center = Vec3(0.01, 0.08, 0);
    all.push_back(hammer);
    double spin = 1;
    for (BodyDescription& b : all) {
        b.velocity = Vec3(0.2, -0.3, 0.1 * spin);
        b.angularVelocity = Vec3(0.5 * spin, 1, -0.7);
        spin = -spin;
    }
    return all;
}

Description onHeightField()
{
    Description scene;
    scene.name = "field";
    scene.bodies = shapes(0.35);
    HeightField field{6, 7, 0.3, {}};
    Random random(3);
    for (int i = 0; i < 42; ++i) field.heights.push_back(random.uniform(0, 0.12));
    ObstacleDescription ground;
    ground.name = "field";
    ground.type = ObstacleDescription::Type::terrain;
    ground.terrain = field;
    ground.position = {-0.2, 0, -0.2};
    scene.obstacles = {ground};
    scene.contact = ContactDescription{};
    scene.run.duration = 1;
    return scene;
}

Description onPlane(ContactDescription::Response response)
{
    Description scene;
    scene.name = "plane";
    scene.bodies = shapes(0.25);
    ObstacleDescription ground;
    ground.name = "ground";
    ground.normal = Vec3(0.05, 1, -0.02).normalized();
    ObstacleDescription block;
    block.name = "block";
    block.type = ObstacleDescription::Type::shape;
    block.shape = Box{{0.3, 0.2, 0.3}};
    block.position = {0.75, 0, 0.3};
    block.orientation = aside(0.2, 0.5, 0);
    ObstacleDescription dome;
    dome.name = "dome";
    dome.type = ObstacleDescription::Type::sphere;
    dome.radius = 0.15;
    dome.position = {0.3, 0, 0.75};
    ObstacleDescription roof;
    roof.name = "roof";
    roof.type = ObstacleDescription::Type::terrain;
    roof.terrain = TriangleMesh{
        {Vec3(0.9, 0, 0.5), Vec3(1.3, 0, 0.5), Vec3(1.1, 0.12, 0.7), Vec3(0.9, 0, 0.9), Vec3(1.3, 0, 0.9)},
        {{0, 2, 1}, {0, 3, 2}, {3, 4, 2}, {1, 2, 4}}};
    scene.obstacles = {ground, block, dome, roof};
    scene.contact = ContactDescription{};
    scene.contact->response = response;
    scene.contact->restitution = 0.3;
    scene.contact->bounceSpeed = 0.1;
    scene.contact->tolerance = 2e-9;
    scene.contact->stiffness = 2e4;
    scene.contact->damping = 50;
    scene.run.duration = 0.8;
    return scene;
}

// Figures that fall onto each other and a stone onto them, with a fixed budget of work.
Description heaped()
{
    Description scene;
    scene.name = "heaped";
    for (int k = 0; k < 3; ++k) {
        const std::string own = std::to_string(k);
        const Vec3 place(0.05 * k, 0.16 + 0.17 * k, 0.03 * k);
        const Quat turn = aside(0.1 * k, 0.7 * k + 0.1, 0.05);
        const auto at = [&](double x, double z) -> Vec3 { return place + turn * Vec3(x, 0, z); };
        const Quat along = turn * aside(0, 0, pi / 2);
        scene.bodies.push_back(body("trunk" + own, Capsule{0.07, 0.1}, at(0, 0), along));
        scene.bodies.push_back(body("arm" + own, Capsule{0.03, 0.12}, at(0.19, 0.02), along));
        scene.bodies.push_back(body("hand" + own, Sphere{0.04}, at(0.31, 0.02), turn));
        scene.bodies.push_back(body("leg" + own, Capsule{0.035, 0.15}, at(-0.21, -0.02), along));
        JointDescription shoulder =
            joint(JointType::spherical, "trunk" + own, "arm" + own, at(0.105, 0.02));
        shoulder.damping = 0.02;
        shoulder.stiffness = 0.3;
        JointDescription wrist = joint(JointType::universal, "arm" + own, "hand" + own, at(0.27, 0.02));
        wrist.damping = 0.004;
        wrist.axis = turn * Vec3(0, 0, 1);
        wrist.axis2 = turn * Vec3(0, 1, 0);
        JointDescription hip = joint(JointType::hinge, "trunk" + own, "leg" + own, at(-0.11, -0.02));
        hip.axis = turn * Vec3(0, 0, 1);
        hip.damping = 0.02;
        hip.lower = {-0.4};
        hip.upper = {0.6};
        hip.limitStiffness = 30;
        for (const JointDescription& j : {shoulder, wrist, hip}) scene.joints.push_back(j);
    }
    scene.bodies.push_back(body("stone", Sphere{0.08}, {0.1, 0.72, 0.06}, aside(0.2, 0.1, 0.3)));
    ObstacleDescription ground;
    ground.name = "ground";
    ground.normal = Vec3(0.05, 1, -0.02).normalized();
    scene.obstacles = {ground};
    scene.contact = ContactDescription{};
    scene.contact->accuracy = ContactDescription::Accuracy::fast;
    scene.run.duration = 0.8;
    return scene;
}

// A carriage on a rail drives a wheel by a rack; a pole on a universal joint, an arm on ball joints and a
// tail hang from it, and every way to drive a joint is there.
Description machine()
{
    Description scene;
    scene.name = "machine";
    scene.bodies = {body("carriage", Box{{0.3, 0.1, 0.2}}, {0, 1, 0}, aside(0.1, 0.2, 0.3)),
                    body("wheel", Cylinder{0.1, 0.03}, {0.3, 1.3, 0}, aside(1.5, 0.1, 0)),
                    body("pole", Capsule{0.02, 0.3}, {0, 1.25, 0}, aside(0.05, 0.4, 0)),
                    body("arm", Capsule{0.03, 0.2}, {0.2, 0.85, 0}, aside(0, 0.1, 0.9)),
                    body("hand", Ellipsoid{{0.04, 0.06, 0.02}}, {0.35, 0.75, 0.05}, aside(0.7, 0.2, 0.1)),
                    body("tail", Box{{0.03, 0.2, 0.04}}, {-0.15, 0.82, 0}, aside(0, 0, 0.2)),
                    body("kite", lump(), {-0.6, 1.2, 0.2}, aside(0.2, 0.1, 0.4)),
                    body("bob", Sphere{0.03}, {-0.6, 0.9, 0.2})};
    JointDescription rail = joint(JointType::slide, "world", "carriage", {0, 1, 0});
    rail.axis = Vec3(1, 0.1, 0.2);
    rail.stiffness = 30;
    rail.damping = 0.5;
    rail.rest = {0.02};
    rail.lower = {-0.3};
    rail.upper = {0.25};
    rail.limitStiffness = 3000;
    rail.motor = {1.5};
    rail.velocity = {0.2};
    JointDescription axle = joint(JointType::hinge, "wheel", "world", {0.3, 1.3, 0});
    axle.axis = Vec3(0, 0.1, 1);
    axle.velocity = {2};
    axle.damping = 0.002;
    JointDescription foot = joint(JointType::universal, "carriage", "pole", {0, 1.05, 0});
    foot.axis = Vec3(1, 0, 0);
    foot.axis2 = Vec3(0, 0, 1);
    foot.stiffness = 3;
    foot.damping = 0.05;
    foot.rest = {0.1, -0.05};
    foot.coordinate = {0.2, 0.1};
    foot.velocity = {-0.5, 0.3};
    foot.lower = {-0.3, -0.4};
    foot.upper = {0.25, 0.5};
    foot.limitStiffness = 40;
    JointDescription shoulder = joint(JointType::spherical, "carriage", "arm", {0.1, 0.93, 0});
    shoulder.axis = Vec3(0.7, -0.6, 0.1);
    shoulder.stiffness = 2;
    shoulder.twistStiffness = 0.5;
    shoulder.damping = 0.03;
    shoulder.swingLimit = 0.4;
    shoulder.lower = {-0.2};
    shoulder.upper = {0.3};
    shoulder.limitStiffness = 20;
    shoulder.coordinate = {0.3, -0.2, 0.1};
    shoulder.velocity = {0.4, 1, -0.6};
    JointDescription wrist = joint(JointType::spherical, "hand", "arm", {0.29, 0.8, 0.02});
    wrist.stiffness = 0.4;
    wrist.damping = 0.005;
    wrist.rest = {0.2, 0.1, -0.3};
    wrist.armature = 1e-4;
    JointDescription root = joint(JointType::hinge, "tail", "carriage", {-0.13, 0.93, 0});
    root.axis = Vec3(0.2, 0.3, 1);
    root.damping = 0.01;
    root.coulomb = 0.02;
    root.coordinate = {0.5};
    JointDescription string = joint(JointType::spherical, "kite", "bob", {-0.6, 1.15, 0.2});
    string.velocity = {0.3, 0.2, 1};
    scene.joints = {rail, axle, foot, shoulder, wrist, root, string};
    scene.couplings = {{"wheel_world", "world_carriage", 10, 0.1}};
    scene.joints[1].coordinate = {0.1};

    ForceDescription push;
    push.body = "hand";
    push.force = {0.3, 0.1, -0.4};
    push.torque = {0.01, 0.02, 0.005};
    push.point = Vec3(0.38, 0.7, 0.06);
    push.signal = sine(1, 2);
    ConditionDescription fast;
    fast.quantity = ConditionDescription::Quantity::speed;
    fast.of = "bob";
    fast.above = 0.4;
    push.when = fast;
    scene.forces = {push};
    MotorDescription motor;
    motor.joint = "carriage_pole";
    motor.torque = {sine(0.2, 1), sine(0.1, 3)};
    ConditionDescription bent;
    bent.quantity = ConditionDescription::Quantity::angle;
    bent.of = "tail_carriage";
    bent.above = 0.1;
    bent.below = 0.6;
    motor.during = bent;
    scene.motors = {motor};
    TorqueDescription spring;
    spring.joint = "tail_carriage";
    spring.free = {-0.1, 0.2};
    spring.slope = {1, 2};
    spring.most = {0.5, 0.4};
    spring.freeDamping = 0.01;
    scene.torques = {spring};
    ControllerDescription hold;
    hold.joint = "hand_arm";
    hold.stiffness = 0.5;
    hold.damping = 0.01;
    hold.limit = 0.2;
    hold.target = {sine(0.3, 1), Signal(0.1), sine(-0.2, 2)};
    scene.controllers = {hold};
    TargetDescription draw;
    draw.body = "kite";
    draw.point = Vec3(-0.58, 1.22, 0.2);
    draw.stiffness = 40;
    draw.damping = 1;
    draw.turnStiffness = 0.2;
    draw.turnDamping = 0.01;
    draw.limit = 6;
    draw.path = {
        {0, Vec3(-0.6, 1.2, 0.2), {}}, {0.5, Vec3(-0.5, 1.4, 0.3), aside(0.4, 0.1, 0)}, {1, {}, {}}};
    draw.smooth = true;
    scene.targets = {draw};
    scene.supports = {{SupportDescription::At::body, {"kite"}, 0.8, Vec3(-0.6, 1.25, 0.2), {}}};
    scene.gravityCompensation = 0.3;
    scene.switches = {{0.4, "carriage_arm", false}, {0.6, "carriage_arm", true}};
    SwitchDescription arm{0.3, "carriage_arm", {}}, pole{0.35, "carriage_pole", {}},
        slide{0.5, "world_carriage", {}};
    arm.settings.stiffness = 3;
    arm.settings.swingLimit = 0.6;
    arm.settings.upper = {0.2};
    arm.settings.limitStiffness = 30;
    pole.settings.damping = 0.1;
    pole.settings.rest = {-0.1, 0.2};
    pole.settings.motor = {0.05, -0.02};
    pole.settings.lower = {-0.2, -0.3};
    slide.settings.limits = false;
    slide.settings.stiffness = 20;
    scene.switches.insert(scene.switches.end(), {arm, pole, slide});
    scene.run.duration = 1;
    return scene;
}

// A ball joint whose second body is the world, joints and a root that move as told, a closed loop with
// redundant rows in a plane of its own.
Description led()
{
    Description scene;
    scene.name = "led";
    scene.bodies = {body("mast", Capsule{0.03, 0.4}, {0, 1.2, 0}, aside(0.1, 0.2, 0)),
                    body("boom", Box{{0.4, 0.04, 0.05}}, {0.2, 0.95, 0}, aside(0, 0, 0.1)),
                    body("crane", Box{{0.1, 0.1, 0.1}}, {-1, 1, 0}, aside(0.3, 0.1, 0.2)),
                    body("hook", Capsule{0.02, 0.15}, {-1, 0.8, 0}),
                    body("crank", Box{{0.2, 0.02, 0.02}}, {1.1, 1, 0}),
                    body("rod", Box{{0.02, 0.3, 0.02}}, {1.2, 1.15, 0}),
                    body("rocker", Box{{0.2, 0.02, 0.02}}, {1.1, 1.3, 0})};
    JointDescription top = joint(JointType::spherical, "mast", "world", {0, 1.42, 0});
    top.stiffness = 3;
    top.damping = 0.05;
    top.rest = {0.1, 0.2, -0.1};
    top.coordinate = {0.3, -0.1, 0.2};
    top.velocity = {0.5, 0.2, -0.3};
    JointDescription elbow = joint(JointType::hinge, "mast", "boom", {0, 0.97, 0});
    elbow.axis = Vec3(0.3, 0.1, 1);
    JointDescription rope = joint(JointType::universal, "hook", "crane", {-1, 0.9, 0});
    rope.axis = Vec3(1, 0, 0);
    rope.axis2 = Vec3(0, 0, 1);
    rope.damping = 0.01;
    scene.joints = {top, elbow, rope};
    const Vec3 across(0, 0, 1);
    const std::pair<std::pair<const char*, const char*>, Vec3> corners[] = {
        {{"world", "crank"}, {1, 1, 0}},
        {{"crank", "rod"}, {1.2, 1, 0}},
        {{"rod", "rocker"}, {1.2, 1.3, 0}},
        {{"world", "rocker"}, {1, 1.3, 0}}};
    for (const auto& [pair, place] : corners) {
        JointDescription pin = joint(JointType::hinge, pair.first, pair.second, place);
        pin.axis = across;
        scene.joints.push_back(pin);
    }
    scene.joints[3].motor = {0.3};
    scene.joints[3].damping = 0.02;
    PrescribedDescription swing;
    swing.joint = "mast_boom";
    swing.motion = {sine(0.4, 1, -0.4 * std::sin(0.3))};
    PrescribedDescription carry;
    carry.body = "crane";
    carry.path = {{0, Vec3(-1, 1, 0), {}},
                  {0.4, Vec3(-0.8, 1.2, 0.1), aside(0.5, 0.2, 0.1)},
                  {1, Vec3(-1.1, 1, 0.2), aside(0.1, 0.4, 0.1)}};
    scene.prescribed = {swing, carry};
    scene.run.duration = 1;
    return scene;
}

// Springs of every kind of end between two figures and loose bodies over a ground, in a medium that moves.
Description tied()
{
    Description scene;
    scene.name = "tied";
    scene.bodies = {body("beam", Box{{0.5, 0.06, 0.08}}, {0, 1, 0}, aside(0.1, 0.2, 0)),
                    body("bob", Capsule{0.04, 0.2}, {0.3, 0.8, 0.1}),
                    body("plate", Box{{0.4, 0.04, 0.3}}, {-0.2, 0.5, 0.4}, aside(0.1, 0, 0.2)),
                    body("flap", Capsule{0.03, 0.2}, {-0.2, 0.5, 0.75}),
                    body("stone", Ellipsoid{{0.08, 0.06, 0.07}}, {0.5, 0.3, 0.5})};
    JointDescription swing = joint(JointType::spherical, "beam", "bob", {0.28, 0.92, 0.05});
    JointDescription hinge = joint(JointType::hinge, "plate", "flap", {-0.2, 0.5, 0.58});
    hinge.axis = Vec3(1, 0.1, 0);
    hinge.damping = 0.02;
    scene.joints = {swing, hinge};
    scene.bodies[4].drag.radius = 0.09;
    scene.bodies[4].velocity = Vec3(0.3, 0.5, -0.2);
    const auto tie = [&](const char* first, const char* second, double stiffness, SpringForm form) {
        SpringDescription spring;
        spring.first.body = first;
        spring.second.body = second;
        spring.second.form = std::move(form);
        spring.stiffness = stiffness;
        spring.damping = 0.01 * stiffness;
        scene.springs.push_back(spring);
    };
    tie("beam", "world", 60, SpringPoint{Vec3(0.1, 1.4, 0.1)});
    tie("bob", "plate", 30, SpringSphere{Vec3(-0.2, 0.5, 0.4), 0.3});
    tie("flap", "beam", 25,
        SpringCurve{{Vec3(-0.2, 1, 0), Vec3(0, 1.1, 0.1), Vec3(0.3, 1, 0)}, true, false});
    tie("plate", "world", 50, SpringPlane{Vec3(0, 0.4, 0), Vec3(0.1, 1, 0.05)});
    tie("stone", "bob", 20, SpringCylinder{Vec3(0.3, 0.8, 0.1), Vec3(0, 1, 0.2), 0.2});
    tie("stone", "flap", 40, SpringPoint{Vec3(-0.2, 0.5, 0.8)});
    scene.springs.back().length = 0.5;
    scene.springs.back().acts = SpringActs::pull;
    tie("plate", "beam", 15, SpringPoint{Vec3(-0.1, 0.95, 0)});
    scene.springs.back().length = 0;
    SpringDescription turn;
    turn.first.body = "plate";
    turn.second.body = "beam";
    turn.turnStiffness = 0.4;
    turn.turnDamping = 0.02;
    scene.springs.push_back(turn);
    scene.medium = {0.3, 1.2};
    FieldDescription wind, gusts, vortex, sun;
    wind.velocity = {0.5, 0, 0.2};
    wind.signal = sine(1, 2);
    gusts.type = FieldDescription::Type::gusts;
    gusts.speed = 2;
    gusts.size = 0.7;
    gusts.duration = 0.5;
    gusts.velocity = {0.3, 0, 0};
    gusts.orientation = aside(0.3, 0.1, 0.2);
    vortex.type = FieldDescription::Type::vortex;
    vortex.position = {0.2, 0, 0.2};
    vortex.axis = {0.1, 1, 0};
    vortex.radius = 0.4;
    vortex.speed = 2;
    sun.type = FieldDescription::Type::attractor;
    sun.position = {0, 2, 0};
    sun.strength = 1;
    sun.softening = 0.3;
    sun.byMass = false;
    scene.fields = {wind, gusts, vortex, sun};
    ObstacleDescription ground;
    ground.name = "ground";
    scene.obstacles = {ground};
    scene.contact.emplace();
    scene.run.duration = 1;
    return scene;
}

// Wishes that pull, of every type that does, on two figures over a ground.
Description wished()
{
    Description scene = tied();
    scene.name = "wished";
    scene.springs.clear();
    const auto wish = [&](const char* type, const char* body, double weight) -> WishDescription& {
        WishDescription& added = scene.wishes.emplace_back();
        added.type = type;
        added.of.body = body;
        added.weight = weight;
        added.damping = 0.01 * weight;
        added.acts = true;
        return added;
    };
    wish("point", "beam", 60).to = WishPlace{"world", Vec3(0.1, 1.4, 0.1)};
    wish("surface", "bob", 30).on = SpringSphere{Vec3(-0.2, 0.5, 0.4), 0.3};
    wish("surface", "plate", 50).on = SpringPlane{Vec3(0, 0.4, 0), Vec3(0.1, 1, 0.05)};
    wish("curve", "flap", 25).on =
        SpringCurve{{Vec3(-0.2, 1, 0), Vec3(0, 1.1, 0.1), Vec3(0.3, 1, 0)}, true, false};
    WishDescription& distance = wish("distance", "stone", 20);
    distance.to = WishPlace{"world", Vec3(0, 1, 0)};
    distance.length = 0.6;
    wish("upright", "bob", 0.5).axis = Vec3(0.1, 1, 0);
    wish("look_at", "beam", 0.4).to = WishPlace{"world", Vec3(2, 1, 0.5)};
    wish("orientation", "plate", 0.3).orientation = aside(0.2, 0.1, 0.1);
    wish("pin", "stone", 10).length = 0.1;
    return scene;
}

}  // namespace

std::vector<std::pair<std::string, Description>> zoo()
{
    using Response = ContactDescription::Response;
    Description kinematic = onPlane(Response::kinematic), penalty = onPlane(Response::penalty);
    Description pushed = onPlane(Response::impulse);
    for (Description* scene : {&kinematic, &pushed}) {
        scene->run.integrator = "semi_implicit_euler";
        scene->run.step = 1.0 / 240;
    }
    Description cone = machine();
    for (JointDescription& joint : cone.joints)
        if (joint.swingLimit) {
            joint.swingLimit.reset();
            joint.swingCone =
                SwingConeDescription{Vec3(0.6, -0.7, 0.2), Vec3(0.1, 0.2, 1), {0.5, 0.1, 0.3, 0.2}};
        }
    Description maximal = machine();
    maximal.couplings.clear();
    maximal.run.coordinates = "maximal";
    return {{"zoo_field", onHeightField()},
            {"zoo_plane", onPlane(Response::resting)},
            {"zoo_fast", heaped()},
            {"zoo_kinematic", kinematic},
            {"zoo_penalty", penalty},
            {"zoo_impulse", pushed},
            {"zoo_machine", machine()},
            {"zoo_maximal", maximal},
            {"zoo_cone", cone},
            {"zoo_led", led()},
            {"zoo_tied", tied()},
            {"zoo_wished", wished()}};
}

}  // namespace sinew::invariance
