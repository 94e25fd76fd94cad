// A figure with prescribed joints of every kind, each with a dynamic bone behind it.
#pragma once

#include <gtest/gtest.h>

#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"
#include "support/random_tree.h"

namespace sinew::test {

inline Signal sine(double amplitude, double frequency, double phase = 0, double offset = 0)
{
    return Signal(SineSignal{amplitude, frequency, phase, offset});
}

inline Signal keys(std::vector<KeySignal::Key> points, bool smooth = true)
{
    return Signal(KeySignal{std::move(points), smooth, 0});
}

inline PrescribedDescription prescribedJoint(const std::string& joint, std::vector<Signal> motion)
{
    PrescribedDescription given;
    given.joint = joint;
    given.motion = std::move(motion);
    return given;
}

// A bone below another, off to one side, so that every axis has something to carry.
inline void addBone(Description& d, const std::string& parent, const std::string& name, JointType type,
                    const Vec3& step, bool reversed = false)
{
    Vec3 from = Vec3::Zero();
    for (const BodyDescription& body : d.bodies)
        if (body.name == parent) from = body.pose.position;
    BodyDescription body;
    body.name = name;
    body.pose = {from + step, expRotation(0.3 * step)};
    body.mass = 1 + 0.1 * static_cast<double>(d.bodies.size());
    body.inertia = Vec3(0.02, 0.03, 0.025).asDiagonal();
    d.bodies.push_back(body);
    JointDescription joint;
    joint.name = "to_" + name;
    joint.type = type;
    joint.first = reversed ? name : parent;
    joint.second = reversed ? parent : name;
    joint.position = from + 0.5 * step;
    if (type != JointType::spherical) joint.axis = Vec3(0.2, 0.1, 1);
    if (type == JointType::universal) joint.axis2 = Vec3(1, 0, -0.2);
    joint.damping = 0.05;
    d.joints.push_back(joint);
}

// Floating, its root on a path, four prescribed joints; `smooth`: without keys, whose cubics meet with a
// jump in acceleration.
inline Description prescribedFigure(bool smooth)
{
    Description d;
    BodyDescription pelvis;
    pelvis.name = "pelvis";
    pelvis.pose = {Vec3(0.1, 1, 0), expRotation(Vec3(0.1, 0.2, 0))};
    pelvis.mass = 3;
    pelvis.inertia = Vec3(0.1, 0.12, 0.08).asDiagonal();
    d.bodies.push_back(pelvis);
    addBone(d, "pelvis", "arm", JointType::hinge, Vec3(0.3, 0, 0.1));
    addBone(d, "arm", "hand", JointType::spherical, Vec3(0.3, -0.1, 0));
    addBone(d, "pelvis", "head", JointType::spherical, Vec3(0, 0.4, 0), true);
    addBone(d, "head", "hat", JointType::hinge, Vec3(0, 0.2, 0.1));
    addBone(d, "pelvis", "box", JointType::slide, Vec3(-0.3, 0, 0));
    addBone(d, "box", "flap", JointType::hinge, Vec3(-0.2, -0.1, 0));
    addBone(d, "pelvis", "leg", JointType::universal, Vec3(0, -0.4, 0), true);
    addBone(d, "leg", "shin", JointType::hinge, Vec3(0, -0.4, 0.1), true);
    d.prescribed.push_back(prescribedJoint("to_arm", {sine(0.8, 0.7, 0.3)}));
    d.prescribed.push_back(
        prescribedJoint("to_head", {sine(0.3, 0.5), sine(0.2, 0.8, 1), sine(0.4, 0.3, 0, 0.2)}));
    d.prescribed.push_back(prescribedJoint(
        "to_box", {smooth ? sine(0.1, 1, 0.5) : keys({{0, 0}, {0.1, 0.1}, {0.25, -0.05}, {0.6, 0.1}})}));
    d.prescribed.push_back(prescribedJoint(
        "to_leg", {sine(0.5, 0.6), smooth ? sine(0.4, 0.9, 0.2) : keys({{0.1, 0.2}, {0.4, -0.2}})}));
    PrescribedDescription root;
    root.body = "pelvis";
    root.point = Vec3(0.2, 1.1, 0);
    root.path = {{0, Vec3(0.2, 1.1, 0), {}}, {1, Vec3(0.6, 1.3, -0.3), expRotation(Vec3(0.5, 1, 0.2))}};
    if (!smooth) root.path.insert(root.path.begin() + 1, {0.3, Vec3(0.5, 1, 0.1), {}});
    d.prescribed.push_back(root);
    return d;
}

struct Stepper {
    const char *integrator, *coordinates;
    double order;
};
inline const std::vector<Stepper> prescribedSteppers = {
    {"midpoint", "joint", 2},
    {"velocity_verlet", "joint", 2},
    {"explicit_euler", "joint", 1},
    {"semi_implicit_euler", "joint", 1},
    {"rk4", "joint", 4},
    {"implicit_euler", "joint", 1},
    {"implicit_euler", "maximal", 1},
    {"implicit_bdf2", "joint", 2},
    {"implicit_bdf2", "maximal", 2},
    {"conservative", "maximal", 2},
};
inline std::string nameOf(const Stepper& stepper)
{
    return std::string(stepper.integrator) + "_" + stepper.coordinates;
}

inline Simulation mustCreate(const Description& d, const Stepper& stepper, double h)
{
    Result<Simulation> made = Simulation::create(d, {"", stepper.integrator, h, stepper.coordinates});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}

// The largest distance of the prescribed joints from what the description says, in its own terms.
inline double offCurve(const Description& d, const Simulation& s)
{
    double worst = 0;
    for (const PrescribedDescription& given : d.prescribed) {
        if (given.body.empty()) {
            Vec6 coordinate;
            const int link = s.model().findJoint(given.joint);
            describedCoordinate(s.model(), s.state, link, coordinate.data());
            for (std::size_t i = 0; i < given.motion.size(); ++i)
                worst = std::max(worst, std::abs(coordinate[static_cast<int>(i)] -
                                                 given.motion[i].at(s.state.time).value));
            continue;
        }
        const int link = s.model().findBody(given.body);
        const BodyState& body = s.state.bodies[link];
        const Prescription& compiled = s.model().prescribed[s.model().joints[link].prescribed];
        const PathPoint place = compiled.path.at(s.state.time);
        const Vec3 point = s.model().bodies[link].rest.inverse() * given.point.value();
        worst = std::max(worst, (body.position + body.orientation * point - place.position).norm());
        worst = std::max(worst, logRotation(place.orientation.conjugate() * body.orientation).norm());
    }
    return worst;
}

}  // namespace sinew::test
