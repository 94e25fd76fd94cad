#include "sinew/optimize/motion_replay.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/math/rotation.h"
#include "sinew/optimize/motion_contact.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

using MatrixE = Eigen::MatrixXd;
using VectorE = Eigen::VectorXd;

constexpr double moment = 1e-9;  // s

// Adds the forces of contacts in the plan, and their tangents where wanted.
void addPlannedContacts(const MotionProblem& problem, const MotionPlan& plan, double time,
                        const State& state, Forces& forces, ForceTangents* tangents)
{
    eachPlace(problem, time, [&](const ContactPhase& phase, int own, int place) {
        const Vec3 f = placeUnit(problem, phase, own) * plan.readPlace(problem, time, place);
        addPlaceForce(state, phase, own, f, forces, tangents);
    });
}

// Holds are drives too: three numbers of each place, after the freedoms.
template <class Function>
void eachHold(const MotionProblem& problem, Function&& function)
{
    int first = problem.model->freedomCount;
    for (const ContactPhase& phase : problem.phases)
        for (int k = 0; phase.isHold() && k < placesOf(phase); ++k, first += 3) function(phase, k, first);
}
int controls(const MotionProblem& problem)
{
    int count = problem.model->freedomCount;
    eachHold(problem, [&](const ContactPhase&, int, int) { count += 3; });
    return count;
}

// (δq, δu)' = A (δq, δu) + B Q along the plan.
class Linearized {
public:
    Linearized(const MotionProblem& problem, const MotionPlan& plan)
        : problem_(problem), plan_(plan), model_(*problem.model), state_(problem.base)
    {
    }
    void set(double time, MatrixE& A, MatrixE& B)
    {
        const int n = model_.freedomCount;
        VecX acceleration;
        plan_.read(model_, time, state_.q, state_.u, &acceleration);
        state_.time = time;
        bodiesFromJoints(model_, state_);
        sceneForces(model_, state_, forces_);
        sceneTangents(model_, state_, forces_, tangents_);
        addPlannedContacts(problem_, plan_, time, state_, forces_, &tangents_);
        linearize(model_, state_, forces_.body, acceleration, tangents_, at_);
        A.setZero(2 * n, 2 * n);
        B.setZero(2 * n, controls(problem_));
        const VecX still = VecX::Zero(n);
        VecX unit = still, da;
        for (int k = 0; k < n; ++k) {
            unit[k] = 1;
            forwardChange(model_, at_, unit, still, still, da);
            for (int r = 0; r < n; ++r) A(n + r, k) = da[r];
            forwardChange(model_, at_, still, unit, still, da);
            for (int r = 0; r < n; ++r) A(n + r, n + k) = da[r];
            if (problem_.isDriven[static_cast<std::size_t>(k)]) {
                forwardChange(model_, at_, still, still, unit, da);
                for (int r = 0; r < n; ++r) B(n + r, k) = da[r];
            }
            unit[k] = 0;
            A(k, n + k) = 1;
        }
        MatX J;
        eachHold(problem_, [&](const ContactPhase& phase, int place, int first) {
            if (!phase.isOn(time)) return;
            placeJacobian(model_, state_, phase, place, J);
            VecX row(n);
            for (int c = 0; c < 3; ++c) {
                for (int k = 0; k < n; ++k) row[k] = J(c, k);
                forwardChange(model_, at_, still, still, row, da);
                for (int r = 0; r < n; ++r) B(n + r, first + c) = da[r];
            }
        });
        // The tangent of a rotation turns with it: δθ' = δω − ω × δθ.
        for (const Joint& joint : model_.joints) {
            if (!joint.info().hasRotation) continue;
            const int first = joint.u + joint.info().plain();
            const Mat3 turning = tilde(Vec3(state_.u[first], state_.u[first + 1], state_.u[first + 2]));
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) A(first + r, first + c) -= turning(r, c);
        }
    }

private:
    const MotionProblem& problem_;
    const MotionPlan& plan_;
    const Model& model_;
    State state_;
    Forces forces_;
    ForceTangents tangents_;
    DynamicsDerivatives at_;
};

}  // namespace

MotionFeedback motionFeedback(const MotionProblem& problem, const MotionPlan& plan, double step,
                              double accuracy)
{
    const Model& model = *problem.model;
    const int n = model.freedomCount,
              count = std::max(1, static_cast<int>(std::ceil(plan.duration() / step)));
    MotionFeedback feedback;
    feedback.step = plan.duration() / count;
    feedback.gains.resize(static_cast<std::size_t>(count));
    const double h = feedback.step;
    const int most = controls(problem);
    VectorE Q(2 * n), R(most);
    for (int k = 0; k < n; ++k) {
        Q[k] = h / std::pow(accuracy * problem.unitOf(k), 2);
        Q[n + k] = Q[k] * std::pow(0.01 * problem.duration, 2);
        R[k] = h / std::pow(problem.forceUnitOf(k), 2);
    }
    eachHold(problem, [&](const ContactPhase& phase, int place, int first) {
        for (int c = 0; c < 3; ++c) R[first + c] = h / std::pow(placeUnit(problem, phase, place), 2);
    });
    Linearized linearized(problem, plan);
    MatrixE P = MatrixE(Q.asDiagonal()) * (1 / h) * (0.01 * problem.duration), A, B;
    for (int i = count - 1; i >= 0; --i) {
        linearized.set((i + 0.5) * h, A, B);
        const MatrixE square = A * A;
        const MatrixE over =
            MatrixE::Identity(2 * n, 2 * n) + h * A + 0.5 * h * h * square + h * h * h / 6 * square * A;
        const MatrixE push = h * B + 0.5 * h * h * (A * B) + h * h * h / 6 * (square * B);
        const MatrixE PB = P * push;
        MatrixE W = push.transpose() * PB;
        W.diagonal() += R;
        const MatrixE K = Eigen::LLT<MatrixE>(W).solve(PB.transpose() * over);
        const MatrixE left = over - push * K;
        P = left.transpose() * P * left + K.transpose() * R.asDiagonal() * K;
        P.diagonal() += Q;
        MatX& gain = feedback.gains[static_cast<std::size_t>(i)];
        gain.resize(most, 2 * n);
        for (int r = 0; r < most; ++r)
            for (int c = 0; c < 2 * n; ++c) gain(r, c) = K(r, c);
    }
    return feedback;
}

void MotionDrive::push(ForceContext& at)
{
    const Model& model = *problem_.model;
    const State& state = at.state();
    const int n = model.freedomCount;
    const double time = std::clamp(at.time(), moment, plan_.duration() - moment);
    // At the moment where one piece ends and the next begins half of both: of a step that ends there and
    // one that begins there, each is right to the step's own order.
    const double sides[] = {time - moment, time + moment};
    Q_.setZero(n);
    for (const double side : sides) {
        plan_.readForces(model, side, half_);
        for (int k = 0; k < n; ++k) Q_[k] += 0.5 * half_[k];
    }
    more_.setZero(controls(problem_));
    if (feedback_ && !feedback_->empty()) {
        plan_.read(model, time, q_, u_);
        poseDifference(model, q_, state.q, delta_);
        const std::size_t i = std::min(feedback_->gains.size() - 1,
                                       static_cast<std::size_t>(std::max(0., time / feedback_->step)));
        const MatX& K = feedback_->gains[i];
        for (int r = 0; r < more_.size(); ++r)
            for (int c = 0; c < n; ++c)
                more_[r] -= K(r, c) * delta_[c] + K(r, n + c) * (state.u[c] - u_[c]);
        for (int k = 0; k < n; ++k) Q_[k] += more_[k];
    }
    forces_.setZero(model);
    bool any = false;
    for (const double side : sides)
        eachPlace(problem_, side, [&](const ContactPhase& phase, int own, int place) {
            if (!phase.isHold() && !pushesContacts_) return;
            Vec3 f = placeUnit(problem_, phase, own) * plan_.readPlace(problem_, side, place);
            eachHold(problem_, [&](const ContactPhase& hold, int which, int first) {
                if (&hold == &phase && which == own)
                    f += Vec3(more_[first], more_[first + 1], more_[first + 2]);
            });
            addPlaceForce(state, phase, own, 0.5 * f, forces_, nullptr);
            any = true;
        });
    if (any)
        for (int i = 0; i < model.size(); ++i) at.addBodyForce(BodyHandle{i}, forces_.body[i]);
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        double* Q = Q_.data() + joint.u;
        bool any = false;
        for (int k = 0; k < joint.freedoms(); ++k) {
            const std::size_t freedom = static_cast<std::size_t>(joint.u + k);
            Q[k] = problem_.isDriven[freedom]
                       ? std::clamp(Q[k], problem_.lower[joint.u + k], problem_.upper[joint.u + k])
                       : 0;
            any |= Q[k] != 0;
        }
        if (!any) continue;
        const Force onChild = jointForceOnChild(model, state, i, Q);
        at.addBodyForce(BodyHandle{i}, onChild);
        if (joint.parent >= 0)
            at.addBodyForce(BodyHandle{joint.parent}, -atParentCenter(model, state, i, onChild));
    }
}

ReplayReport replay(const MotionProblem& problem, const MotionPlan& plan, const MotionFeedback* feedback,
                    Simulation& simulation, bool pushesContacts)
{
    const Model& model = *problem.model;
    State start = problem.base;
    start.q = plan.start.q;
    start.u = plan.start.u;
    start.time = 0;
    bodiesFromJoints(model, start);
    ReplayReport report;
    const auto fails = [&](const Simulation::Outcome& outcome) {
        if (outcome) report = {false, outcome->text(), 0, 0, 0};
        return outcome.has_value();
    };
    MotionDrive drive(problem, plan, feedback);
    if (pushesContacts) drive.pushContacts();
    if (fails(simulation.setState(start))) return report;
    if (fails(simulation.setForceLaw([&drive](ForceContext& at) { drive.push(at); }))) return report;
    State planned = start;
    const std::uint64_t steps = static_cast<std::uint64_t>(std::llround(plan.duration() / simulation.h));
    const std::uint64_t look = std::max<std::uint64_t>(1, steps / 200);
    for (std::uint64_t k = 1; k <= steps; ++k) {
        const StepReport step = simulation.step();
        if (!step.ok) {
            report.ok = false;
            report.message = step.message;
            break;
        }
        if (k % look != 0 && k != steps) continue;
        plan.read(model, std::min(simulation.state.time, plan.duration()), planned.q, planned.u);
        bodiesFromJoints(model, planned);
        report.atEnd = report.turnedAtEnd = 0;
        for (int i = 0; i < model.size(); ++i) {
            const BodyState &a = simulation.state.bodies[i], &b = planned.bodies[i];
            report.atEnd = std::max(report.atEnd, (a.position - b.position).norm());
            report.turnedAtEnd =
                std::max(report.turnedAtEnd, logRotation(a.orientation.conjugate() * b.orientation).norm());
        }
        report.largest = std::max(report.largest, report.atEnd);
    }
    simulation.setForceLaw(nullptr).reset();
    return report;
}

std::vector<double> pieceErrors(const MotionProblem& problem, const MotionPlan& plan)
{
    constexpr int fewest = 16, most = 1024;
    constexpr double much = 1e-2, unstable = 1e300;
    const Model& model = *problem.model;
    const int n = model.freedomCount;
    std::vector<double> errors;
    State state = problem.base;
    Forces forces;
    Work work;
    Accelerations accelerations;
    accelerations.resize(model);
    const Method& method = *findMethod("featherstone");
    VecX Q, delta(n);
    for (std::size_t p = 0; p < plan.pieces.size(); ++p) {
        const MotionPiece& piece = plan.pieces[p];
        const VecX base = plan.nodes[p].q;
        VecX way = VecX::Zero(n), speed = plan.nodes[p].u;
        // In the chart of the piece's beginning: rate of δ, and u̇.
        const auto rates = [&](double part, const VecX& d, const VecX& u, VecX& dRate, VecX& uRate) {
            state.time = piece.start + part * piece.length;
            poseSum(model, base, d, state.q);
            state.u = u;
            bodiesFromJoints(model, state);
            sceneForces(model, state, forces);
            const double inside =
                std::clamp(state.time, piece.start, piece.start + piece.length * (1 - 1e-12));
            addPlannedContacts(problem, plan, inside, state, forces, nullptr);
            plan.readForces(model, inside, Q);
            for (int k = 0; k < n; ++k)
                if (problem.isDriven[static_cast<std::size_t>(k)]) forces.joint[k] += Q[k];
            method.accelerate(model, state, forces, work, accelerations);
            uRate = accelerations.joint;
            dRate.resize(n);
            for (const Joint& joint : model.joints)
                jointChartRate(joint, d.data() + joint.u, u.data() + joint.u, dRate.data() + joint.u);
        };
        VecX d[4], a[4];
        const auto run = [&](int steps) {
            const double h = piece.length / steps;
            way.setZero(n);
            speed = plan.nodes[p].u;
            for (int s = 0; s < steps; ++s) {
                const double part = static_cast<double>(s) / steps, middle = part + 0.5 / steps;
                rates(part, way, speed, d[0], a[0]);
                rates(middle, VecX(way + 0.5 * h * d[0]), VecX(speed + 0.5 * h * a[0]), d[1], a[1]);
                rates(middle, VecX(way + 0.5 * h * d[1]), VecX(speed + 0.5 * h * a[1]), d[2], a[2]);
                rates(part + 1. / steps, VecX(way + h * d[2]), VecX(speed + h * a[2]), d[3], a[3]);
                for (int k = 0; k < n; ++k) {
                    way[k] += h / 6 * (d[0][k] + 2 * d[1][k] + 2 * d[2][k] + d[3][k]);
                    speed[k] += h / 6 * (a[0][k] + 2 * a[1][k] + 2 * a[2][k] + a[3][k]);
                }
            }
            poseSum(model, base, way, state.q);
            poseDifference(model, plan.nodes[p + 1].q, state.q, delta);
            double worst = 0;
            for (int k = 0; k < n; ++k)
                for (const double off : {delta[k], (speed[k] - plan.nodes[p + 1].u[k]) * piece.length}) {
                    const double part = std::abs(off) / problem.unitOf(k);
                    if (!(part <= worst)) worst = std::isfinite(part) ? part : unstable;
                }
            return worst;
        };
        // Stiff springs and strong dampers: steps that are too long for them blow up.
        int steps = fewest;
        double worst = run(steps);
        while (worst >= much && steps < most) worst = run(steps *= 4);
        errors.push_back(worst);
    }
    return errors;
}

}  // namespace sinew
