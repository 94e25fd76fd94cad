// A whole motion: pieces, one after the other, and what can be read off it at any time.
#pragma once

#include "sinew/optimize/motion_piece.h"

namespace sinew {

struct MotionPlan {
    GaussPoints points;
    PieceStart start;
    std::vector<MotionPiece> pieces;
    std::vector<PieceStart> nodes;  // where pieces begin, and the end: pieces + 1
    double weight = 0, costs = 1;   // what the multipliers of a search belong to; zero: there was none
    std::vector<double> lastMultipliers;  // of the moment at the end

    double duration() const { return pieces.empty() ? 0 : pieces.back().start + pieces.back().length; }
    // The piece at a time, and which part of it.
    int pieceAt(double time, double& part) const;

    // The figure at a time: q and u, and u̇ if wanted.
    void read(const Model& model, double time, VecX& q, VecX& u, VecX* a = nullptr) const;
    // The joint forces of the plan, as the polynomials through its points: what drives the figure, and what
    // is left in the freedoms that nothing drives.
    void readForces(const Model& model, double time, VecX& Q) const;
    // The force at a place (optimize/motion_contact.h) as parts of its unit, world axes.
    Vec3 readPlace(const MotionProblem& problem, double time, int place) const;
};

// A mesh whose pieces begin wherever something is asked or changes, and are not longer than `longest`; the
// figure stands still at the problem's base.
MotionPlan stillPlan(const MotionProblem& problem, double longest, int stages = 3);

// Where pieces have to begin, with the start and the end; and a piece without motion, what is in contact
// bearing the weight.
std::vector<double> breaks(const MotionProblem& problem);
void sizePiece(const MotionProblem& problem, const GaussPoints& points, MotionPiece& piece);

// From pose to pose, coming to rest at each: where a search may start.
struct KeyPose {
    double time = 0;
    VecX q;
};
void followKeys(const MotionProblem& problem, const std::vector<KeyPose>& keys, MotionPlan& plan);

// The same motion on a mesh where some pieces are cut in two.
MotionPlan refined(const MotionProblem& problem, const MotionPlan& plan, const std::vector<char>& cut);

// Places the nodes after start or pieces were changed.
void placeNodes(const MotionProblem& problem, MotionPlan& plan);

}  // namespace sinew
