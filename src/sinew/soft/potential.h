// A step of a spring mesh as a minimum: implicit Euler's equations
//
//     M (x − x₀ − h v₀)/h² = f(x, (x − x₀)/h)
//
// say that the gradient of the incremental potential
//
//     E(x) = ½/h² |x − y|²_M + V(x) + D(x),      y = x₀ + h v₀ + h² g + h² M⁻¹ f_scripted
//
// is zero. V are the energies of springs, folds, pressure, pins and contact. D is what dampers do within
// the step: a damper c on a length l gives c/(2h) (l(x) − l(x₀))², whose gradient is the force −c l̇ with
// the rate that the step has. Both are functions of lengths and angles alone, so
// that no net force or torque comes from within (variational integrators; M. Li et al. 2020 for friction).
//
// Derivatives. H is symmetric positive definite by construction, with what is left out in brackets:
//     spring    T' n nᵀ + max(T/l, 0) (1 − n nᵀ)            [the negative part under compression]
//     fold      T' ∇θ ∇θᵀ                                   [T ∇²θ]
//     pressure  (bulk/V₀) ∇V ∇Vᵀ, a rank-one part apart     [−p ∇²V]
//     contact   k n nᵀ; friction: its own positive part
// so that −H⁻¹∇E always leads downhill. With the negative parts of springs (`isWhole`) Newton's method
// converges quadratically near the minimum. The gradient has everything.
//
// Symbols: T tension (N, or N·m of a fold), l length, n direction, θ angle between faces, V volume.
#pragma once

#include <vector>

#include "sinew/model/spring_mesh.h"
#include "sinew/soft/surroundings.h"
#include "sinew/soft/ties.h"
#include "sinew/state/mesh_state.h"

namespace sinew {

// What a vertex touches, or may touch within this step. The plane is looked up once per iteration of the
// solver.
struct MeshContact {
    int vertex = 0, collider = 0, body = -1;
    const MeshTraits* traits = nullptr;  // of the part that the vertex is of
    Vec3 normal = Vec3::Zero();
    double offset = 0;            // depth = offset − normal·x
    Vec3 carried = Vec3::Zero();  // where its anchor on the body is at the end
    double stiffness = 0;         // N/m
    double friction = 0;
    double pressed = 0;  // N, the normal force that friction goes by, of the iterate before
};

// Blocks of H: per vertex, and per edge {i, j} the one of row i and column j. Column by column.
struct MeshHessian {
    std::vector<double> diagonal, off;
    // The rank-one parts, of each closed surface one: weight · gradient gradientᵀ.
    struct RankOne {
        double weight = 0;
        VecX gradient;
    };
    std::vector<RankOne> bulks;
    bool isClamped = false;  // negative parts of springs were left out
};
// Which parts of H.
struct HessianParts {
    bool isWhole = false;  // the negative parts of springs too
    bool isThin = false;   // without MeshStep::weakSprings and weakFolds
};

// A step: what stays the same within it, and the memory for it.
struct MeshStep {
    const SpringMesh* mesh = nullptr;
    const MeshSurroundings* around = nullptr;
    double h = 0;
    VecX x0, v0, y;
    std::vector<double> length0, angle0;  // of springs and folds with dampers, at the start
    std::vector<char> isHeld;             // vertices that pins move: no unknowns
    std::vector<Vec3> pinned, pinned0;    // per pin: where it is at the end and at the start
    std::vector<MeshContact> contacts;
    // Forces of the flow at the last iterate, and what they change by per velocity of their vertices.
    VecX flow;
    std::vector<Mat3> flowDamping;
    VecX flowAt;  // the iterate
    mutable std::vector<double> scratch;
    // Tensions of the springs by themselves: estimates that H goes by in place of those at x. Empty: none.
    std::vector<double> tensions;
    std::vector<char> isWeakSpring, isWeakFold;  // empty: none is

    // From the state at the start; `around` must stay.
    void begin(const SpringMesh& mesh, const MeshState& state, const MeshSurroundings& around, double h);
    // Looks at contacts and flow at an iterate, and at the normal forces that friction goes by where asked
    // to; between two such calls E is one smooth function.
    void lookAround(const VecX& x, bool looksAtFriction, bool looksAtFlow);
    bool hasFriction() const;
    // Friction holds a vertex to its anchor by a spring that gives way at Coulomb's force, after this way.
    double stickingWay(const MeshContact& contact) const { return 1e-2 * contact.traits->length; }

    double energy(const VecX& x) const;
    void gradient(const VecX& x, VecX& g) const;                                 // zero at held vertices
    void hessian(const VecX& x, MeshHessian& H, HessianParts parts = {}) const;  // identity there
    bool isPressed(std::size_t spring, const VecX& x) const;                     // pushes its ends apart
    void startTensions();                               // as they were at the start
    void followTensions(const VecX& x, const VecX& d);  // as they are foreseen after the way d
    // With held vertices: minus this is what they pull their holders by, their own inertia included.
    void fullGradient(const VecX& x, VecX& g) const;
    // The block of a held vertex, as if it were none.
    Mat3 ownBlock(int vertex, const VecX& x) const;
    // Of a spring: minus what it couples its ends by.
    Mat3 springBlock(std::size_t spring, const VecX& x, bool isWhole = false) const;
    Mat3 tieBlock(const MeshTie& tie, const VecX& x) const;
    GlidePlace glideAt(const MeshGlide& glide, const VecX& x) const;
    GlidePlace glideBefore(const MeshGlide& glide) const;

private:
    void addVolumeSlope(const MeshPart& part, double push, const VecX& x, VecX& g) const;
};

// The pieces, for energies in tables and for explicit steps.
struct MeshEnergy {
    double kinetic = 0, potential = 0, elastic = 0;
};
MeshEnergy meshEnergy(const SpringMesh& mesh, const MeshState& state, const Vec3& gravity,
                      const LargeVector<BodyState>& bodies);
double enclosedVolume(const SpringMesh& mesh, const VecX& x, int part = 0);
double foldAngle(const MeshFold& fold, const VecX& x);
// How far it is from rest, and how that changes with the corners.
double foldTurn(const MeshFold& fold, const VecX& x, std::array<Vec3, 4>& gradient);
// Without its damper.
double springTension(const MeshSpring& spring, double length);

}  // namespace sinew
