#include "sinew/state/measure.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/hash.h"
#include "sinew/state/body_springs.h"
#include "sinew/state/joint_drives.h"
#include "sinew/state/kinematics.h"

namespace sinew {

double jointElasticEnergy(const Joint& joint, const double* q, bool active)
{
    if (!joint.hasSpring()) return 0;
    const JointStretch s = jointStretch(joint, q, active);
    double sum = 0;
    for (int i = 0; i < s.count; ++i) sum += 0.5 * s.stiffness[i] * s.amount[i] * s.amount[i];
    return sum;
}

double jointElasticWork(const Joint& joint, const double* from, const double* to, bool active)
{
    const JointStretch a = jointStretch(joint, from, active), b = jointStretch(joint, to, active);
    double sum = 0;
    for (int i = 0; i < a.count; ++i)
        sum += 0.5 * a.stiffness[i] * (a.amount[i] - b.amount[i]) * (a.amount[i] + b.amount[i]);
    return sum;
}

namespace {

// of(body) is the Energy that the one of a body and its joint is added to.
template <class Of>
void addEnergies(const Model& model, const State& state, Of&& of)
{
    for (int i = 0; i < model.size(); ++i) {
        const Body& body = model.bodies[i];
        const Joint& joint = model.joints[i];
        const BodyState& s = state.bodies[i];
        Energy& sum = of(i);
        sum.kinetic += 0.5 * body.mass * s.velocity.squaredNorm() +
                       0.5 * s.angularVelocity.dot(body.inertia * s.angularVelocity);
        if (joint.armature > 0)
            sum.kinetic += 0.5 * joint.armature * state.u.segment(joint.u, joint.freedoms()).squaredNorm();
        sum.potential -= body.mass * model.gravity.dot(s.position);
        sum.elastic += jointElasticEnergy(joint, state.q.data() + joint.q, model.isActive(i, state.time));
        if (joint.drives >= 0) sum.elastic += driveEnergy(model, state, i);
    }
    addBodyElasticEnergies(model, state, [&](int body, double elastic) { of(body).elastic += elastic; });
}

}  // namespace

Energy energy(const Model& model, const State& state)
{
    Energy sum;
    addEnergies(model, state, [&](int) -> Energy& { return sum; });
    return sum;
}

void skeletonEnergies(const Model& model, const State& state, std::vector<Energy>& energies)
{
    energies.assign(model.skeletons.size(), {});
    addEnergies(model, state, [&](int body) -> Energy& { return energies[model.skeletonOf[body]]; });
}

Momentum momentum(const Model& model, const State& state)
{
    Momentum sum;
    for (int i = 0; i < model.size(); ++i) {
        const Vec3 P = linearMomentum(model, state, i);
        const Vec3 L = state.bodies[i].position.cross(P) + angularMomentum(model, state, i);
        sum.linear += P;
        sum.angular += L;
        sum.linearScale += P.norm();
        sum.angularScale += L.norm();
    }
    return sum;
}

JointError jointError(const Model& model, const State& state, int link)
{
    return jointErrorOf(model.joints[link], parentState(model, state, link), state.bodies[link]);
}

JointError largestJointError(const Model& model, const State& state)
{
    JointError largest;
    const auto add = [&largest](const JointError& error) {
        largest.gap = std::max(largest.gap, error.gap);
        largest.misalignment = std::max(largest.misalignment, error.misalignment);
    };
    for (int i = 0; i < model.size(); ++i) add(jointError(model, state, i));
    for (const LoopJoint& loop : model.loops) {
        const int parent = loop.joint.parent;
        add(jointErrorOf(loop.joint, parent < 0 ? nullptr : &state.bodies[parent],
                         state.bodies[loop.child]));
    }
    return largest;
}

std::uint64_t stateHash(const State& state)
{
    Hash hash;
    for (const BodyState& body : state.bodies) {
        for (double x : body.position) hash.add(x);
        for (double x : body.orientation.coeffs()) hash.add(x);
        for (double x : body.velocity) hash.add(x);
        for (double x : body.angularVelocity) hash.add(x);
    }
    for (double x : state.memory) hash.add(x);
    return hash.value();
}

int firstNonFinite(const State& state)
{
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
        const BodyState& b = state.bodies[i];
        if (!b.position.allFinite() || !b.orientation.coeffs().allFinite() || !b.velocity.allFinite() ||
            !b.angularVelocity.allFinite())
            return static_cast<int>(i);
    }
    return -1;
}

}  // namespace sinew
