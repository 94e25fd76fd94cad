// A simulation by the names of its scene: what is read, set and pushed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/base/text.h"
#include "sinew/model/link.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
// ---- read ---------------------------------------------------------------------------------------

Result<JointNumbers> Simulation::jointPosition(const JointRef& joint) const
{
    const Result<JointHandle> found = sinew::findJoint(model(), joint);
    if (!found) return found.error();
    return sinew::jointPosition(model(), state, found.value());
}

Result<JointNumbers> Simulation::jointVelocity(const JointRef& joint) const
{
    const Result<JointHandle> found = sinew::findJoint(model(), joint);
    if (!found) return found.error();
    return sinew::jointVelocity(model(), state, found.value());
}

Result<Force> Simulation::jointLoad(const JointRef& joint)
{
    const Result<JointHandle> found = sinew::findJoint(model(), joint);
    if (!found) return found.error();
    return accelerate().load[found.value().link];
}

Result<BodyMotion> Simulation::body(const BodyRef& body) const
{
    const Result<BodyHandle> found = sinew::findBody(model(), body);
    if (!found) return found.error();
    return bodyMotion(model(), state, found.value());
}

Result<std::vector<BodyContact>> Simulation::contacts(const BodyRef& body) const
{
    const Result<BodyHandle> found = sinew::findBody(model(), body);
    if (!found) return found.error();
    return contactsOf(model(), state, h, found.value());
}

// ---- set ----------------------------------------------------------------------------------------

Simulation::Outcome Simulation::setState(State wanted)
{
    const std::string why = unfitState(model(), wanted, method->coordinates == Coordinates::joint);
    if (!why.empty()) return Diagnostic{why + "; it is not one of this simulation"};
    state = std::move(wanted);
    return {};
}

Simulation::Outcome Simulation::setState(State wanted, const Clock& clock)
{
    if (!(std::isfinite(clock.h) && clock.now == wanted.time &&
          clock.start + static_cast<double>(clock.steps) * clock.h == clock.now))
        return Diagnostic{"the clock is not that of the state"};
    if (auto unfit = setState(std::move(wanted))) return unfit;
    clock_ = clock;
    return {};
}

Simulation::Outcome Simulation::setJointPosition(const JointRef& joint, const JointNumbers& position)
{
    const Result<JointHandle> found = sinew::findJoint(model(), joint);
    if (!found) return found.error();
    if (auto unfit = sinew::setJointPosition(model(), found.value(), position, state)) return unfit;
    settle();
    return {};
}

Simulation::Outcome Simulation::setJointVelocity(const JointRef& joint, const JointNumbers& velocity)
{
    const Result<JointHandle> found = sinew::findJoint(model(), joint);
    if (!found) return found.error();
    if (auto unfit = sinew::setJointVelocity(model(), found.value(), velocity, state)) return unfit;
    settle();
    return {};
}

Simulation::Outcome Simulation::setBody(const BodyRef& body, const BodyMotion& motion)
{
    const Result<BodyHandle> found = sinew::findBody(model(), body);
    if (!found) return found.error();
    if (auto unfit = setBodyMotion(model(), found.value(), motion, state)) return unfit;
    settle();
    return {};
}

void Simulation::reset()
{
    state = start;
    inputs_.joints.clear();
    inputs_.bodies.clear();
    if (sceneModel_) model_ = SharedValue<Model>(std::exchange(sceneModel_, nullptr));
    settingsGiven_ = 0;
    giveSettings();
}

Model& Simulation::changeModel()
{
    if (!sceneModel_) sceneModel_ = model_.shared();
    return model_.change();
}

// ---- push ---------------------------------------------------------------------------------------

// Its joint forces are of its own making, of energies and in the middle of the step.
Simulation::Outcome Simulation::cannotPush() const
{
    if (integrator->takes.has(ForceKind::drive)) return {};
    return Diagnostic{"integrator " + quotedName(integrator->name) +
                      " does not take forces from outside; use implicit"};
}

Simulation::Outcome Simulation::setJointForce(const JointRef& ref, const JointNumbers& force)
{
    const Result<JointHandle> found = sinew::findJoint(model(), ref);
    if (!found) return found.error();
    if (auto refused = cannotPush()) return refused;
    const int link = found.value().link;
    if (auto unfit = unfitNumbers(model().joints[link], force)) return unfit;
    Inputs::JointInput input{link, Vec6::Zero()};
    for (std::size_t i = 0; i < force.size(); ++i) input.force[static_cast<int>(i)] = force[i];
    std::erase_if(inputs_.joints, [&](const Inputs::JointInput& held) { return held.link == link; });
    if (!input.force.isZero(0)) inputs_.joints.push_back(input);
    return {};
}

Simulation::Outcome Simulation::setBodyForce(const BodyRef& ref, const Vec3& force, const Vec3& torque,
                                             const std::optional<Vec3>& point)
{
    const Result<BodyHandle> found = sinew::findBody(model(), ref);
    if (!found) return found.error();
    if (auto refused = cannotPush()) return refused;
    const int link = found.value().link;
    const Body& body = model().bodies[link];
    if (!isSound(force) || !isSound(torque) || (point && !isSound(*point)))
        return Diagnostic{"a force on body " + quotedName(body.name) + " is not finite, or beyond 1e30"};
    BodyLoad load;
    load.body = link;
    load.force = force;
    load.torque = torque;
    if (point) load.point = *point - body.center;
    std::erase_if(inputs_.bodies, [&](const BodyLoad& held) { return held.body == link; });
    if (!force.isZero(0) || !torque.isZero(0)) inputs_.bodies.push_back(load);
    return {};
}

Simulation::Outcome Simulation::setForceLaw(ForceLaw law)
{
    if (auto refused = law ? cannotPush() : Outcome()) return refused;
    inputs_.law = std::move(law);
    return {};
}

Simulation::Outcome Simulation::setControllerTarget(const JointRef& ref, const JointNumbers& position)
{
    const Result<JointHandle> found = sinew::findJoint(model(), ref);
    if (!found) return found.error();
    const int link = found.value().link;
    const Joint& joint = model().joints[link];
    if (joint.drives < 0 || model().drives[joint.drives].controllers.empty())
        return Diagnostic{"joint " + quotedName(joint.name) + " has no controller in the scene"};
    if (auto unfit = unfitNumbers(joint, position)) return unfit;
    const int drives = joint.drives;
    for (Controller& controller : changeModel().drives[drives].controllers)
        controller.target.assign(position.values, position.values + position.size());
    return {};
}

Simulation::Outcome Simulation::setMotor(const JointRef& ref, const JointNumbers& torque)
{
    const Result<JointHandle> found = sinew::findJoint(model(), ref);
    if (!found) return found.error();
    const int link = found.value().link;
    const Joint& old = model().joints[link];
    if (old.isFree()) return Diagnostic{"joint " + quotedName(old.name) + " is free; push its body"};
    if (auto unfit = unfitNumbers(old, torque)) return unfit;
    Model& model = changeModel();
    Joint& joint = model.joints[link];
    for (std::size_t i = 0; i < torque.size(); ++i) joint.motor[static_cast<int>(i)] = torque[i];
    joint.hasMotor = true;
    model.links[link].hasForces = model.hasJointForces = true;
    if (joint.drives >= 0) model.drives[joint.drives].motors.clear();
    if (!state.quiet.empty()) state.quiet[static_cast<std::size_t>(model.skeletonOf[link])] = 0;
    return {};
}

}  // namespace sinew
