// Fields that draw bodies to a place, by their mass or each with the same force, at their centres of mass.
#include <algorithm>

#include "sinew/field/air.h"
#include "sinew/field/medium.h"
#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"

namespace sinew {
namespace attractors {
namespace {

bool isIn(const Model& model)
{
    return hasAttractors(model.fields);
}

bool changes(const Model& model)
{
    return std::any_of(model.fields.begin(), model.fields.end(), [](const FieldDescription& field) {
        return !field.moves() && field.signal && !field.signal->isConstant();
    });
}
bool isPassive(const Model& model)
{
    return !changes(model);
}

void markDriven(const Model& model, const MarkBody& mark)
{
    if (!changes(model)) return;
    for (int i = 0; i < model.size(); ++i) mark(i);
}

// A force that does not ask for the mass acts once on a body that is cut into parts.
double share(const Body& body)
{
    return 1. / body.parts;
}

void addForces(const Model& model, const State& state, Forces& forces)
{
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        const Attraction pull = attraction(model.fields, state.time, state.bodies[i].position);
        forces.body[i].force += body.mass * pull.acceleration + share(body) * pull.force;
    }
}

void addTangents(const Model& model, const State& state, const Forces&, std::vector<BodyTangent>& tangents)
{
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        AttractionGradient gradient;
        attraction(model.fields, state.time, state.bodies[i].position, &gradient);
        appendTangent(i, tangents).stiffness.topLeftCorner<3, 3>() =
            -body.mass * gradient.acceleration - share(body) * gradient.force;
    }
}

std::size_t mostTangents(const Model& model)
{
    return model.bodies.size();
}

void addEnergies(const Model& model, const State& state, const EnergyOf& of)
{
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        of(i).potential += share(body) * attractionEnergy(model.fields, state.time,
                                                          state.bodies[i].position, body.wholeMass());
    }
}

}  // namespace
}  // namespace attractors

const ForceLawInfo attractorLaw = {
    .name = "attraction",
    .noun = "attractors",
    .kind = ForceKind::body,
    .isIn = attractors::isIn,
    .isPassive = attractors::isPassive,
    .markDriven = attractors::markDriven,
    .addForces = attractors::addForces,
    .addTangents = attractors::addTangents,
    .mostTangents = attractors::mostTangents,
    .addEnergies = attractors::addEnergies,
};

}  // namespace sinew
