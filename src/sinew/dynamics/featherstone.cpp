// Featherstone's articulated-body algorithm (Parent's slides, chapter 4; Featherstone 1987), for trees, all
// joint types, fixed and floating roots.
//
// The slides' recursion with three changes: k × k blocks instead of a division, so that joints may have
// several freedoms; a floating root is a joint of six freedoms to the world; accelerations are spatial
// (seen from a fixed point in space), which folds the slides' velocity products into c = Ṡ u + v × S u.
// Their cross matrix has wrong signs in its last row and column, and their v_i in c_i means the joint
// velocity.
//
//     slides      code                       at, axes
//     v^, a^      velocity, acceleration     centre of mass, own axes; order linear, angular
//     I^, Z^      inertia, force             same
//     s^          S
//     X           X.toChild, X.toParent
//
// A joint whose motion is given (hybrid dynamics: Featherstone 2008, section 9.2) has no freedom left, and
// c holds S u̇ too; the force that this takes is Sᵀ (I^A a + p^A). Closed loops: dynamics/loops.h.
//
// Cost O(n): three passes. Joints hold by construction; energy and momenta drift with the step.
#include "sinew/dynamics/articulated.h"
#include "sinew/dynamics/solvers.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

void prepare(const Model& model, const State& state, const Forces& forces, int i, ArticulatedLink& link)
{
    placeLink(model, state, i, link);
    const double armature = model.joints[i].armature;
    link.hasBlocks = armature > 0;
    if (link.hasBlocks) {
        link.jointBlock = armature * Mat3::Identity();
        link.coupling.setZero();
    }
    // Z^: what keeps a turning body from going straight, less what pushes it.
    const Body& body = model.bodies[i];
    const Quat toBody = state.bodies[i].orientation.conjugate();
    const Motion& v = link.velocity;
    link.inertia = rigidInertia(body);
    link.force << body.mass * v.angular.cross(v.linear) - toBody * forces.body[i].force,
        v.angular.cross(body.inertia * v.angular) - toBody * forces.body[i].torque;
}

void prescribe(const Model& model, const State& state, int i, ArticulatedLink& link, VecX& acceleration)
{
    const JointMotion motion = prescribedMotion(model, state, i, state.time);
    const auto given = view(motion.acceleration, link.freedoms);
    acceleration.segment(link.u, link.freedoms) = given;
    link.bias = link.bias + Motion::from(link.along(given));
    link.freedoms = 0;
}

// What the joint's force along its freedoms is more than springs, dampers and motors give.
void setDrive(const Joint& joint, const ArticulatedLink& link, const Force& load, const Forces& forces,
              Accelerations& accelerations)
{
    const int k = joint.freedoms();
    auto drive = accelerations.drive.segment(joint.u, k);
    if (k == 6)
        drive << link.X.R * load.force, load.torque;
    else
        drive = link.S.leftCols(k).transpose() * load.vector();
    drive += joint.armature * accelerations.joint.segment(joint.u, k) - forces.joint.segment(joint.u, k);
}

void accelerateByFeatherstone(const Model& model, const State& state, const Forces& forces, Work& work,
                              Accelerations& accelerations)
{
    LargeVector<ArticulatedLink>& links = work.links;
    links.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        prefetch(links, i + passAhead);
        prefetch(model.joints, i + passAhead);
        prepare(model, state, forces, i, links[i]);
        if (isPrescribed(model, state, i)) prescribe(model, state, i, links[i], accelerations.joint);
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        prefetch(links, i - passAhead);
        factorAndReduceArticulated(links, i, forces.joint);
    }
    for (int i = 0; i < model.size(); ++i) {
        prefetch(links, i + passAhead);
        accelerateArticulated(links, i, accelerations.joint);
        if (accelerations.wanted == Accelerations::Wanted::joints) continue;
        const ArticulatedLink& link = links[i];
        const Quat& R = state.bodies[i].orientation;
        const Motion a = Motion::from(link.acceleration);
        accelerations.body[i] = {R * (a.linear + link.velocity.angular.cross(link.velocity.linear)),
                                 R * a.angular};
        const Force load = articulatedLoad(link);
        if (isPrescribed(model, state, i)) setDrive(model.joints[i], link, load, forces, accelerations);
        accelerations.load[i] = loadOnFirst(model, state, i, {R * load.force, R * load.torque});
    }
}

}  // namespace

void accelerateFeatherstone(const Model& model, const State& state, const Forces& forces, Work& work,
                            Accelerations& accelerations)
{
    if (model.loops.empty())
        accelerateByFeatherstone(model, state, forces, work, accelerations);
    else
        accelerateWithLoops(accelerateByFeatherstone, model, state, forces, work, accelerations);
}

}  // namespace sinew
