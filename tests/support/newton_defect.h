// How far Newton's matrix of the implicit step in joint coordinates is from the derivative of its residual.
#pragma once

#include <algorithm>

#include "sinew/force/laws.h"
#include "sinew/integrate/implicit.h"
#include "sinew/integrate/step_work.h"

namespace sinew::test {

// What motors add, so that the residual is zero.
inline VecX motors;
inline void forcesWithMotors(const Model& model, const State& state, Forces& forces)
{
    sceneForces(model, state, forces);
    forces.joint += motors;
}

// The largest entry of (matrix⁻¹ · finite differences of the residual) − 1.
inline double newtonDefect(const Model& model, const State& start, const State& end, double step,
                           double part)
{
    constexpr double e = 1e-6;
    const double h = part * step;
    StepWork work;
    work.implicit.trial = end;
    work.implicit.star = start.bodies;
    work.implicit.starredVelocity = start.u;
    work.implicit.parts.assign(model.skeletons.size(), part);
    starSpins(model, start, step, work.implicit.parts, {}, work.implicit.spinAxes, work.implicit.spins);
    const ImplicitProblem problem{model, forcesWithMotors, step, step, work.implicit.star, start.bodies};
    motors.setZero(model.freedomCount);
    residualInJointCoordinates(problem, work);
    motors = work.joint.residual;
    double worst = 0;
    for (const Joint& joint : model.joints)
        for (int k = 0; k < joint.freedoms(); ++k) {
            VecX change = VecX::Zero(model.freedomCount), answer = change;
            for (const double sign : {1., -1.}) {
                Vec6 move = Vec6::Zero();
                move[k] = sign * e;
                work.implicit.trial.q = end.q;
                jointRetract(joint, end.q.data() + joint.q, move.data(),
                             work.implicit.trial.q.data() + joint.q);
                residualInJointCoordinates(problem, work);
                change += sign * h * h / (2 * e) * work.joint.residual;
            }
            work.implicit.trial.q = end.q;
            residualInJointCoordinates(problem, work);  // friction begins at the velocities of this place
            solveLinearInJointCoordinates(problem, change, answer, work);
            answer[joint.u + k] -= 1;
            worst = std::max(worst, answer.cwiseAbs().maxCoeff());
        }
    return worst;
}

}  // namespace sinew::test
