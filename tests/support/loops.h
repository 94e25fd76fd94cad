// Linkages with closed loops, in the plane and in space, and scenes turned as a whole.
#pragma once

#include <string>
#include <vector>

#include "sinew/math/rotation.h"
#include "sinew/model/description.h"
#include "support/contact_scenes.h"

namespace sinew::test {

// Everything turned, then shifted: gravity, bodies, joints.
inline Description turned(Description d, const Quat& R, const Vec3& shift = Vec3::Zero())
{
    d.gravity = R * d.gravity;
    for (BodyDescription& body : d.bodies) {
        body.pose = {R * body.pose.position + shift, R * body.pose.orientation};
        for (auto* v : {&body.velocity, &body.angularVelocity})
            if (*v) *v = Vec3(R * **v);
    }
    for (JointDescription& joint : d.joints) {
        joint.position = R * joint.position + shift;
        for (auto* axis : {&joint.axis, &joint.axis2})
            if (*axis) *axis = Vec3(R * **axis);
    }
    return d;
}

inline const Quat& oblique()
{
    static const Quat R = expRotation(Vec3(0.7, -1.1, 0.4));
    return R;
}

// A thin rod with a mass of 1 kg a metre.
inline BodyDescription rod(const std::string& name, const Vec3& from, const Vec3& to)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = 0.5 * (from + to);
    const Vec3 along = to - from;
    body.mass = along.norm();
    const Mat3 I = along.squaredNorm() * Mat3::Identity() - along * along.transpose();
    body.inertia = *body.mass * (I / 12 + 1e-3 * Mat3::Identity());
    return body;
}

// Two rods that hang side by side and a bar between their ends, which only ever shifts. `hang`, the joints
// to the world, turn by the angle, the other two back by it.
inline Description swingingParallelogram(double length, double angle)
{
    Description d;
    for (int i = 0; i < 2; ++i) {
        const std::string name = i ? "right" : "left";
        const Vec3 top(i ? 0.3 : -0.3, 0, 0);
        d.bodies.push_back(solid(name, Box{Vec3(0.02, length, 0.02)}, top - Vec3(0, length / 2, 0)));
        d.joints.push_back(joined(name, JointType::hinge, "world", name, top));
        d.joints.back().coordinate = {angle};
    }
    d.bodies.push_back(solid("bar", Box{Vec3(0.6, 0.04, 0.04)}, Vec3(0, -length, 0)));
    d.joints.push_back(joined("hangs", JointType::hinge, "left", "bar", Vec3(-0.3, -length, 0)));
    d.joints.back().coordinate = {-angle};
    d.joints.push_back(joined("closes", JointType::hinge, "bar", "right", Vec3(0.3, -length, 0)));
    return d;
}

// Bennett's linkage: four hinges, none parallel to another, each square to the links that it joins. That it
// moves at all rests on opposite sides being equal: of five rows that close it three say what others do.
inline Description bennett()
{
    const Vec3 corner[4] = {{1, 0, 0}, {0.3, 0.8, 0.5}, {-1, 0, 0}, {-0.3, -0.8, 0.5}};
    const char* names[4] = {"a", "b", "c", "world"};
    Description d;
    for (int i = 0; i < 3; ++i) d.bodies.push_back(rod(names[i], corner[i], corner[i + 1]));
    for (int i = 0; i < 4; ++i) {
        const Vec3 before = corner[i] - corner[(i + 3) % 4], after = corner[(i + 1) % 4] - corner[i];
        JointDescription joint;
        joint.name = "corner" + std::to_string(i);
        joint.type = JointType::hinge;
        joint.first = names[(i + 3) % 4];
        joint.second = names[i];
        joint.position = corner[i];
        joint.axis = before.cross(after).normalized();
        d.joints.push_back(joint);
    }
    return d;
}

// A crank that turns about z and a rocker about x, with a coupler on a universal and a ball joint between:
// a loop in space that says nothing twice.
inline Description spatialFourBar()
{
    const Vec3 p[4] = {{0, 0, 0}, {0.15, 0.28, 0}, {0.8, 0.45, 0.75}, {0.8, 0, 0.6}};
    Description d;
    d.bodies = {rod("crank", p[0], p[1]), rod("coupler", p[1], p[2]), rod("rocker", p[2], p[3])};
    d.joints = {joined("crank", JointType::hinge, "world", "crank", p[0]),
                joined("near", JointType::universal, "crank", "coupler", p[1]),
                joined("rocker", JointType::hinge, "world", "rocker", p[3]),
                joined("far", JointType::spherical, "coupler", "rocker", p[2])};
    d.joints[1].axis = Vec3::UnitX();
    d.joints[1].axis2 = Vec3::UnitY();
    d.joints[2].axis = Vec3::UnitX();
    return d;
}

// A ring of rods on ball joints, floating without gravity.
inline Description ring(int links)
{
    Description d;
    d.gravity.setZero();
    const auto corner = [&](int i) {
        const double angle = 2 * pi * i / links;
        return Vec3(std::cos(angle), std::sin(angle), 0.2 * std::cos(2 * angle));
    };
    const auto name = [](int i) { return "link" + std::to_string(i); };
    for (int i = 0; i < links; ++i) d.bodies.push_back(rod(name(i), corner(i), corner(i + 1)));
    for (int i = 0; i < links; ++i)
        d.joints.push_back(joined("joint" + std::to_string(i), JointType::spherical, name(i),
                                  name((i + 1) % links), corner(i + 1)));
    return d;
}

// A spring, and a damper, in every joint: none is left to be a mere constraint.
inline Description sprung(Description d, double stiffness, double damping = 0)
{
    for (JointDescription& joint : d.joints) {
        joint.stiffness = stiffness;
        joint.damping = damping;
    }
    return d;
}

}  // namespace sinew::test
