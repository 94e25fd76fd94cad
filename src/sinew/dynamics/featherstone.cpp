// Featherstone's articulated-body algorithm (Parent's slides, chapter 4; Featherstone 1987), for trees, all
// joint types, fixed and floating roots. The passes, with their equations, are those of recursion/; this is
// what they are given and what becomes of their results.
//
// The slides' recursion with three changes: k × k blocks instead of a division, so that joints may have
// several freedoms; a floating root is a joint of six freedoms to the world; accelerations are classical
// ones of the joints' places, in world axes, which leaves of the slides' velocity products ω × (ω × l) and
// ω_p × ω. Their cross matrix has wrong signs in its last row and column, and their v_i in c_i means the
// joint velocity.
//
//     slides      recursion/        at, axes
//     a^          a, α              the joint on the link, world
//     I^, Z^      M, G, J; f, n     same
//     s^          z; S of `Extra`   same
//     X           l                 from the parent's joint, world
//
// A joint whose motion is given (hybrid dynamics: Featherstone 2008, section 9.2) has no freedom left, and
// its S u̇ is known; the force that this takes is what it carries along its freedoms. Closed loops:
// dynamics/loops.h.
//
// Cost O(n): three passes. Joints hold by construction; energy and momenta drift with the step.
#include "sinew/dynamics/solvers.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/loads.h"
#include "sinew/recursion/others.h"
#include "sinew/recursion/velocities.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

using TreeFigure = recursion::Figure<double>;

// What the table has to tell, and the motion of joints that is given.
void setExtras(const Model& model, const State& state, TreeWork& work, VecX& acceleration)
{
    work.extras.resize(model.extraLinks.size());
    for (std::size_t e = 0; e < model.extraLinks.size(); ++e) {
        const int i = model.extraLinks[e];
        const double *q = state.q.data(), *u = state.u.data();
        if (!isPrescribed(model, state, i)) {
            recursion::setExtra(model, i, q, u, nullptr, work.extras[e]);
            continue;
        }
        const JointMotion motion = prescribedMotion(model, state, i, state.time);
        const Joint& joint = model.joints[i];
        acceleration.segment(joint.u, joint.freedoms()) = view(motion.acceleration, joint.freedoms());
        recursion::setExtra(model, i, q, u, acceleration.data() + joint.u, work.extras[e]);
    }
}

// What the joint's force along its freedoms is more than springs, dampers and motors give.
void setDrive(const Model& model, const State& state, int i, const Force& load, const Forces& forces,
              Accelerations& accelerations)
{
    const Joint& joint = model.joints[i];
    const int k = joint.freedoms();
    const double* q = state.q.data() + joint.q;
    const Quat toBody = state.bodies[i].orientation.conjugate();
    const Force own{toBody * load.force, toBody * load.torque};
    Subspace S;
    jointSubspace(joint, q, jointTransform(joint, q), S);
    auto drive = accelerations.drive.segment(joint.u, k);
    drive = S.transpose() * own.vector();
    drive += joint.armature * accelerations.joint.segment(joint.u, k) - forces.joint.segment(joint.u, k);
}

void setLoads(const Model& model, const State& state, const Forces& forces, const TreeFigure& figure,
              TreeWork& work, Accelerations& accelerations)
{
    work.loads.resize(model.bodies.size());
    recursion::carry<double>(figure, work.loads);
    for (int i = 0; i < model.size(); ++i) {
        const Force load{large(work.loads[i].force), large(work.loads[i].torque)};
        if (isPrescribed(model, state, i)) setDrive(model, state, i, load, forces, accelerations);
        accelerations.load[i] = loadOnFirst(model, state, i, load);
    }
}

void accelerateByFeatherstone(const Model& model, const State& state, const Forces& forces, Work& work,
                              Accelerations& accelerations)
{
    using Wanted = Accelerations::Wanted;
    TreeWork& tree = work.recursion;
    tree.links.resize(model.bodies.size());
    setExtras(model, state, tree, accelerations.joint);
    const TreeFigure figure{model.links.data(),  model.size(), state.bodies.data(), forces.body.data(),
                            forces.joint.data(), nullptr,      tree.links.data(),   tree.extras.data()};
    eachSkeletonPart(model, [&](int first, int end) {
        TreeFigure part = figure;
        part.first = first;
        part.count = end;
        recursion::start<double>(part);
        recursion::eliminate<double>(part);
        recursion::accelerate<double>(part, accelerations.joint.data());
    });
    if (accelerations.wanted == Wanted::joints) return;
    for (int i = 0; i < model.size(); ++i) {
        const recursion::Acceleration<double> a = recursion::bodyAcceleration<double>(figure, i);
        accelerations.body[i] = {large(a.linear), large(a.angular)};
    }
    setLoads(model, state, forces, figure, tree, accelerations);
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
