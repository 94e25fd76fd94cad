// The energy of wishes as a function of a pose, with limits of joints as bounds: what minimisers ask
// (optimize/minimise.h).
//
// Energy  E(q) = ½ |r(q)|² (model/wish.h). Its second derivative along the tangent is
//     H = Jᵀ J + G,   G_jk = Σ r ∂²r/∂q_j∂q_k.
// With w_i = (f, τ) the wrench Σ r g_i on body i (minus what a wish pulls with), T_i its derivative by the
// place of the body where the residuals' own slopes count as constant, and freedom j nearer to the root
// than k, or in the same joint before it,
//     G_jk = Σ over bodies i beyond k of  (S_j × S_k)_i · w_i + S_k,i · T_i S_j,i.
// The sums over bodies are gathered from the tips to the roots, so that G takes O(bodies · depth). Without
// G (Gauss and Newton) steps are as good where wishes come true, and slow where they cannot: there the
// curvature of an arm's reach is all that there is.
//
// Limits: a number of its own is bounded directly. A ball joint is moved in coordinates z = N δ whose first
// ones are its swing and its twist, so that the bounds are of single numbers again; what second order
// leaves is turned back after each step.
//
// Cost O(Σ rows · depth² + freedoms³) an iteration, dense.
#pragma once

#include <vector>

#include "sinew/optimize/minimise.h"
#include "sinew/optimize/wish_slopes.h"

namespace sinew {

class PoseProblem {
public:
    // `state` moves as points are kept. Joints in `held` (by link, 1) keep their coordinates; empty: none.
    PoseProblem(const Model& model, State& state, std::vector<int> wishes, std::vector<char> held = {});

    // The pose itself: brought within the limits, at once.
    void enterLimits();
    DampedProblem damped();
    // Without limits.
    SmoothFunction smooth();

    const WishRows& rows() const { return rows_; }
    // H at the kept point, along the tangent; for tests.
    MatX secondDerivative();

private:
    DampedProblem::Linear linearise();
    bool solve(double lambda, VecX& step, double& foretold);
    double energyAt(const VecX& step, bool clamps);
    void addGaussNewton();
    void addCurvature();
    void gather();
    void addBends();
    void findBounds();
    void turnIntoLimits(const Joint& joint, const double* q);
    void clampJoint(const Joint& joint, double* q) const;

    const Model& model_;
    State& state_;
    State tried_;
    std::vector<int> wishes_;
    std::vector<char> held_;
    WishRows rows_, triedRows_;
    FreedomMotions motions_;
    MatX jacobian_, gaussNewton_, curvature_, damped_;
    VecX gradient_, lower_, upper_, z_;
    double scale_ = 1;

    // Of a ball joint near its limits: δ = B z.
    struct Turned {
        int u;
        Mat3 B;
    };
    std::vector<Turned> turned_;

    // Sums over the bodies beyond a link, about its centre of mass.
    struct Beyond {
        Mat6 T;
        Mat3 spread;  // Σ d fᵀ, d from the centre of mass
        Vec3 force, torque;
    };
    std::vector<Beyond> beyond_;
};

}  // namespace sinew
