#include "sinew/dynamics/articulated.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace sinew {
namespace {

// Calls f.template operator()<K>() with K the number of freedoms, so that inner loops know their sizes.
template <class F>
void withFreedoms(int k, F&& f)
{
    switch (k) {
        case 0:
            f.template operator()<0>();
            break;
        case 1:
            f.template operator()<1>();
            break;
        case 2:
            f.template operator()<2>();
            break;
        case 3:
            f.template operator()<3>();
            break;
        case 6:
            f.template operator()<6>();
            break;
        default:
            SINEW_ASSERT(false);
    }
}

// Xᵀ I X for any I.
void addGeneralToParent(const Transform& X, const Mat6& I, Mat6& parent)
{
    const Mat3 M = X.R * I.topLeftCorner<3, 3>() * X.R.transpose();
    const Mat3 H = X.R * I.topRightCorner<3, 3>() * X.R.transpose();
    const Mat3 G = X.R * I.bottomLeftCorner<3, 3>() * X.R.transpose();
    const Mat3 J = X.R * I.bottomRightCorner<3, 3>() * X.R.transpose();
    const Mat3 r = tilde(X.r);
    const Mat3 top = H - M * r;
    parent.topLeftCorner<3, 3>() += M;
    parent.topRightCorner<3, 3>() += top;
    parent.bottomLeftCorner<3, 3>() += G + r * M;
    parent.bottomRightCorner<3, 3>() += J - G * r + r * top;
}

template <int K>
void factorGeneralLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        link.inertia = link.inertia.partialPivLu().inverse().eval();
    } else if constexpr (K > 0) {
        const auto S = link.S.leftCols<K>();
        auto U = link.U.leftCols<K>();
        auto V = link.V.leftCols<K>();
        U.noalias() = link.inertia * S;
        Eigen::Matrix<double, K, K> D = S.transpose() * U;
        if (link.hasBlocks) {
            U.template bottomRows<3>() += link.coupling.leftCols<K>();
            D += link.jointBlock.topLeftCorner<K, K>();
            V.noalias() += link.inertia.transpose() * S;
        } else {
            V.noalias() = link.inertia.transpose() * S;
        }
        auto inverse = link.inverseD.topLeftCorner<K, K>();
        inverse = D.inverse();
        if (!parent) return;
        Mat6 left = link.inertia;
        left.noalias() -= (U * inverse) * V.transpose();
        addGeneralToParent(link.X, left, parent->inertia);
    } else if (parent) {
        addGeneralToParent(link.X, link.inertia, parent->inertia);
    }
}

template <int K>
void factorLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        // A free joint hands no inertia on, and its D may be ill-conditioned where I^A is not.
        link.inertia = link.inertia.ldlt().solve(Mat6::Identity()).eval();
    } else if constexpr (K > 0) {
        const auto S = link.S.leftCols<K>();
        auto U = link.U.leftCols<K>();
        U.noalias() = link.inertia * S;
        Eigen::Matrix<double, K, K> D = S.transpose() * U;
        if (link.hasBlocks) {
            U.template bottomRows<3>() += link.coupling.leftCols<K>();
            D += link.jointBlock.topLeftCorner<K, K>();
        }
        auto inverse = link.inverseD.topLeftCorner<K, K>();
        inverse = D.inverse();
        if (!parent) return;
        Mat6 left = link.inertia;
        left.noalias() -= (U * inverse) * U.transpose();
        // Rounding that is not symmetric would double with every link of a taut chain.
        left = (0.5 * (left + left.transpose())).eval();
        addInertiaToParent(link.X, left, parent->inertia);
    } else if (parent) {
        addInertiaToParent(link.X, link.inertia, parent->inertia);
    }
}

// IsIncrement: p and c are zero.
template <int K, bool IsIncrement>
void reduceLink(ArticulatedLink& link, ArticulatedLink* parent, const VecX& Q)
{
    Vec6 f;
    if constexpr (K == 6) {
        // S is orthogonal: the force along the freedoms is all that crosses the joint.
        link.reduced = link.along(Q.segment<6>(link.u));
        if (!parent) return;
        f = link.reduced;
    } else if constexpr (K > 0) {
        const auto S = link.S.leftCols<K>();
        const auto U = link.U.leftCols<K>();
        auto y = link.reduced.head<K>();
        y = Q.segment<K>(link.u) - S.transpose() * link.force;
        if (!parent) return;
        if constexpr (IsIncrement) {
            const Eigen::Matrix<double, K, 1> z = link.inverseD.topLeftCorner<K, K>() * y;
            f = link.force + U * z;
        } else {
            // I^a c = I^A c − U D⁻¹ Uᵀ c
            const Vec6 c = link.bias.vector();
            const Eigen::Matrix<double, K, 1> z =
                link.inverseD.topLeftCorner<K, K>() * (y - U.transpose() * c);
            f = link.force + link.inertia * c + U * z;
        }
    } else {
        if (!parent) return;
        f = link.force;
        if constexpr (!IsIncrement) f += link.inertia * link.bias.vector();
    }
    parent->force += link.X.toParent(Force::from(f)).vector();
}

template <int K, bool IsIncrement>
void accelerateLink(ArticulatedLink& link, const ArticulatedLink* parent, VecX& result)
{
    if constexpr (IsIncrement)
        link.acceleration.setZero();
    else
        link.acceleration = link.bias.vector();
    if (parent) link.acceleration += link.X.toChild(Motion::from(parent->acceleration)).vector();
    if constexpr (K == 6) {
        const Vec6 inherited = link.acceleration;
        link.acceleration = link.inertia * (link.reduced - link.force);
        const Vec6 own = link.acceleration - inherited;
        result.segment<6>(link.u) << link.X.R * own.head<3>(), own.tail<3>();
    } else if constexpr (K > 0) {
        const auto& V = IsIncrement ? link.V : link.U;
        const Eigen::Matrix<double, K, 1> rate =
            link.inverseD.topLeftCorner<K, K>() *
            (link.reduced.head<K>() - V.template leftCols<K>().transpose() * link.acceleration);
        link.acceleration += link.S.leftCols<K>() * rate;
        result.segment<K>(link.u) = rate;
    }
}

}  // namespace

void placeJoint(const Model& model, const VecX& coordinates, int i, ArticulatedLink& link)
{
    const Joint& joint = model.joints[i];
    const double* q = coordinates.data() + joint.q;
    link.parent = joint.parent;
    link.freedoms = joint.freedoms();
    link.u = joint.u;
    link.X = jointTransform(joint, q);
    if (link.freedoms < 6) {
        Subspace S;
        jointSubspace(joint, q, link.X, S);
        link.S.leftCols(link.freedoms) = S;
    }
}

void placeLink(const Model& model, const State& state, int i, ArticulatedLink& link)
{
    const Joint& joint = model.joints[i];
    const BodyState& body = state.bodies[i];
    const double* q = state.q.data() + joint.q;
    placeJoint(model, state.q, i, link);
    link.velocity = {body.orientation.conjugate() * body.velocity, body.angularVelocity};
    const Motion own = Motion::from(link.along(state.u.segment(joint.u, link.freedoms)));
    link.bias = jointBias(joint, q, state.u.data() + joint.u, link.X) + cross(link.velocity, own);
}

void addInertiaToParent(const Transform& X, const Mat6& I, Mat6& parent)
{
    const Mat3 M = X.R * I.topLeftCorner<3, 3>() * X.R.transpose();
    const Mat3 H = X.R * I.topRightCorner<3, 3>() * X.R.transpose();
    const Mat3 J = X.R * I.bottomRightCorner<3, 3>() * X.R.transpose();
    const Mat3 r = tilde(X.r);
    const Mat3 top = H - M * r;
    parent.topLeftCorner<3, 3>() += M;
    parent.topRightCorner<3, 3>() += top;
    parent.bottomLeftCorner<3, 3>() += top.transpose();
    parent.bottomRightCorner<3, 3>() += J - H.transpose() * r + r * top;
}

Mat6 rigidInertia(const Body& body)
{
    Mat6 I = Mat6::Zero();
    I.topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
    I.bottomRightCorner<3, 3>() = body.inertia;
    return I;
}

namespace {

ArticulatedLink* parentOf(LargeVector<ArticulatedLink>& links, const ArticulatedLink& link)
{
    return link.parent < 0 ? nullptr : &links[link.parent];
}

}  // namespace

void accelerateArticulated(LargeVector<ArticulatedLink>& links, int i, VecX& result)
{
    ArticulatedLink& link = links[i];
    withFreedoms(link.freedoms,
                 [&]<int K>() { accelerateLink<K, false>(link, parentOf(links, link), result); });
}

void factorAndReduceArticulated(LargeVector<ArticulatedLink>& links, int i, const VecX& Q)
{
    ArticulatedLink& link = links[i];
    ArticulatedLink* parent = parentOf(links, link);
    withFreedoms(link.freedoms, [&]<int K>() {
        factorLink<K>(link, parent);
        reduceLink<K, false>(link, parent, Q);
    });
}

namespace {

enum class Factoring { none, symmetric, general };

template <Factoring kind>
void increment(LargeVector<ArticulatedLink>& links, int first, int end, const VecX& Q, VecX& result)
{
    for (int i = first; i < end; ++i) links[i].force.setZero();
    for (int i = end - 1; i >= first; --i) {
        prefetch(links, i - passAhead);
        ArticulatedLink& link = links[i];
        ArticulatedLink* parent = parentOf(links, link);
        withFreedoms(link.freedoms, [&]<int K>() {
            if constexpr (kind == Factoring::symmetric) {
                factorLink<K>(link, parent);
                if constexpr (K > 0 && K < 6) link.V.leftCols<K>() = link.U.leftCols<K>();
            }
            if constexpr (kind == Factoring::general) factorGeneralLink<K>(link, parent);
            reduceLink<K, true>(link, parent, Q);
        });
    }
    for (int i = first; i < end; ++i) {
        prefetch(links, i + passAhead);
        ArticulatedLink& link = links[i];
        withFreedoms(link.freedoms,
                     [&]<int K>() { accelerateLink<K, true>(link, parentOf(links, link), result); });
    }
}

}  // namespace

void solveIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result)
{
    increment<Factoring::none>(links, 0, static_cast<int>(links.size()), Q, result);
}

void solveIncrement(LargeVector<ArticulatedLink>& links, int first, int count, const VecX& Q, VecX& result)
{
    increment<Factoring::none>(links, first, first + count, Q, result);
}

void factorAndSolveIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result)
{
    increment<Factoring::symmetric>(links, 0, static_cast<int>(links.size()), Q, result);
}

void factorAndSolveGeneralIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result)
{
    increment<Factoring::general>(links, 0, static_cast<int>(links.size()), Q, result);
}

}  // namespace sinew
