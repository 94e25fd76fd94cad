// Blocks whose impulse is bounded by a given radius (rolling and spinning friction), beside contacts and
// equalities: every solver against the law word for word, and against each other.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/contact/solve.h"
#include "support/contact_problems.h"

namespace sinew::bounded_solver_test {
namespace {

using testing_support::ContactProblem;
using Choice = ConstraintSolverSettings::Choice;
using Kind = ConstraintBlock::Kind;

MatX gaussian(Random& random, int rows, int columns)
{
    MatX m(rows, columns);
    for (double& x : m) x = random.normal();
    return m;
}

// Units that move, and blocks on them: about half bounded, by radii that hold some and not others.
ContactProblem randomProblem(std::uint64_t seed)
{
    Random random(seed);
    ContactProblem problem;
    const int units = 2 + random.below(3);
    std::vector<VecX> motion;
    for (int u = 0; u < units; ++u) {
        const MatX A = gaussian(random, 6, 6);
        problem.inertias.push_back(A * A.transpose() + MatX::Identity(6, 6));
        motion.push_back(0.01 * gaussian(random, 6, 1));
    }
    for (int c = 0; c < 8; ++c) {
        const int a = random.below(units), other = random.below(units), b = other == a ? -1 : other;
        ConstraintBlock block;
        const int kind = random.below(4);
        if (kind < 2) {
            block.kind = Kind::bounded;
            block.rows = 1 + random.below(2);
            block.radius = std::pow(10, random.uniform(-4, -1));
        } else if (kind == 2) {
            block.friction = random.uniform(0, 0.5);
        } else {
            block.kind = Kind::equality;
            block.rows = 1;
        }
        MatX JA = gaussian(random, 3, 6), JB = b < 0 ? MatX() : gaussian(random, 3, 6);
        for (int r = block.rows; r < 3; ++r) {
            JA.row(r).setZero();
            if (b >= 0) JB.row(r).setZero();
        }
        block.offset = JA * motion[a];
        if (b >= 0) block.offset += JB * motion[b];
        problem.add(a, JA, b, JB, block);
    }
    return problem;
}

struct Answer {
    std::vector<ConstraintBlock> blocks;
    std::vector<Vec3> d;
    ConstraintReport report;
};

Answer solve(const ContactProblem& problem, Choice choice, double tolerance)
{
    Delassus delassus = problem.delassus();
    ConstraintSolverWork work;
    Answer answer;
    answer.blocks = problem.blocks;
    ConstraintSolverSettings settings;
    settings.choice = choice;
    settings.sweeps = 20000;
    settings.tolerance = tolerance;
    answer.report = solveConstraints(delassus, answer.blocks, settings, work);
    for (int c = 0; c < delassus.size(); ++c)
        answer.d.push_back(answer.blocks[c].offset + delassus.motion(c));
    return answer;
}

// Counts those that hold and those that do not.
void expectBounds(const Answer& answer, double tolerance, int& held, int& turned)
{
    for (std::size_t c = 0; c < answer.blocks.size(); ++c) {
        const ConstraintBlock& block = answer.blocks[c];
        if (block.kind != Kind::bounded) continue;
        const Vec3 &m = block.impulse, &d = answer.d[c];
        EXPECT_LE(m.norm(), block.radius * (1 + 1e-12));
        const double moved = d.head(block.rows).norm();
        if (moved <= 100 * tolerance) {
            ++held;
            continue;
        }
        ++turned;
        Vec3 expected = Vec3::Zero();
        expected.head(block.rows) = -block.radius / moved * d.head(block.rows);
        EXPECT_LT((m - expected).norm(), 0.1 * block.radius * (1e-9 + 100 * tolerance / moved)) << c;
    }
}

TEST(BoundedBlocks, obey_their_law_and_solvers_agree)
{
    constexpr double tolerance = 1e-10;
    constexpr double agreement = 1e-7;  // singular problems tell displacements apart that well
    int held = 0, turned = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        const ContactProblem problem = randomProblem(seed);
        const Answer exact = solve(problem, Choice::exact, tolerance);
        const Answer sweeps = solve(problem, Choice::iterative, tolerance);
        EXPECT_FALSE(exact.report.reachedCap);
        EXPECT_FALSE(sweeps.report.reachedCap);
        expectBounds(exact, tolerance, held, turned);
        for (std::size_t c = 0; c < exact.d.size(); ++c)
            EXPECT_LT((exact.d[c] - sweeps.d[c]).norm(), agreement) << c;
    }
    EXPECT_GT(held, 30);
    EXPECT_GT(turned, 30);
}

}  // namespace
}  // namespace sinew::bounded_solver_test
