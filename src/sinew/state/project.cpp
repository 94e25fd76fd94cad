// Back onto the joints by the smallest mass-weighted change: with the rows J of all joints and the
// violation C(q) or the velocity error J v,
//     (J M⁻¹ Jᵀ) λ = C,    δ = −M⁻¹ Jᵀ λ.
// The matrix couples joints that share a body, so its pattern is as sparse as the tree.
#include <Eigen/SparseCholesky>

#include "sinew/math/eigen.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr int newtonLimit = 30;

struct Projection {
    const Model& model;
    std::vector<ConstraintRows> rows;  // per link
    std::vector<int> start;            // first row of each link
    int total = 0;
    std::vector<Mat6> inverseMass;  // per body, world axes

    explicit Projection(const Model& m) : model(m), rows(m.bodies.size()), start(m.bodies.size())
    {
        for (int i = 0; i < model.size(); ++i) {
            start[i] = total;
            total += model.joints[i].rows();
        }
        inverseMass.resize(m.bodies.size());
    }

    void linearise(const State& state)
    {
        for (int i = 0; i < model.size(); ++i) {
            constraintRows(model.joints[i], parentState(model, state, i), state.bodies[i], rows[i]);
            const Mat3 R = state.bodies[i].orientation.toRotationMatrix();
            inverseMass[i].setZero();
            inverseMass[i].topLeftCorner<3, 3>() = Mat3::Identity() / model.bodies[i].mass;
            inverseMass[i].bottomRightCorner<3, 3>() = R * model.bodies[i].inverseInertia * R.transpose();
        }
    }

    // The 6 columns of joint `link` that belong to `body`.
    const Mat6& jacobian(int link, int body) const
    {
        return body == link ? rows[link].child : rows[link].parent;
    }

    // δ per body for the given right-hand side; false if the system could not be solved.
    bool solve(const VecX& error, std::vector<Vec6>& delta) const
    {
        std::vector<std::vector<int>> jointsOf(model.bodies.size());
        for (int i = 0; i < model.size(); ++i) {
            jointsOf[i].push_back(i);
            if (model.joints[i].parent >= 0) jointsOf[model.joints[i].parent].push_back(i);
        }
        std::vector<Eigen::Triplet<double>> entries;
        for (int body = 0; body < model.size(); ++body) {
            for (int j : jointsOf[body]) {
                for (int k : jointsOf[body]) {
                    if (j < k) continue;  // the lower triangle
                    const Mat6 block =
                        jacobian(j, body) * inverseMass[body] * jacobian(k, body).transpose();
                    for (int r = 0; r < rows[j].count; ++r)
                        for (int c = 0; c < rows[k].count; ++c)
                            entries.emplace_back(start[j] + r, start[k] + c, block(r, c));
                }
            }
        }
        Eigen::SparseMatrix<double> A(total, total);
        A.setFromTriplets(entries.begin(), entries.end());
        const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(A);
        if (factor.info() != Eigen::Success) return false;
        const VecX lambda = fromEigen(factor.solve(eigen(error)));

        delta.assign(model.bodies.size(), Vec6::Zero());
        for (int i = 0; i < model.size(); ++i) {
            const auto l = lambda.segment(start[i], rows[i].count);
            delta[i] -= rows[i].child.topRows(rows[i].count).transpose() * l;
            const int parent = model.joints[i].parent;
            if (parent >= 0) delta[parent] -= rows[i].parent.topRows(rows[i].count).transpose() * l;
        }
        for (int i = 0; i < model.size(); ++i) delta[i] = inverseMass[i] * delta[i];
        return true;
    }
};

}  // namespace

int projectOntoJoints(const Model& model, State& state, double tolerance)
{
    Projection projection(model);
    VecX error(projection.total);
    std::vector<Vec6> delta;
    int iterations = 0;
    for (;; ++iterations) {
        projection.linearise(state);
        for (int i = 0; i < model.size(); ++i)
            error.segment(projection.start[i], projection.rows[i].count) =
                projection.rows[i].violation.head(projection.rows[i].count);
        if (projection.total == 0 || error.cwiseAbs().maxCoeff() <= tolerance) break;
        if (iterations == newtonLimit || !projection.solve(error, delta)) return -1;
        for (int i = 0; i < model.size(); ++i) {
            BodyState& body = state.bodies[i];
            const Vec3 spin = body.angularVelocityWorld();
            body.position += delta[i].head<3>();
            body.orientation = (expRotation(delta[i].tail<3>()) * body.orientation).normalized();
            body.angularVelocity = body.orientation.conjugate() * spin;  // kept in the world
        }
    }
    if (projection.total > 0) {
        for (int i = 0; i < model.size(); ++i) {
            const ConstraintRows& rows = projection.rows[i];
            const auto velocity = [&](int body) {
                const BodyState& b = state.bodies[body];
                return (Vec6() << b.velocity, b.angularVelocityWorld()).finished();
            };
            Vec6 rate = rows.child * velocity(i);
            if (model.joints[i].parent >= 0) rate += rows.parent * velocity(model.joints[i].parent);
            error.segment(projection.start[i], rows.count) = rate.head(rows.count);
        }
        if (!projection.solve(error, delta)) return -1;
        for (int i = 0; i < model.size(); ++i) {
            BodyState& body = state.bodies[i];
            body.velocity += delta[i].head<3>();
            body.angularVelocity += body.orientation.conjugate() * delta[i].tail<3>();
        }
    }
    jointsFromBodies(model, state);
    return iterations;
}

}  // namespace sinew
