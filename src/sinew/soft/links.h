// What spring meshes do to the bodies that hold them or that they touch, as a force law for the step of the
// bodies.
//
// Mesh and bodies are stepped in turns, each with the other's end of the step as it was last found. A body
// sees the mesh as a spring about the pose that the mesh was solved with:
//     F(ξ) = F₀ − S ξ
// with ξ the way from that pose (a shift and a turn), F₀ the wrench of the mesh there, and S what the mesh
// answers to the body's motion, its own vertices moving along: the Schur complement
//     S = Jᵀ K J − (K J)ᵀ H⁻¹ (K J)
// of the mesh's matrix H (math/sparse_cholesky.h) in the matrix of both, K the blocks that couple them and
// J the motion of held or touched points with the body. Six solves a body. So the turns are Newton's method
// on both for one body, and converge fast for several, which know of each other by the turns alone. When ξ
// does not change any more, both see the same force.
#pragma once

#include <vector>

#include "sinew/soft/solve.h"
#include "sinew/state/state.h"

namespace sinew {

struct MeshLink {
    int body = 0;
    Vec3 position = Vec3::Zero();  // the pose that the mesh was solved with
    Quat orientation = Quat::Identity();
    double arm = 0;             // m: how far from the centre of mass it acts
    Vec6 force = Vec6::Zero();  // at the centre of mass, world axes
    Mat6 stiffness = Mat6::Zero();
};

struct MeshLinks {
    std::vector<MeshLink> links;

    // Appends those of a mesh whose step has been solved, one a body.
    void add(MeshSolver& solver, const MeshState& state);
    // How far, at most, points of the bodies are from where the meshes had them, m.
    double mismatch(const LargeVector<BodyState>& bodies) const;

private:
    // A vertex that acts on a body: by a block of its own, or by those of its springs.
    struct Touch {
        int vertex = 0, body = 0;
        Vec3 arm = Vec3::Zero(), force = Vec3::Zero();  // from the centre of mass; on the body
        Mat3 stiffness = Mat3::Zero();
        bool isRigid = false;
    };
    void condense(MeshSolver& solver, const MeshState& state, std::size_t first, std::size_t last);
    std::vector<Touch> touches_;
    VecX answer_;
};

// ForceFunction::Addition, with MeshLinks as the adder.
void addLinkForces(void* links, const Model& model, const State& state, Forces& forces);

}  // namespace sinew
