// Armstrong & Green 1985, section 4: "some of the quantities which are computed at each integration step
// can be expected to vary slowly". The step of (32)–(38) over the bands of dynamics/armstrong_green.cpp.
//
//     slow, every ν steps          (15)–(22) poses and angular velocities → R_I, R, T, K, M, a_c, g, f
//                                  (34)–(36) the rotation since the last time goes into R_I; δu := 0
//     fast, every step             (23)–(30) torques and outer forces → ω̇ of every link, a of the root
//                                  (32), (33) ω += h ω̇, δu += h ω;  (37), (38) v += h R_I a, p += h v
//
// Where the paper leaves a choice:
//   - (34), (35): the rotation nearest to R_I (1 + δu~) is R_I turned about δu by atan |δu|. We take that,
//     as a quaternion, so that orthonormality is a matter of one normalisation.
//   - (37), (38) stand in the paper's slow band with δt, which would lose ν − 1 of ν steps. They are in the
//     fast band here, rather than in the slow one with ν δt: forces that hold the root (the finger's
//     support) must know where it is. Only for roots: the other links are placed by their joints, which so
//     stay closed.
//   - Torques, targets and obstacles are asked for in every step, at the pose that the outside sees: the
//     slow orientation turned by δu. They act in the axes of the slow orientation.
//   - Spread: a link's T, K, M use the M of its sons as they have it then. In tree order a son is due one
//     step before a parent just before it, so that along a chain news travels inward step by step.
//
// With ν = 1 every acceleration is that of the method armstrong_green. The step differs from
// semi_implicit_euler in joint coordinates in that ω of each link is advanced, not the velocity relative to
// the parent (first order in h), and in atan for the angle of a turn (second order). For larger ν, poses
// and angular velocities are up to ν − 1 steps old: first order in ν h.
//
// Cost O(n). Joints hold by construction; energy and momenta drift with the step, as h and as ν h. All that
// is carried from step to step is in State::slow.
#include "sinew/integrate/bands.h"

#include <cmath>

#include "sinew/dynamics/armstrong_green.h"
#include "sinew/integrate/step_work.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// The rotation nearest to 1 + δu~, as a quaternion of any length.
Quat turnBy(const Vec3& turn)
{
    return Quat(1 + std::sqrt(1 + turn.squaredNorm()), turn.x(), turn.y(), turn.z());
}

// Lets every link age by a step. Those that are due have age zero and start their rotation anew; at the
// start that is all of them. Returns whether it is the start.
bool makeDue(const Model& model, int slowBand, State& state)
{
    const bool isStart = state.slow.size() != model.bodies.size();
    if (isStart) state.slow.assign(model.bodies.size(), {});
    for (int r = 0; r < model.size(); ++r) {
        SlowLink& link = state.slow[r];
        if (!isStart && ++link.age < slowBand) continue;
        link.age = 0;
        link.orientation = state.bodies[r].orientation;  // AG (34), (35): done when it was shown
        link.turn.setZero();
    }
    return isStart;
}

// Where a carried link is and how fast, by its joint.
void placeByJoint(const Joint& joint, const BodyState* parent, BodyState& body)
{
    const Vec3& anchor = joint.anchorChild;
    body.position = anchorOnParent(joint, parent) - body.orientation * anchor;
    body.velocity = -(body.orientation * body.angularVelocity.cross(anchor));
    if (parent)
        body.velocity +=
            parent->velocity + parent->orientation * parent->angularVelocity.cross(joint.anchorParent);
}

}  // namespace

void bandsStep(const Model& model, const Method&, ForceFunction forces, double h, State& state,
               StepWork& work)
{
    forces(model, state, work.forces);
    const bool isStart = makeDue(model, work.settings.slowBand, state);
    armstrongGreenSlowBand(model, state, state.slow, work.work.slowSons);
    if (isStart && work.settings.spread)
        for (int r = 0; r < model.size(); ++r) state.slow[r].age = r % work.settings.slowBand;
    armstrongGreenFastBand(model, state, work.forces, state.slow, work.work.fast);

    for (int r = 0; r < model.size(); ++r) {
        const Joint& joint = model.joints[r];
        const FastLink& fast = work.work.fast[r];
        SlowLink& slow = state.slow[r];
        BodyState& body = state.bodies[r];
        if (joint.isFree()) {
            body.velocity += h * (body.orientation * fast.a);  // AG (37)
            body.position += h * body.velocity;                // AG (38)
        }
        body.angularVelocity += h * fast.w_dot;  // AG (32)
        slow.turn += h * body.angularVelocity;   // AG (33)
        body.orientation = (slow.orientation * turnBy(slow.turn)).normalized();
        const BodyState* parent = parentState(model, state, r);
        if (!joint.isFree()) placeByJoint(joint, parent, body);
        jointCoordinatesOf(joint, parent, body, state.q.data() + joint.q, state.u.data() + joint.u);
    }
    state.time += h;
}

}  // namespace sinew
