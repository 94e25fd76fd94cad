// The same with contact: what rolls, sticks, slips and rests.
#include "derivatives/step_case.h"
#include "support/contact_scenes.h"

namespace sinew::implicit_contact_test {

using namespace implicit_step_test;

namespace {

struct ContactCase {
    const char* name;
    Description (*scene)();
    double friction = 0.6, speed = 0.3, rolling = 0;
    Vec3 velocity = Vec3::Zero();
    // Where a face stands on more corners than are needed, a compliance decides who bears what. It goes
    // with the inertia, and is held.
    double tolerance = implicit_step_test::tolerance;
};

Description onGround(const Shape& shape, double height, const Quat& turned = Quat::Identity())
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("one", shape, Vec3(0.1, height, -0.2), turned));
    return d;
}
constexpr double deep = 2e-3;
Description ball()
{
    return onGround(Sphere{0.1}, 0.1 - deep);
}
Description box()
{
    return onGround(Box{{0.3, 0.2, 0.4}}, 0.1 - deep);
}
Description capsule()
{
    return onGround(Capsule{0.1, 0.4}, 0.1 - deep, expRotation(Vec3(pi / 2, 0, 0)));
}
Description ellipsoid()
{
    return onGround(Ellipsoid{{0.1, 0.15, 0.2}}, 0.15 - deep, expRotation(Vec3(0.02, 0.1, 0.03)));
}
Description cylinder()
{
    return onGround(Cylinder{0.1, 0.4}, 0.2186, expRotation(Vec3(0.3, 0, 0)));
}
Description ballOnBox()
{
    Description d = box();
    d.bodies.push_back(test::solid("two", Sphere{0.05}, Vec3(0.12, 0.25 - 2 * deep, -0.18)));
    return d;
}
Description boxOnBox()
{
    Description d = box();
    d.bodies.push_back(test::solid("two", Box{{0.1, 0.1, 0.1}}, Vec3(0.12, 0.25 - 2 * deep, -0.18),
                                   expRotation(Vec3(0, 0.3, 0))));
    return d;
}
Description capsules()
{
    Description d = capsule();
    d.bodies.push_back(test::solid("two", Capsule{0.05, 0.4}, Vec3(0.12, 0.25 - 2 * deep, -0.2),
                                   expRotation(Vec3(0, 0, 1.5))));
    return d;
}
Description balls()
{
    Description d = ball();
    d.bodies.push_back(test::solid("two", Sphere{0.05}, Vec3(0.12, 0.25 - 2.5 * deep, -0.2)));
    return d;
}
Description legs()
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("hip", Box{{0.3, 0.1, 0.1}}, Vec3(0, 0.5, 0)));
    for (const int side : {-1, 1}) {
        const std::string name = side < 0 ? "left" : "right";
        d.bodies.push_back(test::solid(name, Capsule{0.05, 0.3}, Vec3(side * 0.15, 0.25, 0)));
        d.bodies.push_back(
            test::solid(name + " foot", Box{{0.08, 0.05, 0.2}}, Vec3(side * 0.15, 0.025 - deep, 0.03)));
        d.joints.push_back(
            test::joined(name + " hip", JointType::spherical, "hip", name, Vec3(side * 0.15, 0.45, 0)));
        d.joints.push_back(test::joined(name + " ankle", JointType::spherical, name, name + " foot",
                                        Vec3(side * 0.15, 0.05, 0)));
    }
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 200;
        joint.damping = 5;
    }
    return d;
}

// Three balls, which bear each its own load, under a figure.
Description tripod()
{
    Description d;
    d.obstacles.push_back(test::ground());
    d.bodies.push_back(test::solid("base", Box{{0.3, 0.1, 0.3}}, Vec3(0, 0.2, 0)));
    for (const Vec3& place : {Vec3(0.2, -0.2 + 0.05 - deep, 0), Vec3(-0.1, -0.2 + 0.05 - deep, 0.15),
                              Vec3(-0.1, -0.2 + 0.05 - deep, -0.15)}) {
        ShapeDescription& shape = d.bodies.back().shapes.emplace_back();
        shape.shape = Sphere{0.05};
        shape.pose.position = place;
    }
    return d;
}
Description stool()
{
    Description d = tripod();
    d.bodies.push_back(test::solid("arm", Capsule{0.03, 0.3}, Vec3(0, 0.5, 0)));
    d.joints.push_back(test::joined("shoulder", JointType::spherical, "base", "arm", Vec3(0, 0.3, 0)));
    d.bodies.push_back(test::solid("hand", Sphere{0.05}, Vec3(0.1, 0.7, 0)));
    d.joints.push_back(test::joined("wrist", JointType::hinge, "arm", "hand", Vec3(0, 0.7, 0)));
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 20;
        joint.damping = 1;
    }
    return d;
}

TEST(ImplicitDerivatives, with_contact_are_those_of_differences)
{
    constexpr double shared = 2e-6;
    const ContactCase cases[] = {
        {"ball rolls", ball},
        {"ball slips", ball, 0.1, 0.1, 0, {1, 0, 0.5}},
        {"ball with rolling friction", ball, 0.6, 0.3, 0.01},
        {"box rests", box, 0.6, 0.02, 0, {0, 0, 0}, shared},
        {"box slips", box, 0.2, 0.02, 0, {1, 0, 0.5}, shared},
        {"box without friction", box, 0, 0.02, 0, {1, 0, 0.5}, shared},
        {"capsule rolls", capsule},
        {"capsule slips", capsule, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"ellipsoid rolls", ellipsoid},
        {"cylinder", cylinder},
        {"ball on box", ballOnBox, 0.6, 0.02},
        {"box on box", boxOnBox, 0.6, 0.02, 0, {0, 0, 0}, shared},
        {"capsules", capsules, 0.6, 0.02},
        {"balls", balls, 0.6, 0.02},
        {"legs", legs, 0.6, 0.02},
        {"legs slip", legs, 0.2, 0.02, 0, {1, 0, 0.5}, 10 * shared},
        {"tripod rests", tripod, 0.6, 0.02},
        {"tripod slips", tripod, 0.2, 0.02, 0, {1, 0, 0.5}},
        {"stool slips", stool, 0.2, 0.02, 0, {1, 0, 0.5}},
    };
    for (const ContactCase& one : cases) {
        Random random(33);
        Description d = one.scene();
        d.contact.emplace();
        d.contact->friction = one.friction;
        d.contact->rollingFriction = d.contact->spinningFriction = one.rolling;
        d.contact->tolerance = 1e-13;
        Case c(d, 0.01, random, one.speed);
        const Model& model = c.simulation.model();
        for (int i = 0; i < model.size(); ++i)
            if (model.joints[i].isFree())
                c.simulation.state.u.segment<3>(model.joints[i].u) += one.velocity;
        c.direction.q = 0.1 * c.direction.q;
        c.direction.u = 0.1 * c.direction.u;
        c.epsilon = 1e-4;
        c.pushInputs(random, 0.3);
        EXPECT_LT(c.error(random), one.tolerance) << one.name;
    }
}

TEST(ImplicitDerivatives, of_penalty_contact_are_those_of_differences)
{
    for (Description (*scene)() : {ball, tripod, balls}) {
        Random random(37);
        Description d = scene();
        d.contact.emplace();
        d.contact->response = ContactDescription::Response::penalty;
        d.contact->tolerance = 1e-13;
        Case c(d, 0.01, random, 0.02);
        c.direction.q = 0.1 * c.direction.q;
        c.direction.u = 0.1 * c.direction.u;
        c.pushInputs(random, 0.3);
        EXPECT_LT(c.error(random), tolerance) << d.bodies.size();
    }
}

// A figure on the ground, through a hundred steps.
TEST(ImplicitDerivatives, of_a_standing_person_are_those_of_differences)
{
    Random random(39);
    Description d = test::shippedScene("stiff_stand");
    d.contact->tolerance = 1e-13;
    Case c(d, 0.005, random, 0);
    EXPECT_TRUE(c.simulation.advance(0.3).ok);
    c.steps = 100;
    c.direction.q.setZero();
    c.direction.u.setZero();
    c.pushInputs(random, 0.1);
    c.epsilon = 1e-2;
    EXPECT_LT(c.error(random), 1e-6);
}

}  // namespace
}  // namespace sinew::implicit_contact_test
