// Free bodies in contact by a fixed budget of work: piles for whom a step must not cost much
// (docs/contact.md, "accuracy": "fast").
//
// Sources: Moreau, Jean: sweeps over contacts, each solved while the others are held; Macklin, Storey, Lu,
// Terdiman, Chentanez, Jeschke & Müller, Small steps in physics simulation, 2019: many short parts of a
// step with few sweeps each, instead of one with many. Symplectic Euler, with the contacts found once:
//     v⁺ = v + h g + M⁻¹ Jᵀ λ        0 ≤ λ_n ⟂ u_n⁺ + max(gap, 0)/h ≥ 0,   u = J v,   Coulomb's law for λ_t
//     x⁺ = x + h v⁺                  R, ω: the implicit midpoint of Euler's equations with Cayley's map
// Sweeps go up and down, with the conjugate directions of Silcowitz-Hansen, Niebur & Erleben 2010 between
// pairs of them: what two sweeps changed, and a part of what went before.
// λ_t is the projection of λ_t − u_t/w onto the disc of radius f λ_n, w the larger mobility of the plane of
// touch: where sweeps stand still, that is Coulomb's law as it is written.
//
// Energy: with Δ = v⁺ − v in the metric of M and weights as the only other forces,
//     E⁺ − E = λᵀ u⁺ − ½ |Δ|²
// to rounding, and the midpoint changes neither energy nor angular momentum. Sweeps that have converged
// have λᵀ u⁺ ≤ 0. Those that have not may have pushed too much: then all λ of the island are scaled by
//     the largest s ≤ 1 with  ½ b s² + a s − ½ |h g|² ≤ 0,   a = λᵀ J v,  b = |M⁻¹ Jᵀ λ|²
// so that no part of a step gains energy, and none loses momentum: what misses is that bodies sink in a
// little. Bodies that nothing holds fly by x + h v + ½ h² g, which keeps their energy.
//
// Rest: places that bear are an oscillator to sweeps that begin warm, whose slow modes, a tower that sways,
// are hardly damped. Where bodies hold each other in three places or more, none of which slips, the
// solution moves them as one; if they stand on what does not move, it is rest. So what is slower than a
// part of what weight gives in a step, and stands, has no velocity: a projection, which takes energy. The
// impulses go on to where they balance the weights over the next steps; where there is no balance, a place
// opens or slips, and it moves.
//
// Depth is taken back after the parts, in a solve of its own over small moves that are no velocities:
// heights change by it, kinetic energies do not.
//
// Kept: linear and angular momentum of what touches (of depths: the common centre), Coulomb's cone. Missed:
// a contact's law as far as sweeps did not converge, which is counted. Cost: O(bodies + contacts) a sweep,
// some 0.1 µs for each contact. Islands do not know of each other.
#pragma once

#include <span>
#include <vector>

#include "sinew/base/large_vector.h"
#include "sinew/contact/report.h"
#include "sinew/math/small.h"
#include "sinew/state/contact.h"

namespace sinew {

struct PileBody {
    Vector3<double> x, v, w;         // centre of mass, velocity, spin: world axes
    Quat orientation;                // body → world
    Mat3 inertia, inverseInertia;    // body axes
    bool isRound = false;            // all three moments are the same
    double mass = 0, lightness = 0;  // kg, 1/kg
    Vector3<double> pull, twist;     // m/s², rad/s²: what pushes beside contacts
    Symmetric3<double> turning;      // inverse inertia, world axes

    // Of the part of the step at hand: how it began, and by how much contacts changed that.
    Vector3<double> startV, startW, gainV, gainW;
    bool isHeld = false;  // a contact bears on it

    double reach = 0;                     // m: turns count as speeds at this distance
    int cluster = 0;                      // the tree of a union of sets
    bool stands = false, isFast = false;  // of a root: on what does not move, and whether it cannot rest
};

// Of the bodies that touch in several places.
struct PilePair {
    int a = -1, b = -1;
    int bearing = 0;  // places that hold and do not slip
    Vector3<double> first, second;
    bool isFirm = false;  // there are three of them, not on a line
};

// Coefficients, anchors and normal are in the source.
struct PileContact {
    int a = -1, b = -1;  // bodies of the pile; −1: what does not move
    int source = 0;      // among the contacts of the step
    int pair = 0;
    Vector3<double> n, s, t;
    Vector3<double> armA, armB;        // from the centres of mass
    Vector3<double> anchorA, anchorB;  // body axes; of the world, world
    double roundA = 0, roundB = 0;
    double friction = 0, restitution = 0, rolling = 0, spinning = 0;
    double gap = 0, aim = 0;  // m; m/s: what u_n is to be at least
    double approach = 0;      // u_n as the part began
    double inverseN = 0, inverseT = 0, inverseSpin = 0, inverseRoll = 0;
    double ns = 0, nt = 0;               // coupling of a normal impulse to slips
    Vector3<double> impulse;             // λ, of the part: n, s, t
    Vector3<double> turn, sum, turnSum;  // of torques likewise; and of all parts
    Vector3<double> before, direction;   // λ before two sweeps, and where they go on to
    double push = 0;                     // of the depth's solve
    double height = 0;                   // sweeps go up and down
};

struct PileSettings {
    double step = 0;         // s
    double tolerance = 0;    // m: sweeps end where none moves a contact by more within the step
    double bounceSpeed = 0;  // m/s
    // How much of a depth is taken back, and what at most, m.
    double recovery = 0.2, mostRecovery = 0;
    double restSpeed = 0;  // m/s: what stands on what does not move is not faster
    int parts = 2, sweeps = 12, depthSweeps = 6;
};

struct PileIsland {
    int firstBody = 0, bodyCount = 0;
    int firstContact = 0, contactCount = 0, pairCount = 0;
    ConstraintReport report;
};

// The bodies and contacts of islands, one after the other, and their step.
struct Pile {
    std::vector<PileBody> bodies;
    std::vector<PileContact> contacts;
    std::vector<PilePair> pairs;  // those of an island begin where its contacts do
    std::vector<PileIsland> islands;

    void step(PileIsland& island, const PileSettings& settings);
};

}  // namespace sinew
