// Minus the derivatives of a force between two bodies, as a product of few rows: such a force has at most
// three components, and steps that factorise trees of bodies take what it adds between them as so many rows
// beside the tree.
//
// With δ the moves of both bodies (linear, then angular, world axes) and δ' the changes of their
// velocities, the wrenches on body i change by
//     −Σ_j U_i (stiffness_j δ_j + damping_j δ'_j) − own_i δ_i
#pragma once

#include "sinew/math/types.h"

namespace sinew {

struct PairTangent {
    using Columns = Matrix<6, 6>;  // leading `rank`
    using Rows = Matrix<6, 6>;     // likewise

    int body[2] = {-1, -1};  // tree indices; −1: the world, which does not move
    int rank = 3;
    Columns U[2] = {Columns::Zero(), Columns::Zero()};
    Rows stiffness[2] = {Rows::Zero(), Rows::Zero()};
    Rows damping[2] = {Rows::Zero(), Rows::Zero()};
    Mat6 own[2] = {Mat6::Zero(), Mat6::Zero()};

    // The force (or torque) itself, on the first body, world axes; its changes are those of the first three
    // rows.
    Vec3 force = Vec3::Zero();
    // What of it an implicit step should believe that another one follows (law.h): a place that is off by
    // the second order of a turn pulls a stiff spring with what is nothing to the step and drowns all else.
    Vec3 believed = Vec3::Zero();
};

}  // namespace sinew
