// Skeletons stepped by the integrators of ode/: each has its order, and says what it cannot do.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "scenes.h"
#include "sinew/integrate/step_work.h"
#include "sinew/io/load_scene.h"

namespace sinew::schemes_test {
namespace {

using test::arm;
using test::refusal;
using test::started;
using test::stick;

Description scene(const std::string& name)
{
    Result<SceneFile> loaded = loadScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json");
    EXPECT_TRUE(loaded);
    Description d = loaded.value().description;
    d.run = {};
    return d;
}

struct Outcome {
    std::vector<Vec3> places;
    long evaluations = 0, rejected = 0;
};

Outcome after(const Description& d, const Settings& settings, double seconds)
{
    Simulation s = started(d, settings);
    Outcome outcome;
    const int steps = static_cast<int>(std::lround(seconds / s.h));
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        outcome.evaluations += report.statistics.evaluations;
        outcome.rejected += report.statistics.rejected;
    }
    EXPECT_NEAR(s.state.time, seconds, 1e-12);
    for (const BodyState& body : s.state.bodies) {
        outcome.places.push_back(body.position);
        outcome.places.push_back(body.orientation.toRotationMatrix() * Vec3(0.1, 0.2, 0.3));
    }
    return outcome;
}

double distance(const Outcome& a, const Outcome& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.places.size(); ++i)
        most = std::max(most, (a.places[i] - b.places[i]).norm());
    return most;
}

struct Step {
    IntegratorId integrator;
    double order;
    int evaluations;
};
constexpr Step everyStep[] = {
    {IntegratorId::midpoint, 2, 2},          {IntegratorId::heun, 2, 2},
    {IntegratorId::heunSlides, 1, 1},        {IntegratorId::semiImplicitSlides, 1, 2},
    {IntegratorId::velocityVerlet, 2, 2},    {IntegratorId::rk4, 4, 4},
    {IntegratorId::semiImplicitEuler, 1, 1}, {IntegratorId::explicitEuler, 1, 1}};

// In both coordinates; a chain with ball joints turns in space.
TEST(Schemes, have_their_order_on_skeletons)
{
    for (const char* name : {"double_pendulum", "free_chain"}) {
        const Description d = scene(name);
        const double seconds = 0.5;
        const Outcome truth = after(d, {.integrator = IntegratorId::rk4, .step = seconds / 4000}, seconds);
        for (const SolverId solver : {SolverId::featherstone, SolverId::baraff})
            for (const Step& step : everyStep) {
                const int n = step.order < 2 ? 1600 : step.order < 4 ? 400 : 200;
                Settings settings{.solver = solver, .integrator = step.integrator, .step = seconds / n};
                const Outcome coarse = after(d, settings, seconds);
                EXPECT_EQ(coarse.evaluations, n * step.evaluations) << settingName(step.integrator);
                settings.step = seconds / (2 * n);
                const double slope =
                    std::log2(distance(coarse, truth) / distance(after(d, settings, seconds), truth));
                EXPECT_NEAR(slope, step.order, 0.15)
                    << name << " " << settingName(solver) << " " << settingName(step.integrator);
            }
    }
}

TEST(Schemes, dormand_prince_follows_its_tolerance_with_fewer_evaluations_than_rk4)
{
    const Description d = scene("double_pendulum");
    const double seconds = 1;
    const Outcome truth = after(d, {.integrator = IntegratorId::rk4, .step = seconds / 20000}, seconds);
    for (const char* solver : {"featherstone", "baraff"})
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
            // Steps of twenty frames: no frame rate has a say.
            Settings settings{.solver = solver, .integrator = IntegratorId::dormandPrince, .step = 1. / 3};
            settings.tolerance = tolerance;
            const Outcome o = after(d, settings, seconds);
            const double error = distance(o, truth);
            int n = 30;
            while (
                distance(after(d, {.solver = solver, .integrator = IntegratorId::rk4, .step = seconds / n},
                               seconds),
                         truth) > error)
                n += n / 8;
            std::printf(
                "  %-12s tolerance %.0e: error %.1e m in %ld evaluations (%ld parts rejected), rk4 %d\n",
                solver, tolerance, error, o.evaluations, o.rejected, 4 * n);
            EXPECT_LT(error, 100 * tolerance);
            EXPECT_LT(o.evaluations, 4 * n);
        }
    Settings frames{.integrator = IntegratorId::dormandPrince};
    EXPECT_EQ(started(d, frames).h, Settings::defaultStep) << "a frame is not too long for it";
    EXPECT_EQ(started(d, frames).tolerance(), Settings::defaultTolerance);
    EXPECT_LT(distance(after(d, frames, seconds), truth), 1e-5);
}

// However large the figure is, and in whatever unit its masses are.
TEST(Schemes, dormand_prince_measures_errors_by_the_figure)
{
    const auto evaluations = [](double size) {
        Description d = arm();
        d.gravity *= size;
        for (BodyDescription& body : d.bodies) {
            body.pose.position *= size;
            body.shapes[0].shape = Box{size * Vec3(0.5, 0.06, 0.1)};
        }
        for (JointDescription& joint : d.joints) joint.position *= size;
        return after(d, {.integrator = IntegratorId::dormandPrince, .step = 0.1}, 2).evaluations;
    };
    EXPECT_EQ(evaluations(1), evaluations(1024));
    EXPECT_EQ(evaluations(1), evaluations(1. / 1024));
}

TEST(Schemes, dormand_prince_holds_loops_and_prescribed_joints)
{
    const Description d = scene("fourbar");
    const Outcome truth = after(d, {.integrator = IntegratorId::rk4, .step = 2.5e-4}, 0.5);
    for (const IntegratorId id : {IntegratorId::dormandPrince, IntegratorId::midpoint})
        EXPECT_LT(distance(after(d, {.integrator = id, .step = 5e-3}, 0.5), truth),
                  id == IntegratorId::midpoint ? 1e-3 : 1e-5)
            << settingName(id);
    Description led = arm();
    PrescribedDescription given;
    given.joint = "shoulder";
    given.motion = {Signal(SineSignal{0.5, 1, 0, 0})};
    led.prescribed = {given};
    const Outcome sure = after(led, {.integrator = IntegratorId::rk4, .step = 2.5e-4}, 0.5);
    EXPECT_LT(distance(after(led, {.integrator = IntegratorId::dormandPrince, .step = 1e-2}, 0.5), sure),
              1e-5);
}

TEST(Schemes, dormand_prince_says_when_it_finds_no_step)
{
    Simulation s = started(arm(), {.integrator = IntegratorId::dormandPrince, .step = 0.1});
    ASSERT_EQ(refusal(s.setForceLaw([](ForceContext& at) {
                  // A pole in time: no step leads over it.
                  const BodyHandle body = sinew::findBody(at.model(), "fore").value();
                  at.addBodyForce(
                      body, {Vec3(0, 1 / std::pow(std::abs(at.time() - 0.0512345), 1.5), 0), Vec3::Zero()});
              })),
              "");
    const StepReport report = s.step();
    EXPECT_FALSE(report.ok);
    EXPECT_NE(report.message.find("no step was found, however short, after 0 s"), std::string::npos)
        << report.message;
    EXPECT_EQ(s.state.time, 0);
}

// A ball on a spring that a program holds: the symplectic steps keep its energy, in body coordinates.
TEST(Schemes, verlet_and_leapfrog_keep_the_energy_of_what_has_no_joints)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {test::solid("ball", Sphere{0.1}, Vec3(1, 0, 0))};
    d.bodies[0].mass = 1;
    d.bodies[0].velocity = Vec3(0, 0.8, 0);
    const auto energyRange = [&](IntegratorId id, Vec3& end) {
        Simulation s = started(d, {.integrator = id, .step = 0.1});
        EXPECT_STREQ(s.method->name, id == IntegratorId::rk4 ? "featherstone" : "baraff");
        EXPECT_EQ(refusal(s.setForceLaw([](ForceContext& at) {
                      const BodyHandle ball = sinew::findBody(at.model(), "ball").value();
                      at.addBodyForce(ball, {-at.body(ball).pose.position, Vec3::Zero()});
                  })),
                  "");
        double most = 0;
        for (int i = 0; i < 20000; ++i) {
            EXPECT_TRUE(s.step().ok);
            const BodyState& b = s.state.bodies[0];
            const double now = 0.5 * (b.velocity.squaredNorm() + b.position.squaredNorm());
            most = std::max(most, std::abs(now / 0.82 - 1));
        }
        end = s.state.bodies[0].position;
        return most;
    };
    Vec3 position, leap, rk4;
    EXPECT_LT(energyRange(IntegratorId::positionVerlet, position), 0.003);
    EXPECT_LT(energyRange(IntegratorId::leapfrog, leap), 0.003);
    EXPECT_LT((position - leap).norm(), 1e-9) << "the same method, but for rounding";
    EXPECT_GT(energyRange(IntegratorId::rk4, rk4), 1e-4);
}

TEST(Schemes, throw_a_ball_on_its_parabola)
{
    Description d;
    d.gravity = Vec3(0, -9.81, 0);
    d.bodies = {test::solid("ball", Sphere{0.1}, Vec3(0, 1, 0))};
    d.bodies[0].velocity = Vec3(3, 4, 0);
    const Vec3 end(3, 1 + 4 - 0.5 * 9.81, 0);
    for (const IntegratorId id : {IntegratorId::heunSlides, IntegratorId::midpoint, IntegratorId::heun,
                                  IntegratorId::positionVerlet, IntegratorId::velocityVerlet,
                                  IntegratorId::leapfrog, IntegratorId::dormandPrince})
        EXPECT_LT((after(d, {.integrator = id, .step = 0.05}, 1).places[0] - end).norm(), 1e-12)
            << settingName(id);
    EXPECT_NEAR(
        (after(d, {.integrator = IntegratorId::semiImplicitSlides, .step = 0.05}, 1).places[0] - end).y(),
        -0.5 * 9.81 * 0.05, 1e-12);
}

TEST(Schemes, that_do_not_apply_say_why_and_what_does)
{
    Description d = arm();
    EXPECT_EQ(
        refusal(Simulation::create(d, {.integrator = "leapfrog"})),
        "integrator: integrator 'leapfrog' takes no forces that depend on velocity, such as those of joint "
        "'shoulder'; use velocity_verlet");
    EXPECT_EQ(refusal(Simulation::create(d, {.solver = "featherstone", .integrator = "position_verlet"})),
              "integrator: integrator 'position_verlet' takes no forces that depend on velocity, as those "
              "in joint "
              "coordinates do; use velocity_verlet, or a solver in maximal coordinates");
    d.run.integrator = "leapfrog";
    EXPECT_EQ(
        refusal(Simulation::create(d, {})),
        "/run/integrator: integrator 'leapfrog' takes no forces that depend on velocity, such as those of "
        "joint 'shoulder'; use velocity_verlet");
    Description ball;
    ball.bodies = {test::solid("ball", Sphere{0.1}, Vec3(0, 1, 0))};
    EXPECT_EQ(refusal(Simulation::create(ball, {.integrator = "leapfrog"})), "");
    ball.obstacles.emplace_back().name = "floor";
    EXPECT_EQ(
        refusal(Simulation::create(ball, {.integrator = "leapfrog"})),
        "integrator: integrator 'leapfrog' takes no forces that depend on velocity, such as obstacles and "
        "targets; use velocity_verlet");
    d = arm();
    EXPECT_EQ(refusal(Simulation::create(d, {.integrator = "rk4", .tolerance = 1e-3})),
              "tolerance: integrator 'rk4' does not adapt its steps; use dormand_prince");
    for (const double wrong : {0., -1., 1e-13, 1., std::nan("")}) {
        EXPECT_EQ(refusal(Simulation::create(d, {.integrator = "dormand_prince", .tolerance = wrong})),
                  "tolerance: must be a number from 1e-12 to 0.1");
    }
    d.run.tolerance = 1e-4;
    EXPECT_EQ(refusal(Simulation::create(d, {})),
              "/run/tolerance: integrator 'implicit' does not adapt its steps; use dormand_prince");
    d.run.integrator = "dormand_prince";
    EXPECT_EQ(started(d).tolerance(), 1e-4);
    EXPECT_EQ(started(d, {.tolerance = 1e-3}).tolerance(), 1e-3);
    EXPECT_EQ(refusal(Simulation::create(d, {.integrator = "implicit"})), "")
        << "the scene's word is for its own";
}

}  // namespace
}  // namespace sinew::schemes_test
