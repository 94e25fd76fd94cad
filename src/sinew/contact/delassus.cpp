#include "sinew/contact/delassus.h"

#include <algorithm>

namespace sinew {
namespace {

// A free body has six freedoms: with the number known, the compiler unrolls the loops over it.
inline Vec3 times(const double* j, const double* x, int n)
{
    Vec3 d;
    for (int r = 0; r < 3; ++r, j += n) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += j[k] * x[k];
        d[r] = sum;
    }
    return d;
}

inline void addTransposed(const double* y, const Vec3& impulse, double* x, int n)
{
    for (int k = 0; k < n; ++k)
        x[k] += y[k] * impulse[0] + y[n + k] * impulse[1] + y[2 * n + k] * impulse[2];
}

}  // namespace

void Delassus::clear(std::span<const int> freedoms)
{
    unitAt_.assign(1, 0);
    for (int n : freedoms) unitAt_.push_back(unitAt_.back() + static_cast<std::size_t>(n));
    sides_.clear();
    J_.clear();
    Y_.clear();
    terms_.clear();
    diagonal_.clear();
    H_.clear();
    fill_ = nullptr;
    x_.assign(unitAt_.back(), 0);
    sizes_.assign(unitAt_.back(), 1);
}

int Delassus::add(int unitA, int unitB)
{
    for (int unit : {unitA, unitB}) {
        Side side;
        side.unit = unit;
        side.at = J_.size();
        if (unit >= 0) side.freedoms = static_cast<int>(unitAt_[unit + 1] - unitAt_[unit]);
        sides_.push_back(side);
        J_.resize(J_.size() + 3 * static_cast<std::size_t>(side.freedoms), 0);
    }
    Y_.resize(J_.size(), 0);
    terms_.resize(J_.size(), 0);
    return size() - 1;
}

void Delassus::setInertiaSource(FillInertia fill, void* context)
{
    fill_ = fill;
    fillContext_ = context;
}

bool Delassus::findInertia()
{
    if (!H_.empty()) return true;
    if (!fill_) return false;
    std::size_t size = 0;
    inertiaAt_.clear();
    for (int u = 0; u < unitCount(); ++u) {
        inertiaAt_.push_back(size);
        size += static_cast<std::size_t>(freedoms(u)) * static_cast<std::size_t>(freedoms(u));
    }
    H_.assign(size, 0);
    fill_(fillContext_, *this);
    return true;
}

void Delassus::finish()
{
    diagonal_.resize(static_cast<std::size_t>(size()));
    for (int c = 0; c < size(); ++c) diagonal_[c] = coupling(c, c);
}

Mat3 Delassus::coupling(int block, int other) const
{
    Mat3 W = Mat3::Zero();
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
            const Side &row = side(block, a), &column = side(other, b);
            if (row.unit < 0 || row.unit != column.unit) continue;
            const int n = row.freedoms;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const double *j = J_.data() + row.at + r * n, *y = Y_.data() + column.at + c * n;
                    double sum = 0;
                    for (int k = 0; k < n; ++k) sum += j[k] * y[k];
                    W(r, c) += sum;
                }
        }
    return W;
}

void Delassus::clearMotion()
{
    std::fill(x_.begin(), x_.end(), 0.0);
}

void Delassus::clearUnit(int unit)
{
    if (unit >= 0) std::fill(x_.begin() + unitAt_[unit], x_.begin() + unitAt_[unit + 1], 0.0);
}

Vec3 Delassus::motion(int block) const
{
    Vec3 d = Vec3::Zero();
    for (int which = 0; which < 2; ++which) {
        const Side& s = side(block, which);
        if (s.unit < 0) continue;
        const double *x = x_.data() + unitAt_[s.unit], *j = J_.data() + s.at;
        d += s.freedoms == 6 ? times(j, x, 6) : times(j, x, s.freedoms);
    }
    return d;
}

double Delassus::firstMotion(int block) const
{
    double d = 0;
    for (int which = 0; which < 2; ++which) {
        const Side& s = side(block, which);
        if (s.unit < 0) continue;
        const double *x = x_.data() + unitAt_[s.unit], *j = J_.data() + s.at;
        double sum = 0;
        for (int k = 0; k < s.freedoms; ++k) sum += j[k] * x[k];
        d += sum;
    }
    return d;
}

void Delassus::push(int block, const Vec3& impulse)
{
    for (int which = 0; which < 2; ++which) {
        const Side& s = side(block, which);
        if (s.unit < 0) continue;
        double* x = x_.data() + unitAt_[s.unit];
        const double* y = Y_.data() + s.at;
        if (s.freedoms == 6)
            addTransposed(y, impulse, x, 6);
        else
            addTransposed(y, impulse, x, s.freedoms);
    }
}

}  // namespace sinew
