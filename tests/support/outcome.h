// A whole run in a few numbers, and the scenes that several tests run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/figure/chain.h"
#include "sinew/integrate/step_work.h"
#include "sinew/simulation/simulation.h"

namespace sinew::test {

struct Outcome {
    double rise = 0;  // highest energy above the start, J
    double end = 0;   // energy at the end, above the start
    double gap = 0;
    double iterations = 0;  // a step
    int halvings = 0;
    bool ok = true;
};

inline Outcome simulate(const Description& description, const char* integrator, double h, double duration,
                        const char* coordinates = "", int newtonIterations = 0)
{
    Result<Simulation> made = Simulation::create(description, {"", integrator, h, coordinates});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    Simulation& s = made.value();
    s.work->settings.iterations = newtonIterations;
    const double start = energy(s.model(), s.state).total();
    Outcome o;
    long iterations = 0;
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps && o.ok; ++i) {
        const StepReport report = s.step();
        o.ok = report.ok;
        iterations += report.statistics.newtonIterations;
        o.halvings += report.statistics.halvings;
        o.end = energy(s.model(), s.state).total() - start;
        o.rise = std::max(o.rise, o.end);
        o.gap = std::max(o.gap, largestJointError(s.model(), s.state).gap);
    }
    o.iterations = static_cast<double>(iterations) / steps;
    return o;
}

// Ten links, the last a thousand times heavier than the others.
inline Description heavyTip(bool horizontal)
{
    ChainOptions options;
    options.tipRatio = 1000;
    options.horizontal = horizontal;
    Description d = makeChain(options);
    if (!horizontal) d.joints[0].coordinate = {0.05, 0, 0.1};  // near hanging
    return d;
}

inline Description stiffChain(double stiffness, double damping = 0)
{
    ChainOptions options;
    options.links = 50;
    options.stiffness = stiffness;
    options.damping = damping;
    options.horizontal = true;
    return makeChain(options);
}

// The order of an integrator: the slope of its error in the tip of a short soft chain, against RK4 with
// tiny steps.
inline double measuredOrder(const char* integrator, const char* coordinates = "", double armature = 0)
{
    ChainOptions options;
    options.links = 4;
    options.stiffness = 0.5;
    options.damping = 0.002;
    options.horizontal = true;
    Description d = makeChain(options);
    for (JointDescription& joint : d.joints) joint.armature = armature;
    const auto tip = [&](const Settings& settings) {
        Result<Simulation> made = Simulation::create(d, settings);
        EXPECT_TRUE(made) << (made ? "" : made.error().text());
        const int steps = static_cast<int>(std::lround(0.5 / *settings.step));
        for (int i = 0; i < steps; ++i) EXPECT_TRUE(made.value().step().ok);
        return Vec3(made.value().state.bodies[3].position);
    };
    const Vec3 exact = tip({"featherstone", "rk4", 1e-4});
    double first = 0, last = 0;
    for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
        last = (tip({"", integrator, h, coordinates}) - exact).norm();
        if (first == 0) first = last;
        std::printf("%s h=%g: %.3e m\n", integrator, h, last);
    }
    return std::log(first / last) / std::log(8.);
}

}  // namespace sinew::test
