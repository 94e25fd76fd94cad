// The articulated-body recursion, split into a factorisation and a solve:
//
//     I^A = I + Σ Xᵀ (I^A − U D⁻¹ Uᵀ) X          U = I^A S,  D = Sᵀ I^A S + B        leaf to root
//     p^A = p + Σ Xᵀ (p^A + U D⁻¹ y)              y = Q − Sᵀ p^A                      leaf to root
//     u̇   = D⁻¹ (y − Uᵀ a'),  a' = X a_parent,  a = a' + S u̇                          root to leaf
//
// (Featherstone 1987; the k × k block D instead of the slides' division serves every joint.) Everything is
// in the axes of its own link, at its centre of mass, in the order linear, angular. I need not be a rigid
// body's: anything symmetric that a body or a joint (B, and U's coupling) adds rides along at no cost. A
// joint with all six freedoms cuts the tree: a = (I^A)⁻¹ (S Q − p^A), and only S Q reaches the parent.
//
// The matrix of an implicit step is not symmetric. The general recursion tells columns from rows,
//     U = I^A S + coupling,  V = Sᵀ I^A + row coupling,  I^a = I^A − U D⁻¹ V,  u̇ = D⁻¹ (y − V a')
// and takes any I and B. It must not be made symmetric on the way: what rounding adds goes through the same
// congruence as I^A itself and dies out, as long as V is really of the row.
#pragma once

#include <vector>

#include "sinew/base/large_vector.h"
#include "sinew/math/spatial.h"
#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

// About 1 KB each, and every step streams over all of them: long chains are bound by memory, so blocks
// are no larger than the joints with up to three freedoms need. A free joint's S is [X.Rᵀ 0; 0 1] and is
// not stored.
struct ArticulatedLink {
    using Columns = Matrix<6, 3>;

    // Set by `placeLink`.
    int parent = -1;
    int freedoms = 0;
    int u = 0;               // where its freedoms start
    bool isBall = false;     // S = [a~; 1]
    bool hasBlocks = false;  // jointBlock and coupling below count
    Transform X;             // child → parent
    Columns S;               // leading k columns
    Motion velocity;         // of the link
    Motion bias;             // c = Ṡ u + v × S u

    // Set by the caller before factoring; afterwards I^A (six freedoms: its inverse).
    Mat6 inertia;

    // Set by factoring.
    bool isSoft = false;  // the joint's block is not more than the inertia beyond it
    Columns U;            // leading k columns
    Mat3 inverseD;        // leading k × k
    // Vᵀ, leading k columns, set by factoring for increments. Before a general factoring the caller sets
    // what is added to it, if hasBlocks.
    Columns V;

    // Set by the caller before solving: p; afterwards p^A.
    Vec6 force;
    // Set by solving.
    Vec6 reduced;       // y; six freedoms: S Q
    Vec6 acceleration;  // spatial

    // What implicit steps add, set by the caller before factoring.
    Mat3 jointBlock = Mat3::Zero();  // B, leading k × k
    Mat3 coupling = Mat3::Zero();    // columns added to the turning rows of U; of V too unless general

    // S x.
    template <class Vector>
    Vec6 along(const Vector& x) const
    {
        if (freedoms == 6)
            return (Vec6() << X.R.transpose() * x.template head<3>(), x.template tail<3>()).finished();
        return S.leftCols(freedoms) * x;
    }
};

// X and S of one link at the coordinates q of the figure.
void placeJoint(const Model& model, const VecX& q, int i, ArticulatedLink& link);
// The same, velocity and bias from the state.
void placeLink(const Model& model, const State& state, int i, ArticulatedLink& link);

// The 6 × 6 inertia of a rigid body at its centre of mass, body axes.
Mat6 rigidInertia(const Body& body);
// Adds Xᵀ I X: a child's symmetric inertia seen at the parent's centre of mass, in parent axes.
void addInertiaToParent(const Transform& X, const Mat6& I, Mat6& parent);

// The solve without p and c, as a step of Newton's method wants it. Q and the result are per freedom;
// `links[i].force` is overwritten.
void solveIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result);
// The same for one skeleton, [first, first + count): the other parts of Q and the result are left alone.
void solveIncrement(LargeVector<ArticulatedLink>& links, int first, int count, const VecX& Q, VecX& result);
// Both, in fewer passes over memory.
void factorAndSolveIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result);
// The same for matrices that are not symmetric.
void factorAndSolveGeneralIncrement(LargeVector<ArticulatedLink>& links, const VecX& Q, VecX& result);

}  // namespace sinew
