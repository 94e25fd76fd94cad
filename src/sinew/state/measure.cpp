#include "sinew/state/measure.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/hash.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/particle_state.h"

namespace sinew {

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
    for (std::size_t m = 0; m < state.meshes.size(); ++m) {
        const MeshState& mesh = state.meshes[m];
        const std::vector<double>& masses = model.meshes[m].masses;
        for (std::size_t i = 0; i < masses.size(); ++i) {
            const int k = 3 * static_cast<int>(i);
            const Vec3 P = masses[i] * Vec3(mesh.v[k], mesh.v[k + 1], mesh.v[k + 2]);
            const Vec3 L = Vec3(mesh.x[k], mesh.x[k + 1], mesh.x[k + 2]).cross(P);
            sum.linear += P;
            sum.angular += L;
            sum.linearScale += P.norm();
            sum.angularScale += L.norm();
        }
    }
    return sum;
}

JointError jointError(const Model& model, const State& state, int link)
{
    return jointErrorOf(model.joints[link], parentState(model, state, link), state.bodies[link]);
}

JointError loopError(const LoopJoint& loop, const State& state)
{
    const int parent = loop.joint.parent;
    return jointErrorOf(loop.joint, parent < 0 ? nullptr : &state.bodies[parent], state.bodies[loop.child]);
}

JointError largestJointError(const Model& model, const State& state)
{
    JointError largest;
    const auto add = [&largest](const JointError& error) {
        largest.gap = std::max(largest.gap, error.gap);
        largest.misalignment = std::max(largest.misalignment, error.misalignment);
    };
    for (int i = 0; i < model.size(); ++i) add(jointError(model, state, i));
    for (const LoopJoint& loop : model.loops)
        if (loop.holds(state.time)) add(loopError(loop, state));
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
    for (const MeshState& mesh : state.meshes)
        for (const VecX* numbers : {&mesh.x, &mesh.v})
            for (double x : *numbers) hash.add(x);
    for (const ParticleState& particles : state.particles) {
        hash.add(&particles.born, sizeof particles.born);
        const auto bytes = static_cast<std::size_t>(particles.alive) * sizeof(float);
        for (const LargeVector<float>* row : {&particles.x, &particles.y, &particles.z, &particles.vx,
                                              &particles.vy, &particles.vz, &particles.age})
            hash.add(row->data(), bytes);
        hash.add(particles.color.data(), bytes);
        hash.add(particles.id.data(), bytes);
    }
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
