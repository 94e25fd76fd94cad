// The scenes that contact is judged by, run for as long as a test has time.
#pragma once

#include <string>
#include <vector>

#include "support/contact_scenes.h"

namespace sinew::test {

// What shall stand as it was put. Sleeping is off.
inline void expectStands(const std::string& scene, double duration)
{
    constexpr double most = 1e-3;  // m
    Description d = shippedScene(scene);
    d.contact->sleeping = false;
    Simulation s = started(d, stepping("implicit", frame));
    const LargeVector<BodyState> start = s.state.bodies;
    double farthest = 0, deepest = 0;
    int caps = 0;
    runFor(s, duration, [&](const StepReport& report) {
        farthest = std::max(farthest, drift(start, s.state));
        caps += report.statistics.contactCaps;
    });
    deepest = penetration(s);
    const double kinetic = energy(s.model(), s.state).kinetic;
    std::printf("%s, %g s: drift %.1e m, %.1e m deep, kinetic energy %.1e J, %d caps\n", scene.c_str(),
                duration, farthest, deepest, kinetic, caps);
    EXPECT_LT(farthest, most);
    EXPECT_LT(deepest, most);
    // What rests is in touch: the bodies at the bottom carry all of the weight.
    double borne = 0;
    for (const Contact& c : s.state.contacts)
        if (c.bodyA < 0 || c.bodyB < 0) borne += c.impulse[0] / s.h;
    EXPECT_NEAR(borne / (s.model().mass() * g), 1, 1e-3);
}

// Of the figure on stiff joints, scenes/stiff_stand.json.
struct Stand {
    double torso = 0, feet = 0;  // m: farthest from the start; of the feet along the ground
    double fell = -1;            // s: when the torso left the centimetre that it may move, or never
    bool ok = true;              // no step failed
};

inline Stand standStiffly(double duration, bool plainInertia)
{
    Description d = shippedScene("stiff_stand");
    d.forces.clear();  // it is pushed over
    d.contact->plainInertia = plainInertia;
    Simulation s = started(d, stepping("implicit", 5e-3));
    const LargeVector<BodyState> start = s.state.bodies;
    const int torso = s.model().findBody("thorax");
    const int feet[] = {s.model().findBody("left_foot"), s.model().findBody("right_foot")};
    Stand stand;
    while (s.state.time < duration - 1e-9) {
        const StepReport report = s.step();
        if (!report.ok) {
            stand.ok = false;
            if (stand.fell < 0) stand.fell = s.state.time;
            break;
        }
        const double moved = (s.state.bodies[torso].position - start[torso].position).norm();
        stand.torso = std::max(stand.torso, moved);
        if (moved > 0.01 && stand.fell < 0) stand.fell = s.state.time;
        for (int foot : feet) {
            const Vec3 slip = s.state.bodies[foot].position - start[foot].position;
            stand.feet = std::max(stand.feet, Vec3(slip.x(), 0, slip.z()).norm());
        }
        if (stand.torso > 1) break;
    }
    std::printf("%s inertia, %g s: torso %.1e m, feet slip %.1e m%s\n", plainInertia ? "plain" : "implicit",
                duration, stand.torso, stand.feet, stand.ok ? "" : ", a step failed");
    return stand;
}

inline void expectStandsStiffly(double duration)
{
    const Stand stand = standStiffly(duration, false);
    EXPECT_TRUE(stand.ok);
    EXPECT_LT(stand.torso, 0.01);
    EXPECT_LT(stand.feet, 1e-3);
}

// A rod that is thrown onto the ground at a slant, as Painlevé has it: with much friction and steep, forces
// of rigid bodies that would let it slide on do not exist.
struct Rod {
    double angle;  // from the level, degrees
    double speed;  // along the ground, m/s, toward where the rod leans away from
    double friction;
};

inline Description painleveRod(const Rod& rod)
{
    const double a = rod.angle * pi / 180;
    Description d;
    const Vec3 along(std::cos(a), std::sin(a), 0);
    d.bodies = {solid("rod", Capsule{0.01, 1}, 0.5 * along + Vec3(0, 0.01, 0),
                      Quat(AngleAxis(a - pi / 2, Vec3::UnitZ())))};
    d.bodies[0].velocity = Vec3(rod.speed, 0, 0);
    d.obstacles = {ground()};
    d.contact.emplace();
    d.contact->friction = rod.friction;
    return d;
}

inline std::vector<Rod> painleveRods()
{
    std::vector<Rod> rods;
    for (double friction : {1.5, 2.0})
        for (double angle : {50., 60., 70., 80.})
            for (double speed : {-5., -1., 1., 5.}) rods.push_back({angle, speed, friction});
    return rods;
}

// The limp person on the stairs.
struct Fall {
    double gap = 0, deepest = 0;     // m, of the whole run
    double kinetic = 0, lowest = 0;  // J at the end; m: the pelvis
    double deepestAtEnd = 0;
    int caps = 0;
    std::vector<double> kineticBySecond;
};

inline Fall fallDownStairs(double duration)
{
    Description d = shippedScene("../tests/data/eight_stairs");
    d.contact->sleeping = false;
    Simulation s = started(d, stepping("implicit", frame));
    Fall fall;
    runFor(s, duration, [&](const StepReport& report) {
        fall.gap = std::max(fall.gap, largestJointError(s.model(), s.state).gap);
        fall.deepest = std::max(fall.deepest, penetration(s));
        fall.caps += report.statistics.contactCaps;
        fall.kinetic = energy(s.model(), s.state).kinetic;
        if (s.state.time > double(fall.kineticBySecond.size() + 1) - frame / 2)
            fall.kineticBySecond.push_back(fall.kinetic);
    });
    fall.deepestAtEnd = penetration(s);
    fall.lowest = bodyOf(s, "pelvis").position.y();
    std::printf("stairs, %g s: gap %.1e m, %.2e m deep (%.1e at the end), pelvis at %.2f m, %d caps\n",
                duration, fall.gap, fall.deepest, fall.deepestAtEnd, fall.lowest, fall.caps);
    for (std::size_t i = 0; i < fall.kineticBySecond.size(); ++i)
        std::printf("  %zu s: kinetic energy %.2e J\n", i + 1, fall.kineticBySecond[i]);
    return fall;
}

inline void expectStaysClosed(const std::string& scene, double duration)
{
    constexpr double gap = 1e-6;  // m
    Simulation s = started(shippedScene(scene));
    ASSERT_FALSE(s.model().loops.empty());
    double open = 0;
    runFor(s, duration,
           [&](const StepReport&) { open = std::max(open, largestJointError(s.model(), s.state).gap); });
    std::printf("%s, %g s: gap %.1e m\n", scene.c_str(), duration, open);
    EXPECT_LT(open, gap);
}

}  // namespace sinew::test
