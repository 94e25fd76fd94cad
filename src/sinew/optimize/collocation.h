// A piece of a motion as a polynomial: collocation at Gauss's points, by accelerations.
//
// Source: C. Hargraves, S. Paris, "Direct trajectory optimization using nonlinear programming and
// collocation", 1987, with Gauss's points (Hairer, Nørsett, Wanner, "Solving ordinary differential
// equations I", II.7); rotations in the chart of the place where the piece begins (Iserles, Munthe-Kaas,
// Nørsett, Zanna, "Lie-group methods", 2000).
//
// Over a piece of length h the pose is q ⊕ φ(t), φ a polynomial whose second derivative is y_j at the
// points c_j:
//     φ''(c) = Σ ℓ_j(c) y_j     φ'(c) = u + h Σ B_j(c) y_j     φ(c) = c h u + h² Σ C_j(c) y_j
// with B_j and C_j the first and second integrals of Lagrange's ℓ_j. What is one number is φ itself; a
// rotation moves by exp(φ) (math/rotation.h: movingRotation). So places, velocities and accelerations are
// known functions of where the piece begins and of y, and whatever y is, the motion is one: its forces are
// found by inverse dynamics, and no equation of motion has to be closed by iteration.
// With s points, the forces at them, joined by a polynomial, drive the motion with an error of order 2s.
#pragma once

#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

constexpr int mostStages = 4;

struct GaussPoints {
    int stages = 0;
    double c[mostStages] = {}, weight[mostStages] = {};

    // ℓ_j, B_j and C_j at a part of the piece.
    struct Values {
        double shape[mostStages] = {}, rate[mostStages] = {}, way[mostStages] = {};
    };
    Values at(double part) const;

    static GaussPoints of(int stages);

private:
    double coefficients_[mostStages][mostStages] = {};  // of ℓ_j by powers
};

// Where a piece begins. The bodies are not set.
struct PieceStart {
    VecX q, u;
};

// The motion at a part of a piece, and how it changes.
class PieceMotion {
public:
    // y: freedoms × stages, column by column. `derivatives`: they are wanted.
    void set(const Model& model, const GaussPoints& points, const PieceStart& start, const double* y,
             double h, double part, bool derivatives);

    VecX q, u, a;

    // Weights on (δq, δu, δu̇) at this time → weights on (δq, δu) at the start and on y; added. Each has one
    // number per freedom, y as above.
    void pull(const double* dq, const double* du, const double* da, double* startQ, double* startU,
              double* y) const;

private:
    struct Rotation {
        int u = 0;  // its first freedom
        Mat3 R;     // exp(φ)
        Mat3 turn, velocityByPlace, velocityByRate, accelerationByPlace, accelerationByRate;
    };

    int freedoms_ = 0, stages_ = 0;
    double h_ = 0, part_ = 0;
    GaussPoints::Values values_;
    std::vector<Rotation> rotations_;
    std::vector<char> isPlain_;
};

// y of the motion that is at (q_j, u_j) and accelerates by a_j at the points.
struct MotionSample {
    VecX q, u, a;
};
void fitPiece(const Model& model, const PieceStart& start, const MotionSample* samples, int stages,
              double* y);

// δ with q ⊕ δ = the other one.
void poseDifference(const Model& model, const VecX& from, const VecX& to, VecX& delta);
void poseSum(const Model& model, const VecX& from, const VecX& delta, VecX& to);

}  // namespace sinew
