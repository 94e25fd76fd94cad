// Springs between bodies, media, winds and attractors where the answer is known; and how many iterations an
// implicit step takes for springs of any stiffness.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/force/laws/pair_springs.h"
#include "sinew/math/rotation.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/energy_balance.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/measure.h"

namespace sinew::springs_test {
namespace {

BodyDescription ball(const std::string& name, const Vec3& place, double mass = 1)
{
    BodyDescription b;
    b.name = name;
    b.pose.position = place;
    b.mass = mass;
    b.inertia = 0.02 * mass * Mat3::Identity();
    return b;
}

SpringDescription spring(const std::string& first, const std::string& second, double stiffness)
{
    SpringDescription s;
    s.first.body = first;
    s.second.body = second;
    s.stiffness = stiffness;
    return s;
}
SpringDescription toWorld(const std::string& body, const Vec3& place, double stiffness)
{
    SpringDescription s = spring(body, "world", stiffness);
    s.second.form = SpringPoint{place};
    return s;
}

Simulation started(const Description& d, const Settings& settings)
{
    Result<Simulation> simulation = Simulation::create(d, settings);
    EXPECT_TRUE(simulation) << simulation.error().text();
    return std::move(simulation.value());
}
void runFor(Simulation& simulation, double seconds)
{
    const Advance way = simulation.advance(seconds);
    ASSERT_TRUE(way.ok) << way.last.message;
}

const BodyState& bodyOf(const Simulation& simulation, const std::string& name)
{
    return simulation.state.bodies[static_cast<std::size_t>(simulation.model().findBody(name))];
}

// ---- statics and oscillations ---------------------------------------------------------------------

TEST(Springs, a_hanging_weight_stretches_its_spring_by_its_weight_over_the_stiffness)
{
    for (const double k : {50., 1e4, 1e8}) {
        Description d;
        d.bodies = {ball("weight", {0.3, -1, 0}, 2)};
        d.springs = {toWorld("weight", {0.3, 0, 0}, k)};
        d.springs[0].damping = 20;
        Simulation s = started(d, {.step = 1. / 60});
        runFor(s, 20);
        EXPECT_NEAR(-1 - bodyOf(s, "weight").position.y(), 2 * 9.81 / k, 1e-12 + 1e-7 * 2 * 9.81 / k) << k;
    }
}

TEST(Springs, two_masses_swing_with_the_frequency_of_their_reduced_mass)
{
    constexpr double m1 = 1, m2 = 3, k = 80, rest = 1, stretch = 0.1;
    Description d;
    d.gravity.setZero();
    d.bodies = {ball("a", {0, 0, 0}, m1), ball("b", {rest + stretch, 0, 0}, m2)};
    d.springs = {spring("a", "b", k)};
    d.springs[0].length = rest;
    const double w = std::sqrt(k * (1 / m1 + 1 / m2));
    // Errors over one period: of second order with steps of a thousandth, of fourth with rk4.
    for (const auto& [integrator, bound] :
         {std::pair(IntegratorId::implicit, 2e-4), {IntegratorId::rk4, 1e-9}}) {
        Simulation s = started(d, {.integrator = integrator, .step = 2 * pi / w / 1000});
        for (int i = 1; i <= 1000; ++i) {
            ASSERT_TRUE(s.step().ok);
            const double length = bodyOf(s, "b").position.x() - bodyOf(s, "a").position.x();
            ASSERT_NEAR(length - rest, stretch * std::cos(w * s.state.time), stretch * bound) << i;
        }
    }
}

TEST(Springs, an_angular_spring_swings_bodies_that_share_no_joint)
{
    constexpr double k = 5, angle = 0.3;
    Description d;
    d.gravity.setZero();
    d.bodies = {ball("a", {0, 0, 0}, 1), ball("b", {2, 0, 0}, 4)};
    SpringDescription s = spring("a", "b", 0);
    s.turnStiffness = k;
    d.springs = {s};
    Simulation simulation = started(d, {.integrator = IntegratorId::rk4, .step = 1e-3});
    const Vec3 axis = Vec3(1, 2, -1).normalized();
    BodyState& b = simulation.state.bodies[1];
    b.orientation = expRotation(angle * axis);
    simulation.state.q.segment<4>(simulation.model().joints[1].q + 3) = b.orientation.coeffs();
    const double w = std::sqrt(k * (1 / 0.02 + 1 / 0.08));
    for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(simulation.step().ok);
        const Quat between =
            simulation.state.bodies[0].orientation.conjugate() * simulation.state.bodies[1].orientation;
        ASSERT_NEAR(logRotation(between).dot(axis), angle * std::cos(w * simulation.state.time), 1e-6);
    }
}

TEST(Springs, a_rope_lets_its_weight_fall_freely_until_it_is_taut_and_a_prop_does_not_pull)
{
    constexpr double k = 1e5;
    Description d;
    d.bodies = {ball("weight", {0, 0, 0}, 1), ball("propped", {3, 1, 0}, 1)};
    SpringDescription rope = toWorld("weight", {0, 0.5, 0}, k), prop = toWorld("propped", {3, 0, 0}, k);
    rope.length = 1;
    rope.damping = prop.damping = 300;
    rope.acts = SpringActs::pull;
    prop.acts = SpringActs::push;
    d.springs = {rope, prop};
    Simulation s = started(d, {.step = 1e-3});
    runFor(s, 0.25);  // falls by 0.31 m, to 0.81 below the hook
    EXPECT_NEAR(bodyOf(s, "weight").position.y(), -0.5 * 9.81 * 0.25 * 0.25, 2e-5);
    EXPECT_EQ(springPull(s.model().springs[0], s.state).force.norm(), 0);
    runFor(s, 5);
    EXPECT_NEAR(bodyOf(s, "weight").position.y(), -0.5 - 9.81 / k, 1e-8);
    EXPECT_NEAR(bodyOf(s, "propped").position.y(), 1 - 9.81 / k, 1e-8);
    s.state.bodies[1].velocity = Vec3(0, 2, 0);  // thrown up: nothing holds it
    s.state.u.segment<3>(s.model().joints[1].u) = Vec3(0, 2, 0);
    s.state.previous.clear();
    const double from = bodyOf(s, "propped").position.y();
    runFor(s, 0.1);
    EXPECT_NEAR(bodyOf(s, "propped").position.y() - from, 2 * 0.1 - 0.5 * 9.81 * 0.01, 2e-3);
}

TEST(Springs, what_slides_on_a_wire_or_a_ball_keeps_its_distance_and_slides_freely)
{
    // A bead drawn to a straight wire falls along it as on a slope of 30 degrees.
    Description d;
    d.bodies = {ball("bead", {0, 0, 0}, 1), ball("skater", {0, 1, 3}, 1)};
    SpringDescription wire = spring("bead", "world", 1e7), dome = spring("skater", "world", 1e7);
    wire.second.form = SpringCurve{
        {Vec3(0, 0, 0) - 20 * Vec3(std::cos(pi / 6), -0.5, 0), 20 * Vec3(std::cos(pi / 6), -0.5, 0)}};
    wire.length = 0;
    dome.second.form = SpringSphere{Vec3(0, 0, 3), 1};
    dome.length = 0;
    d.springs = {wire, dome};
    d.bodies[1].velocity = Vec3(1, 0, 0);
    Simulation s = started(d, {.step = 1e-3});
    runFor(s, 0.4);
    const BodyState& bead = bodyOf(s, "bead");
    EXPECT_NEAR(bead.position.norm(), 0.5 * 9.81 * 0.5 * 0.16, 2e-4);
    EXPECT_NEAR(bead.position.y() + std::tan(pi / 6) * bead.position.x(), 0, 1e-5);
    const BodyState& skater = bodyOf(s, "skater");
    const Vec3 out = skater.position - Vec3(0, 0, 3);
    EXPECT_NEAR(out.norm(), 1, 1e-5);
    // Energy on the sphere: v² = v₀² + 2 g (1 − y).
    EXPECT_NEAR(skater.velocity.squaredNorm(), 1 + 2 * 9.81 * (1 - out.y()), 2e-3);
}

// ---- what fills the space -------------------------------------------------------------------------

TEST(Springs, falls_end_at_the_terminal_velocities_of_both_laws)
{
    constexpr double r = 0.05, m = 0.8, eta = 3, rho = 1.2;
    for (const bool viscous : {true, false}) {
        Description d;
        d.bodies = {ball("stone", {0, 0, 0}, m)};
        d.bodies[0].shapes = {{Sphere{r}, {}, {}, {}}};
        d.medium = viscous ? MediumDescription{eta, 0} : MediumDescription{0, rho};
        const double exact =
            viscous ? m * 9.81 / (6 * pi * eta * r) : std::sqrt(2 * m * 9.81 / (rho * 0.47 * pi * r * r));
        for (const IntegratorId integrator : {IntegratorId::implicit, IntegratorId::rk4}) {
            Simulation s = started(d, {.integrator = integrator, .step = 0.02});
            runFor(s, viscous ? 20 : 200);
            EXPECT_NEAR(-bodyOf(s, "stone").velocity.y(), exact, 1e-10 * exact) << viscous;
        }
    }
}

TEST(Springs, a_spinning_ball_stops_by_the_law_of_viscosity_and_wind_carries_it)
{
    constexpr double r = 0.1, eta = 2, inertia = 0.02;
    Description d;
    d.gravity.setZero();
    d.bodies = {ball("b", {0, 0, 0}, 1)};
    d.bodies[0].drag.radius = r;
    d.bodies[0].angularVelocity = Vec3(0, 3, 0);
    d.medium.viscosity = eta;
    FieldDescription wind;
    wind.velocity = {2, 0, 1};
    d.fields = {wind};
    Simulation s = started(d, {.integrator = IntegratorId::rk4, .step = 1e-3});
    runFor(s, 0.5);
    EXPECT_NEAR(bodyOf(s, "b").angularVelocity.y(), 3 * std::exp(-8 * pi * eta * r * r * r * 0.5 / inertia),
                1e-9);
    const double way = 1 - std::exp(-6 * pi * eta * r * 0.5);
    EXPECT_LT((bodyOf(s, "b").velocity - way * wind.velocity).norm(), 1e-9);
}

TEST(Springs, a_planet_goes_round_its_sun)
{
    constexpr double mu = 4, radius = 2;
    Description d;
    d.gravity.setZero();
    d.bodies = {ball("planet", {radius, 0, 0}, 5)};
    d.bodies[0].velocity = Vec3(0, std::sqrt(mu / radius), 0);
    FieldDescription sun;
    sun.type = FieldDescription::Type::attractor;
    sun.strength = mu;
    d.fields = {sun};
    const double period = 2 * pi * std::sqrt(radius * radius * radius / mu);
    Simulation s = started(d, {.integrator = IntegratorId::rk4, .step = period / 2000});
    const double before = energy(s.model(), s.state).total();
    EXPECT_NEAR(before, -0.5 * 5 * mu / radius, 1e-12);
    runFor(s, period);
    EXPECT_LT((bodyOf(s, "planet").position - Vec3(radius, 0, 0)).norm(), 1e-8);
    EXPECT_NEAR(energy(s.model(), s.state).total(), before, 1e-10);
}

// ---- momentum, energy, order ----------------------------------------------------------------------

// Two figures of hinges and two loose bodies, tied by springs of all kinds.
Description tangle(double stiffness)
{
    Description d;
    d.gravity.setZero();
    for (int figure = 0; figure < 2; ++figure)
        for (int i = 0; i < 3; ++i) {
            BodyDescription b = ball(std::string(1, static_cast<char>('a' + figure)) + std::to_string(i),
                                     Vec3(0.5 * i, 1.2 * figure, 0.1 * figure), 1 + 0.3 * i);
            b.inertia = Mat3(Vec3(0.02, 0.03, 0.025).asDiagonal());
            d.bodies.push_back(b);
            if (i == 0) continue;
            JointDescription j;
            j.name = b.name + "_joint";
            j.type = i == 1 ? JointType::hinge : JointType::spherical;
            if (i == 1) j.axis = Vec3(0.3, 1, 0.2);
            j.first = d.bodies[d.bodies.size() - 2].name;
            j.second = b.name;
            j.position = Vec3(0.5 * i - 0.25, 1.2 * figure, 0.1 * figure);
            d.joints.push_back(j);
        }
    d.bodies[0].velocity = Vec3(0.3, 0.8, -0.2);
    d.bodies[0].angularVelocity = Vec3(0.5, 0.4, 2);
    SpringDescription plain = spring("a2", "b0", stiffness), pin = spring("a0", "b2", stiffness);
    pin.second.form = SpringPoint{Vec3(0.9, 1.1, 0.2)};
    plain.turnStiffness = 0.1 * stiffness;
    SpringDescription ring = spring("a1", "b1", stiffness), dome = spring("b0", "a1", stiffness);
    ring.second.form = SpringCurve{{Vec3(0, 1, 0), Vec3(1, 1, 0.2), Vec3(0.5, 1.6, 0.4)}, true, true};
    ring.first.form = SpringPoint{Vec3(0.5, 0.2, 0)};
    dome.second.form = SpringSphere{Vec3(0.5, 0, 0), 0.3};
    d.springs = {plain, pin, ring, dome};
    return d;
}

// Forces are equal and opposite to rounding (PairSpring.forces_are_equal_and_opposite…); steps of loose
// bodies keep the linear momentum as well as that, and the angular one as well as their order turns bodies.
TEST(Springs, a_closed_system_keeps_its_momentum)
{
    Description d = tangle(50);
    d.joints.clear();
    for (SpringDescription& s : d.springs) s.damping = 2;
    for (const auto& [integrator, bound] : {std::pair(IntegratorId::implicit, 1e-5),
                                            {IntegratorId::implicitEuler, 1e-2},
                                            {IntegratorId::rk4, 1e-10},
                                            {IntegratorId::semiImplicitEuler, 1e-2}}) {
        Simulation s = started(d, {.integrator = integrator, .step = 1e-3});
        const Momentum before = momentum(s.model(), s.state);
        runFor(s, 1);
        const Momentum after = momentum(s.model(), s.state);
        const bool isImplicit = integratorOf(integrator).bringsEquations;
        EXPECT_LT((after.linear - before.linear).norm(), (isImplicit ? 1e-10 : 1e-12) * before.linearScale)
            << settingName(integrator);
        EXPECT_LT((after.angular - before.angular).norm(), bound * before.angularScale)
            << settingName(integrator);
    }
}

TEST(Springs, energy_goes_where_the_balance_says)
{
    Description d = tangle(50);
    for (SpringDescription& s : d.springs) s.damping = 1;
    d.springs[0].turnDamping = 0.2;
    d.medium = {0.5, 1};
    for (BodyDescription& b : d.bodies) b.drag.radius = 0.1;
    FieldDescription sun;
    sun.type = FieldDescription::Type::attractor;
    sun.strength = 2;
    sun.softening = 0.5;
    d.fields = {sun};
    double last = 0;
    for (const double h : {4e-3, 2e-3, 1e-3}) {
        Simulation s = started(d, {.step = h});
        s.measuresEnergy = true;
        EnergyMeter meter;
        meter.start(s);
        for (int i = 0; i < std::lround(1 / h); ++i) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok);
            meter.add(s, report);
        }
        EXPECT_GT(meter.balance.dampers, 0.1);
        EXPECT_NEAR(meter.balance.drives, 0, 1e-9);
        EXPECT_LT(std::abs(meter.balance.unaccounted()), 0.02 * meter.balance.dampers);
        if (last > 0) EXPECT_LT(std::abs(meter.balance.unaccounted()), 0.4 * last) << h;
        last = std::abs(meter.balance.unaccounted());
    }
}

double distance(const State& a, const State& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i)
        sum += (a.bodies[i].position - b.bodies[i].position).norm();
    return sum;
}

TEST(Springs, implicit_steps_keep_their_order_and_both_coordinates_agree)
{
    Description d = tangle(20);
    for (SpringDescription& s : d.springs) s.damping = 0.5;
    d.medium = {0.2, 0.5};
    for (BodyDescription& b : d.bodies) b.drag.radius = 0.1;
    FieldDescription gusts;
    gusts.type = FieldDescription::Type::gusts;
    gusts.speed = 2;
    gusts.duration = 1;
    d.fields = {gusts};
    Simulation exact = started(d, {.integrator = IntegratorId::rk4, .step = 2e-4});
    runFor(exact, 0.4);
    for (const auto& [integrator, order] :
         {std::pair(IntegratorId::implicitEuler, 1.), {IntegratorId::implicit, 2.}}) {
        double errors[2];
        for (int i = 0; i < 2; ++i) {
            const double h = (i == 0 ? 4e-3 : 2e-3);
            Simulation joint =
                started(d, {.integrator = integrator, .step = h, .coordinates = Coordinates::joint});
            Simulation maximal =
                started(d, {.integrator = integrator, .step = h, .coordinates = Coordinates::body});
            runFor(joint, 0.4);
            runFor(maximal, 0.4);
            errors[i] = distance(joint.state, exact.state);
            EXPECT_LT(distance(joint.state, maximal.state), 1e-7);
        }
        EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.15) << settingName(integrator);
    }
}

TEST(Springs, all_methods_agree_on_accelerations)
{
    Description d = tangle(50);
    d.gravity = {0, -9.81, 0};
    for (SpringDescription& s : d.springs) s.damping = 2;
    for (JointDescription& j : d.joints) {
        j.type = JointType::spherical;  // what all methods know
        j.axis.reset();
    }
    Simulation first = started(d, {.solver = SolverId::kkt, .integrator = IntegratorId::rk4});
    const Accelerations expected = first.accelerate();
    for (const SolverId solver :
         {SolverId::featherstone, SolverId::armstrongGreen, SolverId::hakenberg, SolverId::baraff}) {
        Simulation other =
            started(d, {.solver = solver,
                        .integrator = solver == SolverId::armstrongGreen || solver == SolverId::featherstone
                                          ? IntegratorId::rk4
                                          : IntegratorId::semiImplicitEuler});
        const Accelerations& found = other.accelerate();
        for (std::size_t i = 0; i < found.body.size(); ++i)
            EXPECT_LT((found.body[i].linear - expected.body[i].linear).norm() +
                          (found.body[i].angular - expected.body[i].angular).norm(),
                      1e-9 * (1 + expected.body[i].linear.norm() + expected.body[i].angular.norm()))
                << settingName(solver);
    }
}

// ---- any stiffness --------------------------------------------------------------------------------

// Newton's iterations a step over a second of frames.
double iterations(const Description& d, Coordinates coordinates)
{
    Simulation s = started(d, {.step = 1. / 60, .coordinates = coordinates});
    long count = 0;
    for (int i = 0; i < 60; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        count += report.statistics.newtonIterations;
        EXPECT_EQ(report.statistics.unconverged, 0);
    }
    return static_cast<double>(count) / 60;
}

TEST(Springs, of_any_stiffness_take_few_iterations_a_frame)
{
    for (const Coordinates coordinates : {Coordinates::joint, Coordinates::body})
        for (const double k : {0.001, 1., 1e3, 1e6, 1e8}) {
            Description free;
            free.bodies = {ball("a", {0, 0, 0}, 1), ball("b", {1, 0, 0}, 2)};
            free.bodies[0].velocity = Vec3(0, 3, 1);
            free.bodies[0].angularVelocity = Vec3(2, 1, 3);
            SpringDescription rod = spring("a", "b", k);
            rod.first.form = SpringPoint{Vec3(0.1, 0.1, 0)};
            rod.second.form = SpringPoint{Vec3(0.9, 0, 0.1)};
            free.springs = {rod};
            EXPECT_LT(iterations(free, coordinates), 4) << k;

            Description figures = tangle(1);
            figures.gravity = {0, -9.81, 0};
            SpringDescription between = spring("a2", "b0", k);
            between.first.form = SpringPoint{Vec3(1.1, 0.05, 0)};
            figures.springs = {between};
            EXPECT_LT(iterations(figures, coordinates), 6) << k;

            SpringDescription within = spring("a0", "a2", k);
            within.first.form = SpringPoint{Vec3(0, 0.1, 0)};
            within.turnStiffness = 0.01 * k;
            figures.springs = {within};
            EXPECT_LT(iterations(figures, coordinates), 6) << k;
        }
}

TEST(Springs, pull_through_contact)
{
    // A sledge on the ground drawn by a spring to a runner that is far heavier: the spring's force is
    // friction.
    constexpr double mu = 0.4, m = 2;
    for (const double k : {1e3, 1e7}) {
        Description d;
        d.bodies = {ball("sledge", {0, 0.1, 0}, m), ball("runner", {2, 1, 0}, 1e4)};
        d.bodies[0].shapes = {{Box{Vec3(0.4, 0.2, 0.4)}, {}, {}, {}}};
        d.bodies[0].friction = mu;
        ObstacleDescription ground;
        ground.friction = mu;
        d.obstacles = {ground};
        d.contact.emplace();
        PrescribedDescription walk;
        walk.body = "runner";
        walk.path = {{0, Vec3(2, 0.1, 0), {}}, {3, Vec3(5, 0.1, 0), {}}};
        walk.smooth = false;
        d.prescribed = {walk};
        d.bodies[1].pose.position = Vec3(2, 0.1, 0);
        d.bodies[1].velocity = Vec3(1, 0, 0);
        SpringDescription tow = spring("sledge", "runner", k);
        tow.damping = 50;
        d.springs = {tow};
        Simulation s = started(d, {.step = 1. / 60});
        long count = 0;
        for (int i = 0; i < 150; ++i) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok) << report.message;
            count += report.statistics.newtonIterations;
        }
        EXPECT_LT(static_cast<double>(count) / 150, 6) << k;
        EXPECT_NEAR(springPull(s.model().springs[0], s.state).tension, mu * m * 9.81, 1e-3 * mu * m * 9.81)
            << k;
        EXPECT_NEAR(bodyOf(s, "sledge").velocity.x(), 1, 1e-3) << k;
    }
}

TEST(Springs, what_cannot_step_them_says_so)
{
    for (const IntegratorId integrator : {IntegratorId::conservative, IntegratorId::hernandez}) {
        const Result<Simulation> refused = Simulation::create(tangle(10), {.integrator = integrator});
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().text().find("springs between bodies"), std::string::npos)
            << refused.error().text();
    }
}

}  // namespace
}  // namespace sinew::springs_test
