// Scratch memory of the methods, kept by the caller so that nothing is allocated from step to step.
// Each method uses only its own part.
#pragma once

#include <vector>

#include "sinew/dynamics/articulated.h"
#include "sinew/math/block_tree.h"

namespace sinew {

// Per link, in its own axes, about its proximal hinge (dynamics/armstrong_green.cpp).
struct ArmstrongGreenLink {
    Mat3 R_I;     // link → inertial
    Mat3 R;       // link → parent
    Vec3 l;       // proximal hinge of the parent → this one, parent axes
    Vec3 c;       // proximal hinge → centre of mass
    Mat3 J;       // about the proximal hinge
    Vec3 a_c, g;  // (15); torque on the parent
    Mat3 Q, T, K, M;
    Vec3 g_sum, f_sum, d, f_prime, f_second;
    Vec3 a, w_dot;
    // sums over the sons, gathered while they are visited
    Mat3 sonsW_l, sonsW, sonsQ, sonsQl;
    Vec3 sonsTorque, sonsForce;
};

struct Work {
    LargeVector<ArticulatedLink> links;  // the recursive methods
    LargeVector<ArmstrongGreenLink> armstrongGreen;
    BlockTree tree;
    // Dense and sparse systems of the maximal methods.
    MatX matrix;
    VecX rightHandSide, solution;
    std::vector<int> firstRow;
    int rank = 0;  // of the last Hakenberg system
};

}  // namespace sinew
