// Random chains and trees that are to be in a random pose at a random time: planned, replayed, and planned
// again in other places, units and orders, which must come to the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>

#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/work.h"
#include "sinew/optimize/motion_refine.h"
#include "support/random_tree.h"

namespace sinew::random_plans_test {
namespace {

constexpr double feasible = 1e-8;  // SI units
constexpr double replayed = 1e-3;  // of the figure's length: how far the simulation is off with feedback
constexpr double sameCost = 1e-6;  // of it: what the solver's own tolerance on the cost allows

// A figure from its rest pose to another one, at rest at both ends.
struct Wanted {
    Description figure;
    double duration = 1;
    std::map<std::string, double> angles;  // of hinges at the end, by joint
    double limit = 0;                      // N·m, of all joints; 0: none
};

Wanted randomWanted(Random& random, int mostLinks, const std::vector<JointType>& joints)
{
    test::TreeOptions options;
    options.bodies = 1 + random.below(mostLinks);
    options.joints = options.rootJoints = joints;
    options.mayFloat = false;
    Wanted wanted;
    wanted.figure = test::randomTree(random, options);
    wanted.figure.gravity = random.below(3) == 0 ? Vec3(0, 0, 0) : Vec3(0, -9.81, 0);
    wanted.duration = random.uniform(0.4, 1.5);
    for (const JointDescription& joint : wanted.figure.joints)
        wanted.angles[joint.name] = random.uniform(-1, 1);
    if (random.below(2)) wanted.limit = std::exp(random.uniform(std::log(2.), std::log(200.)));
    return wanted;
}

MotionProblem problemOf(const Wanted& wanted, const Model& model)
{
    MotionProblem problem;
    problem.model = &model;
    problem.base = restState(model);
    problem.duration = wanted.duration;
    problem.isDriven.assign(static_cast<std::size_t>(model.freedomCount), 1);
    problem.upper = VecX::Ones(model.freedomCount);
    for (double& x : problem.upper)
        x = wanted.limit > 0 ? wanted.limit : std::numeric_limits<double>::infinity();
    problem.lower = -problem.upper;
    problem.setUnits();
    VecX way = VecX::Zero(model.freedomCount), end;
    for (int i = 0; i < model.size(); ++i)
        for (int k = 0; k < model.joints[i].freedoms(); ++k)
            way[model.joints[i].u + k] = wanted.angles.at(model.joints[i].name) / (k + 1);
    poseSum(model, problem.base.q, way, end);
    const VecX still = VecX::Zero(model.freedomCount);
    const auto add = [&](MotionCondition condition, const char* name) {
        condition.name = name;
        problem.conditions.push_back(condition);
    };
    add(poseIs(model, problem.base.q, 0), "begins");
    add(velocityIs(model, still, 0, wanted.duration), "begins still");
    add(poseIs(model, end, wanted.duration), "ends");
    add(velocityIs(model, still, wanted.duration, wanted.duration), "ends still");
    return problem;
}

MotionOptions optionsOf()
{
    MotionOptions options;
    options.iterations = 500;
    return options;
}

void expectPlanned(const Wanted& wanted)
{
    const Model model = test::mustCompile(wanted.figure);
    const MotionProblem problem = problemOf(wanted, model);
    MotionPlan plan = stillPlan(problem, wanted.duration / 8);
    RefineOptions refine;
    refine.pieceError = 1e-6;
    const RefinedMotion found = solveRefined(problem, optionsOf(), refine, plan);
    for (const MotionIteration& i : found.result.history) EXPECT_LT(i.merit, i.meritBefore);
    if (!found.result.converged) {
        // Nothing but limits of forces is in the way of a figure that is driven everywhere.
        EXPECT_GT(wanted.limit, 0) << "off by " << found.result.infeasibility;
        EXPECT_FALSE(found.result.violations.empty());
        return;
    }
    EXPECT_LT(found.result.infeasibility, feasible);
    if (!found.isFineEnough) return;
    const MotionFeedback feedback = motionFeedback(problem, plan, 2e-3);
    Simulation simulation =
        Simulation::create(wanted.figure, {.integrator = IntegratorId::rk4, .step = 2e-4}).value();
    const ReplayReport report = replay(problem, plan, &feedback, simulation);
    EXPECT_TRUE(report.ok) << report.message;
    EXPECT_LT(report.atEnd, replayed * problem.length);
}

TEST(RandomPlans, are_feasible_or_say_what_is_in_the_way)
{
    const bool isLong = std::getenv("SINEW_PLANS") != nullptr;
    for (int seed = 1; seed <= (isLong ? 100 : 4); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        expectPlanned(randomWanted(random, isLong ? 6 : 3, {JointType::hinge, JointType::spherical}));
    }
}

TEST(RandomPlans, may_have_many_freedoms_and_moments_at_which_nothing_is_asked)
{
    Random random(7);
    test::TreeOptions options;
    options.bodies = 30;
    options.joints = options.rootJoints = {JointType::hinge};
    options.mayFloat = false;
    Wanted wanted;
    wanted.figure = test::randomTree(random, options);
    for (const JointDescription& joint : wanted.figure.joints)
        wanted.angles[joint.name] = random.uniform(-0.3, 0.3);
    const Model model = test::mustCompile(wanted.figure);
    const MotionProblem problem = problemOf(wanted, model);
    MotionPlan plan = stillPlan(problem, wanted.duration / 4);
    MotionOptions own = optionsOf();
    own.iterations = 60;
    const MotionResult result = solveMotion(problem, own, plan);
    for (const MotionIteration& i : result.history) EXPECT_LT(i.merit, i.meritBefore);
    EXPECT_LT(result.infeasibility, 1e-3);
}

double costOf(const Wanted& wanted)
{
    const Model model = test::mustCompile(wanted.figure);
    const MotionProblem problem = problemOf(wanted, model);
    MotionPlan plan = stillPlan(problem, wanted.duration / 6);
    const MotionResult result = solveMotion(problem, optionsOf(), plan);
    EXPECT_TRUE(result.converged) << "off by " << result.infeasibility;
    return result.cost;
}

// Places and axes of a figure after a map that is linear but for a way.
template <class Place, class Axis, class Turn>
void mapFigure(Description& d, Place&& place, Axis&& axis, Turn&& turn)
{
    for (BodyDescription& body : d.bodies) {
        body.pose.position = place(body.pose.position);
        body.pose.orientation = turn(body.pose.orientation);
    }
    for (JointDescription& joint : d.joints) {
        joint.position = place(joint.position);
        joint.axis = axis(*joint.axis);
    }
}

// Not moved: lengths are measured from the origin to where a figure is tied to the world.
Wanted turned(Wanted w)
{
    const Quat R = expRotation(Vec3(0.7, -1.1, 0.4));
    mapFigure(
        w.figure, [&](const Vec3& x) { return Vec3(R * x); }, [&](const Vec3& e) { return Vec3(R * e); },
        [&](const Quat& q) { return R * q; });
    w.figure.gravity = R * w.figure.gravity;
    return w;
}
Wanted scaled(Wanted w, double length, double mass, double time)
{
    mapFigure(
        w.figure, [&](const Vec3& x) { return Vec3(length * x); }, [](const Vec3& e) { return e; },
        [](const Quat& q) { return q; });
    for (BodyDescription& body : w.figure.bodies) {
        body.mass = *body.mass * mass;
        body.inertia = *body.inertia * (mass * length * length);
    }
    w.figure.gravity = w.figure.gravity * (length / (time * time));
    w.duration *= time;
    w.limit *= mass * length * length / (time * time);
    return w;
}
// z → −z. Axes are pseudovectors.
Wanted mirrored(Wanted w)
{
    mapFigure(
        w.figure, [](const Vec3& x) { return Vec3(x[0], x[1], -x[2]); },
        [](const Vec3& e) { return Vec3(-e[0], -e[1], e[2]); },
        [](const Quat& q) { return Quat(q.w(), -q.x(), -q.y(), q.z()); });
    for (BodyDescription& body : w.figure.bodies) {
        Mat3 inertia = *body.inertia;
        for (int k = 0; k < 2; ++k) {
            inertia(k, 2) = -inertia(k, 2);
            inertia(2, k) = -inertia(2, k);
        }
        body.inertia = inertia;
    }
    return w;
}
Wanted reordered(Wanted w)
{
    std::reverse(w.figure.bodies.begin(), w.figure.bodies.end());
    std::reverse(w.figure.joints.begin(), w.figure.joints.end());
    return w;
}

TEST(RandomPlans, cost_the_same_in_whatever_direction_units_and_order)
{
    for (int seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(100 + seed));
        Wanted wanted = randomWanted(random, 6, {JointType::hinge});
        wanted.limit = 0;
        const double cost = costOf(wanted);
        EXPECT_NEAR(costOf(turned(wanted)), cost, sameCost * cost) << "turned";
        EXPECT_NEAR(costOf(scaled(wanted, 3, 1, 1)), cost, sameCost * cost) << "longer";
        EXPECT_NEAR(costOf(scaled(wanted, 1, 0.1, 1)), cost, sameCost * cost) << "lighter";
        EXPECT_NEAR(costOf(scaled(wanted, 1, 1, 0.3)), cost, sameCost * cost) << "faster";
        EXPECT_NEAR(costOf(mirrored(wanted)), cost, sameCost * cost) << "mirrored";
        EXPECT_NEAR(costOf(reordered(wanted)), cost, sameCost * cost) << "reordered";
    }
}

}  // namespace
}  // namespace sinew::random_plans_test
