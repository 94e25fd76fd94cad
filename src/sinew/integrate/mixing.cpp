#include "sinew/integrate/mixing.h"

namespace sinew {

void Mixing::clear()
{
    count_ = next_ = 0;
    hasLast_ = hasTaken_ = false;
}

void Mixing::found(const VecX& correction, const std::vector<double>& units,
                   const std::vector<Vec3>& forces)
{
    scaled_.resize(correction.size());
    for (int k = 0; k < correction.size(); ++k)
        scaled_[k] = correction[k] / units[static_cast<std::size_t>(k)];
    if (hasLast_ && hasTaken_ && lastForces_.size() == forces.size()) {
        Column& column = columns_[next_];
        column.changed = correction;
        column.changed -= last_;
        column.scaled = scaled_;
        column.scaled -= lastScaled_;
        column.changedForces.resize(forces.size());
        for (std::size_t b = 0; b < forces.size(); ++b)
            column.changedForces[b] = forces[b] - lastForces_[b];
        next_ = (next_ + 1) % most;
        if (count_ < most) ++count_;
    }
    last_ = correction;
    lastScaled_ = scaled_;
    lastForces_ = forces;
    hasLast_ = true;
    hasTaken_ = false;
}

void Mixing::took(double length, const VecX& correction, const std::vector<Vec3>& forces)
{
    Column& column = columns_[next_];
    column.moved = correction;
    column.moved *= length;
    column.movedForces.resize(forces.size());
    for (std::size_t b = 0; b < forces.size(); ++b) column.movedForces[b] = length * forces[b];
    hasTaken_ = true;
}

bool Mixing::mix(VecX& correction, std::vector<Vec3>& forces)
{
    // Least squares by Gram and Schmidt, the newest first; what adds nothing to those before is left out.
    constexpr double dependent = 1e-6;
    double R[most][most] = {}, gamma[most] = {};
    std::size_t chosen[most] = {}, n = 0;
    for (std::size_t k = 0; k < count_; ++k) {
        const std::size_t c = (next_ + most - 1 - k) % most;
        VecX& v = basis_[n];
        v = columns_[c].scaled;
        const double whole = v.norm();
        for (std::size_t i = 0; i < n; ++i) {
            R[i][n] = basis_[i].dot(v);
            v -= R[i][n] * basis_[i];
        }
        R[n][n] = v.norm();
        if (!(R[n][n] > dependent * whole)) continue;
        v /= R[n][n];
        gamma[n] = v.dot(lastScaled_);
        chosen[n++] = c;
    }
    correction = last_;
    forces = lastForces_;
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) gamma[i] -= R[i][j] * gamma[j];
        gamma[i] /= R[i][i];
        const Column& column = columns_[chosen[i]];
        correction -= gamma[i] * column.moved;
        correction -= gamma[i] * column.changed;
        for (std::size_t b = 0; b < forces.size(); ++b)
            forces[b] -= gamma[i] * (column.movedForces[b] + column.changedForces[b]);
    }
    return n > 0 && correction.allFinite();
}

}  // namespace sinew
