#include "sinew/integrate/hernandez.h"

#include "sinew/force/laws.h"
#include "sinew/integrate/body_blocks.h"
#include "sinew/integrate/pair_force.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

Vec6 velocityOf(const BodyState& body)
{
    return (Vec6() << body.velocity, body.angularVelocity).finished();
}

// A_a and b_a of one body: inertia, and the forces that gyrate and push.
void setBody(const Model& model, const State& state, const Forces& forces, double h, int i,
             BlockTreeLink& link)
{
    const Body& body = model.bodies[i];
    const BodyState& s = state.bodies[i];
    const Vec3& w = s.angularVelocity;
    const Vec3 torque = s.orientation.conjugate() * forces.body[i].torque;
    link.parent = model.joints[i].parent;
    link.rows = model.joints[i].rows();
    link.setZero();
    link.body().topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
    link.body().bottomRightCorner<3, 3>() = body.inertia - h * h * tilde(torque);
    link.x.head<3>() = body.mass * s.velocity + h * forces.body[i].force;
    link.x.segment<3>(3) = body.inertia * w + h * (torque - w.cross(body.inertia * w));
}

void addJointForce(const Model& model, const State& state, const Forces& forces, double h, int i,
                   BlockTree& tree)
{
    PairForce pair;
    const int parent = model.joints[i].parent;
    const Joint& joint = model.joints[i];
    if (!jointPairForce(model, state, i, forces, joint.armature / h, pair)) return;
    const Vec6 vC = velocityOf(state.bodies[i]);
    const Vec6 vP = parent < 0 ? Vec6(Vec6::Zero()) : velocityOf(state.bodies[parent]);
    const auto block = [&](int r, int c) -> Mat6 {
        return h * pair.damping.block[r][c] + h * h * pair.stiffness.block[r][c];
    };
    const auto push = [&](int r, const Vec6& force) -> Vec6 {
        return h * (force + pair.damping.block[r][0] * vC + pair.damping.block[r][1] * vP);
    };
    BlockTreeLink& link = tree.links[i];
    link.x.head<6>() += push(0, pair.child);
    link.body() += block(0, 0);
    if (parent < 0) return;
    tree.links[parent].x.head<6>() += push(1, pair.parent);
    tree.links[parent].body() += block(1, 1);
    link.bodyParent() += block(0, 1);
    link.parentBody() += block(1, 0);
}

void addConstraints(const Model& model, const State& state, double h, int i, BlockTree& tree)
{
    const int parent = model.joints[i].parent;
    ConstraintRows rows;
    constraintRows(model.joints[i], parentState(model, state, i), state.bodies[i], rows);
    const int r = rows.count;
    // To angular velocities in body axes.
    rows.child.topRows(r).rightCols<3>() *= state.bodies[i].orientation.toRotationMatrix();
    BlockTreeLink& link = tree.links[i];
    link.jointBody() = rows.child.topRows(r);
    link.bodyJoint() = rows.child.topRows(r).transpose();
    link.x.segment(6, r) = -rows.violation.head(r) / h;
    if (parent < 0) return;
    rows.parent.topRows(r).rightCols<3>() *= state.bodies[parent].orientation.toRotationMatrix();
    link.jointParent() = rows.parent.topRows(r);
    link.parentJoint() = rows.parent.topRows(r).transpose();
}

}  // namespace

void hernandezStep(const Model& model, const Method&, ForceFunction forces, double h, State& state,
                   StepWork& work)
{
    state.previous.clear();
    BlockTree& tree = work.maximal.tree;
    tree.resize(model.size());
    forces(model, state, work.forces);
    for (int i = 0; i < model.size(); ++i) setBody(model, state, work.forces, h, i, tree.links[i]);
    bodyForceTangents(model, state, work.forces, work.implicit.tangents);
    for (const BodyTangent& tangent : work.implicit.tangents) {
        const BodyState& body = state.bodies[tangent.body];
        const BodyBlocks own = inBodyAxes(tangent, body);
        tree.links[tangent.body].body() += h * own.damping + h * h * own.stiffness;
        tree.links[tangent.body].x.head<6>() += h * (own.damping * velocityOf(body));
    }
    for (int i = 0; i < model.size(); ++i) {
        addJointForce(model, state, work.forces, h, i, tree);
        addConstraints(model, state, h, i, tree);
    }
    ++work.statistics.newtonIterations;
    if (!tree.factor()) {
        work.statistics.failed = true;
        return;
    }
    tree.solve();
    for (int i = 0; i < model.size(); ++i) {
        BodyState& body = state.bodies[i];
        body.velocity = tree.links[i].x.head<3>();
        body.angularVelocity = tree.links[i].x.segment<3>(3);
        body.position += h * body.velocity;
        body.orientation = (body.orientation * expRotation(h * body.angularVelocity)).normalized();
    }
    state.time += h;
    jointsFromBodies(model, state, h);
}

}  // namespace sinew
