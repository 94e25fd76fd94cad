// Small scenes with contact, and what can be measured of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sinew/collision/detect.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"

namespace sinew::test {

constexpr double g = 9.81;
constexpr double frame = 1. / 60;

inline BodyDescription solid(const std::string& name, const Shape& shape, const Vec3& place,
                             const Quat& orientation = Quat::Identity())
{
    BodyDescription body;
    body.name = name;
    body.pose = {place, orientation};
    body.shapes.emplace_back();
    body.shapes.back().shape = shape;
    return body;
}

inline JointDescription joined(const std::string& name, JointType type, const std::string& first,
                               const std::string& second, const Vec3& place)
{
    JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.first = first;
    joint.second = second;
    joint.position = place;
    if (type == JointType::hinge || type == JointType::slide) joint.axis = Vec3::UnitZ();
    return joint;
}

// A plane through the origin.
inline ObstacleDescription ground(const Vec3& normal = Vec3::UnitY())
{
    ObstacleDescription plane;
    plane.name = "ground";
    plane.normal = normal;
    return plane;
}

inline Description shippedScene(const std::string& name)
{
    Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
    return scene ? std::move(scene.value()) : Description{};
}

inline Simulation started(const Description& description, const Settings& settings = {})
{
    Result<Simulation> made = Simulation::create(description, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made ? std::move(made.value()) : Simulation{};
}

inline Settings stepping(const char* integrator, double h)
{
    Settings settings;
    settings.integrator = integrator;
    settings.step = h;
    return settings;
}

// Calls `look` after every step. False if one failed.
template <class Function>
bool runFor(Simulation& s, double duration, Function look)
{
    const double end = s.state.time + duration;
    while (s.state.time < end - 1e-9) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) return false;
        look(report);
    }
    return true;
}
inline bool runFor(Simulation& s, double duration)
{
    return runFor(s, duration, [](const StepReport&) {});
}

inline const BodyState& bodyOf(const Simulation& s, const std::string& name)
{
    return s.state.bodies[s.model().findBody(name)];
}

// How deep bodies are in each other or in obstacles, found afresh.
inline double penetration(const Simulation& s)
{
    Collisions collisions;
    std::vector<Contact> contacts;
    collisions.detect(s.model(), s.state, 0, contacts);
    double depth = 0;
    for (const Contact& contact : contacts) depth = std::max(depth, -contact.gap);
    return depth;
}

// How far the bodies are from where they were, at most.
inline double drift(const LargeVector<BodyState>& before, const State& now)
{
    double most = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
        most = std::max(most, (now.bodies[i].position - before[i].position).norm());
    return most;
}

}  // namespace sinew::test
