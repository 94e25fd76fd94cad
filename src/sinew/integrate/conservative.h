// The energy-momentum step: Hakenberg's theorem in discrete time. Energy, linear and angular momentum are
// kept to rounding, for any step size.
//
// Source: Simo & Wong 1991 (rotation update), Betsch & Steinmann 2001 (joints), Gonzalez 1996 (springs).
// Unknown per body the mid velocities v¯ and ω¯ (body axes), per joint the multipliers λ:
//     p' = p + h v¯      R' = R cay(h ω¯)      v' = 2v¯ − v      ω' = 2ω¯ − ω
//     2m (v¯ − v)/h        = F + Σ λ ∇C(z¯)
//     (R' I ω' − R I ω)/h  = T + Σ λ ∇C(z¯) + joint torques
//     C(z') = 0                                                  joints closed at the end
// It works because every constraint is bilinear in places and directors, so that C(z') − C(z) is the mid
// gradient times the step, and R'l − Rl = h (Rω¯) × (R + R') l / 2 exactly: joint forces do no work.
// The rows are those of model/rows.h. A prescribed joint is a weld whose pose moves over the step: all
// that its motion costs is energy put in, and momenta are kept where it ties two bodies.
// Springs: the mean torque of both ends, corrected along the turn Δ so that its work is −ΔV. Dampers and
// friction at mid velocities only ever take energy. Loads act at the mean of where their point is at both
// ends, scripts count in the middle of the step. Where Newton fails the step is halved, which keeps the
// invariants too.
//
// Closed loops: the same rows beside the tree (math/bordered_tree.h), so the same invariants.
//
// Joints: all. Cost O(n) per iteration through math/block_tree.h.
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

// A body over a step.
struct BodySpan {
    Mat3 R0 = Mat3::Identity(), R1 = Mat3::Identity();
    Vec3 p0 = Vec3::Zero(), p1 = Vec3::Zero();
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();  // v¯ world, ω¯ body
    Mat3 B = Mat3::Zero();                    // world turn of R' per ω¯

    Vec3 spin() const { return R0 * w; }  // world; cay(hω¯) leaves ω¯ alone
    Vec3 mid(const Vec3& l) const { return 0.5 * (R0 * l + R1 * l); }
    void update(double h);
};

struct ConservativeWork {
    LargeVector<BodySpan> spans;
};

void conservativeStep(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work);

}  // namespace sinew
