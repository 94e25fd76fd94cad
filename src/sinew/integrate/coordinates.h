// The two kinds of coordinates an integrator can step, with one face, so that every integrator is written
// once. A configuration is reached from a base by a tangent vector δ in a chart around it:
//
//     configuration = base ⊕ δ        δ̇ = chartRate(δ, velocity)        d velocity/dt = acceleration
//
// Rotations are moved by exp on the right (body axes), so they never leave the rotation group.
#pragma once

#include "sinew/dynamics/methods.h"
#include "sinew/math/rotation.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/placement.h"
#include "sinew/state/kinematics.h"

namespace sinew {

// Six per body: place and velocity in world axes, rotation vector and angular velocity in body axes.
struct BodyCoordinates {
    static int size(const Model& model) { return 6 * model.size(); }

    static void readVelocity(const Model& model, const State& state, VecX& velocity)
    {
        for (int i = 0; i < model.size(); ++i)
            velocity.segment<6>(6 * i) << state.bodies[i].velocity, state.bodies[i].angularVelocity;
    }
    static void readAcceleration(const Model& model, const State& state, const Accelerations& a, VecX& out)
    {
        for (int i = 0; i < model.size(); ++i)
            out.segment<6>(6 * i) << a.body[i].linear,
                state.bodies[i].orientation.conjugate() * a.body[i].angular;
    }
    static void chartRate(const Model& model, const VecX& delta, const VecX& velocity, VecX& rate)
    {
        for (int i = 0; i < model.size(); ++i)
            rate.segment<6>(6 * i) << velocity.segment<3>(6 * i),
                rightJacobianInverse(delta.segment<3>(6 * i + 3)) * velocity.segment<3>(6 * i + 3);
    }
    // base ⊕ delta and the velocities into `state`, which may be `base` itself, joint coordinates included;
    // a time h after the base.
    static void move(const Model& model, const State& base, const VecX& delta, const VecX& velocity,
                     double h, State& state)
    {
        state.q = base.q;
        state.u = base.u;
        for (int i = 0; i < model.size(); ++i) {
            const BodyState& b = base.bodies[i];
            state.bodies[i].position = b.position + delta.segment<3>(6 * i);
            state.bodies[i].orientation =
                (b.orientation * expRotation(delta.segment<3>(6 * i + 3))).normalized();
            state.bodies[i].velocity = velocity.segment<3>(6 * i);
            state.bodies[i].angularVelocity = velocity.segment<3>(6 * i + 3);
        }
        jointsFromBodies(model, state, h);
    }
};

// The freedoms of the joints.
struct JointCoordinates {
    static int size(const Model& model) { return model.freedomCount; }

    static void readVelocity(const Model&, const State& state, VecX& velocity) { velocity = state.u; }
    static void readAcceleration(const Model&, const State&, const Accelerations& a, VecX& out)
    {
        out = a.joint;
    }
    static void chartRate(const Model& model, const VecX& delta, const VecX& velocity, VecX& rate)
    {
        for (const Joint& joint : model.joints)
            jointChartRate(joint, delta.data() + joint.u, velocity.data() + joint.u, rate.data() + joint.u);
    }
    static void move(const Model& model, const State& base, const VecX& delta, const VecX& velocity, double,
                     State& state)
    {
        state.u = velocity;
        eachSkeletonPart(model, [&](int first, int end) {
            recursion::place(model, model.links.data(), base.q.data(), delta.data(), state.q.data(),
                             state.u.data(), state.bodies.data(), first, end);
        });
    }
    // v' = v + h a, x' = x ⊕ h v', in place: fewer ways through memory than by the functions above.
    static void kickAndMove(const Model& model, const Accelerations& a, double h, VecX& delta, State& state)
    {
        delta.resize(state.u.size());
        eachSkeletonPart(model, [&](int first, int end) {
            const double* __restrict rate = a.joint.data();
            double* __restrict u = state.u.data(), * __restrict way = delta.data();
            const int to = end < model.size() ? model.joints[end].u : model.freedomCount;
            for (int k = model.joints[first].u; k < to; ++k) {
                u[k] += h * rate[k];
                way[k] = h * u[k];
            }
            recursion::place(model, model.links.data(), state.q.data(), delta.data(), state.q.data(),
                             state.u.data(), state.bodies.data(), first, end);
        });
    }
};

}  // namespace sinew
