#include "sinew/force/triggers.h"

#include "sinew/force/laws/obstacles.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// A support takes from the contact what it bears: that must not end the support.
bool lies(const Model& model, const State& state, const Contact& contact)
{
    constexpr double near = 1e-3;  // of the smallest body
    return bearsForce(contact) || contactGap(contact, state) < near * model.contactLength;
}

bool touches(const Model& model, const State& state, const Trigger& trigger)
{
    const int body = trigger.of;
    bool found = false;
    for (const Contact& contact : state.contacts)
        found = found || ((contact.bodyA == body || contact.bodyB == body) &&
                          (trigger.ofSupport ? lies(model, state, contact) : bearsForce(contact)));
    forEachTouch(model, state, {}, [&](const ContactPoint& point, const Obstacle&, const Touch&) {
        found = found || point.body == body;
    });
    return found;
}

bool isTrue(const Model& model, const State& state, const Trigger& trigger)
{
    using Quantity = ConditionDescription::Quantity;
    double value = 0;
    switch (trigger.quantity) {
        case Quantity::angle: {
            double coordinate[6] = {};
            describedCoordinate(model, state, trigger.of, coordinate);
            value = coordinate[trigger.freedom];
            break;
        }
        case Quantity::height:
            value = state.bodies[trigger.of].position.y();
            break;
        case Quantity::speed:
            value = state.bodies[trigger.of].velocity.norm();
            break;
        case Quantity::touch:
            return touches(model, state, trigger);
    }
    return value > trigger.above && value < trigger.below;
}

}  // namespace

void updateTriggers(const Model& model, State& state)
{
    for (const Trigger& trigger : model.triggers) {
        const bool now = isTrue(model, state, trigger);
        double* slot = state.memory.data() + trigger.slot;
        if (!trigger.when) {
            slot[0] = now;
            continue;
        }
        if (now && slot[1] == 0) slot[0] = state.time;
        slot[1] = now;
    }
}

TriggerState triggerState(const Model& model, const State& state, int index)
{
    if (index < 0) return {};
    const Trigger& trigger = model.triggers[index];
    const double kept = state.memory[trigger.slot];
    if (!trigger.when) return {kept != 0, 0};
    return {kept != Trigger::never, kept};
}

}  // namespace sinew
