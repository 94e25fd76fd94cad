// Gravity compensation: joints bear the weight of what lies beyond them, as far as their freedoms can. What
// floats has nothing to hold on to: "beyond" would depend on which of its bodies was called the root, and
// in a free fall the joints would throw limbs up that weigh nothing there.
#include "sinew/force/laws/types.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace gravity_compensation {
namespace {

bool isIn(const Model& model)
{
    return model.gravityCompensation > 0;
}

// What each joint bears stays in Forces::weights: implicit steps ask for it.
void addForces(const Model& model, const State& state, Forces& forces)
{
    LargeVector<Force>& carried = forces.weights;
    carried.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        const int root = model.skeletons[model.skeletonOf[i]].first;
        const bool floats = model.joints[root].isFree() && !isPrescribed(model, state, root);
        const double borne = floats ? 0 : model.gravityCompensation * model.bodies[i].mass;
        carried[i] = {-borne * model.gravity, Vec3::Zero()};
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        const Joint& joint = model.joints[i];
        if (joint.isFree()) continue;
        const double* q = state.q.data() + joint.q;
        const Quat toChild = state.bodies[i].orientation.conjugate();
        Subspace S;
        jointSubspace(joint, q, jointTransform(joint, q), S);
        Vec6 own;
        own << toChild * carried[i].force, toChild * carried[i].torque;
        forces.joint.segment(joint.u, joint.freedoms()) += S.transpose() * own;
        if (joint.parent < 0) continue;
        const Vec3 arm = state.bodies[i].position - state.bodies[joint.parent].position;
        carried[joint.parent] += {carried[i].force, carried[i].torque + arm.cross(carried[i].force)};
    }
}

}  // namespace
}  // namespace gravity_compensation

const ForceLawInfo gravityCompensationLaw = {
    .name = "gravity_compensation",
    .noun = "gravity compensation",
    .kind = ForceKind::drive,
    .isIn = gravity_compensation::isIn,
    .addForces = gravity_compensation::addForces,
};

}  // namespace sinew
