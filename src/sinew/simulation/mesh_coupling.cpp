#include "sinew/simulation/mesh_coupling.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/indirect_members.h"
#include "sinew/math/rotation.h"
#include "sinew/soft/groups.h"

namespace sinew {

template class Indirect<MeshCoupling>;

namespace {

constexpr int mostTurns = 60;
// What places on bodies may still be off by: this part of what vertices may be (SpringMesh::tolerance).
constexpr double agreement = 1e-3;

}  // namespace

void addAll(void* adder, const Model& model, const State& state, Forces& forces)
{
    MeshCoupling& coupling = *static_cast<MeshCoupling*>(adder);
    if (coupling.inputs && !coupling.inputs->empty()) addInputs(coupling.inputs, model, state, forces);
    addLinkForces(&coupling.links, model, state, forces);
}

void MeshCoupling::stepMeshes(const Model& model, const State& before, const LargeVector<BodyState>& end,
                              double h, bool goesOn, StepStatistics& statistics)
{
    MeshSurroundings around;
    around.model = &model;
    around.start = &before.bodies;
    around.end = &end;
    around.time = before.time + h;
    links.links.clear();
    for (std::size_t g = 0; g < model.meshGroups.size(); ++g) {
        const TiedMeshes& group = model.meshGroups[g];
        const MeshState& from = solvedState(model, group, before.meshes, joinedBefore);
        MeshState& to =
            group.joined.empty() ? found[static_cast<std::size_t>(group.members.front())] : joined[g];
        const MeshSolution solution =
            solvers[g].advance(solvedMesh(model, group), from, around, h, to, goesOn);
        if (!group.joined.empty()) spread(model, group, to, found);
        links.add(solvers[g], to);
        statistics.meshIterations += solution.iterations;
        statistics.meshCaps += !solution.converged;
        statistics.meshResidual = std::max(statistics.meshResidual, solution.residual);
    }
    // Those of a body together, so that it gets one tangent.
    std::stable_sort(links.links.begin(), links.links.end(),
                     [](const MeshLink& a, const MeshLink& b) { return a.body < b.body; });
}

bool MeshCoupling::step(const Model& model, const State& before, double h, State& state,
                        const std::function<bool()>& stepBodies, StepStatistics& statistics)
{
    solvers.resize(model.meshGroups.size());
    joined.resize(model.meshGroups.size());
    found.resize(model.meshes.size());
    // The bodies as their velocities lead them.
    ends = before.bodies;
    for (BodyState& body : ends) {
        body.position += h * body.velocity;
        body.orientation = body.orientation * expRotation(h * body.angularVelocity);
    }
    stepMeshes(model, before, ends, h, false, statistics);
    double near = HUGE_VAL;
    for (const SpringMesh& mesh : model.meshes)
        near = std::min(near, agreement * mesh.tolerance * mesh.length);
    bool isGood = true;
    for (int turn = 0; model.size() > 0 && isGood; ++turn) {
        if (turn > 0) state = before;
        isGood = stepBodies();
        if (!isGood) break;
        ++statistics.meshTurns;
        if (links.mismatch(state.bodies) <= near) break;
        stepMeshes(model, before, state.bodies, h, true, statistics);
        if (turn + 1 == mostTurns) {
            ++statistics.meshCaps;
            break;
        }
    }
    state.meshes = found;
    return isGood;
}

}  // namespace sinew
