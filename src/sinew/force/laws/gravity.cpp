// Gravity: F = m g at the centre of mass.
#include "sinew/force/laws/types.h"
#include "sinew/model/link.h"

namespace sinew {
namespace gravity {
namespace {

void addForces(const Model& model, const State&, Forces& forces)
{
    for (int i = 0; i < model.size(); ++i) forces.body[i].force += model.links[i].mass * model.gravity;
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    for (int i = 0; i < model.size(); ++i)
        of(i).potential -= model.bodies[i].mass * model.gravity.dot(state.bodies[i].position);
}

}  // namespace
}  // namespace gravity

const ForceLawInfo gravityLaw = {
    .name = "gravity",
    .noun = "gravity",
    .kind = ForceKind::plain,
    .isIn = laws::always,
    .isPassive = laws::always,
    .ofPlacesOnly = true,
    .addForces = gravity::addForces,
    .addEnergies = gravity::addEnergies,
};

}  // namespace sinew
