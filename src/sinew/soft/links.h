// What spring meshes do to the bodies that hold them or that they touch, as a force law for the step of the
// bodies.
//
// Mesh and bodies are stepped in turns, each with the other's end of the step as it was last found: block
// Gauss-Seidel on the one system of both. A body sees each vertex as a spring about the place where the
// mesh had it:
//     f(p) = f₀ − K (p − p₀)
// with K the vertex's own block of the mesh's matrix (springs, dampers, and of a pinned vertex its
// inertia). So each of the two solves with its own full block of a symmetric positive definite matrix, and
// the turns converge, whatever the masses. When p does not change any more, both see the same force.
#pragma once

#include <vector>

#include "sinew/soft/solve.h"
#include "sinew/state/state.h"

namespace sinew {

struct MeshLink {
    int body = 0;
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
    Vec3 place = Vec3::Zero();  // p₀, world
    Vec3 force = Vec3::Zero();  // f₀, on the body
    Mat3 stiffness = Mat3::Zero();
};

struct MeshLinks {
    std::vector<MeshLink> links;

    // Appends those of a mesh whose step has been solved.
    void add(MeshSolver& solver, const MeshState& state);
    // How far, at most, the bodies are from where the meshes had them, m.
    double mismatch(const LargeVector<BodyState>& bodies) const;
};

// ForceFunction::Addition, with MeshLinks as the adder.
void addLinkForces(void* links, const Model& model, const State& state, Forces& forces);

}  // namespace sinew
