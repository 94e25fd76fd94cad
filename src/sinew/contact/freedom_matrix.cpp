#include "sinew/contact/freedom_matrix.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double fewerFreedoms = 0.7;  // freedoms than rows
constexpr int manyInsideRows = 60;     // fewer are solved for as they are, to the last digit
constexpr int mostRefinements = 6;     // of a solution and its residual,
constexpr double refined = 1e-7;       // which is to fall so far beside b: what is left is the next step's

double largestEntry(const std::vector<double>& v)
{
    double most = 0;
    for (const double x : v) most = std::max(most, std::abs(x));
    return most;
}

Vec3 coneRows(const InteriorCone& cone, const std::vector<double>& from)
{
    Vec3 v = Vec3::Zero();
    for (int a = 0; a < cone.width; ++a) v[a] = from[cone.row + a];
    return v;
}

}  // namespace

FreedomMatrix::FreedomMatrix(DenseIsland& p) : p_(p), w_(p.w), delassus_(p.island.delassus)
{
    if (p_.n < manyInsideRows || !delassus_.hasInertiaSource()) return;
    for (int i = 0; i < p_.n; ++i)
        if (!p_.law(i).contact) return;
    at_.assign(static_cast<std::size_t>(delassus_.unitCount()), -1);
    for (const int c : p_.island.members)
        for (int side = 0; side < 2; ++side) {
            const Delassus::Side& s = delassus_.side(c, side);
            if (s.unit < 0 || at_[s.unit] >= 0) continue;
            if (s.freedoms > largestSparseUnit) return;
            at_[s.unit] = count_;
            count_ += s.freedoms;
        }
    areFew_ = count_ < fewerFreedoms * p_.n && delassus_.findInertia();
}

void FreedomMatrix::setInertia()
{
    const std::size_t n = static_cast<std::size_t>(count_);
    matrix_.assign(n * n, 0);
    for (std::size_t u = 0; u < at_.size(); ++u) {
        if (at_[u] < 0) continue;
        const int size = delassus_.freedoms(static_cast<int>(u));
        const double* H = delassus_.inertia(static_cast<int>(u));
        for (int c = 0; c < size; ++c)
            for (int r = 0; r < size; ++r) matrix_[(at_[u] + r) * n + at_[u] + c] = H[c * size + r];
    }
}

bool FreedomMatrix::factor()
{
    setInertia();
    for (InteriorCone& cone : w_.cones) {
        Mat3 D = cone.D;
        // Which is part of W's diagonal, not of J H⁻¹ Jᵀ.
        if (!cone.isDisc)
            D(0, 0) += p_.island.blocks[blockOf(cone)].compliance * scale(cone.row) * scale(cone.row);
        cone.overD = D.inverse();
        if (!cone.overD.allFinite()) return false;
        addProduct(cone);
    }
    w_.effort.add(solveOperations(count_));
    pivots_.resize(static_cast<std::size_t>(count_));
    return factorise(matrix_.data(), pivots_.data(), count_);
}

// Jᵀ D⁻¹ J
void FreedomMatrix::addProduct(const InteriorCone& cone)
{
    eachSide(cone, [&](const double* JA, int sizeA, int atA) {
        eachSide(cone, [&](const double* JB, int sizeB, int atB) {
            for (int a = 0; a < cone.width; ++a)
                for (int c = 0; c < cone.width; ++c) {
                    const double k = scale(cone.row + a) * cone.overD(a, c) * scale(cone.row + c);
                    const double *rowA = JA + axis(cone, a) * sizeA, *rowB = JB + axis(cone, c) * sizeB;
                    for (int p = 0; p < sizeA; ++p) {
                        double* to = &matrix_[static_cast<std::size_t>(atA + p) * count_ + atB];
                        const double f = k * rowA[p];
                        for (int q = 0; q < sizeB; ++q) to[q] += f * rowB[q];
                    }
                }
        });
    });
}

// Adds the m of what is right_ now.
void FreedomMatrix::addSolution()
{
    motion_.assign(static_cast<std::size_t>(count_), 0);
    for (const InteriorCone& cone : w_.cones) {
        const Vec3 push = cone.overD * coneRows(cone, right_);
        eachSide(cone, [&](const double* J, int size, int at) {
            for (int a = 0; a < cone.width; ++a) {
                const double f = scale(cone.row + a) * push[a];
                for (int k = 0; k < size; ++k) motion_[at + k] += f * J[axis(cone, a) * size + k];
            }
        });
    }
    solveFactored(matrix_.data(), pivots_.data(), motion_.data(), count_);
    for (const InteriorCone& cone : w_.cones) {
        Vec3 left = coneRows(cone, right_);
        eachSide(cone, [&](const double* J, int size, int at) {
            for (int a = 0; a < cone.width; ++a) {
                double sum = 0;
                for (int k = 0; k < size; ++k) sum += J[axis(cone, a) * size + k] * motion_[at + k];
                left[a] -= scale(cone.row + a) * sum;
            }
        });
        const Vec3 m = cone.overD * left;
        for (int a = 0; a < cone.width; ++a) solution_[cone.row + a] += m[a];
    }
}

// right_ = b − (M + D) m
void FreedomMatrix::setResidual(const std::vector<double>& b)
{
    for (int i = 0; i < p_.n; ++i) scaled_[i] = w_.center[i] * solution_[i];
    timesW(p_, scaled_, right_);
    for (int i = 0; i < p_.n; ++i) right_[i] = b[i] - w_.center[i] * right_[i];
    for (const InteriorCone& cone : w_.cones)
        for (int a = 0; a < cone.width; ++a)
            for (int c = 0; c < cone.width; ++c)
                right_[cone.row + a] -= cone.D(a, c) * solution_[cone.row + c];
}

bool FreedomMatrix::solve(std::vector<double>& b)
{
    right_.assign(b.begin(), b.begin() + p_.n);
    solution_.assign(right_.size(), 0);
    scaled_.resize(right_.size());
    double left = largestEntry(right_);
    const double wanted = refined * left;
    for (int round = 0; round < mostRefinements; ++round) {
        addSolution();
        setResidual(b);
        const double now = largestEntry(right_);
        if (now <= wanted) {
            std::copy(solution_.begin(), solution_.end(), b.begin());
            return true;
        }
        if (!(now < 0.3 * left)) break;
        left = now;
    }
    return false;
}

}  // namespace sinew
