// A planned motion in the forward simulation: its forces as functions of time, alone or with feedback that
// brings the figure back to the plan; and how far it comes off.
//
// Feedback is the linear-quadratic regulator along the plan (H. Kwakernaak, R. Sivan, "Linear optimal
// control systems", 1972, section 6.4): with (δq, δu) the difference to the plan, which grows by the exact
// derivatives of forward dynamics (dynamics/derivatives.h),
//     Q = Q_plan − K(t) (δq, δu),   K least in  Σ |(δq, δu)|² / size² + |Q − Q_plan|² / force²,
// found backward over steps of `step`. O(freedoms³) each.
#pragma once

#include "sinew/optimize/motion_plan.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

struct MotionFeedback {
    double step = 0;          // s
    std::vector<MatX> gains;  // (freedoms, and six for each hold) × 2 freedoms, one per step

    bool empty() const { return gains.empty(); }
};
// What differences are measured by: `accuracy` times the units of the problem in places, over a hundredth
// of the duration in velocities.
MotionFeedback motionFeedback(const MotionProblem& problem, const MotionPlan& plan, double step,
                              double accuracy = 1e-3);

// The forces of a plan at a time and state; those beyond the limits are cut.
class MotionDrive {
public:
    MotionDrive(const MotionProblem& problem, const MotionPlan& plan, const MotionFeedback* feedback)
        : problem_(problem), plan_(plan), feedback_(feedback)
    {
    }
    // The forces at places in contact are loads too: for a simulation that has nothing to touch.
    void pushContacts() { pushesContacts_ = true; }
    // As the force law of a simulation of the same model.
    void push(ForceContext& at);

private:
    const MotionProblem& problem_;
    const MotionPlan& plan_;
    const MotionFeedback* feedback_;
    bool pushesContacts_ = false;
    VecX Q_, half_, q_, u_, delta_, more_;
    Forces forces_;
};

struct ReplayReport {
    bool ok = true;
    std::string message;     // where the simulation failed
    double largest = 0;      // m: how far a body's centre of mass was off, at most
    double atEnd = 0;        // m: at the end
    double turnedAtEnd = 0;  // rad
};
// Steps `simulation`, whose model is the problem's, from the start of the plan to its end.
// `pushesContacts`: as MotionDrive::pushContacts() says.
ReplayReport replay(const MotionProblem& problem, const MotionPlan& plan, const MotionFeedback* feedback,
                    Simulation& simulation, bool pushesContacts = false);

// Per piece: how far (as parts of the problem's units) the figure is off at its end when the forces of the
// plan drive it from its beginning, by fine steps of fourth order. What the mesh is too coarse for.
std::vector<double> pieceErrors(const MotionProblem& problem, const MotionPlan& plan);

}  // namespace sinew
