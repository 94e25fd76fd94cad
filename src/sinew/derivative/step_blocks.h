// What ties bodies together beside the tree, in the linearised equations of a step: contacts as they stand
// (open, sticking, slipping), loops, couplings, springs between bodies. Not a public header.
//
// A block has up to six forces η, which push two bodies, and as many displacements d. It says
// A η + B δd = 0:
//     contact   sticks   c η_n + δd_n = 0,  δd_t = 0                 c: compliance h² (contact/delassus.h)
//               slips    c η_n + δd_n = 0,  with u = −d_t/|d_t| and w across it
//                        u · η_t − f η_n = 0,  |d_t|/(f F_n) w · η_t + w · δd_t = 0
//               open     no block
//     bounded   like the tangents of a contact, with the bound of its contact's normal force for f
//     loop      δd = 0                       spring    η − δd = 0
// Together: (A + B W) η = −B d₀ with W what the forces of one block do to another, by the tree; per island
// of skeletons that blocks tie together, dense, of least size where rows depend on each other. So an
// adjoint is the transpose of the same numbers.
//
// A contact's frame is carried along its normal without turning about it; forces of friction do not ask for
// more.
#pragma once

#include <vector>

#include "sinew/derivative/step_tree.h"

namespace sinew::stepping {

struct Block {
    int rows = 3;
    int body[2] = {-1, -1};
    Six place[2], rate[2], start[2];  // d by e', by (δv', change of R'ω') and by e of each
    Six push[2];                      // wrench on each by η, columns
    Six wrenchByStart[2][2];          // wrench on the first by e of the second, beside η
    bool hasRate = false, hasStart = false;
    Six A, B;
    // The law's first row also says: minus `bound` times the first force of another block. −1: none.
    int master = -1;
    double bound = 0;
    // Of a coupling: freedoms instead of bodies.
    int freedom[2] = {-1, -1};
    double ratio = 0;
};

// All zero.
Block emptyBlock(int rows, int first, int second);

struct Island {
    std::vector<int> blocks, skeletons;
    std::vector<int> at;  // of each block: its first row
    MatX inverse;
};

class StepBlocks {
public:
    // Blocks at the end of a part; adds constraint forces and how they turn with one body to the bodies.
    void set(const Model& model, const StepPart& part, StepTerms& terms);
    // By the factorised tree.
    void factor(const StepTerms& terms, const StepTree& tree, TreeVectors& scratch);
    bool empty() const { return blocks_.empty(); }

    // The forces of loops that the joints' residual asks for: body coordinates close loops by forces of
    // their own, which are not kept.
    void correctLoops(const StepTree& tree, StepTerms& terms, TreeVectors& scratch) const;

    // Between two solves with the tree: with e' and δq of the first (no block pushing), adds what the
    // blocks push to the right-hand side of the second.
    void push(const StepTerms& terms, const TreeVectors& moved, const StateChange& start,
              TreeVectors& right) const;
    // The adjoint: with weights on p and ρ of the first transposed solve, adds weights on e' and δq for the
    // second.
    void pull(const StepTerms& terms, const TreeVectors& weights, TreeVectors& right,
              StateChange& start) const;
    // What is known of δN beside the bodies' own: subtracts wrenches by the start.
    void addStart(const StateChange& start, TreeVectors& right) const;
    void addStartWeights(const TreeVectors& weights, StateChange& start) const;

private:
    void addContact(const Model& model, const StepPart& part, std::size_t c, StepTerms& terms);
    void addTurning(const Model& model, const StepPart& part, const TapedTurning& turning,
                    StepTerms& terms);
    void addLoop(const Model& model, const StepPart& part, int loop, StepTerms& terms);
    void addCoupling(const Model& model, int coupling);
    void addPair(const PairTangent& pair, StepTerms& terms);
    void addCross(int on, int by, const Six& wrench);
    void setIslands(const Model& model);
    void setLaw(const StepTerms& terms, const Island& island, std::size_t i, const TreeVectors& moved,
                const StateChange& start) const;

    const Model* model_ = nullptr;
    std::vector<Block> blocks_;
    std::vector<int> blockOf_;  // of each contact, or −1
    std::vector<int> loopBlock_;
    std::vector<Island> islands_;
    mutable VecX left_, right_;
};

}  // namespace sinew::stepping
