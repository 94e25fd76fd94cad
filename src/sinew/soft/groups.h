// The meshes of a model as they are solved: each by itself, or joined where springs tie them to each other.
#pragma once

#include "sinew/model/model.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/mesh_state.h"

namespace sinew {

const SpringMesh& solvedMesh(const Model& model, const TiedMeshes& group);

// The state of a group: that of its mesh, or in `memory` those of its members one after the other.
const MeshState& solvedState(const Model& model, const TiedMeshes& group,
                             const std::vector<MeshState>& states, MeshState& memory);
// And back, of a group of several.
void spread(const Model& model, const TiedMeshes& group, const MeshState& joined,
            std::vector<MeshState>& states);

}  // namespace sinew
