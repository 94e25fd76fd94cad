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
// Cost: O((6 + r)³) and 2.5 KB per link. Nothing is allocated after resize().
#pragma once

#include "sinew/base/large_vector.h"
#include "sinew/math/types.h"

namespace sinew {

struct BlockTreeLink {
    int parent = -1;  // earlier in the list, or −1
    int rows = 0;     // of the joint

    // Body rows first, then the joint's. Overwritten by the factors.
    Matrix<12, 12, 12, 12, true> own;
    Matrix<12, 6, 12, 6, true> right;  // the parent's columns
    Matrix<6, 12, 6, 12, true> below;  // the parent's rows
    int permutation[12];               // of the rows of `own`, by pivoting

    // Right-hand side before solving, solution after: body, then joint.
    Matrix<12, 1> x;

    auto body() { return own.topLeftCorner<6, 6>(); }
    auto bodyJoint() { return own.block(0, 6, 6, rows); }
    auto jointBody() { return own.block(6, 0, rows, 6); }
    auto joint() { return own.block(6, 6, rows, rows); }
    auto bodyParent() { return right.topRows<6>(); }
    auto jointParent() { return right.middleRows(6, rows); }
    auto parentBody() { return below.leftCols<6>(); }
    auto parentJoint() { return below.middleCols(6, rows); }

    // All blocks and x to zero; `rows` must be set.
    void setZero();
};

class BlockTree {
public:
    LargeVector<BlockTreeLink> links;

    void resize(int count) { links.resize(count); }
    // Eliminates leaf to root, in place. False if a pivot vanished.
    bool factor();
    // Two substitutions over links[i].x. May be called any number of times after factor().
    void solve();

private:
    template <int N>
    bool factorLink(BlockTreeLink& link);
    template <int N>
    void reduceLink(BlockTreeLink& link);
    template <int N>
    void substituteLink(BlockTreeLink& link);
};

}  // namespace sinew
