// Coulomb's law at one block of constraints: its exact solution with all other impulses held, and how far
// a given impulse is from obeying it.
#pragma once

#include <array>

#include "sinew/contact/delassus.h"

namespace sinew {

// What a block needs again and again; the compliance of a contact is part of W.
struct ConstraintLaw {
    Mat3 W = Mat3::Zero();
    Mat3 inverse = Mat3::Zero();  // of W; rows and columns that cannot move or repeat others are zero
    double friction = 0;
    double normalScale = 0;   // W_nn: turns an impulse into metres; zero where nothing can move
    double tangentScale = 0;  // likewise for friction, half the trace of W_tt; of a bounded block its mean
    double radius = 0;        // of a bounded block
    int rows = 3;             // likewise
    bool contact = true;      // false: an equality
    bool bounded = false;
    // Rows of an equality that say what others say already, or that nothing can move (redundant.cpp): they
    // are neither solved for nor judged.
    std::array<bool, 3> redundant = {false, false, false};

    // No impulse answers the row.
    void dropRow(int row);
};

// reference: the largest diagonal entry of W around; what is below its rounding cannot move.
ConstraintLaw constraintLaw(const ConstraintBlock& block, const Mat3& W, double reference);

// A matrix X with W X W = W as far as W can be told from singular.
Mat3 generalizedInverse(const Mat3& W, double smallest);

// The impulse with which the block obeys its law, where d + compliance μ_n = free + W μ. `previous` is
// kept in directions of an equality that change nothing.
Vec3 lawfulImpulse(const ConstraintLaw& law, const Vec3& free, const Vec3& previous);

// The nearest impulse that the cone of friction allows along the tangents; zero for a pull.
Vec3 insideCone(const ConstraintLaw& law, const Vec3& impulse);

// Distances in metres from the law; d is the displacement without the compliance's part.
struct LawResidual {
    double complementarity = 0;
    double cone = 0;
    double penetration = 0;
    double equality = 0;

    double largest() const;
};
LawResidual lawResidual(const ConstraintLaw& law, const ConstraintBlock& block, const Vec3& d);

}  // namespace sinew
