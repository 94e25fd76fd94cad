// Spring meshes beside the bodies of a scene: who is stepped when, and how they agree (soft/links.h).
#pragma once

#include <functional>
#include <vector>

#include "sinew/integrate/step_statistics.h"
#include "sinew/simulation/inputs.h"
#include "sinew/soft/links.h"

namespace sinew {

// Memory of the meshes' steps: nothing in it changes a result.
struct MeshCoupling {
    std::vector<MeshSolver> solvers;  // per group of meshes
    std::vector<MeshState> found;     // per mesh
    std::vector<MeshState> joined;    // per group, where it has several
    MeshState joinedBefore;
    LargeVector<BodyState> ends;  // of bodies, as meshes see them
    MeshLinks links;
    Inputs* inputs = nullptr;  // beside the links

    // A step of all from `before` to `state`. `stepBodies` steps the bodies of `state`, under the forces of
    // addAll() with this as the adder, and says whether that went well.
    bool step(const Model& model, const State& before, double h, State& state,
              const std::function<bool()>& stepBodies, StepStatistics& statistics);

private:
    void stepMeshes(const Model& model, const State& before, const LargeVector<BodyState>& end, double h,
                    bool goesOn, StepStatistics& statistics);
};

// ForceFunction::Addition: inputs, then links; the adder is a MeshCoupling.
void addAll(void* coupling, const Model& model, const State& state, Forces& forces);

}  // namespace sinew
