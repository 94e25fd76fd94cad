// Hakenberg, "Animation of Skeletons with Hinges and Spherical Joints": the forces c_j and torques d_j
// of all joints from one (6n, 6n) system, equations (4)–(6).
//
// Errata used: the second row of the right-hand side before (5) prints L for Z; (5) itself is right.
// Added: external forces (F_i/m_i in the first rows of b, T_i wherever Σ σ e stands), and the world as
// a body of infinite mass, which only drops its terms. Changed: the paper takes R₁z₁ = R₂z₂ for granted;
// once they drift apart its matrix gains a nearly singular sixth direction per hinge and the run blows up.
// Both bodies use the mean of the two axes here, which keeps the rank and the angular momentum exact.
//
//     paper      code             frame
//     E(j, s)    JointEnds::body  the description's first and second body, −1 is the world
//     l_{j,i}    l                body i, from its centre of mass
//     z_{j,i}    z                body i; zero for a spherical joint
//     L, Z       tilde(l), tilde(z)
//     e_j        e                world, on the first body
//     c_j, d_j   solution         world, on the first body
//
// Joints: hinge, spherical; free joints are no joints here. The matrix is symmetric with rank
// 5 n_h + 3 n_s: the component of d along a hinge axis, and all of d for a ball joint, do nothing. A
// rank-revealing factorisation finds that: for few joints a dense complete orthogonal decomposition, for
// many a sparse Cholesky of what the eigenvectors of the diagonal blocks leave. Each joint's rows are
// scaled first, so that fingers and torsos compare. Cost O(n³) dense, near O(n) for the sparse factor of a
// tree. Kept by the paper's step to rounding: linear momentum. Angular momentum, energy and the joints
// drift with the step: the theorem is about continuous time.
#include <Eigen/SparseCholesky>
#include <cmath>

#include "sinew/dynamics/solvers.h"
#include "sinew/math/deficient.h"
#include "sinew/math/eigen.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double rankThreshold = 1e-10;  // relative, after scaling
constexpr int denseLimit = 24;           // joints; measured: the sparse path wins from here on

struct JointEnds {
    int link = 0;
    int body[2] = {-1, -1};  // j1, j2
    Vec3 l[2], z[2];
    Vec3 e;
    double scaleC = 1, scaleD = 1;

    static double sigma(int side) { return side == 0 ? 1 : -1; }
};

// A joint seen from one of its bodies.
struct Attachment {
    int joint, side;
};

struct System {
    const Model& model;
    const State& state;
    std::vector<JointEnds> joints;
    std::vector<std::vector<Attachment>> at;  // per body
    std::vector<Mat3> R;                      // per body
    LargeVector<Force> external;              // per body: the scene's, without the joints' e

    System(const Model& m, const State& s, const Forces& forces)
        : model(m), state(s), at(m.bodies.size()), external(forces.body)
    {
        for (const BodyState& body : state.bodies) R.push_back(body.orientation.toRotationMatrix());
        for (int i = 0; i < model.size(); ++i) addJoint(i, forces);
    }

    void addJoint(int link, const Forces& forces)
    {
        const Joint& joint = model.joints[link];
        const Force own = jointForceOnChild(model, state, link, forces.joint.data() + joint.u);
        if (joint.isFree()) {  // no constraint: its forces are external ones
            external[link] += own;
            if (joint.parent >= 0) external[joint.parent] -= atParentCenter(model, state, link, own);
            return;
        }
        JointEnds ends;
        ends.link = link;
        const int child = joint.childIsFirst ? 0 : 1, parent = 1 - child;
        const bool hinge = joint.info().isHinge();
        ends.body[child] = link;
        ends.body[parent] = joint.parent;
        ends.l[child] = joint.anchorChild;
        ends.l[parent] = joint.anchorParent;
        if (hinge) {
            const Mat3 R_P = joint.parent < 0 ? Mat3(Mat3::Identity()) : R[joint.parent];
            const Vec3 axis = (R[link] * joint.axis + R_P * (joint.R_PC_rest * joint.axis)).normalized();
            ends.z[child] = R[link].transpose() * axis;
            ends.z[parent] = R_P.transpose() * axis;
        } else {
            ends.z[child].setZero();
            ends.z[parent].setZero();
        }
        ends.e = joint.childIsFirst ? own.torque : Vec3(-own.torque);
        const int j = static_cast<int>(joints.size());
        for (int side = 0; side < 2; ++side)
            if (ends.body[side] >= 0) at[ends.body[side]].push_back({j, side});
        joints.push_back(ends);
    }

    // The hinge axis in the world; zero for a ball joint.
    Vec3 axis(const JointEnds& joint) const
    {
        const int child = joint.body[0] == joint.link ? 0 : 1;
        return R[joint.link] * joint.z[child];
    }

    // One term of A_{j,k,1} − A_{j,k,2}, Hak (5): the part that goes through body i.
    Mat6 block(int i, Attachment j, Attachment k) const
    {
        const JointEnds &J = joints[j.joint], &K = joints[k.joint];
        const Mat3 Iw = R[i] * model.bodies[i].inverseInertia * R[i].transpose();
        const Mat3 Lj = tilde(R[i] * J.l[j.side]), Zj = tilde(R[i] * J.z[j.side]);
        const Mat3 Lk = tilde(R[i] * K.l[k.side]), Zk = tilde(R[i] * K.z[k.side]);
        Mat6 A;
        A << Lj * Iw * Lk - Mat3::Identity() / model.bodies[i].mass, Lj * Iw * Zk,  //
            Zj * Iw * Lk, Zj * Iw * Zk;
        return JointEnds::sigma(j.side) * JointEnds::sigma(k.side) * A;
    }

    // b_{j,1} − b_{j,2}, Hak (5): the part of body i. Everything turned into world axes.
    Vec6 right(int i, Attachment j) const
    {
        const JointEnds& J = joints[j.joint];
        const Body& body = model.bodies[i];
        const Vec3& w = state.bodies[i].angularVelocity;
        const Vec3 W = R[i] * w, l = R[i] * J.l[j.side], z = R[i] * J.z[j.side];
        Vec3 torque = external[i].torque - R[i] * w.cross(body.inertia * w);
        for (const Attachment& k : at[i]) torque += JointEnds::sigma(k.side) * joints[k.joint].e;
        const Vec3 spin = R[i] * (body.inverseInertia * (R[i].transpose() * torque));
        Vec6 b;
        b << W.cross(W.cross(l)) - l.cross(spin) + external[i].force / body.mass,
            W.cross(W.cross(z)) - z.cross(spin);
        return JointEnds::sigma(j.side) * b;
    }

    // So that the largest diagonal entries of every joint's c and d rows are near one.
    void findScales()
    {
        for (JointEnds& joint : joints) {
            double c = 0, d = 0;
            for (int side = 0; side < 2; ++side) {
                const int i = joint.body[side];
                if (i < 0) continue;
                const Mat6 A = block(i, {static_cast<int>(&joint - joints.data()), side},
                                     {static_cast<int>(&joint - joints.data()), side});
                c += A.topLeftCorner<3, 3>().norm();
                d += A.bottomRightCorner<3, 3>().norm();
            }
            joint.scaleC = 1 / std::sqrt(c);
            joint.scaleD = d > 0 ? 1 / std::sqrt(d) : 1;
        }
    }
    double scale(int row) const
    {
        const JointEnds& joint = joints[row / 6];
        return row % 6 < 3 ? joint.scaleC : joint.scaleD;
    }

    // Visits every block of (6), scaled.
    template <class Visitor>
    void forEachBlock(Visitor visit) const
    {
        for (int i = 0; i < model.size(); ++i)
            for (const Attachment& j : at[i])
                for (const Attachment& k : at[i]) {
                    Mat6 A = block(i, j, k);
                    for (int r = 0; r < 6; ++r)
                        for (int c = 0; c < 6; ++c)
                            A(r, c) *= scale(6 * j.joint + r) * scale(6 * k.joint + c);
                    visit(j.joint, k.joint, A);
                }
    }
};

VecX solveDense(const System& system, const VecX& b, Work& work)
{
    work.matrix.setZero(b.size(), b.size());
    system.forEachBlock([&](int j, int k, const Mat6& A) { work.matrix.block<6, 6>(6 * j, 6 * k) += A; });
    return leastSolution(work.matrix, b, rankThreshold, &work.rank);
}

// What does nothing does so within one joint: a vector that A ignores is a d along its own hinge axis, or
// any d of a ball joint. So the rank is revealed joint by joint, from the eigenvectors of the diagonal
// blocks, and what is left is definite and as sparse as the tree.
VecX solveSparse(const System& system, const VecX& b, Work& work)
{
    const int n = static_cast<int>(system.joints.size());
    std::vector<Mat6> diagonal(n, Mat6::Zero());
    system.forEachBlock([&](int j, int k, const Mat6& A) {
        if (j == k) diagonal[j] -= A;
    });
    std::vector<Subspace> basis(n);  // orthonormal, of what does something
    std::vector<int> start(n);
    work.rank = 0;
    for (int j = 0; j < n; ++j) {
        const SymmetricEigen6 of(diagonal[j]);
        int idle = 0;  // eigenvalues come in rising order
        while (idle < 5 && of.eigenvalues()[idle] < rankThreshold * of.eigenvalues()[5]) ++idle;
        basis[j] = of.eigenvectors().rightCols(6 - idle);
        start[j] = work.rank;
        work.rank += 6 - idle;
    }
    std::vector<Eigen::Triplet<double>> entries;
    system.forEachBlock([&](int j, int k, const Mat6& A) {
        if (j < k) return;  // the lower triangle
        const MatX reduced = -(basis[j].transpose() * A * basis[k]);
        for (int r = 0; r < reduced.rows(); ++r)
            for (int c = 0; c < reduced.cols(); ++c)
                entries.emplace_back(start[j] + r, start[k] + c, reduced(r, c));
    });
    Eigen::SparseMatrix<double> matrix(work.rank, work.rank);
    matrix.setFromTriplets(entries.begin(), entries.end());
    VecX right(work.rank);
    for (int j = 0; j < n; ++j)
        right.segment(start[j], basis[j].cols()) = -(basis[j].transpose() * b.segment<6>(6 * j));
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(matrix);
    const VecX y = fromEigen(factor.solve(eigen(right)));
    VecX x(b.size());
    for (int j = 0; j < n; ++j) x.segment<6>(6 * j) = basis[j] * y.segment(start[j], basis[j].cols());
    return x;
}

}  // namespace

// All joints of a body depend on each other: on a hub they make a dense block.
double bytesOfHakenberg(const Model& model)
{
    constexpr double perEntry = 60;  // as triplet, in the matrix and its transpose, in the factor
    std::vector<double> joints(model.bodies.size(), 1);
    for (const Joint& joint : model.joints)
        if (joint.parent >= 0 && !joint.isFree()) ++joints[joint.parent];
    double entries = 0;
    for (const double count : joints) entries += 0.5 * 36 * count * count;
    return perEntry * entries;
}

void accelerateHakenberg(const Model& model, const State& state, const Forces& forces, Work& work,
                         Accelerations& accelerations)
{
    System system(model, state, forces);
    system.findScales();
    const int n = static_cast<int>(system.joints.size());

    // Hak (6).
    VecX& b = work.rightHandSide;
    b.setZero(6 * n);
    for (int i = 0; i < model.size(); ++i)
        for (const Attachment& j : system.at[i]) b.segment<6>(6 * j.joint) += system.right(i, j);
    for (int r = 0; r < b.size(); ++r) b[r] *= system.scale(r);
    work.rank = 0;
    VecX& x = work.solution;
    x.resize(0);
    if (n > 0) x = n <= denseLimit ? solveDense(system, b, work) : solveSparse(system, b, work);
    for (int r = 0; r < x.size(); ++r) x[r] *= system.scale(r);

    // Hak (4), and d_t ω from the generic equations of motion.
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        const Mat3& R = system.R[i];
        const Vec3& w = state.bodies[i].angularVelocity;
        Vec3 force = system.external[i].force;
        Vec3 torque = system.external[i].torque - R * w.cross(body.inertia * w);
        for (const Attachment& j : system.at[i]) {
            const JointEnds& joint = system.joints[j.joint];
            const double sigma = JointEnds::sigma(j.side);
            const Vec3 c = x.segment<3>(6 * j.joint), d = x.segment<3>(6 * j.joint + 3);
            const Vec3 l = R * joint.l[j.side], z = R * joint.z[j.side];
            force += sigma * c;
            torque += sigma * (l.cross(c) + z.cross(d) + joint.e);
        }
        accelerations.body[i] = {force / body.mass, R * (body.inverseInertia * (R.transpose() * torque))};
        if (model.joints[i].isFree())
            accelerations.load[i] =
                loadOnFirst(model, state, i,
                            jointForceOnChild(model, state, i, forces.joint.data() + model.joints[i].u));
    }
    // Our convention for loads is the paper's: on the first body, at the joint.
    for (int j = 0; j < n; ++j) {
        const JointEnds& joint = system.joints[j];
        const Vec3 d = x.segment<3>(6 * j + 3);
        accelerations.load[joint.link] = {x.segment<3>(6 * j), system.axis(joint).cross(d) + joint.e};
    }
    jointAccelerationsFromBodies(model, state, accelerations);
}

}  // namespace sinew
