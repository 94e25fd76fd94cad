#include "sinew/integrate/pair_force.h"

namespace sinew {
namespace {

void slideForce(const Joint& joint, const Place& C, const Place& P, const Vec6& vC, const Vec6& vP,
                double Q, double turning, const JointTangent& tangent, PairForce& force)
{
    const Row row = slideCoordinate(joint);
    const PairGradient g = rowGradient(row, joint, C, P);
    const Vec6* side[2] = {&g.child, &g.parent};
    force.child = Q * g.child;
    force.parent = Q * g.parent;
    PairMatrix curvature;
    curvature.setZero();
    addRowCurvature(row, joint, C, P, 1, curvature);
    const double k = tangent.stiffness(0, 0), d = tangent.damping(0, 0);
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) {
            // The speed g · v changes with the place too.
            const Vec6 speedTurns =
                curvature.block[0][c].transpose() * vC + curvature.block[1][c].transpose() * vP;
            force.stiffness.block[r][c] =
                *side[r] * (k * *side[c] + d * speedTurns).transpose() - turning * curvature.block[r][c];
            force.damping.block[r][c] = d * *side[r] * side[c]->transpose();
        }
}

}  // namespace

bool jointPairForce(const Model& model, const State& state, int link, const Forces& forces,
                    double armatureDamping, PairForce& force)
{
    const Joint& joint = model.joints[link];
    if (!joint.isArticulated()) return false;
    const double* Q = forces.joint.data() + joint.u;
    const auto given = view(Q, joint.freedoms());
    const bool changes =
        armatureDamping > 0 || !forces.outside.joints.empty() || hasJointTangent(model, link);
    if (!changes && given.isZero(0)) return false;
    JointTangent tangent;
    jointForceTangent(model, state, link, tangent);
    forces.outside.addTo(link, tangent);
    tangent.damping.diagonal().array() += armatureDamping;
    return jointPairForce(model, state, link, Q, Q, tangent, force);
}

bool jointPairForce(const Model& model, const State& state, int link, const double* Q,
                    const double* turning, const JointTangent& tangent, PairForce& force)
{
    const Joint& joint = model.joints[link];
    if (!joint.isArticulated()) return false;
    const auto given = view(Q, joint.freedoms()), turns = view(turning, joint.freedoms());
    const double* q = state.q.data() + joint.q;
    const BodyState world;
    const BodyState& child = state.bodies[link];
    const BodyState& parent = joint.parent < 0 ? world : state.bodies[joint.parent];
    const Place C = placeOf(child), P = placeOf(parent);
    if (joint.keepsOrientation()) {
        Vec6 vC, vP;
        vC << child.velocity, child.angularVelocity;
        vP << parent.velocity, parent.angularVelocity;
        slideForce(joint, C, P, vC, vP, Q[0], turning[0], tangent, force);
        return true;
    }

    const int k = joint.freedoms();
    const Mat3 X = C.R.transpose() * P.R;
    const Vec3 inherited = X * parent.angularVelocity;
    Subspace S;
    jointSubspace(joint, q, jointTransform(joint, q), S);
    const Matrix<3, dynamic, 3, 3> turn = S.bottomRows<3>();
    const Vec3 torque = turn * given, turningTorque = turn * turns;
    const Mat3 D = turn * tangent.damping.topLeftCorner(k, k) * turn.transpose();
    Mat3 E = turn * tangent.stiffness.topLeftCorner(k, k) * turn.transpose() - D * tilde(inherited);
    if (joint.turns() == 2) {
        // The first axis turns about the second: a' = exp(−q₁ b) a, in the torque and in the speed.
        const Vec3 a = turn.col(0), b = turn.col(1), axisTurns = b.cross(a);
        const double speed = axisTurns.dot(child.angularVelocity - inherited);
        E += (turning[0] * axisTurns - tangent.damping(0, 0) * speed * a) * b.transpose();
    }
    force.child << 0, 0, 0, torque;
    force.parent << 0, 0, 0, -(X.transpose() * torque);
    force.stiffness.setZero();
    force.damping.setZero();
    const auto set = [&X](PairMatrix& matrix, const Mat3& onChild, const Mat3& onParent) {
        matrix.block[0][0].bottomRightCorner<3, 3>() = onChild;
        matrix.block[0][1].bottomRightCorner<3, 3>() = -onChild * X;
        matrix.block[1][0].bottomRightCorner<3, 3>() = -X.transpose() * onParent;
        matrix.block[1][1].bottomRightCorner<3, 3>() = X.transpose() * onParent * X;
    };
    set(force.stiffness, E, E + tilde(turningTorque));
    set(force.damping, D, D);
    return true;
}

}  // namespace sinew
