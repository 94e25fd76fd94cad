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
//     s^          K₂; S of `Extra`  same
//     X           l                 from the parent's joint, world
//
// A joint whose motion is given (hybrid dynamics: Featherstone 2008, section 9.2) has no freedom left, and
// its S u̇ is known; the force that this takes is what it carries along its freedoms. Closed loops:
// dynamics/loops.h.
//
// Cost O(n): a pass inward and one outward. Joints hold by construction; energy and momenta drift with the
// step.
#include "sinew/dynamics/solvers.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/advance.h"
#include "sinew/recursion/loads.h"
#include "sinew/recursion/others.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

using Weight = recursion::WeightAlone<double>;
using Pushes = recursion::Written<double>;
template <class Given>
using TreeFigure = recursion::Figure<double, Given>;

template <class Given>
TreeFigure<Given> figureOf(const Model& model, const State& state, const Given& given, TreeWork& work)
{
    work.links.resize(model.bodies.size());
    work.gathered.resize(model.bodies.size());
    return {model.links.data(), model.size(),         state.bodies.data(), given,
            work.links.data(),  work.gathered.data(), work.extras.data()};
}
// Some of its links.
template <class Given>
TreeFigure<Given> partOf(const TreeFigure<Given>& figure, int first, int end)
{
    TreeFigure<Given> part = figure;
    part.first = first;
    part.count = end;
    return part;
}

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

void setLoads(const Model& model, const State& state, const Forces& forces,
              const TreeFigure<Pushes>& figure, TreeWork& work, Accelerations& accelerations)
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
    setExtras(model, state, tree, accelerations.joint);
    const Pushes pushes(forces.body.data(), forces.joint.data());
    const TreeFigure<Pushes> figure = figureOf(model, state, pushes, tree);
    eachSkeletonPart(model, [&](int first, int end) {
        const TreeFigure<Pushes> part = partOf(figure, first, end);
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

template <class Given>
void advanceByFeatherstone(const Model& model, const Given& given, double h, State& state, TreeWork& work)
{
    work.extras.resize(model.extraLinks.size());
    for (std::size_t e = 0; e < model.extraLinks.size(); ++e)
        recursion::setExtra(model, model.extraLinks[e], state.q.data(), state.u.data(), nullptr,
                            work.extras[e]);
    const TreeFigure<Given> figure = figureOf(model, state, given, work);
    eachSkeletonPart(model, [&](int first, int end) {
        const TreeFigure<Given> part = partOf(figure, first, end);
        recursion::eliminate<double>(part);
        recursion::advance<double>(model, part, h, state.q.data(), state.u.data(), state.bodies.data());
    });
}

}  // namespace

void advanceFeatherstone(const Model& model, const Forces* forces, double h, State& state, Work& work)
{
    if (forces)
        advanceByFeatherstone(model, Pushes(forces->body.data(), forces->joint.data()), h, state,
                              work.recursion);
    else
        advanceByFeatherstone(model, Weight(small(model.gravity)), h, state, work.recursion);
}

void accelerateFeatherstone(const Model& model, const State& state, const Forces& forces, Work& work,
                            Accelerations& accelerations)
{
    if (model.loops.empty())
        accelerateByFeatherstone(model, state, forces, work, accelerations);
    else
        accelerateWithLoops(accelerateByFeatherstone, model, state, forces, work, accelerations);
}

}  // namespace sinew
