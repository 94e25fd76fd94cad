// The force laws Sinew knows, as one table: a law is one file of force/laws, with its force, minus the
// derivatives of that, its energy, and whether a model has it at all. Whoever adds up forces or energies
// (force/laws.h, measure/energy.h), asks whether a scene is passive, or whether a step can take it, goes
// through the table. So a new law, even one that a program registers, is known to all of them.
//
// A law acts on the scene as a whole, or in joints, on each by itself. Sums go in the order of the table,
// which is part of the behaviour: another one rounds otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/state/measure.h"
#include "sinew/state/pair_tangent.h"
#include "sinew/state/state.h"

namespace sinew {

// What a step must be able to take.
enum class ForceKind : std::uint8_t {
    plain,   // gravity, loads, motors, dampers: every step takes them, and may know each by itself
    spring,  // springs and limits of joints: likewise; a joint's are summed apart from all else in it
    body,    // on bodies, by where they are and how they move: obstacles, targets
    drive,   // in joints, likewise: controllers, torque functions, dry friction
    pair,    // between bodies that share no joint: springs
};
// Those that a step takes.
struct ForceKinds {
    bool body = true, drive = true, pair = true;

    constexpr bool has(ForceKind kind) const
    {
        switch (kind) {
            case ForceKind::body:
                return body;
            case ForceKind::drive:
                return drive;
            case ForceKind::pair:
                return pair;
            default:
                return true;
        }
    }
};

// A joint at a state, as its laws see it.
struct JointAt {
    const Model& model;
    const State& state;
    int link;
    const Joint& joint;
    const double *q, *u;
    bool active;         // springs, motors and drives are not switched off
    bool limits = true;  // tangents are with those of limits, which steps may have as unknowns of their own

    JointAt(const Model& itsModel, const State& itsState, int itsLink)
        : model(itsModel),
          state(itsState),
          link(itsLink),
          joint(itsModel.joints[itsLink]),
          q(itsState.q.data() + joint.q),
          u(itsState.u.data() + joint.u),
          active(itsModel.isActive(itsLink, itsState.time))
    {
    }
    double time() const { return state.time; }
    int freedoms() const { return joint.freedoms(); }
    // Of a joint with three freedoms at most.
    Vec3 velocity() const
    {
        SINEW_ASSERT(freedoms() <= 3);
        Vec3 v = Vec3::Zero();
        for (int i = 0; i < freedoms(); ++i) v[i] = u[i];
        return v;
    }
};

// Where the energy of a body and its joint is added up.
using EnergyOf = std::function<Energy&(int body)>;
using MarkBody = std::function<void(int body)>;

// Functions that are null: there is nothing of the kind.
struct ForceLawInfo {
    const char* name;
    // What messages call it: "gravity compensation"; in joints " of joint 'elbow'" follows.
    const char* noun;
    ForceKind kind;

    // Whether a model has it: what it has not costs nothing.
    bool (*isIn)(const Model& model);
    // Whether it does no work on the figure from outside and does not change with time, in a model that has
    // it. Null: it may.
    bool (*isPassive)(const Model& model) = nullptr;
    // Whether its forces depend on places and time alone, not on velocities: some steps take no others.
    bool ofPlacesOnly = false;

    // Marks the bodies that it may move out of rest by itself, as what changes with time does: they never
    // sleep.
    void (*markDriven)(const Model& model, const MarkBody& mark) = nullptr;

    // Of laws that act on the scene as a whole. `forces` have those of the laws before.
    void (*addForces)(const Model& model, const State& state, Forces& forces) = nullptr;
    // Appends minus the derivatives of its forces on bodies; `forces` are those at the same state.
    void (*addTangents)(const Model& model, const State& state, const Forces& forces,
                        std::vector<BodyTangent>& tangents) = nullptr;
    // How many it appends at most, in any state.
    std::size_t (*mostTangents)(const Model& model) = nullptr;
    // Of laws between bodies, instead: appends those of each pair. `believed`, where it is not empty, has
    // one force for each that is appended: what the last correction of an implicit step foresaw
    // (state/pair_tangent.h).
    void (*addPairTangents)(const Model& model, const State& state, std::span<const Vec3> believed,
                            std::vector<PairTangent>& tangents) = nullptr;
    void (*addEnergies)(const Model& model, const State& state, const EnergyOf& of) = nullptr;

    // Of laws in joints. The others are called for joints alone that it is in.
    bool (*isInJoint)(const Model& model, const Joint& joint) = nullptr;
    // It is in no joint but those that have forces of their own (Joint::hasForces): others are not asked.
    bool isOfJoints = false;
    // Per freedom.
    void (*addJointForce)(const JointAt& at, double* Q) = nullptr;
    void (*addJointTangent)(const JointAt& at, JointTangent& tangent) = nullptr;
    void (*addJointEnergy)(const JointAt& at, double& sum) = nullptr;
};

constexpr int mostForceLaws = 32;

// In the order of sums.
std::span<const ForceLawInfo* const> forceLaws();
// Those of them that are in joints; and whether one may be in joints that have no forces of their own.
std::span<const ForceLawInfo* const> jointLaws();
bool lawsActInAnyJoint();
// Null: there is none.
const ForceLawInfo* findForceLaw(std::string_view name);

// Adds a law of a program's own, of kind `body` or `drive`, for all models that it says it is in. `law`
// must stay as it is for ever. Not while other threads use the table; there is room for mostForceLaws.
void registerForceLaw(const ForceLawInfo& law);

// For ForceLawInfo::isIn, of laws in joints.
template <bool (*isInJoint)(const Model&, const Joint&)>
bool isInAnyJoint(const Model& model)
{
    for (const Joint& joint : model.joints)
        if (isInJoint(model, joint)) return true;
    return false;
}
// For ForceLawInfo::markDriven, likewise.
template <bool (*isInJoint)(const Model&, const Joint&)>
void markInJoints(const Model& model, const MarkBody& mark)
{
    for (int i = 0; i < model.size(); ++i)
        if (isInJoint(model, model.joints[i])) mark(i);
}

}  // namespace sinew
