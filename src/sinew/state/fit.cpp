// Whether a state can be one of a model: of checkpoints and of programs.
#include <algorithm>
#include <cmath>

#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/named.h"
#include "sinew/state/particle_state.h"

namespace sinew {
namespace {

bool isTurn(const Quat& q)
{
    constexpr double tolerance = 1e-6;  // what many steps make of a length of one
    return std::abs(q.coeffs().norm() - 1) < tolerance;
}

bool areBodies(const LargeVector<BodyState>& bodies)
{
    return std::all_of(bodies.begin(), bodies.end(), [](const BodyState& b) {
        return isSound(b.position) && isTurn(b.orientation) && isSound(b.velocity) &&
               isSound(b.angularVelocity);
    });
}

template <class Range>
bool areSound(const Range& values)
{
    return std::all_of(values.begin(), values.end(), [](double x) { return isSound(x); });
}

bool isContact(const Contact& c, const Model& model)
{
    // A body and its own collider; a collider of the world belongs to none.
    const auto isSide = [&](int body, int collider) {
        return collider >= 0 && collider < static_cast<int>(model.colliders.size()) &&
               model.colliders[collider].body == body;
    };
    for (const Vec3* v : {&c.pointA, &c.pointB, &c.normal, &c.impulse, &c.turning, &c.blow})
        if (!v->allFinite()) return false;
    for (const double x : {c.roundA, c.roundB, c.friction, c.staticFriction, c.rollingFriction,
                           c.spinningFriction, c.restitution})
        if (!(std::isfinite(x) && x >= 0)) return false;
    return isSide(c.bodyA, c.colliderA) && isSide(c.bodyB, c.colliderB) && std::isfinite(c.gap);
}

bool isSlowLink(const SlowLink& link)
{
    for (const Mat3* matrix : {&link.R_I, &link.R, &link.T, &link.K, &link.M})
        if (!matrix->allFinite()) return false;
    for (const Vec3* vector : {&link.a_c, &link.g, &link.f, &link.turn})
        if (!vector->allFinite()) return false;
    return isTurn(link.orientation) && link.age >= 0;
}

// Steps in joint coordinates keep the same pose twice.
bool isOnePose(const State& state, const Model& model)
{
    constexpr double rounding = 1e-9;
    State placed;
    placed.time = state.time;
    placed.q = state.q;
    placed.u = state.u;
    placed.bodies = state.bodies;
    placed.memory = state.memory;
    bodiesFromJoints(model, placed);
    for (int i = 0; i < model.size(); ++i) {
        const Skeleton& figure = model.skeletons[model.skeletonOf[i]];
        const Vec3 &a = state.bodies[i].position, &b = placed.bodies[i].position;
        if (!((a - b).norm() <= rounding * (figure.length * figure.count + a.norm()))) return false;
    }
    return true;
}

bool areParticles(const ParticleState& s, const ParticleSystem& system)
{
    const auto most = static_cast<std::size_t>(system.most);
    for (const LargeVector<float>* row : {&s.x, &s.y, &s.z, &s.vx, &s.vy, &s.vz, &s.age, &s.life, &s.size})
        if (row->size() != s.x.size()) return false;
    return s.x.size() <= most && s.alive >= 0 && s.alive <= s.room() && s.color.size() == s.x.size() &&
           s.id.size() == s.x.size() &&
           s.trail.size() == 3 * s.x.size() * static_cast<std::size_t>(system.trail);
}

bool areFinite(const ParticleState& s)
{
    const auto isFinite = [](float x) { return std::isfinite(x); };
    for (const LargeVector<float>* row : {&s.x, &s.y, &s.z, &s.vx, &s.vy, &s.vz, &s.age})
        if (!std::all_of(row->begin(), row->begin() + s.alive, isFinite)) return false;
    for (const LargeVector<float>* row : {&s.life, &s.size})
        if (!std::all_of(row->begin(), row->begin() + s.alive, [](float x) { return x > 0 && x <= 1e9f; }))
            return false;
    return true;
}

bool noneOr(std::size_t size, std::size_t wanted)
{
    return size == 0 || size == wanted;
}

}  // namespace

std::string unfitState(const Model& model, const State& s, bool inJointCoordinates)
{
    if (s.q.size() != model.coordinateCount || s.u.size() != model.freedomCount ||
        s.bodies.size() != model.bodies.size() ||
        s.memory.size() != static_cast<int>(model.memory.size()) ||
        !noneOr(s.previous.size(), model.bodies.size()) ||
        !noneOr(s.jumped.size(), model.skeletons.size()) || !noneOr(s.slow.size(), model.bodies.size()) ||
        !noneOr(s.quiet.size(), model.skeletons.size()) ||
        !noneOr(s.loopImpulses.size(), model.loops.size() + model.couplings.size()) ||
        !noneOr(s.particles.size(), model.particles.size()))
        return "the state is of another size";
    if (s.meshes.size() != model.meshes.size()) return "the state has other meshes";
    for (std::size_t m = 0; m < s.meshes.size(); ++m) {
        const std::vector<int>& touched = s.meshes[m].touched;
        const int colliders = static_cast<int>(model.colliders.size());
        if (!noneOr(touched.size(), model.meshes[m].rest.size()) ||
            s.meshes[m].anchor.size() != 3 * static_cast<int>(touched.size()) ||
            !areSound(s.meshes[m].anchor) || !areSound(s.meshes[m].pressed) ||
            s.meshes[m].pressed.size() != static_cast<int>(touched.size()) ||
            !std::all_of(touched.begin(), touched.end(), [&](int c) { return c >= -1 && c < colliders; }))
            return "mesh '" + model.meshes[m].name + "' of the state touches what the scene does not have";
        const int numbers = 3 * model.meshes[m].size();
        for (const VecX* part : {&s.meshes[m].x, &s.meshes[m].v, &s.meshes[m].a})
            if (part->size() != numbers || !areSound(*part))
                return "mesh '" + model.meshes[m].name +
                       "' of the state has other vertices, or numbers that are not finite";
    }
    for (std::size_t i = 0; i < s.particles.size(); ++i) {
        if (!areParticles(s.particles[i], model.particles[i])) return "the state is of another size";
        if (!areFinite(s.particles[i])) return "the state has particles that no system can have";
    }
    if (!isSound(s.time) || !areSound(s.q) || !areSound(s.u) || !s.memory.allFinite() ||
        !areBodies(s.bodies) || !areBodies(s.previous) || !areSound(s.quiet) ||
        !std::all_of(s.slow.begin(), s.slow.end(), isSlowLink) ||
        !std::all_of(s.loopImpulses.begin(), s.loopImpulses.end(),
                     [](const Vec6& impulse) { return impulse.allFinite(); }))
        return "the state has numbers that are not finite or beyond 1e30, or turns that are none";
    if (inJointCoordinates && !isOnePose(s, model))
        return "joints and bodies of the state are not at the same place";
    if (!std::all_of(s.contacts.begin(), s.contacts.end(),
                     [&](const Contact& c) { return isContact(c, model); }))
        return "the state has a contact that the scene cannot have";
    return {};
}

}  // namespace sinew
