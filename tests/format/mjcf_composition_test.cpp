// <frame>, <replicate> and <attach>: what is short must be what is written out.
#include <gtest/gtest.h>

#include <algorithm>

#include "format/mjcf_text.h"
#include "sinew/model/model.h"

namespace sinew::mjcf_test {
namespace {

// Same bodies and joints, in the same order, to rounding.
void expectAlike(const Description& a, const Description& b)
{
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        const BodyDescription &x = a.bodies[i], &y = b.bodies[i];
        EXPECT_EQ(x.name, y.name);
        expectNear(x.pose.position, y.pose.position);
        EXPECT_NEAR(std::abs(x.pose.orientation.dot(y.pose.orientation)), 1, rounding) << x.name;
        EXPECT_NEAR(*x.mass, *y.mass, rounding) << x.name;
        ASSERT_EQ(x.inertia.has_value(), y.inertia.has_value()) << x.name;
        if (x.inertia) {
            EXPECT_LT((*x.inertia - *y.inertia).norm(), rounding) << x.name;
            expectNear(*x.center, *y.center);
        }
        EXPECT_EQ(x.shapes.size(), y.shapes.size()) << x.name;
    }
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
        const JointDescription &x = a.joints[i], &y = b.joints[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.type, y.type);
        EXPECT_EQ(x.first, y.first);
        EXPECT_EQ(x.second, y.second);
        expectNear(x.position, y.position);
        EXPECT_EQ(x.axis.has_value(), y.axis.has_value());
        if (x.axis) expectNear(*x.axis, *y.axis);
        EXPECT_NEAR(x.stiffness, y.stiffness, rounding);
        EXPECT_EQ(x.lower.size(), y.lower.size());
        for (std::size_t k = 0; k < x.lower.size(); ++k) EXPECT_NEAR(x.lower[k], y.lower[k], rounding);
    }
    ASSERT_EQ(a.motors.size(), b.motors.size());
    for (std::size_t i = 0; i < a.motors.size(); ++i) EXPECT_EQ(a.motors[i].joint, b.motors[i].joint);
    if (a.contact && b.contact) {
        EXPECT_EQ(a.contact->ignore, b.contact->ignore);
    }
}

std::string bodiesOf(const Imported& imported)
{
    std::string names;
    for (const BodyDescription& body : imported.scene.bodies) names += body.name + " ";
    return names;
}

TEST(MjcfComposition, frames_are_as_written_out)
{
    const std::string soft =
        "<default><default class='soft'><joint stiffness='7'/><geom density='10'/></default></default>";
    const Imported inside = readWorld(
        "<frame pos='1 0 0' euler='0 0 90'><frame pos='0 2 0' childclass='soft'><body name='a' pos='0 0 1'>"
        "<frame pos='.1 .2 .3' euler='90 0 0'><joint name='j' pos='0 0 .1' axis='0 0 1'/>"
        "<geom type='box' size='.1 .2 .3' pos='0 0 .5'/>"
        "<body name='b' pos='0 1 0'><joint/><geom size='.1'/></body></frame>"
        "</body></frame></frame>",
        soft);
    // By hand: a quarter turn about z takes y to −x, one about x takes y to z and z to −y.
    const Imported outside = readWorld(
        "<body name='a' pos='-1 0 1' euler='0 0 90' childclass='soft'>"
        "<joint name='j' pos='.1 .1 .3' axis='0 -1 0'/>"
        "<geom type='box' size='.1 .2 .3' pos='.1 -.3 .3' euler='90 0 0'/>"
        "<body name='b' pos='.1 .2 1.3' euler='90 0 0'><joint/><geom size='.1'/></body></body>",
        soft);
    expectAlike(inside.scene, outside.scene);
}

TEST(MjcfComposition, replicas_follow_each_other_and_are_numbered_from_the_inside)
{
    // The offset of a replica is in the frame of the one before: with a quarter turn about z they go round
    // a square.
    const Imported square = readWorld(
        "<replicate count='4' offset='1 0 0' euler='0 0 90' sep='-'><body name='a'><freejoint/><geom "
        "size='.1'/></body></replicate>");
    EXPECT_EQ(bodiesOf(square), "a-0 a-1 a-2 a-3 ");
    const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
    for (std::size_t i = 0; i < 4; ++i) expectNear(square.scene.bodies[i].pose.position, corners[i]);
    // Names as MuJoCo gives them: the inner number comes first. Numbers have the same digits.
    EXPECT_EQ(bodiesOf(readWorld(
                  "<replicate count='2' offset='0 1 0'><replicate count='2' sep='-' offset='1 0 "
                  "0'><body name='a'><freejoint/><geom size='.1'/></body></replicate></replicate>")),
              "a-00 a-10 a-01 a-11 ");
    const Imported many = readWorld(
        "<replicate count='11' offset='1 0 0'><body name='a'><freejoint/><geom "
        "size='.1'/></body></replicate>");
    EXPECT_EQ(many.scene.bodies[3].name, "a03");
    EXPECT_EQ(many.scene.bodies[10].name, "a10");
}

TEST(MjcfComposition, what_refers_to_replicas_is_replicated)
{
    const std::string sections =
        "<contact><exclude body1='post' body2='a'/></contact>"
        "<tendon><fixed name='t' stiffness='3'><joint joint='turn' coef='2'/></fixed></tendon>"
        "<actuator><motor name='m' joint='turn'/><motor joint='own'/></actuator></mujoco>";
    const Imported text = read(
        "<mujoco><worldbody><body name='post'><joint name='own'/><geom size='.1'/></body>"
        "<replicate count='2' offset='1 0 0'><body name='a'><joint name='turn'/><geom "
        "size='.1'/></body></replicate></worldbody>" +
        sections);
    const Imported written = read(
        "<mujoco><worldbody><body name='post'><joint name='own'/><geom size='.1'/></body>"
        "<body name='a0'><joint name='turn0'/><geom size='.1'/></body>"
        "<body name='a1' pos='1 0 0'><joint name='turn1'/><geom size='.1'/></body></worldbody>"
        "<contact><exclude body1='post' body2='a0'/><exclude body1='post' body2='a1'/></contact>"
        "<tendon><fixed stiffness='3'><joint joint='turn0' coef='2'/></fixed>"
        "<fixed stiffness='3'><joint joint='turn1' coef='2'/></fixed></tendon>"
        "<actuator><motor joint='turn0'/><motor joint='turn1'/><motor joint='own'/></actuator></mujoco>");
    expectAlike(text.scene, written.scene);
    EXPECT_EQ(text.scene.motors.size(), 3u);
    EXPECT_EQ(text.scene.joints[1].stiffness, 12);
}

// In degrees and radians, with classes of the same name, and an actuator of its own.
const Files arm = {
    {"parts/arm.xml",
     "<mujoco model='arm'><compiler angle='radian' autolimits='true'/>"
     "<default><joint stiffness='5'/><default class='thin'><geom size='.02 .1' "
     "type='capsule'/></default></default>"
     "<worldbody><body name='elsewhere'><joint name='other'/><geom size='.1'/></body>"
     "<body name='upper' pos='0 0 1'><joint name='turn' range='-0.5 0.5'/><geom class='thin'/>"
     "<body name='lower' pos='0 0 .2'><joint name='bend'/><geom class='thin'/></body></body></worldbody>"
     "<contact><exclude body1='upper' body2='elsewhere'/></contact>"
     "<actuator><motor joint='bend'/><motor joint='other'/></actuator></mujoco>"}};
const std::string armHead =
    "<mujoco><compiler angle='degree'/><default><default class='thin'><geom size='.3'/></default></default>"
    "<asset><model name='arm' file='parts/arm.xml'/></asset><worldbody><body name='trunk'><freejoint/>"
    "<geom class='thin'/>";

TEST(MjcfComposition, attaches_a_body_of_another_model_with_its_own_settings)
{
    const Imported attached = read(
        armHead +
            "<frame pos='.3 0 0' euler='0 0 90'><attach model='arm' body='upper' prefix='left_'/></frame>"
            "<frame pos='-.3 0 0'><attach model='arm' body='upper' prefix='right_'/></frame></body>"
            "</worldbody><actuator><motor joint='right_turn'/></actuator></mujoco>",
        arm);
    const Imported written = read(
        "<mujoco><compiler angle='degree'/><worldbody><body name='trunk'><freejoint/><geom size='.3'/>"
        "<body name='left_upper' pos='.3 0 1' euler='0 0 90'>"
        "<joint name='left_turn' stiffness='5' range='-28.64788975654116 28.64788975654116'/>"
        "<geom size='.02 .1' type='capsule'/><body name='left_lower' pos='0 0 .2'>"
        "<joint name='left_bend' stiffness='5'/><geom size='.02 .1' type='capsule'/></body></body>"
        "<body name='right_upper' pos='-.3 0 1'>"
        "<joint name='right_turn' stiffness='5' range='-28.64788975654116 28.64788975654116'/>"
        "<geom size='.02 .1' type='capsule'/><body name='right_lower' pos='0 0 .2'>"
        "<joint name='right_bend' stiffness='5'/><geom size='.02 .1' type='capsule'/></body></body>"
        "</body></worldbody><actuator><motor joint='right_turn'/><motor joint='left_bend'/>"
        "<motor joint='right_bend'/></actuator></mujoco>");
    expectAlike(attached.scene, written.scene);
}

TEST(MjcfComposition, attaches_a_whole_model_and_models_that_attach_others)
{
    Files files = arm;
    files["pair.xml"] =
        "<mujoco><asset><model file='parts/arm.xml'/></asset><worldbody><body name='base' pos='1 0 "
        "0'><joint/>"
        "<geom size='.1'/><attach model='arm' body='upper' prefix='x_'/></body></worldbody></mujoco>";
    const Imported all = read(
        "<mujoco><asset><model name='pair' file='pair.xml'/></asset><worldbody>"
        "<replicate count='2' offset='0 1 0'><attach model='pair' "
        "prefix='p_'/></replicate></worldbody></mujoco>",
        files);
    EXPECT_EQ(bodiesOf(all), "p_base0 p_x_upper0 p_x_lower0 p_base1 p_x_upper1 p_x_lower1 ");
    expectNear(all.scene.bodies[4].pose.position, Vec3(1, 1, -1));
    ASSERT_EQ(all.scene.motors.size(), 2u);
    EXPECT_EQ(all.scene.motors[1].joint, "p_x_bend1");
    EXPECT_NEAR(all.scene.joints[1].upper[0], 0.5, rounding);  // radians, two models further in
}

TEST(MjcfComposition, attaches_a_part_of_itself)
{
    const Imported twice = readWorld(
        "<body name='a' pos='0 0 1'><freejoint/><geom size='.1'/></body>"
        "<frame pos='2 0 0'><attach body='a' prefix='b_'/></frame>");
    EXPECT_EQ(bodiesOf(twice), "a b_a ");
    expectNear(twice.scene.bodies[1].pose.position, Vec3(2, 1, 0));
}

TEST(MjcfComposition, refuses_what_is_wrong_with_its_place)
{
    EXPECT_EQ(refuseWorld("<replicate count='0'/>"),
              "m.xml:2:12: <replicate>: count=\"0\" is not from 1 to 10000");
    EXPECT_EQ(refuseWorld("<replicate/>"), "m.xml:2:1: <replicate>: count is missing; it is required");
    EXPECT_EQ(refuseWorld("<attach model='x' body='y' prefix='z'/>"),
              "m.xml:2:9: <attach>: model=\"x\" is not a <model> in the <asset> of this file");
    EXPECT_EQ(refuseWorld("<attach body='y'/>"), "m.xml:2:1: <attach>: prefix is missing; it is required");
    EXPECT_EQ(refuseWorld("<attach body='y' prefix='z'/>"),
              "m.xml:2:9: <attach>: body=\"y\" is not in that model");
    EXPECT_EQ(refuseWorld("<attach prefix='z'/>"),
              "m.xml:2:1: <attach>: names no model, so it has to name a body or a frame");
    EXPECT_EQ(refuseWorld("<body name='a'><attach body='a' prefix='z'/></body>"),
              "m.xml:2:16: <attach>: attaches what stands behind it or around it; put that first");
    EXPECT_EQ(refuseWorld("<attach model='x' prefix='z'/>",
                          "<asset><model name='x' file='../../../x.xml'/></asset>"),
              "m.xml:1:32: <model>: file=\"../../../x.xml\" leads more than two folders up; what is "
              "nearer is read");
    EXPECT_EQ(
        refuseWorld("<attach model='x' prefix='z'/>", "<asset><model name='x' file='x.xml'/></asset>"),
        "m.xml:1:32: <model>: file=\"x.xml\" cannot be read: there is no such file");
    // A single replica has a number too.
    EXPECT_EQ(refuseWorld("<body name='a0'/><replicate count='1'><body name='a'/></replicate>"),
              "m.xml:2:45: <body>: name=\"a0\" is the name of another body; names must differ");
}

TEST(MjcfComposition, bounds_what_a_small_file_can_grow_to)
{
    std::string nested = "<body/>";
    for (int i = 0; i < 8; ++i) nested = "<replicate count='100'>" + nested + "</replicate>";
    EXPECT_NE(refuseWorld(nested).find("makes more than a million elements; the limit is reached"),
              std::string::npos);
    const std::string loop =
        "<mujoco><asset><model name='m' file='loop.xml'/></asset><worldbody><attach model='m' "
        "prefix='a'/></worldbody></mujoco>";
    EXPECT_NE(refusal(loop, {{"loop.xml", loop}}).find("is a model inside more than 10 others"),
              std::string::npos);
}

}  // namespace
}  // namespace sinew::mjcf_test
