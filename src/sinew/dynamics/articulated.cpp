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

using Columns = ArticulatedLink::Columns;

// m x~.
template <class Matrix>
Columns timesTilde(const Matrix& m, const Vec3& x)
{
    Columns product;
    product.col(0) = x.z() * m.col(1) - x.y() * m.col(2);
    product.col(1) = x.x() * m.col(2) - x.z() * m.col(0);
    product.col(2) = x.y() * m.col(0) - x.x() * m.col(1);
    return product;
}

// I X, X as a matrix. Whole columns of six: what is in blocks of three would take twice the instructions.
Mat6 timesTransform(const Mat6& I, const Transform& X)
{
    Mat6 product;
    product.leftCols<3>().noalias() = I.leftCols<3>() * X.R.transpose();
    product.rightCols<3>().noalias() = I.rightCols<3>() * X.R.transpose();
    product.rightCols<3>() -= timesTilde(product.leftCols<3>(), X.r);
    return product;
}

// The joints with three freedoms are ball joints: S = [a~; 1], a from the centre of mass to the joint.
Vec3 anchorOf(const ArticulatedLink& link)
{
    return {link.S(2, 1), link.S(0, 2), link.S(1, 0)};
}

// I S.
template <int K>
Eigen::Matrix<double, 6, K> timesSubspace(const Mat6& I, const ArticulatedLink& link)
{
    if constexpr (K == 3)
        return I.rightCols<3>() + timesTilde(I.leftCols<3>(), anchorOf(link));
    else
        return I * link.S.leftCols<K>();
}

// Sᵀ f of each column f.
template <int K, class Matrix>
Eigen::Matrix<double, K, Matrix::ColsAtCompileTime> alongSubspace(const ArticulatedLink& link,
                                                                  const Matrix& f)
{
    Eigen::Matrix<double, K, Matrix::ColsAtCompileTime> along;
    if constexpr (K == 3) {
        const Vec3 a = anchorOf(link);
        for (int c = 0; c < f.cols(); ++c)
            along.col(c) = f.col(c).template tail<3>() - a.cross(f.col(c).template head<3>());
    } else {
        along.noalias() = link.S.leftCols<K>().transpose() * f;
    }
    return along;
}

// Rows and columns apart, `rows` being the transpose: Iᵀ S is then as cheap as I S, and Xᵀ I X is
// (Iᵀ X)ᵀ X.
template <int K>
void factorGeneralLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        link.inertia = link.inertia.partialPivLu().inverse().eval();
    } else {
        Mat6 rows = link.inertia.transpose();
        if constexpr (K > 0) {
            auto U = link.U.leftCols<K>();
            auto V = link.V.leftCols<K>();
            U = timesSubspace<K>(link.inertia, link);
            Eigen::Matrix<double, K, K> D = alongSubspace<K>(link, U);
            if (link.hasBlocks) {
                U.template bottomRows<3>() += link.coupling.leftCols<K>();
                D += link.jointBlock.topLeftCorner<K, K>();
                V += timesSubspace<K>(rows, link);
            } else {
                V = timesSubspace<K>(rows, link);
            }
            auto inverse = link.inverseD.topLeftCorner<K, K>();
            inverse = D.inverse();
            Eigen::Matrix<double, 6, K> scaled;
            scaled.noalias() = U * inverse;
            rows.noalias() -= V * scaled.transpose();
        }
        if (!parent) return;
        const Mat6 turned = timesTransform(rows, link.X).transpose();
        parent->inertia += timesTransform(turned, link.X);
    }
}

template <int K>
void factorLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        // A free joint hands no inertia on, and its D may be ill-conditioned where I^A is not.
        link.inertia = link.inertia.ldlt().solve(Mat6::Identity()).eval();
    } else if constexpr (K > 0) {
        auto U = link.U.leftCols<K>();
        U = timesSubspace<K>(link.inertia, link);
        Eigen::Matrix<double, K, K> D = alongSubspace<K>(link, U);
        if (link.hasBlocks) {
            U.template bottomRows<3>() += link.coupling.leftCols<K>();
            D += link.jointBlock.topLeftCorner<K, K>();
        }
        auto inverse = link.inverseD.topLeftCorner<K, K>();
        inverse = D.inverse();
        if (!parent) return;
        Eigen::Matrix<double, 6, K> scaled;
        scaled.noalias() = U * inverse;
        Mat6 left = link.inertia;
        left.noalias() -= U * scaled.transpose();
        // Rounding that is not symmetric would double with every link of a taut chain.
        for (int c = 1; c < 6; ++c)
            for (int r = 0; r < c; ++r) left(r, c) = left(c, r) = 0.5 * (left(r, c) + left(c, r));
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
        const auto U = link.U.leftCols<K>();
        auto y = link.reduced.head<K>();
        y = Q.segment<K>(link.u) - alongSubspace<K>(link, link.force);
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
    const Mat6 turned = timesTransform(I, X).transpose();
    parent += timesTransform(turned, X);
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
