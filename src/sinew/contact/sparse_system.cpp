#include "sinew/contact/sparse_system.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <type_traits>

#include "sinew/math/eigen.h"

namespace sinew {
namespace {

// Calls f with the number of freedoms of a unit; most are single bodies, for which loops of a known length
// are worth having.
template <class F>
void withFreedoms(int n, F&& f)
{
    if (n == 6)
        f(std::integral_constant<int, 6>());
    else
        f(n);
}

}  // namespace

struct SparseSystem::Factor : Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> {
    Eigen::SparseMatrix<double> matrix;

    // How much it fills in is known once its columns are ordered.
    double operations() const
    {
        double sum = 0;
        for (int c = 0; c < m_matrix.cols(); ++c) {
            const double below = m_matrix.outerIndexPtr()[c + 1] - m_matrix.outerIndexPtr()[c];
            sum += below * below;
        }
        return sum;
    }
};

SparseSystem::SparseSystem() : factor_(std::make_unique<Factor>()) {}
SparseSystem::~SparseSystem() = default;

void SparseSystem::begin(const Island& island)
{
    island_ = &island;
    const Delassus& W = island.delassus;
    place_.assign(static_cast<std::size_t>(W.unitCount()), -1);
    units_.clear();
    at_.clear();
    sizes_.clear();
    pairs_.clear();
    freedoms_ = 0;
    const auto numberOf = [&](int unit) {
        if (unit < 0 || place_[unit] >= 0) return unit < 0 ? -1 : place_[unit];
        place_[unit] = static_cast<int>(units_.size());
        units_.push_back(unit);
        at_.push_back(freedoms_);
        sizes_.push_back(W.freedoms(unit));
        freedoms_ += W.freedoms(unit);
        return place_[unit];
    };
    for (int c : island.members) {
        const int a = numberOf(W.side(c, 0).unit), b = numberOf(W.side(c, 1).unit);
        if (a >= 0 && b >= 0 && a != b) pairs_.push_back(std::minmax(a, b));
    }
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    pairOf_.clear();
    for (int c : island.members) {
        const int a = numberOf(W.side(c, 0).unit), b = numberOf(W.side(c, 1).unit);
        pairOf_.push_back(-1);
        if (a < 0 || b < 0 || a == b) continue;
        const std::pair<int, int> own = std::minmax(a, b);
        pairOf_.back() =
            static_cast<int>(std::lower_bound(pairs_.begin(), pairs_.end(), own) - pairs_.begin());
    }
}

void SparseSystem::readMotion(VecX& x) const
{
    x.resize(freedoms_);
    for (std::size_t u = 0; u < units_.size(); ++u) {
        const auto own = island_->delassus.unitMotion(units_[u]);
        const int size = static_cast<int>(own.size());
        x.segment(at_[u], size) = view(own.data(), size);
    }
}

void SparseSystem::addMotion(std::size_t i, const VecX& x, Vec3& d) const
{
    const int c = island_->members[i], rows = island_->blocks[c].rows;
    for (int side = 0; side < 2; ++side) {
        const Delassus::Side& s = island_->delassus.side(c, side);
        if (s.unit < 0) continue;
        const double* j = island_->delassus.jacobian(c, side);
        const double* own = x.data() + at_[place_[s.unit]];
        withFreedoms(s.freedoms, [&](auto n) {
            for (int r = 0; r < rows; ++r, j += n) {
                double sum = 0;
                for (int k = 0; k < n; ++k) sum += j[k] * own[k];
                d[r] += sum;
            }
        });
    }
}

void SparseSystem::addTransposed(std::size_t i, const Vec3& push, VecX& to) const
{
    const int c = island_->members[i], rows = island_->blocks[c].rows;
    for (int side = 0; side < 2; ++side) {
        const Delassus::Side& s = island_->delassus.side(c, side);
        if (s.unit < 0) continue;
        const double* j = island_->delassus.jacobian(c, side);
        double* own = to.data() + at_[place_[s.unit]];
        withFreedoms(s.freedoms, [&](auto n) {
            for (int r = 0; r < rows; ++r, j += n)
                for (int k = 0; k < n; ++k) own[k] += j[k] * push[r];
        });
    }
}

void SparseSystem::setInertiaTimes(const VecX& v, VecX& to) const
{
    to.resize(v.size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
        const double *H = island_->delassus.inertia(units_[u]), *from = v.data() + at_[u];
        double* own = to.data() + at_[u];
        withFreedoms(sizes_[u], [&](auto n) {
            for (int r = 0; r < n; ++r) own[r] = 0;
            for (int c = 0; c < n; ++c)
                for (int r = 0; r < n; ++r) own[r] += H[c * n + r] * from[c];
        });
    }
}

// Where the entries of the lower triangle are: in each column of a unit those of the unit itself, from the
// diagonal on, then those of its pairs with later units.
void SparseSystem::findPattern()
{
    if (pairs_ == orderedPairs_ && sizes_ == orderedSizes_) return;
    Eigen::SparseMatrix<double>& matrix = factor_->matrix;
    std::vector<int> rows;
    matrix.resize(freedoms_, freedoms_);
    pairStart_.resize(pairs_.size());
    std::size_t begin = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) {
        std::size_t end = begin;
        int start = sizes_[u];
        for (; end < pairs_.size() && pairs_[end].first == static_cast<int>(u); ++end) {
            pairStart_[end] = start;
            start += sizes_[pairs_[end].second];
        }
        for (int c = 0; c < sizes_[u]; ++c) {
            matrix.outerIndexPtr()[at_[u] + c] = static_cast<int>(rows.size());
            for (int r = c; r < sizes_[u]; ++r) rows.push_back(at_[u] + r);
            for (std::size_t k = begin; k < end; ++k) {
                const int other = pairs_[k].second;
                for (int r = 0; r < sizes_[other]; ++r) rows.push_back(at_[other] + r);
            }
        }
        begin = end;
    }
    matrix.outerIndexPtr()[freedoms_] = static_cast<int>(rows.size());
    matrix.resizeNonZeros(static_cast<int>(rows.size()));
    std::copy(rows.begin(), rows.end(), matrix.innerIndexPtr());
    factor_->analyzePattern(matrix);
    orderedPairs_ = pairs_;
    orderedSizes_ = sizes_;
}

// Entry (c, c) of a unit's column c; the rows below follow, then the pairs, as far from here as
// `pairStart_` − c says.
double* SparseSystem::column(int unit, int c)
{
    return factor_->matrix.valuePtr() + factor_->matrix.outerIndexPtr()[at_[unit] + c];
}

void SparseSystem::setInertia()
{
    findPattern();
    std::fill_n(factor_->matrix.valuePtr(), factor_->matrix.nonZeros(), 0.0);
    for (std::size_t u = 0; u < units_.size(); ++u) {
        const int n = sizes_[u];
        const double* H = island_->delassus.inertia(units_[u]);
        for (int c = 0; c < n; ++c) {
            double* entries = column(static_cast<int>(u), c) - c;
            for (int r = c; r < n; ++r) entries[r] = 0.5 * (H[c * n + r] + H[r * n + c]);
        }
    }
}

void SparseSystem::addProduct(std::size_t i, const Mat3& K)
{
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) addProduct(i, a, b, K);
}

// J_Aᵀ K J_B of two sides of a member, if its rows are below its columns. Rows that a block does not have
// are zero in J.
void SparseSystem::addProduct(std::size_t i, int a, int b, const Mat3& K)
{
    const int c = island_->members[i];
    const Delassus::Side &A = island_->delassus.side(c, a), &B = island_->delassus.side(c, b);
    if (A.unit < 0 || B.unit < 0) return;
    const int unitA = place_[A.unit], unitB = place_[B.unit];
    if (unitA < unitB) return;
    const double *JA = island_->delassus.jacobian(c, a), *JB = island_->delassus.jacobian(c, b);
    const bool isDiagonal = unitA == unitB;
    withFreedoms(A.freedoms, [&](auto n) {
        for (int q = 0; q < B.freedoms; ++q) {
            const Vec3 KJ = K * Vec3(JB[q], JB[B.freedoms + q], JB[2 * B.freedoms + q]);
            double* entries = column(unitB, q) - q;
            if (!isDiagonal) {
                entries += pairStart_[pairOf_[i]];
                for (int p = 0; p < n; ++p)
                    entries[p] += JA[p] * KJ[0] + JA[n + p] * KJ[1] + JA[2 * n + p] * KJ[2];
                continue;
            }
            for (int p = q; p < n; ++p)
                entries[p] += JA[p] * KJ[0] + JA[n + p] * KJ[1] + JA[2 * n + p] * KJ[2];
        }
    });
}

double SparseSystem::operations() const
{
    return factor_->operations();
}

bool SparseSystem::factorise()
{
    factor_->factorize(factor_->matrix);
    return factor_->info() == Eigen::Success;
}

VecX SparseSystem::solved(const VecX& right) const
{
    return fromEigen(factor_->solve(eigen(right)));
}

}  // namespace sinew
