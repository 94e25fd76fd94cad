#include "sinew/optimize/motion_merit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

using Rows = std::vector<MotionRows::Row>;

// Along the axis n and across t, the cone is a = n − |t| > 0, b = n + |t| > 0.
struct Cone {
    double toSide = 0, toOtherSide = 0;  // a, b
    Vec3 across = Vec3(0, 1, 0);         // direction of what lies across
    double weight = 0;

    Cone(const Rows& rows, std::size_t row, double barrier)
    {
        const double scale = rows[row].scale, x = scale * rows[row + 1].value,
                     y = scale * rows[row + 2].value, size = std::hypot(x, y);
        toSide = scale * rows[row].value - size;
        toOtherSide = scale * rows[row].value + size;
        if (size > 0) across = Vec3(0, x / size, y / size);
        weight = barrier * rows[row].share;
    }
    bool isInside() const { return toSide > 0; }
    double merit() const
    {
        return isInside() ? -weight * std::log(toSide * toOtherSide)
                          : std::numeric_limits<double>::infinity();
    }
};

// Gradient −ν (∂a/a + ∂b/b), and all of its second derivatives.
void addConeTerms(const Rows& rows, std::size_t row, const Cone& cone, std::vector<MeritTerm>& terms)
{
    const double root = std::sqrt(cone.weight);
    const auto add = [&](const Vec3& direction, double residual) {
        MeritTerm term;
        term.row = static_cast<int>(row);
        term.count = 3;
        for (int k = 0; k < 3; ++k) term.slope[k] = root * rows[row].scale * direction[k];
        term.residual = residual;
        terms.push_back(term);
    };
    const Vec3 axis(1, 0, 0);
    add((axis - cone.across) / cone.toSide, -root);
    add((axis + cone.across) / cone.toOtherSide, -root);
    add(std::sqrt(2 / (cone.toSide * cone.toOtherSide)) * Vec3(0, -cone.across[2], cone.across[1]), 0);
}

}  // namespace

void meritTerms(const MotionRows& rows, const std::vector<double>& multipliers, const MeritWeights& weights,
                std::vector<MeritTerm>& terms)
{
    terms.clear();
    const double rootCosts = std::sqrt(weights.costs), root = std::sqrt(weights.conditions);
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const MotionRows::Row& row = rows.rows[r];
        const double v = row.scale * row.value;
        MeritTerm term;
        term.row = static_cast<int>(r);
        switch (row.kind) {
            case RowKind::cost:
                term.residual = rootCosts * v;
                term.slope[0] = rootCosts * row.scale;
                break;
            case RowKind::equal:
            case RowKind::below: {
                const double pushed = v + multipliers[r] / weights.conditions;
                if (row.kind == RowKind::below && pushed <= 0) continue;
                term.residual = root * pushed;
                term.slope[0] = root * row.scale;
                break;
            }
            case RowKind::cone:
                addConeTerms(rows.rows, r, Cone(rows.rows, r, weights.barrier), terms);
                continue;
            case RowKind::across:
                continue;
        }
        terms.push_back(term);
    }
}

double meritOf(const MotionRows& rows, const std::vector<double>& multipliers, const MeritWeights& weights)
{
    double sum = 0;
    const double weight = weights.conditions;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const MotionRows::Row& row = rows.rows[r];
        const double v = row.scale * row.value;
        switch (row.kind) {
            case RowKind::cost:
                sum += 0.5 * weights.costs * v * v;
                break;
            case RowKind::below:
                if (multipliers[r] + weight * v <= 0) {
                    sum -= 0.5 * multipliers[r] * multipliers[r] / weight;
                    break;
                }
                [[fallthrough]];
            case RowKind::equal:
                sum += (multipliers[r] + 0.5 * weight * v) * v;
                break;
            case RowKind::cone:
                sum += Cone(rows.rows, r, weights.barrier).merit();
                break;
            case RowKind::across:
                break;
        }
    }
    return sum;
}

void updateMultipliers(const MotionRows& rows, const MeritWeights& weights,
                       std::vector<double>& multipliers)
{
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const MotionRows::Row& row = rows.rows[r];
        const double moved = multipliers[r] + weights.conditions * row.scale * row.value;
        if (row.kind == RowKind::equal) multipliers[r] = moved;
        if (row.kind == RowKind::below) multipliers[r] = std::max(0., moved);
    }
}

double violationOf(const MotionRows& rows, std::size_t row, bool scaled)
{
    const MotionRows::Row& r = rows.rows[row];
    const double unit = scaled ? r.scale : 1;
    switch (r.kind) {
        case RowKind::equal:
            return unit * std::abs(r.value);
        case RowKind::below:
            return unit * std::max(0., r.value);
        case RowKind::cone:
            return unit *
                   std::max(0., std::hypot(rows.rows[row + 1].value, rows.rows[row + 2].value) - r.value);
        case RowKind::cost:
        case RowKind::across:
            break;
    }
    return 0;
}

double pullOf(const MotionRows& rows, std::size_t row, const std::vector<double>& multipliers,
              const MeritWeights& weights)
{
    if (row >= multipliers.size()) return 0;
    if (rows.rows[row].kind != RowKind::cone) return std::abs(multipliers[row]);
    const Cone cone(rows.rows, row, weights.barrier);
    return cone.isInside() ? cone.weight / cone.toSide : 0;
}

}  // namespace sinew
