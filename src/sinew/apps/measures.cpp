#include "sinew/apps/measures.h"

#include <algorithm>
#include <cmath>

#include "sinew/state/contacts.h"

namespace sinew {

void Measures::start(const Model& model, const State& state, Collisions& collisions)
{
    *this = {};
    const Momentum p = momentum(model, state);
    energyStart = energyMin = energyMax = energy(model, state).total();
    linearStart = p.linear;
    angularStart = p.angular;
    add(model, state, collisions);
}

void Measures::add(const Model& model, const State& state, Collisions& collisions)
{
    const Energy e = energy(model, state);
    energyEnd = e.total();
    energyMin = std::min(energyMin, energyEnd);
    energyMax = std::max(energyMax, energyEnd);
    energyDeviation = std::max(energyDeviation, std::abs(energyEnd - energyStart));
    energyScale = std::max(energyScale, e.kinetic + std::abs(e.potential));

    const Momentum p = momentum(model, state);
    linearDeviation = std::max(linearDeviation, (p.linear - linearStart).norm());
    linearScale = std::max(linearScale, p.linearScale);
    angularDeviation = std::max(angularDeviation, (p.angular - angularStart).norm());
    angularScale = std::max(angularScale, p.angularScale);

    gapEnd = largestJointError(model, state).gap;
    gapMax = std::max(gapMax, gapEnd);

    penetrationMax = std::max(penetrationMax, collisions.depth(model, state));
    contacts += contactCount(state);
}

}  // namespace sinew
