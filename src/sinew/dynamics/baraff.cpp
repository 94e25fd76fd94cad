// Baraff 1996, "Linear-time dynamics using Lagrange multipliers": the system of the oracle
// (dynamics/kkt.cpp), eliminated leaf to root along the tree of bodies and joints.
//
//     M a + Jᵀ λ = f,  J a = g        λ against the joint, as in the oracle; − on the edge to our loads
//
// Joints: all. Cost O(n): one factorisation, two substitutions (math/block_tree.h). In body coordinates:
// linear momentum to rounding, joints, energy and angular momentum drift with the step, as Hakenberg's do.
#include <limits>

#include "sinew/dynamics/solvers.h"
#include "sinew/state/kinematics.h"

namespace sinew {

void accelerateBaraff(const Model& model, const State& state, const Forces& forces, Work& work,
                      Accelerations& accelerations)
{
    BlockTree& tree = work.tree;
    tree.resize(model.size());
    for (int i = 0; i < model.size(); ++i) {
        prefetch(tree.links, i + passAhead);
        const Body& body = model.bodies[i];
        const BodyState& s = state.bodies[i];
        const Mat3 R = s.orientation.toRotationMatrix();
        BlockTreeLink& link = tree.links[i];
        link.parent = model.joints[i].parent;
        link.rows = model.joints[i].rows();
        link.setZero();
        link.body().topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
        link.body().bottomRightCorner<3, 3>() = R * body.inertia * R.transpose();
        link.x.head<3>() = forces.body[i].force;
        link.x.segment<3>(3) =
            forces.body[i].torque - R * s.angularVelocity.cross(body.inertia * s.angularVelocity);
    }
    ConstraintRows rows;
    for (int i = 0; i < model.size(); ++i) {
        prefetch(tree.links, i + passAhead);
        const Joint& joint = model.joints[i];
        BlockTreeLink& link = tree.links[i];
        const Force own = jointForceOnChild(model, state, i, forces.joint.data() + joint.u);
        accelerations.load[i] = own;
        link.x.head<6>() += own.vector();
        if (joint.parent >= 0)
            tree.links[joint.parent].x.head<6>() -= atParentCenter(model, state, i, own).vector();

        constraintRows(joint, parentState(model, state, i), state.bodies[i], rows);
        const int r = rows.count;
        link.jointBody() = rows.child.topRows(r);
        link.bodyJoint() = rows.child.topRows(r).transpose();
        if (joint.parent >= 0) {
            link.jointParent() = rows.parent.topRows(r);
            link.parentJoint() = rows.parent.topRows(r).transpose();
        }
        link.x.segment(6, r) = rows.bias.head(r);
    }
    if (!tree.factor()) {
        // A checked model has positive masses and independent rows: the state itself is not finite any
        // more.
        for (Motion& a : accelerations.body) a.linear.setConstant(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    tree.solve();

    for (int i = 0; i < model.size(); ++i) {
        const BlockTreeLink& link = tree.links[i];
        accelerations.body[i] = Motion::from(link.x.head<6>());
        if (accelerations.wanted != Accelerations::Wanted::everything) continue;
        // The factors stand where the rows were.
        constraintRows(model.joints[i], parentState(model, state, i), state.bodies[i], rows);
        accelerations.load[i] -=
            Force::from(rows.child.topRows(link.rows).transpose() * link.x.segment(6, link.rows));
        accelerations.load[i] = loadOnFirst(model, state, i, accelerations.load[i]);
    }
    if (accelerations.wanted != Accelerations::Wanted::bodies)
        jointAccelerationsFromBodies(model, state, accelerations);
}

}  // namespace sinew
