// The dense oracle: Newton-Euler of every body and all joint constraints in one symmetric system.
//
// Source: the Lagrange-multiplier form of Newton-Euler, as in Baraff 1996 (2) before any elimination.
//     [M  Jᵀ] [a]   [f]        M = diag(m 1, R I Rᵀ) per body
//     [J  0 ] [λ] = [g]        f = (F, T − W × I_w W), world axes, at the centre of mass
// λ is the force against the joint: what the joint does to the child is −J_childᵀ λ.
//
// Joints that close loops are rows like the others. They may repeat what others say: then the matrix is
// singular, and of all λ that do the same the smallest come out.
//
// Joints: all. Cost O(n³), memory O(n²): for checking, not for work. In body coordinates joints drift
// with the integrator's error.
#include <cmath>

#include "sinew/dynamics/solvers.h"
#include "sinew/math/deficient.h"
#include "sinew/math/dense_solve.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// A rotor in the joint adds the torque −A u̇ to the joint's own, with u̇ = G a + γ a function of both bodies'
// accelerations, found by asking for it once per component.
void addArmature(const Model& model, const State& state, int i, MatX& A, VecX& b,
                 Accelerations& accelerations)
{
    const Joint& joint = model.joints[i];
    const int k = joint.freedoms(), bodies[2] = {i, joint.parent};
    const int sides = joint.parent < 0 ? 1 : 2;
    const auto rate = [&] {
        jointAccelerationFromBodies(model, state, i, accelerations);
        return VecX(accelerations.joint.segment(joint.u, k));
    };
    for (int s = 0; s < sides; ++s) accelerations.body[bodies[s]] = {};
    const VecX gamma = rate();
    // The wrench of each unit of joint force on both bodies.
    MatX W(12, k);
    for (int c = 0; c < k; ++c) {
        const VecX unit = VecX::Unit(k, c);
        const Force onChild = jointForceOnChild(model, state, i, unit.data());
        W.col(c).head<6>() = onChild.vector();
        if (sides == 2) W.col(c).tail<6>() = -atParentCenter(model, state, i, onChild).vector();
    }
    for (int s = 0; s < sides; ++s) {
        b.segment<6>(6 * bodies[s]) -= joint.armature * W.middleRows<6>(6 * s) * gamma;
        for (int c = 0; c < 6; ++c) {
            accelerations.body[bodies[s]] = Motion::from(Vec6::Unit(c));
            const VecX g = rate() - gamma;
            accelerations.body[bodies[s]] = {};
            for (int r = 0; r < sides; ++r)
                A.block<6, 1>(6 * bodies[r], 6 * bodies[s] + c) +=
                    joint.armature * W.middleRows<6>(6 * r) * g;
        }
    }
}

// A singular A: rows and columns scaled to a largest entry of one, so that units do not count, then a
// complete orthogonal decomposition.
VecX solveSingular(const MatX& A, const VecX& b)
{
    constexpr double dependent = 1e-12;
    VecX scale = VecX::Ones(A.rows());
    for (int sweep = 0; sweep < 10; ++sweep) {
        const MatX scaled = scale.asDiagonal() * A * scale.asDiagonal();
        for (int i = 0; i < A.rows(); ++i) {
            const double largest = scaled.row(i).cwiseAbs().maxCoeff();
            if (largest > 0) scale[i] /= std::sqrt(largest);
        }
    }
    const MatX scaled = scale.asDiagonal() * A * scale.asDiagonal();
    return scale.asDiagonal() * leastSolution(scaled, scale.asDiagonal() * b, dependent);
}

}  // namespace

double bytesOfKkt(const Model& model)
{
    double size = 6. * model.size();
    for (const Joint& joint : model.joints) size += joint.rows();
    for (const LoopJoint& loop : model.loops) size += loop.rows();
    // The matrix and its factors; of a singular one also scaled copies.
    return sizeof(double) * size * size * (model.loops.empty() ? 2 : 5);
}

void accelerateKkt(const Model& model, const State& state, const Forces& forces, Work& work,
                   Accelerations& accelerations)
{
    const int n = model.size();
    work.firstRow.resize(n);
    int size = 6 * n;
    for (int i = 0; i < n; ++i) {
        work.firstRow[i] = size;
        size += model.joints[i].rows();
    }
    const int firstOfLoops = size;
    for (const LoopJoint& loop : model.loops) size += loop.rows();
    MatX& A = work.matrix;
    VecX& b = work.rightHandSide;
    A.setZero(size, size);
    b.setZero(size);

    // Bodies.
    for (int i = 0; i < n; ++i) {
        const Body& body = model.bodies[i];
        const BodyState& s = state.bodies[i];
        const Mat3 R = s.orientation.toRotationMatrix();
        A.block<3, 3>(6 * i, 6 * i) = body.mass * Mat3::Identity();
        A.block<3, 3>(6 * i + 3, 6 * i + 3) = R * body.inertia * R.transpose();
        b.segment<3>(6 * i) = forces.body[i].force;
        b.segment<3>(6 * i + 3) =
            forces.body[i].torque - R * s.angularVelocity.cross(body.inertia * s.angularVelocity);
    }
    // Joints: their own torques on both bodies, and their rows.
    ConstraintRows rows;
    const auto addRows = [&](int r, int child, int parent) {
        A.block(r, 6 * child, rows.count, 6) = rows.child.topRows(rows.count);
        A.block(6 * child, r, 6, rows.count) = rows.child.topRows(rows.count).transpose();
        if (parent >= 0) {
            A.block(r, 6 * parent, rows.count, 6) = rows.parent.topRows(rows.count);
            A.block(6 * parent, r, 6, rows.count) = rows.parent.topRows(rows.count).transpose();
        }
        b.segment(r, rows.count) = rows.bias.head(rows.count);
    };
    for (int i = 0; i < n; ++i) {
        const Joint& joint = model.joints[i];
        const Force own = jointForceOnChild(model, state, i, forces.joint.data() + joint.u);
        accelerations.load[i] = own;
        b.segment<6>(6 * i) += own.vector();
        if (joint.parent >= 0)
            b.segment<6>(6 * joint.parent) -= atParentCenter(model, state, i, own).vector();

        if (joint.armature > 0) addArmature(model, state, i, A, b, accelerations);
        constraintRows(joint, parentState(model, state, i), state.bodies[i], rows);
        addRows(work.firstRow[i], i, joint.parent);
    }
    int next = firstOfLoops;
    for (const LoopJoint& loop : model.loops) {
        const int parent = loop.joint.parent;
        constraintRows(loop.joint, parent < 0 ? nullptr : &state.bodies[parent], state.bodies[loop.child],
                       rows);
        addRows(next, loop.child, parent);
        next += rows.count;
    }

    const VecX x = model.loops.empty() ? solveDense(A, b) : solveSingular(A, b);

    for (int i = 0; i < n; ++i) accelerations.body[i] = Motion::from(x.segment<6>(6 * i));
    jointAccelerationsFromBodies(model, state, accelerations);
    for (int i = 0; i < n; ++i) {
        const Joint& joint = model.joints[i];
        const int r = work.firstRow[i], count = joint.rows();
        accelerations.load[i] -= Force::from(A.block(6 * i, r, 6, count) * x.segment(r, count));
        if (joint.armature > 0) {
            const VecX rotor = -joint.armature * accelerations.joint.segment(joint.u, joint.freedoms());
            accelerations.load[i] += jointForceOnChild(model, state, i, rotor.data());
        }
        accelerations.load[i] = loadOnFirst(model, state, i, accelerations.load[i]);
    }
}

}  // namespace sinew
