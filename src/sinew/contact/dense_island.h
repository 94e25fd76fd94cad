// A small island as one dense problem, for the solvers that look at all of its rows at once.
//
// Rows are scaled by √W_ii (both tangents of a contact alike), so that W has ones on its diagonal as
// far as contacts go and impulse, displacement and residual are square roots of energies. With d = d0 + W μ
// + α (μ − c), where α and c are the proximal point of solve_exact.cpp (α = 0: the problem itself):
//     contact    r = max(0, μ_n − d_n),  y = μ_t − ρ d_t,  F_n = μ_n − r,  F_t = μ_t − y min(1, f r / |y|)
//     equality   F = d
//     bounded    y = μ − d,  F = μ − y min(1, radius / |y|)
// F = 0 is Coulomb's law, whatever ρ > 0; with ρ = 1 its entries are how far the law is missed.
#pragma once

#include <cmath>
#include <vector>

#include "sinew/contact/island.h"

namespace sinew {

// What piece of F a contact is on, with what the slipping one needs.
struct ContactPiece {
    enum class Kind { open, stick, slip } kind = Kind::open;
    double r = 0, length = 0, e[2] = {0, 0};
};

// The scaled problem. Vectors have an entry per row that can move.
struct DenseIsland {
    const Island& island;
    ConstraintSolverWork& w;
    int n = 0;
    double alpha = 0;
    double slipWeight = 1;  // ρ
    int activeCount = 0;    // of w.active: rows that are not open
    int forced = -1;        // the first row of a contact that is taken to be on a given piece
    ContactPiece::Kind forcedKind = ContactPiece::Kind::open;

    double& W(int i, int j) { return w.W[static_cast<std::size_t>(i) * n + j]; }
    const ConstraintLaw& law(int i) const { return w.laws[w.rows[i].block]; }
    // Rows that belong together with row i: three of a contact with friction, all of a bounded block.
    int width(int i) const
    {
        if (law(i).bounded) return law(i).rows;
        return law(i).contact && law(i).friction > 0 ? 3 : 1;
    }
    // The first of them that slips.
    int tangent(int i) const { return law(i).bounded ? i : i + 1; }
    double radius(int i) const { return law(i).radius * std::sqrt(law(i).tangentScale); }
    double friction(int i) const
    {
        if (law(i).bounded) return 1;  // of its radius
        return law(i).friction * std::sqrt(law(i).tangentScale / law(i).normalScale);
    }
};

// Rows that can move, and W, d0 and impulses scaled.
void collectRows(DenseIsland& p);
void assemble(DenseIsland& p);
void displacement(DenseIsland& p, const std::vector<double>& impulse, std::vector<double>& d);
// W x
void timesW(const DenseIsland& p, const std::vector<double>& x, std::vector<double>& product);

ContactPiece pieceOf(const DenseIsland& p, int i, const std::vector<double>& impulse,
                     const std::vector<double>& d);

struct ResidualSize {
    double energy = 0;  // |F|²
    double meters = 0;  // the largest entry, unscaled
};

// F of impulses and their displacements.
ResidualSize evaluate(const DenseIsland& p, const std::vector<double>& impulse,
                      const std::vector<double>& d, std::vector<double>& F);
// Scaled impulses back into the blocks, each inside its cone.
void takeImpulses(const DenseIsland& p, const std::vector<double>& impulse);

// LU with row exchanges, in place; false for a singular A. And x of A x = b, in place.
bool factorise(double* A, int* pivots, int n);
void solveFactored(const double* A, const int* pivots, double* b, int n);
// Multiplications and additions that it takes.
inline double solveOperations(int n)
{
    return 2.0 / 3 * n * n * n;
}

}  // namespace sinew
