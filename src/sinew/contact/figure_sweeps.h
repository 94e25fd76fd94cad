// Contacts of figures by a fixed budget of sweeps (docs/contact.md, "accuracy": "fast"): Coulomb's law on
// the Delassus operator W = J H⁻¹ Jᵀ of an implicit step, along the paths of the bodies.
//
// Sources: block Gauss-Seidel (Moreau, Jean), with the conjugate directions of Silcowitz-Hansen, Niebur &
// Erleben 2010 as in contact/pile.h; sparsity along paths as in Featherstone 2008, chapter 6, here of a
// matrix that need not be symmetric (recursion/increments.h). With p the force on a body, the pass inward
// leaves at each joint on the way to the root
//     y = −D⁻¹ Sᵀ p         p' = p + U y          and nothing at any other joint,
// and the pass outward moves a body by what the joints on *its* way have,
//     δ = y − D⁻¹ W m'      m = m' + S δ          m' the motion that the parent gives
// whose adjoint, from w on the body's motion, is again a pass inward: z = Sᵀ w, w' = w − (D⁻¹ W)ᵀ z. So
// with x = Σ y μ per freedom of the figures
//     d = d0 + Σ z·x        along the path of the contact's bodies
// and to change an impulse, or to see how far a contact has moved, costs the freedoms between body and
// root, not those of the figure; x becomes a motion of the figure once, after all sweeps. The passes are
// made for the six directions of each body that is touched, whatever the number of its contacts. A free
// root has its motion itself for x.
//
// Energy: over a step contacts do the work ½ Σ μ·(way by the velocities before + way by those after), to
// which W adds ½ μᵀWμ. Sweeps that have converged leave none; of those that have not, all impulses of an
// island are scaled by the largest s ≤ 1 that does no work. Momenta are not touched by that.
//
// Kept: Coulomb's cone, always; joints and momenta, which the equations of the step bring with whatever
// impulses they are given. Missed: the laws, by what sweeps leave open (report). Cost: freedoms of the
// paths for each row and sweep. Islands do not know of each other.
#pragma once

#include <vector>

#include "sinew/contact/figure_rows.h"
#include "sinew/contact/report.h"
#include "sinew/math/small.h"

namespace sinew {

// A contact, or a torque that rolling or spinning friction bounds by its normal impulse: μ is h² times a
// force, d a way in the step, in m. The first part is given, the rest is of FigureSweeps.
struct SweptBlock {
    int source = 0;           // as the caller knows it
    int contact = -1;         // of a torque: the contact among the blocks
    int rows = 3;             // normal and two tangents; of a torque one or two
    int root = 0;             // of its island
    BodyRows sides[2];        // d by the motions of its bodies
    double height = 0;        // sweeps go up and down
    double friction = 0;      // of a torque: over the normal impulse
    Vector3<double> offset;   // d without the impulses
    Vector3<double> impulse;  // μ; where sweeps begin, and the answer
    Vector3<double> started;  // the way by the velocities before the step
    double ahead = 0;         // how much more than its way along the normal d_n is
    double depth = 0;         // m, what is to be taken back

    Vector3<double> old, before, direction;
    double inverseN = 0, inverseT = 0;
    double ns = 0, nt = 0;      // coupling of a normal impulse to slips
    std::size_t first[2] = {};  // entries of its paths
    int count[2] = {};
    double push = 0;
};

// How an island was left.
struct SweptIsland {
    int root = 0;
    double left = 0;      // m, by which the last sweep moved a contact
    bool stands = false;  // on what does not move
};

struct SweepSettings {
    double tolerance = 0;  // m: sweeps end where none moves a contact by more
    // Sweeps of an island: as many as make so many visits to contacts, and neither less nor more than this.
    // A few light bodies between heavy ones are hard, and cheap.
    int visits = 5000, leastSweeps = 12, mostSweeps = 48;
    int depthSweeps = 6;
};

class FigureSweeps {
public:
    std::vector<SweptBlock> blocks;  // torques after their contacts

    // Rows of the blocks by the factorised links.
    void prepare(const Model& model, const ArticulatedLinks& links);
    // From their impulses on, of which the offsets know; islands on all threads. The report is of them all,
    // `caps` the number of those that did not reach the tolerance.
    void solve(const SweepSettings& settings);
    // Adds how the freedoms move by what has changed of the impulses; overwrites the motion of the links.
    void addMotion(const Model& model, ArticulatedLinks& links, VecX& delta);
    // Moves that take the depths back, and close no gap (d_n is `offset`) beyond what there is of it. False
    // if there is nothing to do. addMotion() has them then.
    bool takeDepthsBack(const SweepSettings& settings);

    std::vector<SweptIsland> swept;
    ConstraintReport report;
    int caps = 0;

private:
    using Vector = Vector3<double>;
    struct Island {
        int first = 0, end = 0;  // in order_
        ConstraintReport report;
    };
    struct Basis {
        std::size_t first = 0;
        int count = 0;
    };

    void findIslands();
    void setBasis(const ArticulatedLinks& links, int body);
    void setRows(SweptBlock& block);
    Vector motion(const SweptBlock& block) const;
    double normalMotion(const SweptBlock& block) const;
    void push(const SweptBlock& block, const Vector& change);
    void pushNormal(const SweptBlock& block, double change);
    double relax(SweptBlock& block);
    double relaxTurn(SweptBlock& block);
    double sweep(const Island& island, bool upward);
    void solveIsland(Island& island, const SweepSettings& settings);
    double goOn(const Island& island, double last);
    void limitEnergy(const Island& island);
    void relaxDepth(SweptBlock& block);

    std::vector<int> order_;  // of the blocks, island by island, from below to above
    std::vector<Island> islands_;
    std::vector<Basis> basis_;  // per body
    std::vector<int> touched_;  // bodies
    // Of the paths of bodies: freedoms, and z and y of six directions each; of the blocks' rows likewise.
    std::vector<int> pathSlots_;
    std::vector<double> pathLeft_, pathRight_;
    std::vector<int> slots_;
    std::vector<double> left_, right_;
    std::vector<double> x_;      // per freedom, turns of ball joints and free roots in world axes
    std::vector<char> isMoved_;  // per skeleton
    std::vector<double> moved_;  // per freedom
};

}  // namespace sinew
