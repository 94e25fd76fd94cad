// Constraint rows on figures: how their bodies' motions enter the Delassus operator through the joints.
#pragma once

#include "sinew/contact/delassus.h"
#include "sinew/contact/pair_rows.h"
#include "sinew/dynamics/articulated.h"

namespace sinew {

// How a block's d changes with a small move of a body's centre of mass and a small turn of the body, world
// axes. A body of −1 is the world, which does not move.
struct BodyRows {
    int body = -1;
    Mat3 move = Mat3::Zero(), turn = Mat3::Zero();  // row r belongs to row r of the block
};

// The freedoms of a skeleton.
int freedomStart(const Model& model, const Skeleton& skeleton);
int freedomCount(const Model& model, const Skeleton& skeleton);
// Adds what the joints between the body and its root make of the rows, over freedoms [start, start +
// count), to J (row-major, 3 × count), and to `terms` how large the terms are that it is a sum of.
void addJacobian(const ArticulatedLinks& links, const LargeVector<BodyState>& bodies, const BodyRows& rows,
                 int start, int count, double* J, double* terms);

// Of a contact: d of B's surface against A's, along the normal and the tangents.
void setContactRows(const Contact& contact, const LargeVector<BodyState>& bodies, BodyRows& a, BodyRows& b);

// The velocity of B's surface against A's, along the same.
Vec3 contactVelocity(const Contact& contact, const LargeVector<BodyState>& bodies);
// The same of what is now where it is at `places`, as it moves at `bodies`.
Vec3 contactVelocity(const Contact& contact, const LargeVector<BodyState>& places,
                     const LargeVector<BodyState>& bodies);

// Of a loop: its rows in blocks of up to three, two BodyRows (parent, child) and one d for each.
void setLoopRows(const LoopJoint& loop, const LargeVector<BodyState>& bodies, BodyRows* rows, Vec3* d);
inline int loopBlocks(const LoopJoint& loop)
{
    return (loop.rows() + 2) / 3;
}

// Of a coupling: a block of one row, d the couplingGap, whose J is known by the freedoms alone.
int addCouplingRow(const Model& model, const Coupling& coupling, Delassus& delassus);
// Its force, along the follower's coordinate, and what the leader feels of it.
void addCouplingForce(const Model& model, const Coupling& coupling, double force, Forces& forces);

// What contacts and loops exert on the bodies, and couplings on the joints, by the
// impulses in the state, over a step of length h.
void addConstraintForces(const Model& model, const State& state, double h, Forces& forces);

// What is inside something else comes out by this much in a part h of a step: a part of its depth, so that
// noise of the geometry dies out instead of ringing, and not too fast, so that nothing is shot out.
double recovered(const Model& model, double depth, double h, double step);

// Units are the skeletons of the model; where springs tie some together, runs of them (Model::runs), so
// that whatever one is pushed by reaches the others.
void clearForSkeletons(const Model& model, Delassus& delassus, std::vector<int>& freedoms);

// Adds a block over one or two bodies, its J by the joints between body and root as they are placed in
// `links` and in `bodies`.
int addFigureRows(const Model& model, const ArticulatedLinks& links, const LargeVector<BodyState>& bodies,
                  const BodyRows& a, const BodyRows& b, Delassus& delassus);

// Memory of solveFigureRows, and what it needs again when a solver asks for the inertia: alive as long as
// the operator is used.
struct FigureRowsWork {
    const Model* model = nullptr;
    ArticulatedLinks* links = nullptr;
    VecX row, column;
    std::vector<char> done;
    // Per skeleton, how long the step is in its equations: with the matrix times the square of that, the
    // answer to an impulse is so much smaller. Empty: all alike.
    std::vector<double> parts;
    double share(int skeleton) const { return parts.empty() ? 1 : parts[skeleton] * parts[skeleton]; }
    // Forces between bodies that are part of the matrix; null: there are none.
    const PairRows* pairs = nullptr;
};

// Y = H⁻¹ Jᵀ of all blocks by the factorised links, whose forces and accelerations are overwritten.
// O(links of the skeleton) per row.
void solveFigureRows(const Model& model, ArticulatedLinks& links, Delassus& delassus, FigureRowsWork& work);

// Adds what all impulses in the operator do to the freedoms.
void addUnitMotions(const Model& model, const Delassus& delassus, VecX& motion);

// J times a motion of all freedoms.
Vec3 figureMotion(const Model& model, const Delassus& delassus, int block, const VecX& motion);

}  // namespace sinew
