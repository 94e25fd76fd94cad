// Small scenes that a program would write.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sinew/simulation/simulation.h"
#include "support/contact_scenes.h"

namespace sinew::test {

inline BodyDescription stick(const std::string& name, const Vec3& center, double mass = 1)
{
    BodyDescription body = solid(name, Box{{0.5, 0.06, 0.1}}, center);
    body.mass = mass;
    return body;
}

inline JointDescription joint(const std::string& name, JointType type, const std::string& first,
                              const std::string& second, const Vec3& at)
{
    JointDescription made = joined(name, type, first, second, at);
    if (type == JointType::universal) {
        made.axis = Vec3(0, 0, 1);
        made.axis2 = Vec3(0, 1, 0);
    }
    return made;
}

// World, upper arm, forearm; the elbow of any type, either way round.
inline Description arm(JointType elbow = JointType::hinge, bool reversed = false)
{
    Description d;
    d.bodies = {stick("upper", {0.25, 0, 0}), stick("fore", {0.75, 0, 0})};
    d.joints = {
        joint("shoulder", JointType::hinge, "world", "upper", Vec3::Zero()),
        joint("elbow", elbow, reversed ? "fore" : "upper", reversed ? "upper" : "fore", {0.5, 0, 0})};
    return d;
}

// A box over a floor, with contact.
inline Description boxOnFloor(double height = 0.05)
{
    Description d;
    BodyDescription& box = d.bodies.emplace_back();
    box.name = "box";
    box.mass = 2;
    box.pose.position = {0, height, 0};
    box.shapes.emplace_back().shape = Box{{0.2, 0.1, 0.2}};
    d.obstacles.emplace_back().name = "floor";
    d.contact.emplace();
    return d;
}

inline Settings with(const char* solver, const char* integrator, double step)
{
    return {solver, integrator, step};
}

// The message of what was refused; empty: it was not.
inline std::string refusal(const std::optional<Diagnostic>& outcome)
{
    return outcome ? outcome->text() : std::string();
}
template <class T>
std::string refusal(const Result<T>& result)
{
    return result ? std::string() : result.error().text();
}

}  // namespace sinew::test
