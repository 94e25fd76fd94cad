// The broad phase: which of many moving boxes overlap, without comparing each with each.
//
// A binary tree of boxes; a node's box holds those of its two children, a leaf's box is an object's,
// widened by a margin so that small moves leave the tree as it is. A new leaf goes down to where the
// surface of the boxes grows least, and rotations keep the tree balanced whatever the order of insertion.
//
// Cost: insert, move and remove O(log n), pairs about O(n log n) plus the pairs found. Answers are exact
// for the boxes given (the margin is no part of them) and come in the order of ids, so that the same scene
// gives the same list however its tree has grown. Nothing is allocated once the arrays have grown to the
// scene's size.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "sinew/geometry/bounding_volume.h"

namespace sinew {

class BoxTree {
public:
    // The margin is in metres, 0 or more: about what an object moves in a few steps.
    explicit BoxTree(double margin);

    // Ids count from 0; that of a removed box is used again. Boxes are finite, low ≤ high.
    int insert(const BoundingBox& box);
    // True if the box had left its margin, so that the tree changed.
    bool move(int id, const BoundingBox& box);
    void remove(int id);

    int size() const { return size_; }
    const BoundingBox& box(int id) const;

    // Replaces `found` by all pairs that overlap, first < second, in ascending order. False, with some of
    // them, if there are more than `most`.
    bool pairs(std::vector<std::pair<int, int>>& found,
               std::size_t most = std::numeric_limits<std::size_t>::max());
    // Replaces `found` by all that overlap a box, in ascending order.
    void query(const BoundingBox& box, std::vector<int>& found);

    // Levels below the root; −1 if the tree is empty.
    int height() const { return root_ < 0 ? -1 : nodes_[root_].height; }

private:
    struct Node {
        BoundingBox box;
        int parent = -1;
        int child[2] = {-1, -1};
        int height = 0;  // 0: a leaf
        int id = -1;     // of a leaf
    };
    struct Entry {
        BoundingBox box;  // without the margin
        int leaf = -1;    // −1: not in use
    };

    int newNode();
    void insertLeaf(int leaf);
    void removeLeaf(int leaf);
    int bestSibling(const BoundingBox& box) const;
    void replaceChild(int parent, int before, int after);
    void refit(int node);
    int balanced(int node);
    void repairUpwards(int node);

    double margin_;
    int root_ = -1, size_ = 0;
    std::vector<Node> nodes_;
    std::vector<Entry> entries_;
    std::vector<int> freeNodes_, freeIds_;
    std::vector<std::pair<int, int>> open_;  // work of a query
};

}  // namespace sinew
