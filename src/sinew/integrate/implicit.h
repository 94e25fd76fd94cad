// Backward Euler and BDF2: stable at frame-sized steps however stiff the joints, in linear time.
//
// Source: Hernandez et al. 2011 (implicit joint forces), with what that step lacks: geometric stiffness
// (Tournier et al. 2015), Newton to the end of the step, BDF2. Both coordinates solve the same equations
// and check each other: with poses p', R' at the end of the step, and a starred state to start from,
//     v' = (p' − p*)/h        ω' = log(R*ᵀR')/h                   discrete velocities, ω in body axes
//     f  = (m (v' − v*)/h − F,  (I ω' − R'ᵀ L*)/h − T)            what each body still needs; L = R I ω
//     Σ Jᵀ f − Q(q', u') = 0                                      virtual work at the end
//     backward Euler:  * is the start of the step
//     BDF2, step h:    solved with 2h/3 from  v* = (4vₙ − vₙ₋₁)/3,  L* and p* likewise,
//                      R* = Rₙ exp(log(Rₙ₋₁ᵀ Rₙ)/3)
// and what spins is carried along by its spin before that (integrate/starred_spin.h).
//
// In joint coordinates (joint_equations.cpp) the unknown is q', joints have no gap by construction, and
// Newton's matrix, times h², is that of an articulated body (dynamics/articulated.h), exact and
// unsymmetric:
//     body   [m 1, 0; 0, turning inertia (starred_spin.h)] + h² G + tangents of what pushes on it
//            G = Σ ± (F ρᵀ − (F·ρ) 1) over the forces F of its joints at lever arms ρ
//     joint  SᵀI^A S + (A + h D) h ∂u'/∂δ + h² K                   A: armature
//     and between a joint's own turn s and its parent, h² s × N in the parent's rows only, N the joint's
//     torque (a sliding s: h² s × F in rows and columns).
// where N leaves out what is residual: each turning joint lacks g of its own torque, and r at a joint is g
// there and, turned into its axes, g of all joints beyond. Newton's method is for g = 0, as in maximal
// coordinates; with the derivative of r = T(q) g itself, (∂T) g makes errors across a thin rod turn it
// about its own axis, and nothing converges. Where g = 0 the matrix is that of r
// (tests/unit/newton_matrix_test). Half measures do not do: the spin terms are of the size of hω as parts
// of I however thin the body, but the symmetric part alone is as large as the *largest* moment and drowns
// the smallest of a rod that tumbles.
//
// The loads F and N in that matrix are those that the last correction foresaw, where its second order
// matters: a heavy body that is off by ½ θ² r seems to pull with m/h² times that, which is nothing to
// itself and drowns what a light link beside it bears. Maximal coordinates know the loads as unknowns of
// their own, and do not mistake a gap for a pull. At the end of the step both are the same.
//
// In maximal coordinates (implicit_maximal.cpp) the unknowns are the poses and, per joint, the multipliers
// μ of the rows C(p', R') = 0 (model/rows.h); the matrix, exact and unsymmetric, is a block tree:
//     body   M + h² (K_b − Σ λ ∂²C) + h D_b,  the joint's springs between parent and child,  rows ∂C
// with the rows of closed loops beside it (math/bordered_tree.h).
//
// Springs between bodies stand beside either matrix as few rows (contact/pair_rows.h,
// math/bordered_tree.h). Their forces in the geometric blocks are likewise those that the last correction
// foresaw, which makes Newton's method that of a spring whose force is an unknown of its own: it converges
// alike for any stiffness.
//
// A prescribed joint is where its curve has it at the end of the step: in joint coordinates no unknown (K =
// 0 in the increment), in maximal ones a weld in that pose. Its velocity is a difference like any other.
//
// Kept: the joints, exactly (maximal: to the tolerance of Newton). Lost: energy, of first order (Euler) or
// third (BDF2) in the step; none of the cases in docs/stiffness.md ever gains any. Cost: O(n) per
// iteration, 3 to 5 iterations a step.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/contact/pair_rows.h"
#include "sinew/dynamics/articulated.h"
#include "sinew/integrate/integrators.h"
#include "sinew/integrate/joint_loads.h"
#include "sinew/integrate/mixing.h"
#include "sinew/integrate/starred_spin.h"
#include "sinew/math/bordered_tree.h"
#include "sinew/state/measure.h"

namespace sinew {

// Memory of the steps, in both coordinates.
struct ImplicitWork {
    State trial;                  // the end of the step, as far as it is found
    State byBodies;               // the same, as body coordinates found it
    State near;                   // and as joint coordinates came near to it
    LargeVector<BodyState> star;  // where its equations start from
    VecX starredVelocity;         // likewise, of the joints
    LargeVector<SpinAxis> spinAxes;
    LargeVector<StarredSpin> spins;
    LargeVector<BodyState> stepStart;  // the bodies and coordinates as they were before
    VecX startCoordinates;
    JointLoads loads;
    std::vector<BodyTangent> tangents;
    // Per skeleton: 1 for backward Euler, 2/3 for BDF2, and whether its velocities jump.
    std::vector<double> parts;
    std::vector<char> jumps;
    std::vector<Energy> energies, trialEnergies;  // of each, before and after

    // Where the next solve in joint coordinates, if it is over `guessedFor` seconds, is likely to end.
    VecX guess;
    double guessedFor = 0;  // zero: nothing is known

    bool acceptsCaps = true;          // constraints that were not solved do not make the step fail
    bool acceptsUnconverged = false;  // nor does an end that Newton only came near to
    bool isUnconverged = false;       // the end at hand is such a one
    bool mayGoByBodies = false;       // body coordinates are tried where joint coordinates do not converge
    bool wentByBodies = false;        // they did so in this step
    bool bodiesTouch = false;         // or came to an end where something touches, which they cannot hold
};

// Where a correction takes a body to first order.
struct Foreseen {
    Vec3 from, move;
    // How far the body is from a part of the move.
    Vec3 missed(const BodyState& body, double part) const { return body.position - from - part * move; }
};

// Of forces between bodies (state/pair_tangent.h), in both coordinates.
struct PairWork {
    std::vector<PairTangent> tangents;  // at the iterate
    // What the matrix takes the forces for: those that the last correction foresaw. Empty: as they are.
    std::vector<Vec3> believed, none;
    std::vector<Vec3> start, change;  // where that correction began, and what it changes
    State before;                     // the bodies as the step began
    LargeVector<Force> excess;        // per body, what they exert beyond that, world axes
    std::vector<BodyRate> rates;      // per body
    PairRows rows;

    // Believes in what a part of the correction should come to.
    void foresee(double part)
    {
        believed.resize(start.size());
        for (std::size_t t = 0; t < start.size(); ++t) believed[t] = start[t] + part * change[t];
    }
    // Tangents and excess at a state. `clamped`: as if there were no forces yet, so that what is added is
    // positive.
    void evaluate(const Model& model, const State& state, bool clamped = false);
    // Until a correction says more, forces are believed to stay what they were.
    void believe(const Model& model, const LargeVector<BodyState>& bodies, double time);
};

// Of a skeleton's equations: h, 1/h, h².
struct StepLength {
    double h, over, square;
};
// What a joint exerts on its link: force and torque at the link's point O (model/link.h), world axes.
using JointLoad = recursion::Wrench<double>;
// How a link turns at the end of the step, world axes: ω', and h ∂ω'/∂θ'.
struct LinkTurn {
    Vector3<double> w;
    Matrix3<double> rate;
};

// Of the equations in joint coordinates, and of jumps and corrections on the same inertia
// (integrate/impulses.h, hold.h).
struct JointWork {
    // Its own links: the matrix blocks must not leak into plain accelerations.
    ArticulatedLinks links;
    VecX residual, right;  // of the equations, and on the right-hand side
    VecX correction, trialCorrection, nextRound, searchStart;
    std::vector<StepLength> lengths;  // per skeleton
    LargeVector<LinkTurn> turns;
    LargeVector<JointLoad> carried, believed;
    LargeVector<Vector3<double>> excess;
    LargeVector<Vec6> roundingTerms;
    LargeVector<Foreseen> foreseen;
    LargeVector<Vec3> torque;
    PairWork pairs;
    Mixing mixing;
    VecX mixed;
    std::vector<Vec3> forces, mixedForces;  // corrections of the constraints' forces
};

// Of steps in body coordinates.
struct MaximalWork {
    BlockTree tree;
    BorderedTree border;
    LargeVector<Vec6> multipliers;
    std::vector<Vec6> loopMultipliers;
    // Where a correction starts from, and the correction.
    LargeVector<BodyState> beforeCorrection;
    LargeVector<Vec6> multiplierStart;
    std::vector<Vec6> loopMultiplierStart;
    JointLoads loadsStart;
    VecX correction, roundCorrection, nextRound, borderCorrection;
    std::vector<double> whole;  // ones
};

void implicitEulerStep(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work);
// The first step, and the first one after a jump or a step that had to be halved, is backward Euler.
void implicitBdf2Step(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work);

// One backward-Euler solve of length h from the starred bodies: sets `trial` to the end, from where it was
// before, `ahead` seconds earlier. Joint velocities to start from, for armatures, are in
// work.implicit.starredVelocity. False if it was not found.
struct ImplicitProblem {
    const Model& model;
    ForceFunction forces;
    double h;
    double ahead;
    const LargeVector<BodyState>& star;
    const LargeVector<BodyState>& start;  // the bodies as they were `ahead` before the end
};
bool solveInJointCoordinates(const ImplicitProblem& problem, State& trial, StepWork& work);
// What each body starts from in its equations, by the orders in work.implicit.parts.
void setStars(const Model& model, const State& state, double h, StepWork& work);
// After a solve: whether a skeleton that looked back was hit all the same, by a contact that comes on, a
// limit, or what another one that was hit hands on. Marks it, in work.implicit.jumps and parts.
bool findJumps(const Model& model, const LargeVector<BodyState>& start, const VecX& q, double h,
               StepWork& work);
// Guesses the end of the next solve from joint velocities there.
void guessEnd(const Model& model, const State& start, double h, const VecX& velocity, ImplicitWork& work);
// From where `trial` is: near the end already.
bool solveInJointCoordinatesFrom(const ImplicitProblem& problem, State& trial, StepWork& work);
bool solveInMaximalCoordinates(const ImplicitProblem& problem, State& trial, StepWork& work);

// What a test of Newton's matrix in joint coordinates needs: the residual at work.implicit.trial.q, into
// work.joint.residual, and the answer of the matrix there (times h²) to a right-hand side.
void residualInJointCoordinates(const ImplicitProblem& problem, StepWork& work);
void solveLinearInJointCoordinates(const ImplicitProblem& problem, const VecX& right, VecX& result,
                                   StepWork& work);

// Newton stops when no freedom is corrected by more than the first part of the largest motion of the step,
// or of the second, which stands for motion where there is none: turns in rad, places in lengths of the
// figure. Convergence is quadratic by then, so what is left is rounding.
constexpr double implicitTolerance = 1e-9;
constexpr double implicitStillness = 1e-6;
constexpr int implicitIterationLimit = 25;

// Which places bear on obstacles, as a number. From outside Newton's method does not see an obstacle, from
// inside it finds the surface: so a correction that changes this is taken, though what follows is larger,
// which says no more than how stiff the obstacle is; so many times in a step.
std::uint64_t bearingPlaces(const Model& model, const State& state, const StepSpan& span);
constexpr int mostLeaps = 10;

}  // namespace sinew
