#include "sinew/collision/box_tree.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sinew {
namespace {

bool isProper(const BoundingBox& box)
{
    return box.low.allFinite() && box.high.allFinite() && (box.low.array() <= box.high.array()).all();
}

}  // namespace

BoxTree::BoxTree(double margin) : margin_(margin)
{
    SINEW_ASSERT(std::isfinite(margin) && margin >= 0);
}

const BoundingBox& BoxTree::box(int id) const
{
    SINEW_ASSERT(id >= 0 && id < static_cast<int>(entries_.size()) && entries_[id].leaf >= 0);
    return entries_[id].box;
}

int BoxTree::newNode()
{
    if (freeNodes_.empty()) {
        nodes_.emplace_back();
        freeNodes_.reserve(nodes_.capacity());  // so that removing never allocates
        return static_cast<int>(nodes_.size()) - 1;
    }
    const int node = freeNodes_.back();
    freeNodes_.pop_back();
    nodes_[node] = {};
    return node;
}

int BoxTree::insert(const BoundingBox& box)
{
    SINEW_ASSERT(isProper(box));
    int id = static_cast<int>(entries_.size());
    if (freeIds_.empty()) {
        entries_.emplace_back();
        freeIds_.reserve(entries_.capacity());
    } else {
        id = freeIds_.back();
        freeIds_.pop_back();
    }
    const int leaf = newNode();
    entries_[id] = {box, leaf};
    nodes_[leaf].id = id;
    insertLeaf(leaf);
    ++size_;
    return id;
}

bool BoxTree::move(int id, const BoundingBox& box)
{
    SINEW_ASSERT(isProper(box));
    this->box(id);  // asserts that there is one
    Entry& entry = entries_[id];
    entry.box = box;
    if (contains(nodes_[entry.leaf].box, box)) return false;
    removeLeaf(entry.leaf);
    insertLeaf(entry.leaf);
    return true;
}

void BoxTree::remove(int id)
{
    this->box(id);  // asserts that there is one
    const int leaf = entries_[id].leaf;
    removeLeaf(leaf);
    freeNodes_.push_back(leaf);
    entries_[id].leaf = -1;
    freeIds_.push_back(id);
    --size_;
}

// Goes down as long as a child would grow less than a new parent at this place would cost. What every box
// on the way up grows by is paid in either case.
int BoxTree::bestSibling(const BoundingBox& box) const
{
    int at = root_;
    while (nodes_[at].height > 0) {
        const Node& node = nodes_[at];
        const double grown = surface(joined(node.box, box));
        const double here = 2 * grown;
        const double inherited = 2 * (grown - surface(node.box));
        double cost[2];
        for (int k = 0; k < 2; ++k) {
            const Node& child = nodes_[node.child[k]];
            cost[k] = surface(joined(child.box, box)) + inherited;
            if (child.height > 0) cost[k] -= surface(child.box);
        }
        if (here < cost[0] && here < cost[1]) break;
        at = node.child[cost[1] < cost[0]];
    }
    return at;
}

void BoxTree::replaceChild(int parent, int before, int after)
{
    nodes_[after].parent = parent;
    if (parent < 0)
        root_ = after;
    else
        nodes_[parent].child[nodes_[parent].child[1] == before] = after;
}

void BoxTree::refit(int at)
{
    Node& node = nodes_[at];
    const Node &a = nodes_[node.child[0]], &b = nodes_[node.child[1]];
    node.box = joined(a.box, b.box);
    node.height = 1 + std::max(a.height, b.height);
}

// Lifts the higher child over the node if it is higher by two or more; the lower grandchild changes sides.
// Returns what is on top afterwards.
int BoxTree::balanced(int at)
{
    const int lean = nodes_[nodes_[at].child[1]].height - nodes_[nodes_[at].child[0]].height;
    if (std::abs(lean) < 2) return at;
    const int side = lean > 0;
    const int top = nodes_[at].child[side];
    const int lower = nodes_[nodes_[top].child[1]].height < nodes_[nodes_[top].child[0]].height;
    const int changing = nodes_[top].child[lower];
    replaceChild(nodes_[at].parent, at, top);
    nodes_[top].child[lower] = at;
    nodes_[at].parent = top;
    nodes_[at].child[side] = changing;
    nodes_[changing].parent = at;
    refit(at);
    refit(top);
    return top;
}

void BoxTree::repairUpwards(int at)
{
    while (at >= 0) {
        refit(at);
        at = nodes_[balanced(at)].parent;
    }
}

void BoxTree::insertLeaf(int leaf)
{
    const Vec3 margin = Vec3::Constant(margin_);
    const BoundingBox& tight = entries_[nodes_[leaf].id].box;
    nodes_[leaf].box = {tight.low - margin, tight.high + margin};
    if (root_ < 0) {
        root_ = leaf;
        nodes_[leaf].parent = -1;
        return;
    }
    const int sibling = bestSibling(nodes_[leaf].box);
    const int parent = newNode();
    replaceChild(nodes_[sibling].parent, sibling, parent);
    nodes_[parent].child[0] = sibling;
    nodes_[parent].child[1] = leaf;
    nodes_[sibling].parent = nodes_[leaf].parent = parent;
    repairUpwards(parent);
}

void BoxTree::removeLeaf(int leaf)
{
    const int parent = nodes_[leaf].parent;
    if (parent < 0) {
        root_ = -1;
        return;
    }
    const int sibling = nodes_[parent].child[nodes_[parent].child[0] == leaf];
    const int grandparent = nodes_[parent].parent;
    replaceChild(grandparent, parent, sibling);
    freeNodes_.push_back(parent);
    repairUpwards(grandparent);
}

// The tree against itself: of a node, both children each with itself and with each other; of two nodes that
// overlap, the larger one is opened.
bool BoxTree::pairs(std::vector<std::pair<int, int>>& found, std::size_t most)
{
    found.clear();
    open_.clear();
    if (root_ >= 0) open_.emplace_back(root_, root_);
    while (!open_.empty() && found.size() <= most) {
        auto [i, j] = open_.back();
        open_.pop_back();
        const Node &a = nodes_[i], &b = nodes_[j];
        if (i == j) {
            if (a.height == 0) continue;
            open_.emplace_back(a.child[0], a.child[0]);
            open_.emplace_back(a.child[1], a.child[1]);
            open_.emplace_back(a.child[0], a.child[1]);
        } else if (!overlaps(a.box, b.box)) {
            continue;
        } else if (a.height == 0 && b.height == 0) {
            if (overlaps(entries_[a.id].box, entries_[b.id].box)) found.push_back(std::minmax(a.id, b.id));
        } else if (a.height >= b.height) {
            open_.emplace_back(a.child[0], j);
            open_.emplace_back(a.child[1], j);
        } else {
            open_.emplace_back(i, b.child[0]);
            open_.emplace_back(i, b.child[1]);
        }
    }
    std::sort(found.begin(), found.end());
    return found.size() <= most;
}

void BoxTree::query(const BoundingBox& box, std::vector<int>& found)
{
    found.clear();
    open_.clear();
    if (root_ >= 0) open_.emplace_back(root_, root_);
    while (!open_.empty()) {
        const Node& node = nodes_[open_.back().first];
        open_.pop_back();
        if (!overlaps(node.box, box)) continue;
        if (node.height > 0) {
            for (const int child : node.child) open_.emplace_back(child, child);
        } else if (overlaps(entries_[node.id].box, box)) {
            found.push_back(node.id);
        }
    }
    std::sort(found.begin(), found.end());
}

}  // namespace sinew
