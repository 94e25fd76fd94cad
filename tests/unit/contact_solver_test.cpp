// Solvers of contact with friction and of closed loops against closed forms, against each other and
// against all active sets there are.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/contact/solve.h"
#include "sinew/math/dense_solve.h"
#include "support/contact_problems.h"

namespace sinew::contact_solver_test {
namespace {

using testing_support::BoxPile;
using testing_support::boxRows;
using testing_support::boxStack;
using testing_support::ContactProblem;
using testing_support::pointJacobian;
using Choice = ConstraintSolverSettings::Choice;

struct Answer {
    std::vector<ConstraintBlock> blocks;
    std::vector<Vec3> d;
    ConstraintReport report;
};

Answer solve(const ContactProblem& problem, Choice choice, int sweeps = 200, double tolerance = 1e-9)
{
    Delassus delassus = problem.delassus();
    ConstraintSolverWork work;
    Answer answer;
    answer.blocks = problem.blocks;
    ConstraintSolverSettings settings;
    settings.choice = choice;
    settings.sweeps = sweeps;
    settings.tolerance = tolerance;
    answer.report = solveConstraints(delassus, answer.blocks, settings, work);
    for (int c = 0; c < delassus.size(); ++c)
        answer.d.push_back(answer.blocks[c].offset + delassus.motion(c));
    return answer;
}

double residual(const ConstraintReport& report)
{
    return std::max({report.complementarity, report.cone, report.equality});
}

// Coulomb's law word for word, not by the solver's own measure. Both tolerances in the units of d.
void expectCoulomb(const ContactProblem& problem, const Answer& answer, double tolerance)
{
    const MatX W = problem.matrix();
    const int n = static_cast<int>(answer.blocks.size());
    VecX impulses(3 * n);
    for (int c = 0; c < n; ++c) impulses.segment<3>(3 * c) = answer.blocks[c].impulse;
    for (int c = 0; c < n; ++c) {
        const ConstraintBlock& block = answer.blocks[c];
        const Vec3 d = block.offset + W.middleRows<3>(3 * c) * impulses;
        const Vec3& m = block.impulse;
        EXPECT_LT((d - answer.d[c]).norm(), tolerance);
        if (block.kind == ConstraintBlock::Kind::equality) {
            EXPECT_LT(d.head(block.rows).norm(), 2 * tolerance);
            continue;
        }
        const double gap = d[0] + block.compliance * m[0];
        const double scale = W(3 * c, 3 * c) + block.compliance;
        EXPECT_GT(gap, -tolerance);
        EXPECT_GE(m[0], 0);
        EXPECT_LT(std::min(gap, scale * m[0]), tolerance);
        EXPECT_LE(m.tail<2>().norm(), block.friction * m[0] * (1 + 1e-12));
        const double slip = d.tail<2>().norm();
        if (slip > 100 * tolerance && scale * m[0] > 100 * tolerance) {
            const Vec2 expected = -block.friction * m[0] * d.tail<2>() / slip;
            // The direction of a slow slip is known as well as the slip is.
            EXPECT_LT((m.tail<2>() - expected).norm() * scale, 10 * tolerance * (1 + scale * m[0] / slip));
        }
    }
}

// A body of 2 kg that only shifts: W = 1/2.
ContactProblem particle(const Vec3& offset, double friction, double compliance = 0)
{
    ContactProblem problem;
    problem.inertias.push_back(2 * MatX::Identity(3, 3));
    ConstraintBlock block;
    block.friction = friction;
    block.compliance = compliance;
    block.offset = offset;
    problem.add(0, MatX::Identity(3, 3), -1, {}, block);
    return problem;
}

class ContactSolver : public testing::TestWithParam<Choice> {};
std::string nameOf(const testing::TestParamInfo<Choice>& info)
{
    if (info.param == Choice::automatic) return "automatic";
    return info.param == Choice::exact ? "exact" : "iterative";
}
INSTANTIATE_TEST_SUITE_P(AllChoices, ContactSolver,
                         testing::Values(Choice::automatic, Choice::exact, Choice::iterative), nameOf);

constexpr double rounding = 1e-14;  // of numbers of size 1

TEST_P(ContactSolver, a_contact_that_parts_is_left_alone)
{
    const Answer answer = solve(particle({0.1, 3, -2}, 0.7), GetParam());
    EXPECT_EQ(answer.blocks[0].impulse.norm(), 0);
    EXPECT_EQ(residual(answer.report), 0);
}

TEST_P(ContactSolver, a_contact_inside_the_cone_sticks)
{
    const Answer answer = solve(particle({-1, 0.3, -0.4}, 0.6), GetParam());
    EXPECT_LT((answer.blocks[0].impulse - Vec3(2, -0.6, 0.8)).norm(), rounding);
    EXPECT_LT(answer.d[0].norm(), rounding);
}

TEST_P(ContactSolver, a_contact_outside_the_cone_slips_against_its_friction)
{
    const Answer answer = solve(particle({-1, 3, -4}, 0.5), GetParam());
    EXPECT_LT((answer.blocks[0].impulse - Vec3(2, -0.6, 0.8)).norm(), rounding);
    EXPECT_LT((answer.d[0] - Vec3(0, 2.7, -3.6)).norm(), rounding);
}

TEST_P(ContactSolver, compliance_is_a_penalty_spring)
{
    // (1/2 + 1/3) μ = 1
    const Answer answer = solve(particle({-1, 0, 0}, 0.5, 1.0 / 3), GetParam());
    EXPECT_NEAR(answer.blocks[0].impulse[0], 1.2, rounding);
    EXPECT_NEAR(answer.report.penetration, 0.4, rounding);
    EXPECT_LT(residual(answer.report), rounding);
}

TEST_P(ContactSolver, a_block_on_a_slope_sticks_below_and_slides_above_the_friction_angle)
{
    const double friction = 0.5, h = 0.01, g = 9.81;
    for (double slope : {0.49, 0.51, 1.0}) {  // its tangent
        BoxPile pile;
        pile.friction = friction;
        pile.timeStep = 0;
        pile.addBox({0, 0, 0.5});
        pile.addContacts(0, -1);
        const double cosine = 1 / std::sqrt(1 + slope * slope), sine = slope * cosine;
        for (ConstraintBlock& block : pile.problem.blocks)
            block.offset = h * h * g * Vec3(-cosine, sine, 0);
        const Answer answer = solve(pile.problem, GetParam(), 2000, 1e-13);
        const double slides = slope < friction ? 0 : h * h * g * (sine - friction * cosine);
        for (const Vec3& d : answer.d) EXPECT_LT((d - Vec3(0, slides, 0)).norm(), 1e-12) << slope;
    }
}

// Random, but with an answer: some motion opens every contact faster than it slips, by friction at least,
// and holds every equality (Klarbring & Pang 1998).
ContactProblem randomProblem(int seed, double mostFriction, bool equalities)
{
    Random random(static_cast<std::uint64_t>(seed));
    const auto gaussian = [&](int rows, int columns) {
        MatX A(rows, columns);
        for (int i = 0; i < A.size(); ++i) A.data()[i] = random.normal();
        return A;
    };
    ContactProblem problem;
    std::vector<VecX> motion;
    const int units = 1 + random.below(4), count = 2 + random.below(11);
    for (int u = 0; u < units; ++u) {
        const int n = 3 + random.below(10);
        const MatX A = gaussian(n, n);
        problem.inertias.push_back(A * A.transpose() + MatX::Identity(n, n));
        motion.push_back(0.01 * gaussian(n, 1));
    }
    for (int c = 0; c < count; ++c) {
        const int a = random.below(units);
        int b = random.below(units + 1) - 1;
        if (a == b) b = -1;
        ConstraintBlock block;
        if (equalities && random.below(6) == 0) {
            block.kind = ConstraintBlock::Kind::equality;
            block.rows = 1 + random.below(3);
        } else {
            block.friction = random.uniform(0, mostFriction);
            const Vec2 slip(0.01 * random.normal(), 0.01 * random.normal());
            block.offset << block.friction * slip.norm() + 0.001 * random.unit(), slip;
        }
        MatX JA = gaussian(3, static_cast<int>(motion[a].size())), JB;
        if (b >= 0) JB = gaussian(3, static_cast<int>(motion[b].size()));
        for (int r = block.rows; r < 3; ++r) {
            JA.row(r).setZero();
            if (b >= 0) JB.row(r).setZero();
        }
        block.offset -= JA * motion[a];
        if (b >= 0) block.offset -= JB * motion[b];
        problem.add(a, JA, b, JB, block);
    }
    return problem;
}

constexpr int seeds = 50;

TEST(ContactSolvers, both_obey_coulomb_and_agree_on_random_problems)
{
    const double tolerance = 1e-9, exactness = 1e-13;
    // W may be singular, and then tells impulses apart only as its smallest eigenvalues allow: the
    // displacements are compared, to the tolerance times what a few such eigenvalues may make of it.
    const double agreement = 1e-6;
    for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        const ContactProblem problem = randomProblem(seed, 0.5, true);
        const Answer exact = solve(problem, Choice::exact);
        const Answer iterative = solve(problem, Choice::iterative, 20000, tolerance);
        EXPECT_LT(residual(exact.report), exactness);
        EXPECT_FALSE(exact.report.reachedCap);
        EXPECT_FALSE(iterative.report.reachedCap);
        expectCoulomb(problem, exact, 10 * exactness);
        expectCoulomb(problem, iterative, 2 * tolerance);
        for (std::size_t c = 0; c < exact.d.size(); ++c)
            EXPECT_LT((exact.d[c] - iterative.d[c]).norm(), agreement) << "block " << c;
    }
}

// d of the frictionless problem by trying every set of closed contacts.
VecX bruteForce(const MatX& W, const VecX& offset)
{
    const int n = static_cast<int>(offset.size());
    for (int set = 0; set < 1 << n; ++set) {
        std::vector<int> closed;
        for (int i = 0; i < n; ++i)
            if (set >> i & 1) closed.push_back(i);
        const int count = static_cast<int>(closed.size());
        MatX own(count, count);
        VecX right(count), impulse = VecX::Zero(n);
        for (int i = 0; i < count; ++i) {
            right[i] = -offset[closed[i]];
            for (int j = 0; j < count; ++j) own(i, j) = W(closed[i], closed[j]);
        }
        if (count > 0) right = solveDense(own, right);
        if (!right.allFinite() || (count > 0 && right.minCoeff() < 0)) continue;
        for (int i = 0; i < count; ++i) impulse[closed[i]] = right[i];
        const VecX d = offset + W * impulse;
        if (d.minCoeff() > -1e-12) return d;
    }
    ADD_FAILURE() << "no active set fits";
    return offset;
}

TEST(ContactSolvers, frictionless_contact_is_the_quadratic_program)
{
    const double exactness = 1e-10;
    for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(seed);
        ContactProblem problem = randomProblem(seed, 0, false);
        const int n = static_cast<int>(problem.blocks.size());
        if (n > 9) continue;
        VecX offset(n);
        for (int c = 0; c < n; ++c) offset[c] = problem.blocks[c].offset[0];
        const MatX whole = problem.matrix();
        MatX W(n, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) W(i, j) = whole(3 * i, 3 * j);
        const VecX expected = bruteForce(W, offset);
        for (Choice choice : {Choice::exact, Choice::iterative}) {
            const Answer answer = solve(problem, choice, 100000, 1e-12);
            for (int c = 0; c < n; ++c) EXPECT_NEAR(answer.d[c][0], expected[c], exactness);
        }
    }
}

TEST_P(ContactSolver, equalities_that_say_a_thing_twice_hold)
{
    Random random(3);
    ContactProblem problem;
    problem.inertias.push_back(Vec6(1, 2, 3, 0.1, 0.2, 0.3).asDiagonal());
    ConstraintBlock loop;
    loop.kind = ConstraintBlock::Kind::equality;
    MatX J(3, 6);
    for (int i = 0; i < J.size(); ++i) J.data()[i] = random.normal();
    J.row(2) = J.row(0) - J.row(1);  // one row too many in the block, and the whole block three times
    loop.offset = J * Vec6::Constant(0.1);
    for (int times = 0; times < 3; ++times) problem.add(0, J, -1, {}, loop);
    const Answer answer = solve(problem, GetParam(), 2000, 1e-12);
    EXPECT_FALSE(answer.report.reachedCap);
    EXPECT_LT(answer.report.equality, 1e-12);
    EXPECT_EQ(answer.report.complementarity, 0);
    for (const ConstraintBlock& block : answer.blocks) EXPECT_LT(block.impulse.norm(), 10);
}

// A loop with a redundant row and contacts on a unit of eight freedoms, tied to another of four by a loop.
ContactProblem loopsAndContacts(Random& random, const MatX& H)
{
    ContactProblem problem;
    problem.inertias.push_back(H);
    problem.inertias.push_back(2 * MatX::Identity(4, 4));
    const auto otherRows = [&] {
        MatX J(3, 4);
        for (int i = 0; i < J.size(); ++i) J.data()[i] = random.normal();
        return J;
    };
    const auto randomRows = [&] {
        MatX J(3, H.rows());
        for (int i = 0; i < J.size(); ++i) J.data()[i] = random.normal();
        return J;
    };
    ConstraintBlock loop;
    loop.kind = ConstraintBlock::Kind::equality;
    MatX J = randomRows();
    J.row(2) = J.row(0) - J.row(1);
    loop.offset = 1e-3 * J * VecX::Constant(H.rows(), random.normal());
    problem.add(0, J, -1, {}, loop);
    for (int c = 0; c < 4; ++c) {
        ConstraintBlock contact;
        contact.friction = random.uniform(0, 1);
        contact.offset = 1e-3 * Vec3(-1, random.normal(), random.normal());
        if (c < 2) problem.add(0, randomRows(), -1, {}, contact);
        if (c == 2) problem.add(0, randomRows(), 1, otherRows(), contact);
        if (c == 3) problem.add(-1, {}, 1, otherRows(), contact);
    }
    loop.rows = 1;
    loop.offset = Vec3(1e-3, 0, 0);
    MatX tied = randomRows(), other = otherRows();
    tied.bottomRows<2>().setZero();
    other.bottomRows<2>().setZero();
    problem.add(0, tied, 1, other, loop);
    return problem;
}

Answer solveLoopsFirst(const ContactProblem& problem)
{
    Delassus delassus = problem.delassus();
    ConstraintSolverWork work;
    ConstraintSolverSettings settings;
    settings.tolerance = 1e-12;
    Answer answer;
    answer.blocks = problem.blocks;
    EXPECT_TRUE(sinew::solveLoopsFirst(delassus, answer.blocks, settings, work, answer.report));
    for (int c = 0; c < delassus.size(); ++c)
        answer.d.push_back(answer.blocks[c].offset + delassus.motion(c));
    return answer;
}

// Coulomb's law has more than one answer now and then: of 3,000 such problems 16 came to another one, and
// one was not solved where the whole was.
TEST(ContactSolvers, loops_first_is_the_same_answer)
{
    Random random(17);
    int compared = 0, same = 0, solved = 0;
    for (int t = 0; t < 50; ++t) {
        const ContactProblem problem = loopsAndContacts(random, MatX::Identity(8, 8));
        const Answer expected = solve(problem, Choice::automatic, 200, 1e-12);
        if (expected.report.reachedCap) continue;
        ++compared;
        const Answer answer = solveLoopsFirst(problem);
        if (answer.report.reachedCap) continue;
        ++solved;
        double worst = 0;
        for (std::size_t c = 0; c < answer.d.size(); ++c)
            worst = std::max(worst, (answer.d[c] - expected.d[c]).norm());
        same += worst < 1e-9;
        expectCoulomb(problem, answer, 1e-10);
    }
    EXPECT_GT(compared, 45);
    EXPECT_GE(solved, compared - 1);
    EXPECT_GE(same, solved - 2);
}

// A loop whose tree would buckle if it were open: the inertia is negative along a motion that the loop
// holds.
TEST(ContactSolvers, loops_first_holds_contacts_on_a_tree_that_would_buckle)
{
    Random random(18);
    int solved = 0;
    for (int t = 0; t < 50; ++t) {
        ContactProblem problem = loopsAndContacts(random, MatX::Identity(8, 8));
        const VecX held = problem.rows[0].JA.row(0).normalized();
        problem.inertias[0] -= 3 * held * held.transpose();
        ASSERT_LT(problem.delassus().diagonal(0)(0, 0), 0);
        const Answer answer = solveLoopsFirst(problem);
        solved += !answer.report.reachedCap;
        EXPECT_LT(answer.d[0].norm(), 1e-10);
        EXPECT_LT(answer.d[5].norm(), 1e-10);
        for (int c = 1; c < 5; ++c) {
            EXPECT_GT(answer.d[c][0], -1e-10);
            const Vec3& m = answer.blocks[c].impulse;
            EXPECT_LT(std::min(answer.d[c][0], m[0]), 1e-10);
            const double most = answer.blocks[c].friction * m[0], slip = answer.d[c].tail<2>().norm();
            EXPECT_LE(m.tail<2>().norm(), most * (1 + 1e-12));
            if (slip > 1e-8)  // all friction, against the slip
                EXPECT_NEAR(m.tail<2>().dot(answer.d[c].tail<2>()), -most * slip, 1e-8 * most * slip);
        }
    }
    EXPECT_EQ(solved, 50);
}

// A figure on eight points of two soles, stiff in 24 of its 30 freedoms, so that W has eigenvalues far
// apart and a null space.
ContactProblem stiffFigureOnEightPoints(double friction)
{
    Random random(11);
    const int n = 30;
    MatX H = MatX::Identity(n, n);
    H.topLeftCorner<3, 3>() *= 70;
    for (int i = 6; i < n; ++i) H(i, i) = 1e8;
    ContactProblem problem;
    problem.inertias.push_back(H);
    Mat3 axes;
    axes << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    for (int corner = 0; corner < 8; ++corner) {
        MatX J(3, n);
        for (int i = 0; i < J.size(); ++i) J.data()[i] = random.normal();
        const Vec3 arm(corner & 1 ? 0.12 : -0.12, (corner & 2 ? 0.05 : -0.05) + (corner & 4 ? 0.1 : -0.1),
                       -0.9);
        J.leftCols<6>() = pointJacobian(arm, axes);
        ConstraintBlock block;
        block.friction = friction;
        VecX fall = VecX::Zero(n);
        fall.head<6>() << 1e-4, 2e-5, -2.5e-4, 1e-5, 3e-5, 2e-5;
        block.offset = J * fall;
        problem.add(0, J, -1, {}, block);
    }
    return problem;
}

TEST(ContactSolvers, a_stiff_figure_on_eight_points_is_solved_to_rounding)
{
    for (double friction : {0.0, 0.1, 0.8}) {
        const ContactProblem problem = stiffFigureOnEightPoints(friction);
        const Answer answer = solve(problem, Choice::exact);
        EXPECT_LT(residual(answer.report), 1e-12 * 1e-3) << friction;  // of offsets of 0.1 to 1 mm
        expectCoulomb(problem, answer, 1e-14);
        // Unasked it stops a little earlier, by the tolerance.
        EXPECT_LE(solve(problem, Choice::automatic).report.sweeps, answer.report.sweeps);
    }
}

double weightOnGround(const BoxPile& pile, const std::vector<ConstraintBlock>& blocks)
{
    double sum = 0;
    for (std::size_t c = 0; c < blocks.size(); ++c)
        if (pile.problem.rows[c].unitB < 0) sum += blocks[c].impulse[0];
    return sum;
}

double weight(const BoxPile& pile)
{
    return static_cast<double>(pile.centers.size()) * BoxPile::gravity * pile.timeStep * pile.timeStep;
}

TEST(ContactSolvers, the_exact_one_holds_a_stack_of_twenty)
{
    const BoxPile pile = boxStack(20);
    const Answer answer = solve(pile.problem, Choice::exact);
    EXPECT_FALSE(answer.report.reachedCap);
    EXPECT_NEAR(weightOnGround(pile, answer.blocks) / weight(pile), 1, 1e-12);
}

TEST(ContactSolvers, sweeps_hold_piles_from_a_cold_start_to_a_micrometre)
{
    // Plain sweeps are at 0.24 mm for the stack after as many.
    const double micrometre = 1e-6;
    for (const BoxPile& pile : {boxStack(20), boxRows(10, 10, false), boxRows(20, 10, true)}) {
        const Answer answer = solve(pile.problem, Choice::iterative, 200);
        EXPECT_LT(residual(answer.report), micrometre);
        EXPECT_NEAR(weightOnGround(pile, answer.blocks) / weight(pile), 1, 1e-4);
    }
}

// A stack between floor and ceiling with no room for it: no impulses hold it, and every way is tried.
TEST(ContactSolvers, what_has_no_answer_takes_no_more_than_a_step_may)
{
    BoxPile pile = boxStack(12);
    Mat3 down;
    down << 0, 0, -1, 1, 0, 0, 0, -1, 0;
    ConstraintBlock ceiling;
    ceiling.friction = pile.friction;
    ceiling.offset[0] = -0.01;
    pile.problem.add(11, pointJacobian(Vec3(0.1, 0, 0.5), down), -1, MatX(), ceiling);
    for (int c = 0; c < 4; ++c) pile.problem.blocks[c].offset[0] = -0.01;
    Delassus delassus = pile.problem.delassus();
    ConstraintSolverWork work;
    std::vector<ConstraintBlock> blocks = pile.problem.blocks;
    EXPECT_TRUE(solveConstraints(delassus, blocks, {}, work).reachedCap);
    const SolverEffort ofOne = work.effort;
    EXPECT_GT(ofOne.factorisations, 50);
    EXPECT_FALSE(ofOne.isSpent());
    // As after a thousand such solves, in one step.
    work.effort = {1000 * ofOne.operations, 1000 * ofOne.factorisations};
    EXPECT_TRUE(work.effort.isSpent());
    const double before = work.effort.operations, one = 1e7;  // of a factorisation
    EXPECT_TRUE(solveConstraints(delassus, blocks, {}, work).reachedCap);
    EXPECT_LT(work.effort.operations - before, operationsOfIsland + one);
    // The next step begins anew.
    work.effort = {};
    solveConstraints(delassus, blocks, {}, work);
    EXPECT_GT(work.effort.factorisations, 50);
}

// What the step may have is spent by something else: every island has a little more.
TEST(ContactSolvers, answer_where_a_step_has_spent_its_work)
{
    const BoxPile pile = boxStack(4);
    Delassus delassus = pile.problem.delassus();
    ConstraintSolverWork work;
    constexpr int many = 1'000'000;
    work.effort = {1.1e10, many};
    std::vector<ConstraintBlock> blocks = pile.problem.blocks;
    EXPECT_FALSE(solveConstraints(delassus, blocks, {}, work).reachedCap);
    EXPECT_GT(work.effort.factorisations, many);
    EXPECT_LT(work.effort.operations - 1.1e10, operationsOfIsland);
    // All islands together have a bound as well: what was begun is ended, and no more.
    work.effort = {1e12, many};
    blocks = pile.problem.blocks;
    EXPECT_TRUE(std::isfinite(solveConstraints(delassus, blocks, {}, work).penetration));
    EXPECT_LT(work.effort.operations - 1e12, 0.1 * operationsOfIsland);
}

TEST(ContactSolvers, a_wall_stands_on_two_hundred_warm_sweeps_a_step)
{
    // Positions are corrected by the next step's offset, as in a simulation: penetration must not grow.
    const BoxPile pile = boxRows(20, 10, true);
    Delassus delassus = pile.problem.delassus();
    ConstraintSolverWork work;
    std::vector<ConstraintBlock> blocks = pile.problem.blocks;
    std::vector<Vec3> gaps(blocks.size(), Vec3::Zero());
    double penetration = 0, slip = 0;
    for (int step = 0; step < 8; ++step) {
        for (std::size_t c = 0; c < blocks.size(); ++c) {
            blocks[c].offset = pile.problem.blocks[c].offset;
            blocks[c].offset[0] += gaps[c][0];
        }
        const ConstraintReport report = solveConstraints(delassus, blocks, {}, work);
        EXPECT_LE(report.sweeps, 200);
        penetration = report.penetration;
        for (std::size_t c = 0; c < blocks.size(); ++c) {
            const Vec3 d = blocks[c].offset + delassus.motion(static_cast<int>(c));
            gaps[c][0] = d[0];
            gaps[c].tail<2>() += d.tail<2>();
            slip = std::max(slip, gaps[c].tail<2>().norm());
        }
    }
    // 0.5 µm after the first step; the slip of the first few steps stays.
    EXPECT_LT(penetration, 5e-8);
    EXPECT_LT(slip, 5e-6);
}

// One freedom that a push along the normal and friction share: whatever slides fast enough is pulled in
// by friction more than the normal pushes it out, and no impulse at all obeys the law.
ContactProblem painleveRod(double friction)
{
    ContactProblem problem;
    problem.inertias.push_back(MatX::Identity(1, 1));
    ConstraintBlock block;
    block.friction = friction;
    block.offset = {-0.01, 0.5, 0};
    MatX J(3, 1);
    J << 0.6, 0.8, 0;
    problem.add(0, J, -1, {}, block);
    return problem;
}

TEST_P(ContactSolver, a_painleve_rod_ends_at_the_cap)
{
    EXPECT_FALSE(solve(painleveRod(0.5), GetParam()).report.reachedCap);
    const Answer answer = solve(painleveRod(2), GetParam());
    EXPECT_TRUE(answer.report.reachedCap);
    EXPECT_GT(answer.report.complementarity, 1e-3);
    EXPECT_LT(answer.blocks[0].impulse.norm(), 1);
}

TEST_P(ContactSolver, what_cannot_move_does_no_harm)
{
    ContactProblem problem = particle({-1, 0.3, -0.4}, 0.6);
    ConstraintBlock block;
    block.friction = 0.5;
    block.offset = {-0.1, 0.2, 0.3};
    problem.inertias.push_back(MatX::Identity(2, 2));
    problem.add(1, MatX::Zero(3, 2), -1, {}, block);  // no motion at all
    MatX normalOnly = MatX::Zero(3, 2);
    normalOnly(0, 0) = 1;
    problem.add(1, normalOnly, -1, {}, block);  // slides, and nothing can stop it
    problem.add(-1, {}, -1, {}, block);         // on no body
    block.kind = ConstraintBlock::Kind::equality;
    problem.add(1, MatX::Zero(3, 2), -1, {}, block);
    const Answer answer = solve(problem, GetParam());
    for (const ConstraintBlock& each : answer.blocks) EXPECT_TRUE(each.impulse.allFinite());
    EXPECT_LT((answer.blocks[0].impulse - Vec3(2, -0.6, 0.8)).norm(), 1e-9);
    // A row that nothing can move is not the solver's to answer for; how deep it is, is told all the same.
    EXPECT_FALSE(answer.report.reachedCap);
    EXPECT_NEAR(answer.report.penetration, 0.1, 1e-12);
    EXPECT_EQ(answer.report.equality, 0);
    // The one that slides: friction against the slip, all of it.
    const Vec3 expected(0.1, -0.05 * 0.2 / std::sqrt(0.13), -0.05 * 0.3 / std::sqrt(0.13));
    EXPECT_LT((answer.blocks[2].impulse - expected).norm(), 1e-9);
}

TEST_P(ContactSolver, starting_from_the_answer_takes_no_time)
{
    const BoxPile pile = boxStack(3);
    ContactProblem problem = pile.problem;
    problem.blocks = solve(problem, GetParam()).blocks;
    const ConstraintReport again = solve(problem, GetParam()).report;
    EXPECT_LE(again.sweeps, 1);
}

TEST_P(ContactSolver, guesses_that_are_no_numbers_are_forgotten)
{
    ContactProblem problem = particle({-1, 0.3, -0.4}, 0.6);
    problem.blocks[0].impulse = {NAN, INFINITY, 0};
    EXPECT_LT((solve(problem, GetParam()).blocks[0].impulse - Vec3(2, -0.6, 0.8)).norm(), rounding);
}

}  // namespace
}  // namespace sinew::contact_solver_test
