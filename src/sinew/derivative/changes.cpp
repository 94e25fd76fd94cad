#include "sinew/derivative/changes.h"

#include "sinew/model/model.h"

namespace sinew {

void StateChange::setZero(const Model& model)
{
    q.setZero(model.freedomCount);
    u.setZero(model.freedomCount);
    previousU.setZero(model.freedomCount);
    bodies.assign(model.bodies.size(), BodySlot::Zero());
    previous.assign(model.bodies.size(), BodySlot::Zero());
}

void InputChange::setZero(const Model& model)
{
    joint.setZero(model.freedomCount);
    target.setZero(model.freedomCount);
    body.assign(model.bodies.size(), Force{});
}

void ModelChange::setZero(const Model& model)
{
    mass.setZero(model.size());
    stiffness.setZero(model.size());
    damping.setZero(model.size());
    gravity.setZero();
}

}  // namespace sinew
