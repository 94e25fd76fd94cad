// The slides' particle: the least ∫ |f|² between two places is a cubic, between waypoints a cubic spline.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "sinew/math/dense_solve.h"
#include "sinew/optimize/motion_solver.h"
#include "support/random_tree.h"

namespace sinew::particle_test {
namespace {

constexpr double closedForm = 1e-8;  // m
constexpr double duration = 2;

Model particle(const Vec3& gravity)
{
    Description d;
    d.gravity = gravity;
    BodyDescription body;
    body.name = "particle";
    body.mass = 0.7;
    body.inertia = 0.01 * Mat3::Identity();
    d.bodies.push_back(body);
    return test::mustCompile(d);
}

struct Waypoint {
    double time;
    std::optional<Vec3> place, velocity;
};

MotionProblem through(const Model& model, const std::vector<Waypoint>& waypoints)
{
    MotionProblem problem;
    problem.model = &model;
    problem.base = restState(model);
    problem.duration = duration;
    problem.isDriven.assign(6, 1);
    problem.upper = 1e300 * VecX::Ones(6);
    for (double& x : problem.upper) x = std::numeric_limits<double>::infinity();
    problem.lower = -problem.upper;
    problem.setUnits();
    const auto add = [&](MotionCondition condition, const char* name) {
        condition.name = name;
        problem.conditions.push_back(condition);
    };
    for (const Waypoint& w : waypoints) {
        if (w.place) add(pointIsAt(model, 0, Vec3::Zero(), *w.place, w.time, problem.length), "place");
        if (w.velocity)
            add(pointMoves(model, 0, Vec3::Zero(), *w.velocity, w.time, problem.length, duration),
                "velocity");
    }
    return problem;
}

// x'' of the optimum is linear between waypoints, so x is a cubic in each interval; in all of them together
// it is found from what is given, from x, x' and x'' being continuous, and from x'' = 0 where the speed at
// an end is free. Gravity is borne by f = m (x'' − g), which adds nothing that changes x: the optimum is
// where f is linear too; at a free end f = 0, so x'' = g there.
class Spline {
public:
    Spline(const std::vector<Waypoint>& waypoints, const Vec3& gravity) : waypoints_(waypoints)
    {
        const int pieces = static_cast<int>(waypoints.size()) - 1, n = 4 * pieces;
        for (int axis = 0; axis < 3; ++axis) {
            MatX A = MatX::Zero(n, n);
            VecX b = VecX::Zero(n);
            int row = 0;
            const auto put = [&](int piece, double t, int derivative, double sign) {
                static constexpr double factor[3][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 2, 6}};
                for (int k = derivative; k < 4; ++k)
                    A(row, 4 * piece + k) += sign * factor[derivative][k] * std::pow(t, k - derivative);
            };
            for (int i = 0; i <= pieces; ++i) {
                const Waypoint& w = waypoints[static_cast<std::size_t>(i)];
                const double before = i > 0 ? w.time - waypoints[static_cast<std::size_t>(i) - 1].time : 0;
                if (i > 0) {
                    put(i - 1, before, 0, 1);
                    b[row++] = (*w.place)[axis];
                }
                if (i < pieces) {
                    put(i, 0, 0, 1);
                    b[row++] = (*w.place)[axis];
                }
                if (i == 0 || i == pieces) {
                    put(i == 0 ? 0 : i - 1, before, w.velocity ? 1 : 2, 1);
                    b[row++] = w.velocity ? (*w.velocity)[axis] : gravity[axis];
                } else {
                    for (int derivative : {1, 2}) {
                        put(i - 1, before, derivative, 1);
                        put(i, 0, derivative, -1);
                        ++row;
                    }
                }
            }
            coefficients_[axis] = solveDense(A, b);
        }
    }

    Vec3 at(double time) const
    {
        std::size_t piece = 0;
        while (piece + 2 < waypoints_.size() && waypoints_[piece + 1].time <= time) ++piece;
        const double t = time - waypoints_[piece].time;
        Vec3 x;
        for (int axis = 0; axis < 3; ++axis) {
            const double* c = coefficients_[axis].data() + 4 * piece;
            x[axis] = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        }
        return x;
    }

private:
    std::vector<Waypoint> waypoints_;
    std::array<VecX, 3> coefficients_;
};

void expectSpline(const std::vector<Waypoint>& waypoints, const Vec3& gravity, int pieces, int stages)
{
    const Model model = particle(gravity);
    const MotionProblem problem = through(model, waypoints);
    MotionPlan plan = stillPlan(problem, duration / pieces, stages);
    MotionOptions options;
    const MotionResult result = solveMotion(problem, options, plan);
    EXPECT_TRUE(result.converged);
    EXPECT_LT(result.infeasibility, closedForm);
    for (const MotionIteration& i : result.history) EXPECT_LT(i.merit, i.meritBefore);
    const Spline spline(waypoints, gravity);
    VecX q, u;
    double worst = 0;
    for (int k = 0; k <= 100; ++k) {
        const double time = duration * k / 100;
        plan.read(model, time, q, u);
        worst = std::max(worst, (Vec3(q.head<3>()) - spline.at(time)).norm());
    }
    EXPECT_LT(worst, closedForm) << pieces << " pieces of " << stages << ", " << result.iterations
                                 << " iterations, violation " << result.infeasibility;
}

const Vec3 A(0.3, 1, -0.2), B(2, 0.4, 1), C(1, 2, 0.5), vA(1, 2, -1), vB(-0.5, 3, 0.2);

TEST(SpacetimeParticle, follows_the_cubic_between_places_with_given_speeds)
{
    for (const Vec3& gravity : {Vec3(0, 0, 0), Vec3(0, -9.81, 0)})
        for (int pieces : {1, 2, 7})
            for (int stages : {2, 3}) {
                expectSpline({{0, A, vA}, {duration, B, vB}}, gravity, pieces, stages);
                expectSpline({{0, A, vA}, {duration, B, {}}}, gravity, pieces, stages);
                expectSpline({{0, A, {}}, {duration, B, vB}}, gravity, pieces, stages);
            }
}

TEST(SpacetimeParticle, follows_the_cubic_spline_through_waypoints)
{
    for (const Vec3& gravity : {Vec3(0, 0, 0), Vec3(0, -9.81, 0)}) {
        expectSpline({{0, A, vA}, {0.7, C, {}}, {duration, B, vB}}, gravity, 6, 3);
        expectSpline({{0, A, vA}, {0.7, C, {}}, {1.1, A, {}}, {duration, B, {}}}, gravity, 6, 2);
    }
}

}  // namespace
}  // namespace sinew::particle_test
