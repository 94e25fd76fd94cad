// Slopes of all rows of a motion against differences: contacts, holds, clearances, wishes, limits, costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sinew/io/json/scene.h"
#include "sinew/optimize/motion_scene.h"

namespace sinew::motion_slopes_test {
namespace {

class Numbers {
public:
    explicit Numbers(unsigned seed) : engine_(seed) {}
    double operator()(double size) { return size * normal_(engine_); }

private:
    std::mt19937 engine_;
    std::normal_distribution<double> normal_;
};

// The motion of a plan's piece with its variables moved by one number.
struct Moved {
    PieceStart start;
    MotionPiece piece;
};
Moved moved(const Model& model, const MotionPlan& plan, std::size_t k, int variable, double by)
{
    const int n = model.freedomCount;
    Moved m{plan.nodes[k], plan.pieces[k]};
    if (variable < n) {
        VecX delta = VecX::Zero(n);
        delta[variable] = by;
        poseSum(model, plan.nodes[k].q, delta, m.start.q);
    } else if (variable < 2 * n) {
        m.start.u[variable - n] += by;
    } else if (variable < 2 * n + m.piece.y.size()) {
        m.piece.y[variable - 2 * n] += by;
    } else {
        m.piece.contact[variable - 2 * n - m.piece.y.size()] += by;
    }
    return m;
}

void expectSlopes(const std::string& name, std::size_t mostPoints = 4)
{
    Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    ASSERT_TRUE(scene) << scene.error().text();
    for (PlanDescription::Contact& contact : scene.value().plan->contacts)
        contact.points.resize(std::min(mostPoints, contact.points.size()));
    Result<PlannedScene> planned = plannedScene(scene.value());
    ASSERT_TRUE(planned) << planned.error().text();
    const MotionProblem& problem = planned.value().problem;
    MotionPlan& plan = planned.value().guess;
    const Model& model = *problem.model;
    const int n = model.freedomCount;
    Numbers number(7);
    VecX delta(n);
    for (int k = 0; k < n; ++k) delta[k] = number(0.3);
    poseSum(model, VecX(plan.start.q), delta, plan.start.q);
    for (double& u : plan.start.u) u = number(0.5);
    for (MotionPiece& piece : plan.pieces) {
        for (double& y : piece.y) y += number(0.1);
        for (double& f : piece.contact) f += number(0.02);
    }
    placeNodes(problem, plan);
    PieceEvaluator evaluator(problem, plan.points);
    MotionRows rows, more, less;
    PieceStart end;
    for (std::size_t k = 0; k < plan.pieces.size(); k += 5) {
        for (const bool isMoment : {false, true}) {
            const auto evaluate = [&](Moved m, bool derivatives, MotionRows& out) {
                if (isMoment)
                    evaluator.evaluateMoment(m.start, plan.pieces[k].start, derivatives, out);
                else
                    evaluator.evaluate(m.start, m.piece, derivatives, out, end);
            };
            evaluate(moved(model, plan, k, 0, 0), true, rows);
            const int width = isMoment ? 2 * n : rows.width();
            for (int v = 0; v < width; ++v) {
                const double e = 1e-5;
                evaluate(moved(model, plan, k, v, e), false, more);
                evaluate(moved(model, plan, k, v, -e), false, less);
                for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                    const double found = (more.rows[r].value - less.rows[r].value) / (2 * e);
                    const double slope = rows.slope(static_cast<int>(r))[v];
                    // Of the largest slope of the row: the variables are of order one.
                    double size = 1e-3;
                    for (int c = 0; c < width; ++c)
                        size = std::max(size, std::abs(rows.slope(static_cast<int>(r))[c]));
                    ASSERT_NEAR(slope, found, 1e-6 * size)
                        << name << ": piece " << k << (isMoment ? ", moment" : "") << ", row " << r
                        << " of " << problem.names()[static_cast<std::size_t>(rows.rows[r].name)]
                        << ", variable " << v << " of " << width;
                }
            }
        }
    }
}

TEST(MotionSlopes, of_contacts_clearances_and_limits_are_exact)
{
    expectSlopes("luxo");
}
TEST(MotionSlopes, of_contacts_at_a_point_a_line_and_three_points_are_exact)
{
    for (const std::size_t points : {1, 2, 3}) expectSlopes("luxo", points);
}
TEST(MotionSlopes, of_holds_and_ball_joints_are_exact)
{
    expectSlopes("throw");
}

}  // namespace
}  // namespace sinew::motion_slopes_test
