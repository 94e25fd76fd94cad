// Factors and solves a matrix whose graph is a tree of bodies and joints, in time linear in its size.
//
// Source: Baraff 1996, extended to parent and grandparent blocks by Hernandez et al. 2011, section 4
// (whose sparsesolve prints H_ij where it means H_ji). Unsymmetric matrices are allowed: LDU, not LDLᵀ.
//
// Link i stands for a body (six rows) and the joint (0 to 6 rows) that ties it to the parent's body:
//
//                    body i      joint i        parent body
//     body i       [ body        bodyJoint      bodyParent  ]
//     joint i      [ jointBody   joint          jointParent ]
//     parent body  [ parentBody  parentJoint    …           ]
//
// Eliminating a link's body and joint together, leaf to root, changes only the parent's own block: no
// fill-in. The joint block is usually zero; pivoting inside the link's block takes care of that.
// Cost: O((6 + r)³) per link. Nothing is allocated after resize().
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

struct BlockTreeLink {
    int parent = -1;  // earlier in the list, or −1
    int rows = 0;     // of the joint; all joint blocks use their leading part

    Mat6 body, bodyParent, parentBody;
    Mat6 jointBody, jointParent;  // rows of the joint
    Mat6 bodyJoint, parentJoint;  // columns of the joint
    Mat6 joint;

    // Right-hand side before solving, solution after: body, then joint.
    Eigen::Matrix<double, 12, 1> x;

    void setZero();
};

class BlockTree {
public:
    std::vector<BlockTreeLink> links;

    void resize(int count);
    // Eliminates leaf to root; overwrites `body` blocks of parents. False if a pivot vanished.
    bool factor();
    // Two substitutions over links[i].x. May be called any number of times after factor().
    void solve();

private:
    struct Factor {
        Eigen::Matrix<double, 12, 12, Eigen::RowMajor> lu;  // leading (6 + r)², rows permuted
        Eigen::Matrix<double, 12, 6, Eigen::RowMajor> up;   // block⁻¹ [bodyParent; jointParent]
        int permutation[12];
    };
    template <int N>
    bool factorLink(int i);
    template <int N>
    void reduceLink(int i);
    template <int N>
    void substituteLink(int i);
    std::vector<Factor> factors_;
};

}  // namespace sinew
