#include "sinew/control/leg.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/small_solve.h"

namespace sinew {
namespace {

constexpr int iterations = 6;
constexpr double damping = 1e-2;  // λ, of lengths in units of the leg and of angles
constexpr int mostFreedoms = 32;
constexpr double longest = 0.5;  // rad, of a joint in one of them

}  // namespace

void solveLeg(const Model& model, const BalanceLeg& leg, const Pose& body, const Pose& foot, double* q)
{
    const int count = static_cast<int>(leg.joints.size());
    for (int iteration = 0; iteration < iterations; ++iteration) {
        // Outward: places of the links, and how each freedom moves its link.
        std::array<Vec6, mostFreedoms>
            columns;  // of the foot: linear over the length of the leg, angular; world
        std::array<Vec3, mostFreedoms> places;
        int freedoms = 0;
        Pose at = body;
        for (int k = 0; k < count; ++k) {
            const Joint& joint = model.joints[leg.joints[k]];
            const Transform X = jointTransform(joint, q + joint.q);
            at = {at.position + at.orientation * X.r, Quat(Mat3(at.orientation.toRotationMatrix() * X.R))};
            Subspace S;
            jointSubspace(joint, q + joint.q, X, S);
            for (int i = 0; i < joint.freedoms() && freedoms < mostFreedoms; ++i, ++freedoms) {
                const Vec6 motion = S.col(i);
                columns[freedoms] << at.orientation * Vec3(motion.head<3>()),
                    at.orientation * Vec3(motion.tail<3>());
                places[freedoms] = at.position;
            }
        }
        Mat6 A = damping * damping * Mat6::Identity();
        for (int i = 0; i < freedoms; ++i) {
            const Vec3 spin = columns[i].tail<3>();
            columns[i].head<3>() =
                (Vec3(columns[i].head<3>()) + spin.cross(at.position - places[i])) / leg.length;
            A += columns[i] * columns[i].transpose();
        }
        Vec6 error;
        error << (foot.position - at.position) / leg.length,
            logRotation(foot.orientation * at.orientation.conjugate());
        const Vec6 y = solveCholesky(A, error);
        int column = 0;
        for (int k = 0; k < count; ++k) {
            const Joint& joint = model.joints[leg.joints[k]];
            double delta[6] = {}, moved[7], size = 0;
            for (int i = 0; i < joint.freedoms() && column < freedoms; ++i, ++column) {
                delta[i] = columns[column].dot(y);
                size += delta[i] * delta[i];
            }
            if (size > longest * longest)
                for (double& x : delta) x *= longest / std::sqrt(size);
            double* own = q + joint.q;
            jointRetract(joint, own, delta, moved);
            if (joint.limitStiffness > 0 && !joint.isBall())
                for (int i = 0; i < joint.freedoms(); ++i)
                    moved[i] = std::clamp(moved[i], joint.lower[i], joint.upper[i]);
            std::copy(moved, moved + joint.coordinates(), own);
        }
    }
}

}  // namespace sinew
