// The rows of a joint over a step of the energy-momentum integrator: closed at the end of the step, their
// forces along the gradients in the middle (integrate/conservative.h).
#pragma once

#include "sinew/integrate/step_work.h"
#include "sinew/model/rows.h"

namespace sinew {

// C: child, P: parent. Per body the force, then the torque, world axes; derivatives are by v¯ and ω¯.
struct MidRow {
    Vec6 onC = Vec6::Zero(), onP = Vec6::Zero();    // mid gradients
    Vec6 endC = Vec6::Zero(), endP = Vec6::Zero();  // derivatives of C(z')/h
    double violation = 0;                           // C(z')
    Mat6 CC = Mat6::Zero(), CP = Mat6::Zero(), PC = Mat6::Zero(),
         PP = Mat6::Zero();  // derivatives of the gradients: CP of C's by P's velocities
};

// A joint over a step. `before` is the same one, unless it is prescribed: then its place and directors on
// the parent move over the step, and their means at both ends are where action and reaction meet.
class MidRows {
public:
    MidRows(const Joint& joint, const Joint& before, const BodySpan& child, const BodySpan& parent,
            double h);
    int count() const { return count_; }
    MidRow row(int k) const;

private:
    MidRow perpendicular(int k) const;
    MidRow point(int k) const;

    const BodySpan &C, &P;
    double h_;
    int count_;
    Row rows_[6], rowsBefore_[6];
    Vec3 lC, lP, rC, rP;  // anchors at the end and in the middle
    Vec3 x1, xm;          // from the parent's to the child's
    Mat3 dC, dP;          // of rC, rP by ω¯
};

}  // namespace sinew
