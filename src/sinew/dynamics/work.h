// Scratch memory of the methods, kept by the caller so that nothing is allocated from step to step.
// Each method uses only its own part.
#pragma once

#include <vector>

#include "sinew/base/special_members.h"
#include "sinew/dynamics/articulated.h"
#include "sinew/dynamics/loops.h"
#include "sinew/math/block_tree.h"
#include "sinew/recursion/link.h"
#include "sinew/state/state.h"

namespace sinew {

// Armstrong & Green's fast band, per link, in its own axes, about its proximal hinge.
struct FastLink {
    Vec3 g;              // the torque on the parent
    Vec3 torque, force;  // all that acts, the sons' share included once they have reported
    Vec3 d, f_prime, a, w_dot;
};

// What the sons of a link add to its slow band.
struct SlowSons {
    Mat3 W_l = Mat3::Zero(), W = Mat3::Zero(), Q = Mat3::Zero();
    Vec3 torque = Vec3::Zero(), force = Vec3::Zero();
};

// Of the passes over the links (recursion/).
struct TreeWork {
    LargeVector<recursion::Link<double>> links;
    LargeVector<recursion::Resistance<double>> gathered;
    std::vector<recursion::Extra<double>> extras;
    LargeVector<recursion::Wrench<double>> loads;
};

// Inverse dynamics and the mass matrix, per link, in its own axes at its centre of mass.
struct InverseLink {
    int parent = -1;
    int freedoms = 0;
    int u = 0;    // where its freedoms start
    Transform X;  // child → parent
    Subspace S;
    Motion velocity;
    Motion bias;  // c = Ṡ u + v × S u
    Mat6 inertia;
    Vec6 force, acceleration;
};

struct Work {
    SINEW_SPECIAL_MEMBERS(Work);

    TreeWork recursion;              // featherstone
    LargeVector<InverseLink> links;  // inverse dynamics
    LargeVector<SlowLink> slow;      // Armstrong & Green
    LargeVector<SlowSons> slowSons;
    LargeVector<FastLink> fast;
    BlockTree tree;
    // Dense and sparse systems of the maximal methods.
    MatX matrix;
    VecX rightHandSide, solution;
    std::vector<int> firstRow;
    int rank = 0;  // of the last Hakenberg system
    LoopWork loops;
};

}  // namespace sinew
