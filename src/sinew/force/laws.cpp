#include "sinew/force/laws.h"

#include "sinew/force/laws/types.h"
#include "sinew/model/link.h"
#include "sinew/model/skeleton_parts.h"

namespace sinew {
namespace {

// The springs of a joint are summed by themselves, then added to all else.
void addJointForces(const JointAt& at, Forces& forces)
{
    double springs[6] = {}, others[6] = {};
    for (const ForceLawInfo* law : jointLaws())
        if (law->isInJoint(at.model, at.joint))
            law->addJointForce(at, law->kind == ForceKind::spring ? springs : others);
    for (int i = 0; i < at.freedoms(); ++i) forces.joint[at.joint.u + i] = others[i] + springs[i];
}

// function(law, joint) for each law that drives the joint
template <class Function>
void forEachDrive(const Model& model, const State& state, int link, Function&& function)
{
    JointAt at(model, state, link);
    at.active = true;
    for (const ForceLawInfo* law : forceLaws())
        if (law->kind == ForceKind::drive && law->addJointForce && law->isInJoint(model, at.joint))
            function(*law, at);
}

}  // namespace

bool mayHaveForces(const Model& model, int link)
{
    return model.links[link].hasForces || lawsActInAnyJoint();
}

void sceneForces(const Model& model, const State& state, Forces& forces)
{
    forces.setZero(model);
    eachSkeletonPart(model, [&](int first, int end) {
        for (int i = first; i < end; ++i)
            if (mayHaveForces(model, i)) addJointForces(JointAt(model, state, i), forces);
    });
    for (const ForceLawInfo* law : forceLaws())
        if (law->addForces && law->isIn(model)) law->addForces(model, state, forces);
}

bool isWeightAlone(const Model& model)
{
    if (model.hasJointForces || lawsActInAnyJoint()) return false;
    for (const ForceLawInfo* law : forceLaws())
        if (law->addForces && law != &gravityLaw && law->isIn(model)) return false;
    return true;
}

void jointForceTangent(const Model& model, const State& state, int link, JointTangent& tangent, bool limits)
{
    JointAt at(model, state, link);
    at.limits = limits;
    tangent.stiffness.setZero();
    tangent.damping.setZero();
    for (const ForceLawInfo* law : jointLaws())
        if (law->addJointTangent && law->isInJoint(model, at.joint)) law->addJointTangent(at, tangent);
}

bool hasJointTangent(const Model& model, int link)
{
    for (const ForceLawInfo* law : forceLaws())
        if (law->addJointTangent && law->isInJoint(model, model.joints[link])) return true;
    return false;
}

void bodyForceTangents(const Model& model, const State& state, const Forces& forces,
                       std::vector<BodyTangent>& tangents)
{
    tangents.clear();
    // For all that there may ever be, so that a step never has to ask for more.
    std::size_t most = forces.outside.bodies.size();
    for (const ForceLawInfo* law : forceLaws())
        if (law->addTangents && law->isIn(model)) most += law->mostTangents(model);
    tangents.reserve(most);
    for (const ForceLawInfo* law : forceLaws())
        if (law->addTangents && law->isIn(model)) law->addTangents(model, state, forces, tangents);
    tangents.insert(tangents.end(), forces.outside.bodies.begin(), forces.outside.bodies.end());
}

void pairForceTangents(const Model& model, const State& state, std::span<const Vec3> believed,
                       std::vector<PairTangent>& tangents)
{
    tangents.clear();
    for (const ForceLawInfo* law : forceLaws())
        if (law->addPairTangents && law->isIn(model))
            law->addPairTangents(model, state,
                                 believed.empty() ? believed : believed.subspan(tangents.size()), tangents);
}

void sceneTangents(const Model& model, const State& state, const Forces& forces, ForceTangents& tangents)
{
    tangents.joints.assign(model.bodies.size(), {});
    for (int i = 0; i < model.size(); ++i) {
        if (hasJointTangent(model, i)) jointForceTangent(model, state, i, tangents.joints[i]);
        forces.outside.addTo(i, tangents.joints[i]);
    }
    bodyForceTangents(model, state, forces, tangents.bodies);
    pairForceTangents(model, state, {}, tangents.pairs);
}

void addDriveForce(const Model& model, const State& state, int link, double* Q)
{
    forEachDrive(model, state, link,
                 [&](const ForceLawInfo& law, const JointAt& at) { law.addJointForce(at, Q); });
}

void addDriveTangent(const Model& model, const State& state, int link, JointTangent& tangent)
{
    forEachDrive(model, state, link, [&](const ForceLawInfo& law, const JointAt& at) {
        if (law.addJointTangent) law.addJointTangent(at, tangent);
    });
}

double driveEnergy(const Model& model, const State& state, int link)
{
    double sum = 0;
    const JointAt at(model, state, link);
    for (const ForceLawInfo* law : forceLaws())
        if (law->kind == ForceKind::drive && law->addJointEnergy && law->isInJoint(model, at.joint))
            law->addJointEnergy(at, sum);
    return sum;
}

bool isPassive(const Model& model)
{
    if (!model.switches.empty() || !model.settings.empty() || !model.prescribed.empty()) return false;
    if (model.contact) return false;  // what is inside something is pushed out
    for (const ForceLawInfo* law : forceLaws())
        if (law->isIn(model) && !(law->isPassive && law->isPassive(model))) return false;
    return true;
}

bool switchesBetween(const Model& model, double from, double to)
{
    for (const JointSwitch& s : model.switches)
        if (s.time > from + JointSwitch::slack && s.time <= to + JointSwitch::slack) return true;
    return false;
}

}  // namespace sinew
