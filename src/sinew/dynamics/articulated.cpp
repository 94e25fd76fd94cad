#include "sinew/dynamics/articulated.h"

#include <cmath>

namespace sinew {
namespace {

// Calls f.template operator()<K, IsBall>() with K the number of freedoms, so that inner loops know their
// sizes.
template <class F>
void withFreedoms(const ArticulatedLink& link, F&& f)
{
    switch (link.freedoms) {
        case 0:
            f.template operator()<0, false>();
            break;
        case 1:
            f.template operator()<1, false>();
            break;
        case 2:
            f.template operator()<2, false>();
            break;
        case 3:
            if (link.isBall)
                f.template operator()<3, true>();
            else
                f.template operator()<3, false>();
            break;
        case 6:
            f.template operator()<6, false>();
            break;
        default:
            SINEW_ASSERT(false);
    }
}

using Columns = ArticulatedLink::Columns;

// m x~.
template <class M>
Matrix<M::Rows, 3> timesTilde(const M& m, const Vec3& x)
{
    Matrix<M::Rows, 3> product;
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

// Of ball joints, S = [a~; 1]: a from the centre of mass to the joint.
Vec3 anchorOf(const ArticulatedLink& link)
{
    return {link.S(2, 1), link.S(0, 2), link.S(1, 0)};
}

// I S.
template <int K, bool IsBall>
Matrix<6, K> timesSubspace(const Mat6& I, const ArticulatedLink& link)
{
    if constexpr (IsBall)
        return I.rightCols<3>() + timesTilde(I.leftCols<3>(), anchorOf(link));
    else
        return I * link.S.leftCols<K>();
}

// Sᵀ f of each column f.
template <int K, bool IsBall, class M>
Matrix<K, M::Cols> alongSubspace(const ArticulatedLink& link, const M& f)
{
    Matrix<K, M::Cols> along;
    if constexpr (IsBall) {
        const Vec3 a = anchorOf(link);
        for (int c = 0; c < f.cols(); ++c)
            along.col(c) = f.col(c).template tail<3>() - a.cross(f.col(c).template head<3>());
    } else {
        along.noalias() = link.S.leftCols<K>().transpose() * f;
    }
    return along;
}

// Of what a joint lets through, I − U D⁻¹ V for an inertia and p + U D⁻¹ y for a force, the part along its
// own freedoms is a small difference: that of a heavy limb would drown a light parent in rounding. But it
// is known without. With D = Sᵀ I S + B and C and R what blocks add to U and V,
//     (I − U D⁻¹ V) S = U D⁻¹ (B − R S) − C          Sᵀ (I − U D⁻¹ V) = (B − Sᵀ C) D⁻¹ V − R
//     Sᵀ (p + U z) = Q − (B − Sᵀ C) z                z = D⁻¹ (Q − Sᵀ p)
// So these are put in their places, unless the block is more than the inertia: then it is they that are
// differences. The axes in S are orthogonal, those that
// slide and those that turn.
template <int K>
bool isSoft(const ArticulatedLink& link, const Matrix<K, K>& D)
{
    return !link.hasBlocks || 2 * std::abs(link.jointBlock.topLeftCorner<K, K>().trace()) <= D.trace();
}

// How many of the axes slide: they come first.
template <int K>
int slidesOf(const ArticulatedLink& link)
{
    int count = 0;
    while (count < K && link.S.col(count).template tail<3>().isZero(0)) ++count;
    return count;
}

// Sets Sᵀ M.
template <int K, bool IsBall, class Forces, class Along>
void setAlong(const ArticulatedLink& link, const Along& along, Forces& M)
{
    const auto error = [&] { return (along - alongSubspace<K, IsBall>(link, M)).eval(); };
    const int slides = IsBall ? 0 : slidesOf<K>(link);
    if (slides == 0) {
        M.template bottomRows<3>().noalias() += link.S.template bottomLeftCorner<3, K>() * error();
        return;
    }
    // First what slides: a turn about an axis beside the centre of mass moves it too.
    const auto first = error();
    for (int k = 0; k < slides; ++k)
        M.template topRows<3>().noalias() += link.S.col(k).template head<3>() * first.row(k);
    if (slides == K) return;
    const auto then = error();
    for (int k = slides; k < K; ++k)
        M.template bottomRows<3>().noalias() += link.S.col(k).template tail<3>() * then.row(k);
}

// B − Sᵀ C.
template <int K>
Matrix<K, K> blockLessCoupling(const ArticulatedLink& link)
{
    return link.jointBlock.topLeftCorner<K, K>() -
           link.S.template bottomLeftCorner<3, K>().transpose() * link.coupling.leftCols<K>();
}

// Ball joints, at the anchor, where S = [0; 1]. With J the turning block of I, D = J + B, and this is
//     [I_mm 0; 0 B − C − R] − [U_m; C − B] D⁻¹ [V_m R − B]            Sᵀ (p + U z) = Q + (C − B) z
// of which only a mass is left without blocks. Increments keep C − B in the turning rows of U.
void keepTurningOfAnchor(ArticulatedLink& link)
{
    if (link.hasBlocks)
        link.U.bottomRows<3>() = link.coupling - link.jointBlock;
    else
        link.U.bottomRows<3>().setZero();
}

// `rows`: Iᵀ, and then the transpose of what is left. U as kept; `added`: Rᵀ.
void leaveAtAnchor(const ArticulatedLink& link, const Columns& U, const Columns& V, const Columns& added,
                   Mat6& rows)
{
    const Mat3 moving = rows.topLeftCorner<3, 3>();
    Columns right, scaled;
    right.topRows<3>() = -V.topRows<3>();
    right.bottomRows<3>() = link.jointBlock.transpose() - added.bottomRows<3>();
    scaled.noalias() = U * link.inverseD;
    rows.noalias() = right * scaled.transpose();
    rows.topLeftCorner<3, 3>() += moving;
    rows.bottomRightCorner<3, 3>() -= U.bottomRows<3>().transpose() + added.bottomRows<3>();
}

Mat3 massAtAnchor(const ArticulatedLink& link, const Columns& V)
{
    const Mat3 scaled = link.U.topRows<3>() * link.inverseD;
    return link.inertia.topLeftCorner<3, 3>() - scaled * V.topRows<3>().transpose();
}

// Seen from the parent: Xᵀ I X of what moves at a place r in its axes.
void addMassToParent(const Mat3& R, const Vec3& r, const Mat3& mass, Mat6& parent)
{
    const Mat3 own = R * mass * R.transpose();
    const Mat3 arm = timesTilde(own, r);
    parent.topLeftCorner<3, 3>() += own;
    parent.topRightCorner<3, 3>() -= arm;
    const Mat3 across = timesTilde(own.transpose(), r);
    parent.bottomLeftCorner<3, 3>() -= across.transpose();
    parent.bottomRightCorner<3, 3>() += timesTilde(across.transpose(), r);
}

// Rows and columns apart, `rows` being the transpose: Iᵀ S is then as cheap as I S, and Xᵀ I X is
// (Iᵀ X)ᵀ X.
template <int K, bool IsBall>
void factorGeneralLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        link.inertia = link.inertia.inverse();
    } else {
        Mat6 rows = link.inertia.transpose();
        Transform X = link.X;
        if constexpr (K > 0) {
            auto U = link.U.leftCols<K>();
            auto V = link.V.leftCols<K>();
            U = timesSubspace<K, IsBall>(link.inertia, link);
            Matrix<K, K> D = alongSubspace<K, IsBall>(link, U);
            Columns added;
            if (link.hasBlocks) {
                added.leftCols<K>() = V;
                if constexpr (!IsBall) U.template bottomRows<3>() += link.coupling.leftCols<K>();
                D += link.jointBlock.topLeftCorner<K, K>();
                V += timesSubspace<K, IsBall>(rows, link);
            } else {
                V = timesSubspace<K, IsBall>(rows, link);
            }
            auto inverse = link.inverseD.topLeftCorner<K, K>();
            inverse = D.inverse();
            if (!parent) return;
            link.isSoft = isSoft<K>(link, D);
            if (!link.isSoft) {
                if constexpr (IsBall) U.template bottomRows<3>() += link.coupling;
                rows.noalias() -= V * (U * inverse).transpose();
            } else if constexpr (IsBall) {
                keepTurningOfAnchor(link);
                X.r += X.R * anchorOf(link);
                if (!link.hasBlocks) {
                    addMassToParent(X.R, X.r, massAtAnchor(link, link.V), parent->inertia);
                    return;
                }
                leaveAtAnchor(link, link.U, link.V, added, rows);
            } else {
                Matrix<6, K> scaled;
                scaled.noalias() = U * inverse;
                rows.noalias() -= V * scaled.transpose();
                Matrix<K, 6> left = Matrix<K, 6>::Zero(), leftOfRows = left;
                if (link.hasBlocks) {
                    const auto S = link.S.leftCols<K>(), R = added.leftCols<K>();
                    left.noalias() =
                        (link.jointBlock.topLeftCorner<K, K>() - R.transpose() * S).transpose() *
                        scaled.transpose();
                    left.template rightCols<3>() -= link.coupling.leftCols<K>().transpose();
                    leftOfRows.noalias() = blockLessCoupling<K>(link) * inverse * V.transpose();
                    leftOfRows -= R.transpose();
                }
                setAlong<K, IsBall>(link, left, rows);
                rows.transposeInPlace();
                setAlong<K, IsBall>(link, leftOfRows, rows);
                rows.transposeInPlace();
            }
        }
        if (!parent) return;
        const Mat6 turned = timesTransform(rows, X).transpose();
        parent->inertia += timesTransform(turned, X);
    }
}

template <int K, bool IsBall>
void factorLink(ArticulatedLink& link, ArticulatedLink* parent)
{
    if constexpr (K == 6) {
        // A free joint hands no inertia on, and its D may be ill-conditioned where I^A is not.
        link.inertia = SmallLdlt<6>(link.inertia).solve(Mat6::Identity());
    } else if constexpr (K > 0) {
        auto U = link.U.leftCols<K>();
        U = timesSubspace<K, IsBall>(link.inertia, link);
        Matrix<K, K> D = alongSubspace<K, IsBall>(link, U);
        if (link.hasBlocks) {
            U.template bottomRows<3>() += link.coupling.leftCols<K>();
            D += link.jointBlock.topLeftCorner<K, K>();
        }
        auto inverse = link.inverseD.topLeftCorner<K, K>();
        inverse = D.inverse();
        if (!parent) return;
        Transform X = link.X;
        Mat6 left = link.inertia;
        link.isSoft = isSoft<K>(link, D);
        if (!link.isSoft) {
            left.noalias() -= U * (U * inverse).transpose();
        } else if constexpr (IsBall) {
            X.r += X.R * anchorOf(link);
            if (!link.hasBlocks) {
                Mat3 mass = massAtAnchor(link, link.U);
                mass = (0.5 * (mass + mass.transpose())).eval();
                addMassToParent(X.R, X.r, mass, parent->inertia);
                return;
            }
            Columns added, kept;
            added.bottomRows<3>() = link.coupling;
            kept << link.U.topRows<3>(), link.coupling - link.jointBlock;
            leaveAtAnchor(link, kept, link.U, added, left);
        } else {
            Matrix<6, K> scaled;
            scaled.noalias() = U * inverse;
            left.noalias() -= U * scaled.transpose();
            Matrix<K, 6> along = Matrix<K, 6>::Zero();
            if (link.hasBlocks) {
                along.noalias() = blockLessCoupling<K>(link) * scaled.transpose();
                along.template rightCols<3>() -= link.coupling.leftCols<K>().transpose();
            }
            setAlong<K, IsBall>(link, along, left);
            left.transposeInPlace();
            setAlong<K, IsBall>(link, along, left);
        }
        // Rounding that is not symmetric would double with every link of a taut chain.
        for (int c = 1; c < 6; ++c)
            for (int r = 0; r < c; ++r) left(r, c) = left(c, r) = 0.5 * (left(r, c) + left(c, r));
        addInertiaToParent(X, left, parent->inertia);
    } else if (parent) {
        addInertiaToParent(link.X, link.inertia, parent->inertia);
    }
}

template <int K, bool IsBall>
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
        y = Q.segment<K>(link.u) - alongSubspace<K, IsBall>(link, link.force);
        if (!parent) return;
        if (IsBall && link.isSoft) {
            f = U * (link.inverseD.topLeftCorner<K, K>() * y);
            f.head<3>() += link.force.head<3>();
            f.tail<3>() += Q.segment<3>(link.u) + anchorOf(link).cross(f.head<3>());
        } else {
            Matrix<K, 1> along = Q.segment<K>(link.u);
            const Matrix<K, 1> z = link.inverseD.topLeftCorner<K, K>() * y;
            f = link.force;
            f += U * z;
            if (link.isSoft) {
                if (link.hasBlocks) along -= blockLessCoupling<K>(link) * z;
                setAlong<K, IsBall>(link, along, f);
            }
        }
    } else {
        if (!parent) return;
        f = link.force;
    }
    parent->force += link.X.toParent(Force::from(f)).vector();
}

template <int K>
void accelerateLink(ArticulatedLink& link, const ArticulatedLink* parent, VecX& result)
{
    link.acceleration.setZero();
    if (parent) link.acceleration += link.X.toChild(Motion::from(parent->acceleration)).vector();
    if constexpr (K == 6) {
        const Vec6 inherited = link.acceleration;
        link.acceleration = link.inertia * (link.reduced - link.force);
        const Vec6 own = link.acceleration - inherited;
        result.segment<6>(link.u) << link.X.R * own.head<3>(), own.tail<3>();
    } else if constexpr (K > 0) {
        const auto& V = link.V;
        const Matrix<K, 1> rate =
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
    link.isBall = joint.isBall();
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

enum class Factoring { none, symmetric, general };

template <Factoring kind>
void increment(LargeVector<ArticulatedLink>& links, int first, int end, const VecX& Q, VecX& result)
{
    for (int i = first; i < end; ++i) links[i].force.setZero();
    for (int i = end - 1; i >= first; --i) {
        prefetch(links, i - passAhead);
        ArticulatedLink& link = links[i];
        ArticulatedLink* parent = parentOf(links, link);
        withFreedoms(link, [&]<int K, bool IsBall>() {
            if constexpr (kind == Factoring::symmetric) {
                factorLink<K, IsBall>(link, parent);
                if constexpr (K > 0 && K < 6) link.V.leftCols<K>() = link.U.leftCols<K>();
                if constexpr (IsBall)
                    if (link.isSoft) keepTurningOfAnchor(link);
            }
            if constexpr (kind == Factoring::general) factorGeneralLink<K, IsBall>(link, parent);
            reduceLink<K, IsBall>(link, parent, Q);
        });
    }
    for (int i = first; i < end; ++i) {
        prefetch(links, i + passAhead);
        ArticulatedLink& link = links[i];
        withFreedoms(link,
                     [&]<int K, bool IsBall>() { accelerateLink<K>(link, parentOf(links, link), result); });
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
