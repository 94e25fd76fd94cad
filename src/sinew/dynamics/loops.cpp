#include "sinew/dynamics/loops.h"

#include <algorithm>
#include <cmath>

#include "sinew/dynamics/work.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr int newtonLimit = 30;
// Of the arms of a joint (of one radian): what may be left open.
constexpr double closed = 1e-8;
// Of what the rows would do without their forces: rounding.
constexpr double refined = 1e-14;

const BodyState* parentOf(const LoopJoint& loop, const State& state)
{
    return loop.joint.parent < 0 ? nullptr : &state.bodies[loop.joint.parent];
}

void setRows(const Model& model, const State& state, LoopWork& work)
{
    work.rows.resize(model.loops.size());
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const LoopJoint& loop = model.loops[l];
        constraintRows(loop.joint, parentOf(loop, state), state.bodies[loop.child], work.rows[l]);
    }
}

int rowCount(const Model& model)
{
    int count = 0;
    for (const LoopJoint& loop : model.loops) count += loop.rows();
    return count;
}

// Jᵀ of a wrench on a body, world axes: what it does along the freedoms of all joints between body and
// root.
void addAlongFreedoms(const State& state, const ArticulatedLinks& links, int body, const Vec6& wrench,
                      View<double, dynamic, 1> result)
{
    const Vec3 force = wrench.head<3>(), torque = wrench.tail<3>();
    for (int i = body; i >= 0; i = links[i].parent) {
        const ArticulatedLink& link = links[i];
        if (link.freedoms == 0) continue;
        const Vec3 arm = state.bodies[body].position - state.bodies[i].position;
        Vec6 along = Vec6::Zero();
        alongFreedoms(links, i, force, torque + arm.cross(force), along.data());
        for (int k = 0; k < link.freedoms; ++k) result[link.u + k] += along[k];
    }
}

// How far a unit of the row's force would move the row if its body stood alone.
double freeMobility(const Body& body, const BodyState& state, const Vec6& row)
{
    if (body.mass == 0) return 0;
    const Vec3 turn = state.orientation.conjugate() * row.tail<3>();
    return row.head<3>().squaredNorm() / body.mass + turn.dot(body.inverseInertia * turn);
}

// J, H⁻¹ Jᵀ and their product at the state, factorised.
void factorLoops(const Model& model, const State& state, LoopWork& work)
{
    work.links.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        placeLink(model, state.q, state.bodies[i], i, isPrescribed(model, state, i), work.links);
        setRigidInertia(model, i, work.links[i]);
    }
    setRows(model, state, work);
    const int rows = rowCount(model), freedoms = model.freedomCount;
    work.J.setZero(freedoms, rows);
    work.Y.setZero(freedoms, rows);
    work.reference.setZero(rows);
    work.vectors.assign(static_cast<std::size_t>(rows), 0);
    work.column.setZero(freedoms);
    work.start.setZero(freedoms);
    factorAndSolveIncrement(model, work.links, work.start, work.column);
    int k = 0;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const LoopJoint& loop = model.loops[l];
        const int ends[2] = {loop.child, loop.joint.parent};
        for (int r = 0; r < work.rows[l].count; ++r, ++k) {
            const bool isTorque = work.rows[l].child.row(r).head<3>().isZero(0);
            work.vectors[k] = 2 * static_cast<int>(l) + isTorque;
            for (int side = 0; side < 2; ++side) {
                if (ends[side] < 0) continue;
                const Vec6 row = (side == 0 ? work.rows[l].child : work.rows[l].parent).row(r).transpose();
                addAlongFreedoms(state, work.links, ends[side], row, work.J.col(k));
                work.reference[k] += freeMobility(model.bodies[ends[side]], state.bodies[ends[side]], row);
            }
            work.start = work.J.col(k);
            work.column.setZero();
            solveIncrement(work.links, work.start, work.column);
            work.Y.col(k) = work.column;
        }
    }
    work.W.noalias() = work.J.transpose() * work.Y;
    work.W = (0.5 * (work.W + work.W.transpose())).eval();
    // Between bodies without mass there is no such bound.
    for (int i = 0; i < rows; ++i)
        if (work.reference[i] == 0) work.reference[i] = std::abs(work.W(i, i));
    work.system.factor(work.W, work.reference, work.vectors);
}

// J times motions of the bodies (linear, angular, world axes), less what it should be.
template <class MotionOf>
void setRight(const Model& model, const LoopWork& work, bool isAcceleration, MotionOf&& motionOf,
              VecX& right)
{
    right.resize(rowCount(model));
    int k = 0;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const LoopJoint& loop = model.loops[l];
        const ConstraintRows& rows = work.rows[l];
        Vec6 value = rows.child * motionOf(loop.child);
        if (loop.joint.parent >= 0) value += rows.parent * motionOf(loop.joint.parent);
        if (isAcceleration) value -= rows.bias;
        right.segment(k, rows.count) = value.head(rows.count);
        k += rows.count;
    }
}

// How far the worst row is open, in parts of its arms, and the sum that Newton's method makes smaller.
struct Opening {
    double largest = 0, sum = 0;
};

Opening openingOf(const Model& model, const LoopWork& work, VecX& violation)
{
    Opening opening;
    violation.resize(rowCount(model));
    int k = 0;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const LoopJoint& loop = model.loops[l];
        const ConstraintRows& rows = work.rows[l];
        const double arm =
            loop.joint.anchorChild.norm() + (loop.joint.parent < 0 ? 0 : loop.joint.anchorParent.norm());
        for (int r = 0; r < rows.count; ++r, ++k) {
            const double c = violation[k] = rows.violation[r];
            const bool turns = rows.child.row(r).head<3>().isZero(0);
            const double size = turns || arm == 0 ? 1 : arm;
            if (!(std::abs(c) / size <= opening.largest)) opening.largest = std::abs(c) / size;
            if (work.reference[k] > 0) opening.sum += c * c / work.reference[k];
        }
    }
    return opening;
}

// Jᵀ λ among the forces.
void addLoopForces(const Model& model, LoopWork& work)
{
    int k = 0;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const LoopJoint& loop = model.loops[l];
        const ConstraintRows& rows = work.rows[l];
        const auto f = work.lambda.segment(k, rows.count);
        work.forces.body[loop.child] += Force::from(rows.child.topRows(rows.count).transpose() * f);
        if (loop.joint.parent >= 0)
            work.forces.body[loop.joint.parent] +=
                Force::from(rows.parent.topRows(rows.count).transpose() * f);
        k += rows.count;
    }
}

void retract(const Model& model, const VecX& base, const VecX& delta, State& state)
{
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        jointRetract(joint, base.data() + joint.q, delta.data() + joint.u, state.q.data() + joint.q);
        bodyFromJoint(model, state, i);
    }
}

}  // namespace

double bytesOfLoops(const Model& model)
{
    const double rows = rowCount(model), freedoms = model.freedomCount;
    return sizeof(double) * rows * (2 * freedoms + 4 * rows);
}

void accelerateWithLoops(TreeAccelerate tree, const Model& model, const State& state, const Forces& forces,
                         Work& work, Accelerations& accelerations)
{
    const Accelerations::Wanted wanted = accelerations.wanted;
    if (wanted == Accelerations::Wanted::joints) accelerations.wanted = Accelerations::Wanted::bodies;
    LoopWork& loops = work.loops;
    factorLoops(model, state, loops);
    loops.forces.body = forces.body;
    loops.forces.joint = forces.joint;
    // The second pass has the loops' forces; what rounding in W leaves of the rows, where they are nearly
    // dependent, a third one takes away.
    double first = 0;
    for (int pass = 0; pass < 3; ++pass) {
        tree(model, state, loops.forces, work, accelerations);
        setRight(
            model, loops, true, [&](int body) { return accelerations.body[body].vector(); }, loops.right);
        double size = 0;
        for (int k = 0; k < loops.right.size(); ++k)
            if (loops.reference[k] > 0) size += loops.right[k] * loops.right[k] / loops.reference[k];
        if (pass == 0) first = size;
        if (pass == 2 || size <= refined * refined * first) break;
        loops.right = -loops.right;
        loops.system.solve(loops.right, loops.lambda);
        addLoopForces(model, loops);
    }
    accelerations.wanted = wanted;
}

bool closeLoops(const Model& model, State& state, LoopWork& work)
{
    VecX before;
    Opening last;
    for (int iteration = 0;; ++iteration) {
        factorLoops(model, state, work);
        const Opening opening = openingOf(model, work, work.right);
        if (!std::isfinite(opening.largest)) return false;
        // To the floor of rounding, where it becomes no smaller.
        if (iteration > 0 && !(opening.sum < 0.25 * last.sum)) {
            if (opening.sum > last.sum) {
                state.q = before;
                bodiesFromJoints(model, state);
                factorLoops(model, state, work);
            }
            if (std::min(opening.largest, last.largest) > closed) return false;
            break;
        }
        if (opening.sum == 0) break;
        if (iteration == newtonLimit) return opening.largest <= closed;
        last = opening;
        before = state.q;
        work.system.solve(work.right, work.lambda);
        work.delta = -(work.Y * work.lambda);
        retract(model, before, work.delta, state);
    }
    setRight(
        model, work, false,
        [&](int body) {
            const BodyState& b = state.bodies[body];
            return (Vec6() << b.velocity, b.angularVelocityWorld()).finished();
        },
        work.right);
    work.system.solve(work.right, work.lambda);
    state.u -= work.Y * work.lambda;
    bodiesFromJoints(model, state);
    return true;
}

}  // namespace sinew
