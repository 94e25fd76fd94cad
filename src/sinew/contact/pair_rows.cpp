#include "sinew/contact/pair_rows.h"

#include <algorithm>

#include "sinew/contact/figure_rows.h"
#include "sinew/math/dense_solve.h"

namespace sinew {
namespace {

// Three rows of six numbers, world axes, of a body.
BodyRows bodyRows(int body, const PairTangent::Rows& rows, int first)
{
    return {body, rows.block<3, 3>(first, 0), rows.block<3, 3>(first, 3)};
}

}  // namespace

void PairRows::set(const Model& model, const ArticulatedLinks& links, const LargeVector<BodyState>& bodies,
                   std::span<const PairTangent> tangents, const std::vector<BodyRate>& rates)
{
    freedoms_ = model.freedomCount;
    firstRow_.clear();
    rows_ = 0;
    for (const PairTangent& tangent : tangents) {
        firstRow_.push_back(rows_);
        rows_ += tangent.rank;
    }
    const std::size_t size = static_cast<std::size_t>(rows_) * freedoms_;
    C_.assign(size, 0.);
    U_.assign(size, 0.);
    terms_.assign(3 * static_cast<std::size_t>(freedoms_), 0.);
    ranges_.assign(2 * static_cast<std::size_t>(rows_), {});
    skeletons_.assign(2 * static_cast<std::size_t>(rows_), -1);
    for (std::size_t t = 0; t < tangents.size(); ++t) {
        const PairTangent& tangent = tangents[t];
        for (int side = 0; side < 2; ++side) {
            const int body = tangent.body[side];
            if (body < 0) continue;
            const BodyRate& rate = rates[body];
            PairTangent::Rows C = tangent.stiffness[side] + tangent.damping[side] / rate.h;
            C.rightCols<3>() = tangent.stiffness[side].rightCols<3>() +
                               tangent.damping[side].rightCols<3>() * rate.turning / rate.h;
            const PairTangent::Rows columns = rate.h * rate.h * tangent.U[side].transpose();
            const int skeleton = model.skeletonOf[body];
            const Range range = {freedomStart(model, model.skeletons[skeleton]),
                                 freedomCount(model, model.skeletons[skeleton])};
            for (int first = 0; first < tangent.rank; first += 3) {
                const std::size_t at = static_cast<std::size_t>(firstRow_[t] + first);
                addJacobian(links, bodies, bodyRows(body, C, first), 0, freedoms_,
                            C_.data() + at * freedoms_, terms_.data());
                addJacobian(links, bodies, bodyRows(body, columns, first), 0, freedoms_,
                            U_.data() + at * freedoms_, terms_.data());
                for (std::size_t r = at; r < at + 3; ++r) {
                    // Two bodies of one skeleton are in one range.
                    if (side == 1 && skeletons_[2 * r] == skeleton) continue;
                    ranges_[2 * r + side] = range;
                    skeletons_[2 * r + side] = skeleton;
                }
            }
        }
    }
}

double PairRows::timesRow(int row, const double* x) const
{
    const double* c = C_.data() + static_cast<std::size_t>(row) * freedoms_;
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        const Range& range = ranges_[2 * row + side];
        for (int k = range.start; k < range.start + range.count; ++k) sum += c[k] * x[k];
    }
    return sum;
}

void PairRows::factor(const Model& model, ArticulatedLinks& links)
{
    if (rows_ == 0) return;
    Z_.assign(static_cast<std::size_t>(rows_) * freedoms_, 0.);
    row_.resize(freedoms_);
    column_.resize(freedoms_);
    for (int r = 0; r < rows_; ++r) {
        const std::size_t at = static_cast<std::size_t>(r) * freedoms_;
        for (int side = 0; side < 2; ++side) {
            if (skeletons_[2 * r + side] < 0) continue;
            const Skeleton& skeleton = model.skeletons[skeletons_[2 * r + side]];
            const Range& range = ranges_[2 * r + side];
            for (int k = range.start; k < range.start + range.count; ++k) row_[k] = U_[at + k];
            column_.segment(range.start, range.count).setZero();  // joints without freedoms are not written
            solveIncrement(links, skeleton.first, skeleton.count, row_, column_);
            for (int k = range.start; k < range.start + range.count; ++k) Z_[at + k] = column_[k];
        }
    }
    inverse_.resize(rows_, rows_);
    for (int i = 0; i < rows_; ++i)
        for (int j = 0; j < rows_; ++j)
            inverse_(i, j) =
                (i == j ? 1 : 0) + timesRow(i, Z_.data() + static_cast<std::size_t>(j) * freedoms_);
    inverse_ = inverseDense(inverse_);
}

void PairRows::correct(VecX& answer) const
{
    if (rows_ == 0) return;
    VecX y(rows_);
    for (int r = 0; r < rows_; ++r) y[r] = timesRow(r, answer.data());
    const VecX z = inverse_ * y;
    for (int r = 0; r < rows_; ++r) {
        const double* own = Z_.data() + static_cast<std::size_t>(r) * freedoms_;
        for (int side = 0; side < 2; ++side) {
            const Range& range = ranges_[2 * r + side];
            for (int k = range.start; k < range.start + range.count; ++k) answer[k] -= z[r] * own[k];
        }
    }
}

void PairRows::changes(const VecX& correction, std::vector<Vec3>& out) const
{
    out.resize(firstRow_.size());
    for (std::size_t t = 0; t < firstRow_.size(); ++t)
        for (int r = 0; r < 3; ++r) out[t][r] = -timesRow(firstRow_[t] + r, correction.data());
}

}  // namespace sinew
