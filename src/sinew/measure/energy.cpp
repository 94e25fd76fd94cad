#include "sinew/measure/energy.h"

#include "sinew/force/law.h"
#include "sinew/soft/groups.h"
#include "sinew/soft/potential.h"

namespace sinew {
namespace {

// of(body) is the Energy that the one of a body and its joint is added to.
void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        const BodyState& s = state.bodies[i];
        const JointAt at(model, state, i);
        Energy& sum = of(i);
        sum.kinetic += 0.5 * body.mass * s.velocity.squaredNorm() +
                       0.5 * s.angularVelocity.dot(body.inertia * s.angularVelocity);
        if (at.joint.armature > 0)
            sum.kinetic +=
                0.5 * at.joint.armature * state.u.segment(at.joint.u, at.freedoms()).squaredNorm();
        // Springs apart from all else, as their forces.
        double springs = 0, others = 0;
        for (const ForceLawInfo* law : forceLaws())
            if (law->addJointEnergy && law->isInJoint(model, at.joint))
                law->addJointEnergy(at, law->kind == ForceKind::spring ? springs : others);
        sum.elastic += springs;
        sum.elastic += others;
    }
    for (const ForceLawInfo* law : forceLaws())
        if (law->addEnergies && law->isIn(model)) law->addEnergies(model, state, of);
}

}  // namespace

Energy energy(const Model& model, const State& state)
{
    Energy sum;
    addEnergies(model, state, [&](int) -> Energy& { return sum; });
    MeshState memory;
    for (const TiedMeshes& group : model.meshGroups) {
        if (state.meshes.empty()) break;  // a state of bodies alone
        const MeshEnergy part =
            meshEnergy(solvedMesh(model, group), solvedState(model, group, state.meshes, memory),
                       model.gravity, state.bodies);
        sum.kinetic += part.kinetic;
        sum.potential += part.potential;
        sum.elastic += part.elastic;
    }
    return sum;
}

void skeletonEnergies(const Model& model, const State& state, std::vector<Energy>& energies)
{
    energies.assign(model.skeletons.size(), {});
    addEnergies(model, state, [&](int body) -> Energy& { return energies[model.skeletonOf[body]]; });
}

}  // namespace sinew
