// The equilibrium of a spring mesh: where no force is left.
//
// Source: relaxation (R. Parent's chapter), which steps until nothing moves. Here each round is an implicit
// step from rest, and twice as long as the one before: its inertia holds the first ones near to where the
// mesh is, so that it comes to the equilibrium that it would fall into, and the last ones are Newton's
// method on the energy alone.
#pragma once

#include <vector>

#include "sinew/soft/solve.h"

namespace sinew {

struct RelaxRound {
    double step = 0;  // s, of the implicit step
    int iterations = 0;
    double force = 0;   // N, the largest that is left at a vertex
    double way = 0;     // m, the largest that a vertex moved
    double energy = 0;  // J, potential and elastic
};
struct Relaxation {
    std::vector<RelaxRound> rounds;
    bool converged =
        false;  // force below `tolerance` times the weight of a mean vertex, or the force of its springs
};

// Bodies stay where `around` has them.
Relaxation relax(const SpringMesh& mesh, const MeshSurroundings& around, MeshState& state, double tolerance,
                 int mostRounds);

}  // namespace sinew
