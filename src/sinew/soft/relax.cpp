#include "sinew/soft/relax.h"

#include <algorithm>
#include <cmath>

namespace sinew {

Relaxation relax(const SpringMesh& mesh, const MeshSurroundings& around, MeshState& state, double tolerance,
                 int mostRounds)
{
    Relaxation result;
    SpringMesh still = mesh;
    still.step = SpringMeshDescription::Step::newton;
    still.tolerance = 1e-9;
    double stiffness = 0;
    for (double k : mesh.ownStiffness) stiffness = std::max(stiffness, k);
    const double mass = mesh.mass() / mesh.size(), gravity = around.model->gravity.norm();
    // What counts as no force: against the weight of a vertex, or what moves it by a spring's length.
    const double scale = gravity > 0 ? mass * gravity : stiffness * mesh.length * 1e-3;
    // The slowest that a mesh swings as a whole, about: its extent in a hundredth of the time that it takes
    // to fall.
    double h = stiffness > 0 ? 10 * std::sqrt(mass / stiffness) : 0.01;
    MeshSolver solver;
    for (int round = 0; round < mostRounds; ++round, h *= 2) {
        MeshState before = state;
        before.v.setZero(state.x.size());
        before.a.setZero(state.x.size());
        const MeshSolution solution = solver.advance(still, before, around, h, state);
        RelaxRound told{h, solution.iterations, 0, 0, 0};
        for (int i = 0; i < mesh.size(); ++i) {
            if (solver.step.isHeld[static_cast<std::size_t>(i)]) continue;
            double squared = 0;
            for (int k = 0; k < 3; ++k) squared += std::pow(state.x[3 * i + k] - before.x[3 * i + k], 2);
            const double way = std::sqrt(squared);
            told.way = std::max(told.way, way);
            // Inertia is all that balances what is left.
            told.force = std::max(told.force, mesh.masses[static_cast<std::size_t>(i)] * way / (h * h));
        }
        const MeshEnergy energy = meshEnergy(mesh, state, around.model->gravity, *around.end);
        told.energy = energy.potential + energy.elastic;
        result.rounds.push_back(told);
        if (told.force <= tolerance * scale && told.way <= 1e-6 * mesh.length) {
            result.converged = true;
            break;
        }
    }
    state.v.setZero(state.x.size());
    state.a.setZero(state.x.size());
    return result;
}

}  // namespace sinew
