// Faster than linear: what Newton's method gains from the iterations that it has made.
//
// Newton's matrix lacks what has no place in a tree: how the force of a contact or a loop changes with the
// *other* body. Near the end each correction is then a fixed part of the one before, and may take dozens.
// With x the iterates and f(x) their corrections, Anderson's mixing (1965; Walker & Ni, "Anderson
// acceleration for fixed-point iterations", 2011)
//     γ = argmin | f_k − ΔF γ |,     x_{k+1} = x_k + f_k − (ΔX + ΔF) γ
// takes the last few iterates for a secant of f. Coordinates decide on γ: the forces of the next iterate
// follow from them, and are mixed alike for the guess that they are.
#pragma once

#include <array>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

class Mixing {
public:
    void clear();
    // What was found at the iterate: the correction of the coordinates, in units, and of the forces.
    void found(const VecX& correction, const std::vector<double>& units, const std::vector<Vec3>& forces);
    // The mixed correction. False if there is nothing to learn from.
    bool mix(VecX& correction, std::vector<Vec3>& forces);
    // What was taken of a correction.
    void took(double length, const VecX& correction, const std::vector<Vec3>& forces);

private:
    struct Column {
        VecX moved, changed;  // ΔX, ΔF
        VecX scaled;          // ΔF in units
        std::vector<Vec3> movedForces, changedForces;
    };
    static constexpr std::size_t most = 5;
    std::array<Column, most> columns_;
    std::size_t count_ = 0, next_ = 0;
    bool hasLast_ = false, hasTaken_ = false;
    VecX last_, lastScaled_, scaled_;  // the last correction
    std::vector<Vec3> lastForces_;
    std::array<VecX, most> basis_;
};

}  // namespace sinew
