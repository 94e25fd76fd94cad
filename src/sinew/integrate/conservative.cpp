#include "sinew/integrate/conservative.h"

#include <cmath>

#include "sinew/force/laws/loads.h"
#include "sinew/force/laws/motors.h"
#include "sinew/force/laws/springs.h"
#include "sinew/integrate/halving.h"
#include "sinew/integrate/held_joint.h"
#include "sinew/integrate/mid_rows.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/block_tree.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr int iterationLimit = 30;
constexpr int conservativeHalvingLimit = 12;
constexpr int patience = 6;  // iterations without progress after which rounding must be the reason
// Beyond this turn per step the Cayley map is too curved for Newton to be trusted.
constexpr double largestTurn = 2.5;  // |h ω¯|, where cay turns by 2 atan(|h ω¯|/2)

using Span = BodySpan;

class ConservativeSolve {
public:
    // `begin` is when the step begins; the time of `start` is that of its scripts.
    ConservativeSolve(const Model& model, const Forces& forces, double begin, double h, const State& start,
                      StepWork& work)
        : model_(model),
          forces_(forces),
          begin_(begin),
          h_(h),
          start_(start),
          work_(work),
          tree_(work.maximal.tree),
          spans_(work.conservative.spans),
          lambda_(work.maximal.multipliers)
    {
        const int n = model.size();
        tree_.resize(n);
        spans_.resize(n);
        lambda_.assign(n, Vec6::Zero());
        work_.maximal.loopMultipliers.assign(model.loops.size(), Vec6::Zero());
        for (int i = 0; i < n; ++i) {
            const BodyState& s = start.bodies[i];
            spans_[i].p0 = s.position;
            spans_[i].R0 = s.orientation.toRotationMatrix();
            spans_[i].v = s.velocity;
            spans_[i].w = s.angularVelocity;
        }
    }

    bool run()
    {
        double best = 1e300;
        int idle = 0;  // iterations since the corrections last became smaller
        for (int iteration = 0; iteration < iterationLimit; ++iteration) {
            if (work_.stop()) return false;
            assemble();
            ++work_.statistics.newtonIterations;
            if (!solve()) return false;
            double size = 0, scale = 1;
            for (int i = 0; i < model_.size(); ++i) {
                const auto& x = tree_.links[i].x;
                Span& span = spans_[i];
                span.v += x.head<3>();
                span.w += x.segment<3>(3);
                lambda_[i].head(tree_.links[i].rows) += x.segment(6, tree_.links[i].rows);
                size = std::max(size, x.head<6>().cwiseAbs().maxCoeff());
                scale = std::max({scale, span.v.cwiseAbs().maxCoeff(), span.w.cwiseAbs().maxCoeff()});
                if (!(h_ * span.w.norm() < largestTurn)) return false;
            }
            // To the floor of rounding, where corrections become no smaller: the invariants are only as
            // good as the equations are solved. Stiff springs have a higher floor: their discrete gradient
            // divides rounding by the turn. A shorter step would only raise it.
            if (size < 0.8 * best) {
                best = size;
                idle = 0;
            } else {
                ++idle;
            }
            if (size <= 1e-16 * scale || (idle > 0 && size <= 1e-10 * scale) ||
                (idle >= patience && size <= 1e-8 * scale))
                return true;
        }
        return best < 1e-12;
    }

    void finish(State& state) const
    {
        for (int i = 0; i < model_.size(); ++i) {
            BodyState& b = state.bodies[i];
            const Span& span = spans_[i];
            const Vec3 half = 0.5 * h_ * span.w;
            b.position += h_ * span.v;
            b.orientation = (b.orientation * Quat(1, half.x(), half.y(), half.z())).normalized();
            b.velocity = 2 * span.v - b.velocity;
            b.angularVelocity = 2 * span.w - b.angularVelocity;
        }
    }

private:
    // Residuals with their signs turned (the right-hand side) and the matrix, at the present iterate.
    void assemble()
    {
        for (int i = 0; i < model_.size(); ++i) setBody(i);
        for (const BodyLoad& load : model_.loads) moveLoad(load);
        for (int i = 0; i < model_.size(); ++i) {
            addConstraints(i);
            addJointForces(i);
        }
        work_.maximal.border.lines.clear();
        for (std::size_t l = 0; l < model_.loops.size(); ++l) addLoop(l);
    }

    void setBody(int i)
    {
        const Body& body = model_.bodies[i];
        const BodyState& s = start_.bodies[i];
        Span& span = spans_[i];
        span.update(h_);
        BlockTreeLink& link = tree_.links[i];
        link.parent = model_.joints[i].parent;
        link.rows = heldJoint(model_, start_, i, work_.held.atEnd).rows();
        link.setZero();
        const Vec3 after = span.R1 * (body.inertia * (2 * span.w - s.angularVelocity));
        const Vec3 before = span.R0 * (body.inertia * s.angularVelocity);
        link.body().topLeftCorner<3, 3>() = (2 * body.mass / h_) * Mat3::Identity();
        link.body().bottomRightCorner<3, 3>() = (2 * span.R1 * body.inertia - tilde(after) * span.B) / h_;
        link.x.head<3>() = forces_.body[i].force - (2 * body.mass / h_) * (span.v - s.velocity);
        link.x.segment<3>(3) = forces_.body[i].torque - (after - before) / h_;
    }

    // Forces have a load where it acts at the start. At the mean of both ends its work is exactly the force
    // times the way of its point.
    void moveLoad(const BodyLoad& load)
    {
        if (load.point.isZero(0)) return;
        const Span& span = spans_[load.body];
        const Vec3 force = loadFactor(model_, start_, load) * load.force, arm = span.R1 * load.point;
        BlockTreeLink& link = tree_.links[load.body];
        link.x.segment<3>(3) += (span.mid(load.point) - span.R0 * load.point).cross(force);
        const Mat3 rate = 0.5 * (arm * force.transpose() - arm.dot(force) * Mat3::Identity());
        link.body().bottomRightCorner<3, 3>() -= rate * span.B;
    }

    // The parent's span; the world neither moves nor turns.
    const Span& parentSpan(int parent) const
    {
        static const Span world{};
        return parent < 0 ? world : spans_[parent];
    }

    void addConstraints(int i)
    {
        const Joint& joint = heldJoint(model_, start_, i, work_.held.atEnd);
        const Joint& before = heldJoint(model_, start_, i, work_.held.atStart);
        BlockTreeLink& link = tree_.links[i];
        BlockTreeLink* up = joint.parent < 0 ? nullptr : &tree_.links[joint.parent];
        const MidRows rows(joint, before, spans_[i], parentSpan(joint.parent), h_);
        for (int k = 0; k < rows.count(); ++k) {
            const MidRow row = rows.row(k);
            const double lambda = lambda_[i][k];
            link.x.head<6>() += lambda * row.onC;
            link.body() -= lambda * row.CC;
            link.bodyJoint().col(k) = -row.onC;
            link.jointBody().row(k) = row.endC;
            link.x[6 + k] = -row.violation / h_;
            if (!up) continue;
            up->x.head<6>() += lambda * row.onP;
            up->body() -= lambda * row.PP;
            link.bodyParent() -= lambda * row.CP;
            link.parentBody() -= lambda * row.PC;
            link.parentJoint().col(k) = -row.onP;
            link.jointParent().row(k) = row.endP;
        }
    }

    // The same rows beside the tree, and what their forces change between the two bodies.
    void addLoop(std::size_t l)
    {
        const LoopJoint& loop = model_.loops[l];
        const int child = loop.child, parent = loop.joint.parent;
        const MidRows rows(loop.joint, loop.joint, spans_[child], parentSpan(parent), h_);
        Mat6 CP = Mat6::Zero(), PC = Mat6::Zero();
        for (int k = 0; k < rows.count(); ++k) {
            const MidRow row = rows.row(k);
            const double lambda = work_.maximal.loopMultipliers[l][k];
            BorderedTree::Line line;
            const Vec6 *on[2] = {&row.onC, &row.onP}, *end[2] = {&row.endC, &row.endP};
            for (int s = 0; s < 2; ++s) {
                const int body = s == 0 ? child : parent;
                if (body < 0) continue;
                line.body[s] = body;
                line.column[s] = -*on[s];
                line.row[s] = *end[s];
                line.reference += mobility(body, *on[s], *end[s]);
                tree_.links[body].x.head<6>() += lambda * *on[s];
                tree_.links[body].body() -= lambda * (s == 0 ? row.CC : row.PP);
            }
            line.value = -row.violation / h_;
            work_.maximal.border.lines.push_back(line);
            CP -= lambda * row.CP;
            PC -= lambda * row.PC;
        }
        if (parent < 0) return;
        work_.maximal.border.addBlock(child, parent, CP);
        work_.maximal.border.addBlock(parent, child, PC);
    }

    // How far a unit of a row's force would move the row if its body stood alone.
    double mobility(int i, const Vec6& on, const Vec6& end) const
    {
        const Body& body = model_.bodies[i];
        const Vec3 turned = body.inverseInertia * (spans_[i].R1.transpose() * on.tail<3>());
        return 0.5 * h_ *
               (on.head<3>().norm() * end.head<3>().norm() / body.mass +
                turned.norm() * end.tail<3>().norm());
    }

    bool solve()
    {
        if (!tree_.factor()) return false;
        if (model_.loops.empty()) {
            tree_.solve();
            return true;
        }
        BorderedTree& border = work_.maximal.border;
        border.solve(tree_);
        std::size_t at = 0;
        for (std::size_t l = 0; l < model_.loops.size(); ++l)
            for (int k = 0; k < model_.loops[l].rows(); ++k) {
                while (border.lines[at].corner != 0) ++at;
                work_.maximal.loopMultipliers[l][k] += border.answer()[static_cast<int>(at++)];
            }
        return true;
    }

    // Springs, dampers, friction and motors. Their torque acts on the child, its opposite on the parent.
    void addJointForces(int i)
    {
        const Joint& joint = model_.joints[i];
        if (!joint.isArticulated()) return;
        if (isPrescribed(model_, start_, i)) return;  // moves nothing
        const double d = joint.damping;
        if (!joint.hasSpring() && d == 0 && !joint.hasMotor) return;
        if (joint.keepsOrientation())
            addSlideForce(i, d);
        else
            addTorque(i, d);
    }

    void addTorque(int i, double d)
    {
        const Joint& joint = model_.joints[i];
        const Span &C = spans_[i], &P = parentSpan(joint.parent);
        BodyState parent, child;
        double q1[4] = {}, u[3];
        for (int k = 0; k < joint.coordinates(); ++k) q1[k] = start_.q[joint.q + k];
        parent.orientation = Quat(P.R1);
        child.orientation = Quat(C.R1);
        jointCoordinatesOf(joint, &parent, child, q1, u);
        const double* q0 = start_.q.data() + joint.q;
        const bool active = isActive(i);

        Vec3 Q0 = Vec3::Zero(), Q1 = Vec3::Zero();  // the springs' at both ends
        jointSpringForce(joint, q0, active, Q0.data());
        jointSpringForce(joint, q1, active, Q1.data());
        const auto inWorld = [&](const double* q, const Vec3& Q, const Mat3& R) -> Vec3 {
            return R * jointForce(joint, q, Q.data(), jointTransform(joint, q)).torque;
        };
        Vec3 torque = 0.5 * (inWorld(q0, Q0, C.R0) + inWorld(q1, Q1, C.R1));
        const Vec3 turn = h_ * (C.spin() - P.spin());
        const double square = turn.squaredNorm();
        // The correction is of third order in the turn: below this it is less than rounding, and its own
        // rounding would keep Newton from the end.
        constexpr double smallestTurn = 1e-6;
        if (square > smallestTurn * smallestTurn) {
            const double work = jointElasticWork(joint, q0, q1, active);
            torque += (work - torque.dot(turn)) / square * turn;
        }
        // Dampers along what the joint lets turn; a ball joint lets everything.
        const Mat3 free = freeDirections(joint, q1, C);
        torque -= d / h_ * (free * turn);
        Vec3 motor = Vec3::Zero();
        if (active) motorForce(model_, start_, i, motorTorque(model_, start_, i).data(), motor.data());
        torque += inWorld(q0, motor, C.R0);

        JointTangent tangent;
        addSpringTangent(joint, q1, active, tangent);
        const Mat3 symmetric = 0.5 * (tangent.stiffness + tangent.stiffness.transpose());
        Mat3 K = C.R1 * symmetric * C.R1.transpose();
        if (!joint.isBall()) K = tangent.stiffness.diagonal().maxCoeff() * free;
        const Mat3 byC = -0.5 * K * C.B - d * free * C.R0, byP = 0.5 * K * P.B + d * free * P.R0;
        BlockTreeLink& link = tree_.links[i];
        link.x.segment<3>(3) += torque;
        link.body().bottomRightCorner<3, 3>() -= byC;
        if (joint.parent < 0) return;
        BlockTreeLink& up = tree_.links[joint.parent];
        up.x.segment<3>(3) -= torque;
        up.body().bottomRightCorner<3, 3>() += byP;
        link.bodyParent().bottomRightCorner<3, 3>() -= byP;
        link.parentBody().bottomRightCorner<3, 3>() += byC;
    }

    // A switch acts from the step that starts at or after it.
    bool isActive(int i) const { return model_.isActive(i, begin_); }

    // The projection on the joint's turning freedoms, world axes.
    static Mat3 freeDirections(const Joint& joint, const double* q, const Span& C)
    {
        if (joint.isBall()) return Mat3::Identity();
        Subspace S;
        jointSubspace(joint, q, jointTransform(joint, q), S);
        Mat3 sum = Mat3::Zero();
        for (int k = 0; k < S.cols(); ++k) {
            const Vec3 axis = C.R1 * S.col(k).tail<3>();
            sum += axis * axis.transpose();
        }
        return sum;
    }

    // σ = e · (x_c − x_p) along the axis is bilinear, so a force τ along its mid gradient works τ (σ' − σ).
    void addSlideForce(int i, double d)
    {
        const Joint& joint = model_.joints[i];
        const Span &C = spans_[i], &P = parentSpan(joint.parent);
        const Vec3 axis = joint.R_PC_rest * joint.axis;
        const Vec3 e = P.mid(axis), rC = C.mid(joint.anchorChild), rP = P.mid(joint.anchorParent);
        const Vec3 x1 = C.p1 + C.R1 * joint.anchorChild - P.p1 - P.R1 * joint.anchorParent;
        const Vec3 x0 = C.p0 + C.R0 * joint.anchorChild - P.p0 - P.R0 * joint.anchorParent;
        const double s0 = (P.R0 * axis).dot(x0), s1 = (P.R1 * axis).dot(x1);
        // The discrete gradient of the springs: exactly −ΔV/Δσ, and their force where σ stands still.
        JointTangent tangent;
        const bool active = isActive(i);
        addSpringTangent(joint, &s1, active, tangent);
        double spring = 0;
        if (std::abs(s1 - s0) > 1e-9)
            spring = jointElasticWork(joint, &s0, &s1, active) / (s1 - s0);
        else
            jointSpringForce(joint, &s1, active, &spring);
        const double tau = spring - d * (s1 - s0) / h_ + (active ? motorTorque(model_, start_, i)[0] : 0);
        Vec6 onC, onP;
        onC << e, rC.cross(e);
        onP << -e, -rP.cross(e) + e.cross(0.5 * (x0 + x1));
        const double slope = 0.5 * h_ * tangent.stiffness(0, 0) + d;  // −∂τ per unit of mid speed
        BlockTreeLink& link = tree_.links[i];
        link.x.head<6>() += tau * onC;
        Vec6 rateC = onC, rateP = onP;  // ∂(σ'/h) by (v¯, ω¯), close to it
        rateC.tail<3>() = C.R0.transpose() * onC.tail<3>();
        rateP.tail<3>() = P.R0.transpose() * onP.tail<3>();
        link.body() += slope * onC * rateC.transpose();
        if (joint.parent < 0) return;
        BlockTreeLink& up = tree_.links[joint.parent];
        up.x.head<6>() += tau * onP;
        up.body() += slope * onP * rateP.transpose();
        link.bodyParent() += slope * onC * rateP.transpose();
        link.parentBody() += slope * onP * rateC.transpose();
    }

    const Model& model_;
    const Forces& forces_;
    double begin_, h_;
    const State& start_;
    StepWork& work_;
    BlockTree& tree_;
    LargeVector<Span>& spans_;
    LargeVector<Vec6>& lambda_;
};

}  // namespace

void BodySpan::update(double h)
{
    const Vec3 a = h * w;
    const double s = 1 / (1 + 0.25 * a.squaredNorm());
    const Mat3 A = tilde(a);
    p1 = p0 + h * v;
    R1 = R0 * (Mat3::Identity() + s * (A + 0.5 * A * A));
    B = (h * s) * R0 * (Mat3::Identity() + 0.5 * A);
}

void conservativeStep(const Model& model, const Method&, ForceFunction forces, double step, State& state,
                      StepWork& work)
{
    state.previous.clear();
    const auto attempt = [&](double h, bool) {
        const double begin = state.time;
        holdPrescribed(model, state, h, work.held);
        // What scripts say in the middle of the step is their mean over it, to second order.
        state.time = begin + 0.5 * h;
        forces(model, state, work.forces);
        ConservativeSolve solve(model, work.forces, begin, h, state, work);
        const bool isFound = solve.run();
        state.time = isFound ? begin + h : begin;
        if (!isFound) return false;
        solve.finish(state);
        jointsFromBodies(model, state, h);
        return true;
    };
    if (!takeInHalves(step, conservativeHalvingLimit, work, attempt)) work.statistics.failed = true;
}

}  // namespace sinew
