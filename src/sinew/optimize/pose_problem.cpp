#include "sinew/optimize/pose_problem.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/springs.h"
#include "sinew/math/rotation.h"
#include "sinew/math/small_solve.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// A ball joint this near to a limit of its swing, or of its twist, moves in their terms: rad.
constexpr double nearLimit = 0.3;
// Limits hold to this, rad or m.
constexpr double slack = 1e-12;
// A limit that is this near is touched: a ball joint is turned back to it only to rounding.
constexpr double touching = 1e-9;
// The farthest turn of a joint in one step, rad: beyond it second order says nothing.
constexpr double longestTurn = 0.5;

bool hasSwingLimit(const Joint& joint)
{
    return joint.isBall() && joint.limitStiffness > 0 && joint.limitsSwing();
}
bool hasTwistLimit(const Joint& joint)
{
    return joint.isBall() && joint.limitStiffness > 0 &&
           (std::isfinite(joint.lower[0]) || std::isfinite(joint.upper[0]));
}

Mat3 inverse3(const Mat3& m)
{
    return SmallLu<3>(m).solve(Mat3(Mat3::Identity()));
}

}  // namespace

PoseProblem::PoseProblem(const Model& model, State& state, std::vector<int> wishes, std::vector<char> held)
    : model_(model), state_(state), tried_(state), wishes_(std::move(wishes)), held_(std::move(held))
{
    if (held_.empty()) held_.assign(static_cast<std::size_t>(model.size()), 0);
}

void PoseProblem::clampJoint(const Joint& joint, double* q) const
{
    if (!(joint.limitStiffness > 0)) return;
    if (!joint.isBall()) {
        for (int i = 0; i < joint.info().plain() && joint.isArticulated(); ++i)
            q[i] = std::clamp(q[i], joint.lower[i], joint.upper[i]);
        return;
    }
    // Newton's method on the worst limit.
    for (int round = 0; round < 20; ++round) {
        LimitReach limits[mostLimits];
        const int count = findLimits(joint, q, limits);
        int worst = -1;
        for (int i = 0; i < count; ++i)
            if (limits[i].beyond > slack && (worst < 0 || limits[i].beyond > limits[worst].beyond))
                worst = i;
        if (worst < 0) return;
        const Vec3& n = limits[worst].grows;
        const double square = n.squaredNorm();
        if (!(square > 0)) return;
        const Vec3 back = (-limits[worst].beyond / square) * n;
        const double from[4] = {q[0], q[1], q[2], q[3]};
        jointRetract(joint, from, back.data(), q);
    }
}

void PoseProblem::enterLimits()
{
    for (int link = 0; link < model_.size(); ++link)
        if (!held_[static_cast<std::size_t>(link)])
            clampJoint(model_.joints[link], state_.q.data() + model_.joints[link].q);
    bodiesFromJoints(model_, state_);
}

double PoseProblem::energyAt(const VecX& step, bool clamps)
{
    for (int link = 0; link < model_.size(); ++link) {
        const Joint& joint = model_.joints[link];
        double* q = tried_.q.data() + joint.q;
        jointRetract(joint, state_.q.data() + joint.q, step.data() + joint.u, q);
        if (clamps && !held_[static_cast<std::size_t>(link)]) clampJoint(joint, q);
    }
    bodiesFromJoints(model_, tried_);
    evaluateWishes(model_, tried_, wishes_, triedRows_);
    return triedRows_.energy();
}

// ---- derivatives ----------------------------------------------------------------------------------

void PoseProblem::addGaussNewton()
{
    wishJacobian(model_, state_, motions_, rows_, jacobian_);
    gaussNewton_.setZero(model_.freedomCount, model_.freedomCount);
    std::vector<int> seen;
    for (int r = 0; r < jacobian_.rows(); ++r) {
        seen.clear();
        for (int k = 0; k < jacobian_.cols(); ++k)
            if (jacobian_(r, k) != 0) seen.push_back(k);
        for (std::size_t a = 0; a < seen.size(); ++a)
            for (std::size_t b = 0; b <= a; ++b)
                gaussNewton_(seen[a], seen[b]) += jacobian_(r, seen[a]) * jacobian_(r, seen[b]);
    }
}

// Wrenches and their derivatives, from the tips to the roots.
void PoseProblem::gather()
{
    beyond_.resize(static_cast<std::size_t>(model_.size()));
    for (Beyond& b : beyond_) {
        b.T.setZero();
        b.spread.setZero();
        b.force.setZero();
        b.torque.setZero();
    }
    for (const WishRows::ByBody& by : rows_.bodies) {
        Beyond& own = beyond_[static_cast<std::size_t>(by.body)];
        const double r = rows_.residual[static_cast<std::size_t>(by.row)];
        own.force += r * by.slope.head<3>();
        own.torque += r * by.slope.tail<3>();
        own.T.bottomRightCorner<3, 3>() += r * (tilde(by.pull) * tilde(by.arm));
    }
    for (const WishRows::TurnBend& bend : rows_.turnBends)
        beyond_[static_cast<std::size_t>(bend.body)].T.bottomRightCorner<3, 3>() += bend.bend;
    for (int link = model_.size() - 1; link >= 0; --link) {
        const int parent = model_.joints[link].parent;
        if (parent < 0) continue;
        const Beyond& own = beyond_[static_cast<std::size_t>(link)];
        Beyond& to = beyond_[static_cast<std::size_t>(parent)];
        const Vec3 way = state_.bodies[link].position - state_.bodies[parent].position;
        // A motion of the parent is one of the link, moved by X = [1, −way~; 0, 1]: Xᵀ T X.
        Mat6 X = Mat6::Identity();
        X.topRightCorner<3, 3>() = -tilde(way);
        to.T += X.transpose() * (own.T * X);
        to.spread += own.spread + way * own.force.transpose();
        to.force += own.force;
        to.torque += own.torque;
    }
}

void PoseProblem::addBends()
{
    for (const WishRows::Bend& bend : rows_.bends) {
        MatX relative;
        relative.setZero(3, model_.freedomCount);
        WishRows points;
        for (int i = 0; i < 3; ++i) points.add(0);
        for (int side = 0; side < 2; ++side) {
            if (bend.body[side] < 0) continue;
            const Vec3& arm = bend.arm[side];
            for (int i = 0; i < 3; ++i) {
                const Vec3 along = side ? Vec3(-Vec3::Unit(i)) : Vec3(Vec3::Unit(i));
                points.bodies.push_back(
                    {i, bend.body[side], (Vec6() << along, arm.cross(along)).finished(), arm, along});
            }
        }
        wishJacobian(model_, state_, motions_, points, relative);
        curvature_ += relative.transpose() * (bend.bend * relative);
    }
}

void PoseProblem::addCurvature()
{
    gather();
    curvature_.setZero(model_.freedomCount, model_.freedomCount);
    const auto column = [&](int k) -> const Motion& {
        return motions_.columns[static_cast<std::size_t>(k)];
    };
    for (int link = 0; link < model_.size(); ++link) {
        const Joint& joint = model_.joints[link];
        const Beyond& sum = beyond_[static_cast<std::size_t>(link)];
        const double trace = sum.spread.trace();
        for (int k = joint.u; k < joint.u + joint.freedoms(); ++k) {
            const Motion& S = column(k);
            const Vec3& w = S.angular;
            const Vec3 c = S.linear.cross(sum.force) + sum.spread * w - trace * w + w.cross(sum.torque);
            const Vec6 TS = sum.T.transpose() * S.vector();
            const Vec3 onLinear = TS.head<3>(), onAngular = TS.tail<3>();
            for (int other = link; other >= 0; other = model_.joints[other].parent) {
                const Joint& before = model_.joints[other];
                const Vec3 way = state_.bodies[link].position - state_.bodies[other].position;
                for (int j = before.u; j < before.u + before.freedoms(); ++j) {
                    const bool isSame = other == link;
                    const int plain = joint.u + joint.info().plain();
                    const bool bothTurn = isSame && j >= plain && k >= plain;
                    if (isSame && !bothTurn && j != k && !joint.isBefore(j - joint.u, k - joint.u))
                        continue;
                    const Motion& Sj = column(j);
                    const Vec3 linear = Sj.linear + Sj.angular.cross(way);
                    const double G = Sj.angular.dot(c) + onLinear.dot(linear) + onAngular.dot(Sj.angular);
                    if (bothTurn) {  // of a rotation, the symmetric part
                        curvature_(j, k) += 0.5 * G;
                        curvature_(k, j) += 0.5 * G;
                    } else {
                        curvature_(j, k) = G;
                        curvature_(k, j) = G;
                    }
                }
            }
        }
    }
    addBends();
}

MatX PoseProblem::secondDerivative()
{
    linearise();
    MatX H = curvature_;
    for (int r = 0; r < H.rows(); ++r)
        for (int c = 0; c < H.cols(); ++c) H(r, c) += gaussNewton_(std::max(r, c), std::min(r, c));
    return H;
}

// ---- steps ----------------------------------------------------------------------------------------

// How far each number may go; ball joints near their limits are turned into terms of swing and twist.
void PoseProblem::findBounds()
{
    turned_.clear();
    lower_.resize(model_.freedomCount);
    upper_.resize(model_.freedomCount);
    for (int link = 0; link < model_.size(); ++link) {
        const Joint& joint = model_.joints[link];
        const double* q = state_.q.data() + joint.q;
        const bool isHeld = held_[static_cast<std::size_t>(link)] != 0;
        const bool isLimited = joint.limitStiffness > 0 && joint.isArticulated() && !joint.isBall();
        for (int i = 0; i < joint.freedoms(); ++i) {
            const double most = isHeld ? 0 : i < joint.slides() ? HUGE_VAL : longestTurn;
            const double low = isLimited ? std::min(0., joint.lower[i] - q[i]) : -HUGE_VAL;
            const double high = isLimited ? std::max(0., joint.upper[i] - q[i]) : HUGE_VAL;
            lower_[joint.u + i] = std::max(-most, low);
            upper_[joint.u + i] = std::min(most, high);
        }
        if (isHeld || (!hasSwingLimit(joint) && !hasTwistLimit(joint))) continue;
        turnIntoLimits(joint, q);
    }
}

// The coordinates z of a ball joint near its limits, their bounds, and the gradient along them.
void PoseProblem::turnIntoLimits(const Joint& joint, const double* q)
{
    LimitReach limits[mostLimits];
    const int count = findLimits(joint, q, limits);
    // Which of the limits bound the first coordinates, from below and from above; −1: none.
    struct Bounded {
        Vec3 normal;
        int below = -1, above = -1;
    };
    Bounded swing{Vec3::Zero()}, twist{Vec3::Zero()};
    int next = 0;
    if (joint.limitsSwing()) swing = {limits[next].grows, -1, next}, ++next;
    if (std::isfinite(joint.upper[0])) twist = {limits[next].grows, -1, next}, ++next;
    if (next < count) twist = {-limits[next].grows, next, twist.above};
    const auto isNear = [&](const Bounded& b) {
        const auto reached = [&](int i) { return i >= 0 && limits[i].beyond > -nearLimit; };
        return (reached(b.below) || reached(b.above)) && b.normal.squaredNorm() > 0.01;
    };
    Bounded rows[2];
    int used = 0;
    for (const Bounded& b : {swing, twist})
        if (isNear(b)) rows[used++] = b;
    if (used == 0) return;
    const Vec3 first = rows[0].normal;
    const Vec3 second = used > 1 ? rows[1].normal : directorsAcross(Vec3(first.normalized())).first;
    Mat3 N;
    N.row(0) = first.transpose();
    N.row(1) = second.transpose();
    N.row(2) = first.cross(second).normalized().transpose();
    const Mat3 B = inverse3(N);
    turned_.push_back({joint.u, B});
    const Vec3 along = B.transpose() * Vec3(gradient_.segment(joint.u, 3));
    gradient_.segment(joint.u, 3) = along;
    double loads[mostLimits] = {};
    for (int r = 0; r < used; ++r) {
        double &low = lower_[joint.u + r], &high = upper_[joint.u + r];
        if (rows[r].above >= 0) high = std::min(high, std::max(0., -limits[rows[r].above].beyond));
        if (rows[r].below >= 0) low = std::max(low, std::min(0., limits[rows[r].below].beyond));
        // What presses against a limit bends with it.
        if (high < touching && along[r] < 0) loads[rows[r].above] = -along[r];
        if (low > -touching && along[r] > 0) loads[rows[r].below] = along[r];
    }
    const Mat3 bend = limitCurvature(joint, q, loads);
    curvature_.block<3, 3>(joint.u, joint.u) += 0.5 * (bend + bend.transpose());
}

DampedProblem::Linear PoseProblem::linearise()
{
    evaluateWishes(model_, state_, wishes_, rows_);
    motions_.place(model_, state_);
    gradient_.setZero(model_.freedomCount);
    addWishGradient(model_, state_, motions_, rows_, gradient_);
    addGaussNewton();
    addCurvature();
    findBounds();
    scale_ = 0;
    DampedProblem::Linear now;
    now.energy = rows_.energy();
    for (int k = 0; k < model_.freedomCount; ++k) {
        const double unit = model_.freedomUnits[static_cast<std::size_t>(k)];
        scale_ = std::max(scale_, gaussNewton_(k, k) * unit * unit);
        const bool isPressed =
            gradient_[k] > 0 ? lower_[k] > -touching : upper_[k] < touching;  // −g pushes at a bound
        if (!isPressed) now.gradient = std::max(now.gradient, std::abs(gradient_[k]) * unit);
    }
    if (!(scale_ > 0)) scale_ = 1;
    return now;
}

bool PoseProblem::solve(double lambda, VecX& step, double& foretold)
{
    const int n = model_.freedomCount;
    MatX undamped(n, n);
    for (const bool withCurvature : {true, false}) {
        for (int r = 0; r < n; ++r)
            for (int c = 0; c <= r; ++c) {
                const double h = gaussNewton_(r, c) + (withCurvature ? curvature_(r, c) : 0.);
                undamped(r, c) = undamped(c, r) = h;
            }
        for (const Turned& t : turned_) {
            const MatX rows = t.B.transpose() * MatX(undamped.block(t.u, 0, 3, n));
            undamped.block(t.u, 0, 3, n) = rows;
            const MatX columns = MatX(undamped.block(0, t.u, n, 3)) * t.B;
            undamped.block(0, t.u, n, 3) = columns;
        }
        damped_ = undamped;
        for (int k = 0; k < n; ++k) {
            const double unit = model_.freedomUnits[static_cast<std::size_t>(k)];
            damped_(k, k) += lambda * scale_ / (unit * unit);
        }
        if (!solveBounded(damped_, gradient_, lower_, upper_, z_)) continue;
        foretold = -gradient_.dot(z_) - 0.5 * z_.dot(undamped * z_);
        if (!(foretold > 0)) continue;
        step = z_;
        for (const Turned& t : turned_) step.segment(t.u, 3) = t.B * Vec3(z_.segment(t.u, 3));
        return true;
    }
    return false;
}

DampedProblem PoseProblem::damped()
{
    DampedProblem problem;
    problem.size = model_.freedomCount;
    problem.linearise = [this] { return linearise(); };
    problem.solve = [this](double lambda, VecX& step, double& foretold) {
        return solve(lambda, step, foretold);
    };
    problem.attempt = [this](const VecX& step) { return energyAt(step, true); };
    problem.keep = [this] {
        state_.q = tried_.q;
        state_.bodies = tried_.bodies;
    };
    return problem;
}

SmoothFunction PoseProblem::smooth()
{
    SmoothFunction function;
    function.size = model_.freedomCount;
    function.at = [this](const VecX& step, VecX* gradient) {
        const double energy = energyAt(step, false);
        if (gradient) {
            motions_.place(model_, tried_);
            gradient->setZero(model_.freedomCount);
            addWishGradient(model_, tried_, motions_, triedRows_, *gradient);
        }
        return energy;
    };
    function.keep = [this](const VecX& step) {
        energyAt(step, false);
        state_.q = tried_.q;
        state_.bodies = tried_.bodies;
    };
    return function;
}

}  // namespace sinew
