#include "sinew/integrate/implicit.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

constexpr int iterationLimit = 25;
constexpr int lineSearchLimit = 6;
constexpr int halvingLimit = 10;
// Newton stops when a correction changes no joint velocity by more than this part of the largest one
// (plus one); convergence is quadratic by then, so what is left is rounding.
constexpr double tolerance = 1e-9;

// base ⊕ length · direction.
void retract(const Model& model, const VecX& base, double length, const VecX& direction, VecX& q)
{
    for (const Joint& joint : model.joints) {
        Vec6 part;
        for (int i = 0; i < joint.freedoms(); ++i) part[i] = length * direction[joint.u + i];
        jointRetract(joint, base.data() + joint.q, part.data(), q.data() + joint.q);
    }
}

// One backward-Euler solve of length h from the starred bodies.
class Solve {
public:
    Solve(const Model& model, ForceFunction forces, double h, const LargeVector<BodyState>& star,
          StepWork& work)
        : model_(model), forces_(forces), h_(h), star_(star), work_(work), links_(work.links)
    {
        links_.resize(model.bodies.size());
        work_.residual.resize(model.freedomCount);
        work_.correction.resize(model.freedomCount);
    }

    // From the guess in state.q to the solution, with discrete velocities; false if it was not found.
    bool run(State& state)
    {
        double norm = evaluate(state);
        for (int iteration = 0; iteration < iterationLimit; ++iteration) {
            if (!std::isfinite(norm)) return false;
            bool last = false;
            // The exact matrix may be indefinite, even singular, in a taut pose across its load; the
            // clamped one never is, but converges slower.
            if (!improve(state, false, norm, last) && !improve(state, true, norm, last)) return false;
            if (last) return true;
        }
        return false;
    }

private:
    // One Newton correction. On failure the state is as it was.
    bool improve(State& state, bool clamped, double& norm, bool& last)
    {
        ++work_.statistics.newtonIterations;
        factor(clamped);
        VecX& delta = work_.correction;
        solve(delta);
        const double size = largest(delta);
        if (!std::isfinite(size)) return false;
        last = size <= tolerance * h_ * (1 + largest(state.u));
        if (search(state, delta, size, last, norm)) return true;
        state.q = work_.searchStart;
        norm = evaluate(state);
        return false;
    }

    static double largest(const VecX& v) { return v.size() ? v.cwiseAbs().maxCoeff() : 0; }

    // Moves along delta as far as it helps. Near the solution a full step is taken without asking.
    bool search(State& state, const VecX& delta, double size, bool last, double& norm)
    {
        work_.searchStart = state.q;
        double length = 1;
        for (int attempt = 0; attempt < lineSearchLimit; ++attempt, length *= 0.5) {
            retract(model_, work_.searchStart, length, delta, state.q);
            const double now = evaluate(state);
            if (last || now <= norm) {
                norm = now;
                return std::isfinite(now);
            }
            // The residual mixes units; what counts is whether the next correction, with the matrix at
            // hand, would be a smaller one (Deuflhard's natural monotonicity test).
            solve(work_.trialCorrection);
            if (largest(work_.trialCorrection) <= (1 - length / 4) * size) {
                norm = now;
                return true;
            }
        }
        return false;
    }

    // Poses at state.q, discrete velocities, forces, and the residual; returns its norm.
    double evaluate(State& state)
    {
        for (int i = 0; i < model_.size(); ++i) {
            prefetch(links_, i + passAhead);
            prefetch(model_.joints, i + passAhead);
            place(state, i);
        }
        forces_(model_, state, work_.forces);
        for (int i = 0; i < model_.size(); ++i) {
            prefetch(links_, i + passAhead);
            links_[i].force = need(state, i);
        }
        // Inward: each joint carries what lies beyond it.
        VecX& r = work_.residual;
        for (int i = model_.size() - 1; i >= 0; --i) {
            prefetch(links_, i - passAhead);
            ArticulatedLink& link = links_[i];
            const int k = link.freedoms;
            if (k == 6) {
                r.segment<6>(link.u) << link.X.R * link.force.head<3>(), link.force.tail<3>();
                r.segment<6>(link.u) -= work_.forces.joint.segment<6>(link.u);
                continue;  // cuts the tree
            }
            r.segment(link.u, k) =
                link.S.leftCols(k).transpose() * link.force - work_.forces.joint.segment(link.u, k);
            if (link.parent >= 0)
                links_[link.parent].force += link.X.toParent(Force::from(link.force)).vector();
        }
        return r.norm();
    }

    void place(State& state, int i)
    {
        const Joint& joint = model_.joints[i];
        ArticulatedLink& link = links_[i];
        placeJoint(model_, state.q, i, link);
        BodyState& body = state.bodies[i];
        if (joint.parent >= 0) {
            const BodyState& parent = state.bodies[joint.parent];
            body.position = parent.position + parent.orientation * link.X.r;
            body.orientation = (parent.orientation * Quat(link.X.R)).normalized();
        } else {
            body.position = link.X.r;
            body.orientation = Quat(link.X.R);
        }
        body.velocity = (body.position - star_[i].position) / h_;
        body.angularVelocity = logRotation(star_[i].orientation.conjugate() * body.orientation) / h_;
        link.velocity = {body.orientation.conjugate() * body.velocity, body.angularVelocity};
        Motion relative = link.velocity;
        if (joint.parent >= 0) relative = relative - link.X.toChild(links_[joint.parent].velocity);
        jointVelocityOf(joint, state.q.data() + joint.q, link.X, relative, state.u.data() + joint.u);
    }

    // f of one body, body axes.
    Vec6 need(const State& state, int i) const
    {
        const Body& body = model_.bodies[i];
        const BodyState& s = state.bodies[i];
        const Force& F = work_.forces.body[i];
        const Vec3& w = s.angularVelocity;
        const Quat toBody = s.orientation.conjugate();
        Vec6 f;
        f << toBody * (body.mass / h_ * (s.velocity - star_[i].velocity) - F.force),
            body.inertia * (w - star_[i].angularVelocity) / h_ + w.cross(body.inertia * w) -
                toBody * F.torque;
        return f;
    }

    // The matrix at the state of the last evaluation.
    void factor(bool clamped)
    {
        // Outward, so that a parent's inertia is set before a joint adds to it.
        for (int i = 0; i < model_.size(); ++i) {
            prefetch(links_, i + passAhead);
            setInertia(i);
            addJoint(i, clamped);
        }
        if (clamped) {
            for (int i = 0; i < model_.size(); ++i) {
                links_[i].coupling.setZero();
                clampTurning(i);
            }
        }
        factorArticulated(links_);
    }

    // Raises the turning block to at least the body's own inertia.
    void clampTurning(int i)
    {
        auto block = links_[i].inertia.bottomRightCorner<3, 3>();
        const Mat3& I = model_.bodies[i].inertia;
        const Mat3 excess = block - I;
        const Eigen::SelfAdjointEigenSolver<Mat3> eigen(excess);
        const Vec3 kept = eigen.eigenvalues().cwiseMax(0);
        block = I + eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
    }

    void setInertia(int i)
    {
        ArticulatedLink& link = links_[i];
        const Body& body = model_.bodies[i];
        const Vec3& w = link.velocity.angular;
        // ∂(h² (I (ω' − ω*)/h + ω' × I ω'))/∂θ', and only its symmetric part.
        const Mat3 turning = (body.inertia + h_ * (tilde(w) * body.inertia - tilde(body.inertia * w))) *
                             rightJacobianInverse(h_ * w);
        link.inertia.setZero();
        link.inertia.topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
        link.inertia.bottomRightCorner<3, 3>() = 0.5 * (turning + turning.transpose());
    }

    // Geometric stiffness of the joint's force on both bodies, springs and dampers, and the coupling.
    void addJoint(int i, bool clamped)
    {
        ArticulatedLink& link = links_[i];
        const Joint& joint = model_.joints[i];
        if (link.freedoms == 6) return;
        link.hasBlocks = true;
        const double h2 = h_ * h_;
        const Vec3 F = link.force.head<3>();
        const Vec3& anchor = joint.anchorChild;
        const Vec3 N = link.force.tail<3>() - anchor.cross(F);
        link.inertia.bottomRightCorner<3, 3>() -= h2 * lever(anchor, F);
        if (link.parent >= 0)
            links_[link.parent].inertia.bottomRightCorner<3, 3>() +=
                h2 * lever(link.X.r + link.X.R * anchor, link.X.R * F);

        link.jointBlock.setZero();
        JointTangent tangent;
        const double* q = work_.trial.q.data() + joint.q;
        jointForceTangent(joint, q, work_.trial.u.data() + joint.u, tangent);
        link.jointBlock = h2 * tangent.stiffness + h_ * tangent.damping;
        for (int k = 0; k < link.freedoms; ++k) {
            const Vec3 turn = link.S.col(k).tail<3>();
            // A column that turns nothing slides.
            const Vec3 couple =
                turn.isZero() ? Vec3(link.S.col(k).head<3>().cross(F)) : Vec3(0.5 * turn.cross(N));
            link.coupling.col(k) = h2 * couple;
        }
        if (joint.type == JointType::universal && !clamped) {
            const double twist = 0.5 * h2 * N.dot(link.S.col(0).tail<3>().cross(link.S.col(1).tail<3>()));
            link.jointBlock(0, 1) += twist;
            link.jointBlock(1, 0) += twist;
        }
    }

    // sym(ρ Fᵀ) − (F·ρ) 1: how the torque ρ × F of a force fixed in the world changes with the body.
    static Mat3 lever(const Vec3& rho, const Vec3& F)
    {
        const Mat3 m = rho * F.transpose();
        return 0.5 * (m + m.transpose()) - F.dot(rho) * Mat3::Identity();
    }

    // δ with (matrix) δ = −h² r.
    void solve(VecX& delta)
    {
        delta.resize(model_.freedomCount);
        work_.start = -h_ * h_ * work_.residual;
        for (int i = 0; i < model_.size(); ++i) {
            // The recursion needs its own p; ours is wanted again by the next matrix.
            work_.carried.resize(model_.bodies.size());
            work_.carried[i] = links_[i].force;
            links_[i].force.setZero();
            links_[i].bias = {};
        }
        solveArticulated(links_, work_.start, delta);
        for (int i = 0; i < model_.size(); ++i) links_[i].force = work_.carried[i];
    }

    const Model& model_;
    ForceFunction forces_;
    double h_;
    const LargeVector<BodyState>& star_;
    StepWork& work_;
    LargeVector<ArticulatedLink>& links_;
};

// Nothing in the scene does work on the figure from outside.
bool isPassive(const Model& model, ForceFunction forces)
{
    if (forces != sceneForces || !model.loads.empty()) return false;
    for (const Joint& joint : model.joints)
        if (joint.hasMotor) return false;
    return true;
}

// Newton can land on a solution of the equations that is not the motion: a link that whips so fast that
// its turn over the step is taken for one the other way round. It shows in the angle, or, where nothing
// drives the figure, in energy from nowhere.
bool isPlausible(const Model& model, ForceFunction forces, double h, double ceiling, const State& to)
{
    constexpr double largestTurn = 2.5;  // rad
    for (const BodyState& body : to.bodies)
        if (!(body.angularVelocity.norm() * h < largestTurn)) return false;
    if (!isPassive(model, forces)) return true;
    const Energy after = energy(model, to);
    const double scale = after.kinetic + std::abs(after.potential) + after.elastic;
    return after.total() <= ceiling + 1e-12 * scale;
}

// Backward Euler over h; in two halves, and so on, where Newton does not get there.
bool eulerStep(const Model& model, ForceFunction forces, double h, int depth, State& state, StepWork& work)
{
    const double end = state.time + h;
    work.star = state.bodies;
    State& trial = work.trial;
    trial = state;
    trial.time = end;
    retract(model, state.q, h, state.u, trial.q);
    if (Solve(model, forces, h, work.star, work).run(trial) &&
        (depth == halvingLimit || isPlausible(model, forces, h, energy(model, state).total(), trial))) {
        std::swap(state.q, trial.q);
        std::swap(state.u, trial.u);
        std::swap(state.bodies, trial.bodies);
        state.time = end;
        return true;
    }
    if (depth == halvingLimit) return false;
    ++work.statistics.halvings;
    return eulerStep(model, forces, h / 2, depth + 1, state, work) &&
           eulerStep(model, forces, h / 2, depth + 1, state, work);
}

}  // namespace

void implicitEulerStep(const Model& model, const Method&, ForceFunction forces, double h, State& state,
                       StepWork& work)
{
    state.previous.clear();
    if (!eulerStep(model, forces, h, 0, state, work)) work.statistics.failed = true;
}

void implicitBdf2Step(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work)
{
    if (state.previous.size() != state.bodies.size()) {
        work.searchBodies = state.bodies;
        const int halvings = work.statistics.halvings;
        state.energyCeiling = energy(model, state).total();
        implicitEulerStep(model, method, forces, h, state, work);
        // What was before a halved step is not one step ago.
        if (work.statistics.halvings == halvings) state.previous = work.searchBodies;
        return;
    }
    work.star.resize(state.bodies.size());
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
        const BodyState &now = state.bodies[i], &old = state.previous[i];
        BodyState& star = work.star[i];
        star.position = (4 * now.position - old.position) / 3;
        star.velocity = (4 * now.velocity - old.velocity) / 3;
        star.angularVelocity = (4 * now.angularVelocity - old.angularVelocity) / 3;
        star.orientation =
            now.orientation * expRotation(logRotation(old.orientation.conjugate() * now.orientation) / 3);
    }
    State& trial = work.trial;
    trial = state;
    trial.time = state.time + h;
    retract(model, state.q, h, state.u, trial.q);
    if (Solve(model, forces, 2 * h / 3, work.star, work).run(trial) &&
        isPlausible(model, forces, h, state.energyCeiling, trial)) {
        std::swap(state.previous, state.bodies);
        std::swap(state.bodies, trial.bodies);
        std::swap(state.q, trial.q);
        std::swap(state.u, trial.u);
        state.time = trial.time;
        return;
    }
    // Afresh: backward Euler damps what BDF2 would not swallow.
    state.previous.clear();
    implicitBdf2Step(model, method, forces, h, state, work);
}

}  // namespace sinew
