// One step of many particles under gravity, drag, winds, attractors and a target, without collisions.
//
// With the velocities of the air w and of the target t, k₁ = 6πηr/m, k₂ = ½ρ c_d πr²/m, s = k_s/m, d =
// k_d/m:
//     v̇ = a + (k₁ + k₂|v − w|)(w − v) + s(p − x) + d(t − v) = a' − k v,    a and k as at the start of the
//     step S = v̇ at the start,  z = h k,  D = 1/(1 + z + z²/2) x += h v + h² φ₂ S,   v += h φ₁ S,   φ₁ = (1
//     + z/2) D,   φ₂ = (1 + z)/2 D
// which is e^−z ≈ D in the exact solution for constant k: of second order, stable for any k, with the exact
// terminal velocity, and exact in free flight. Quadratic drag takes |v − w| as it is in the middle of the
// step. The target's spring is taken where the particle will be, s(p + h t − x − h v), so that none is too
// stiff.
#pragma once

#include "sinew/model/model.h"
#include "sinew/particle/emitter.h"
#include "sinew/particle/work.h"
#include "sinew/state/particle_state.h"

namespace sinew::particle {

constexpr int mostLanes = 128;  // particles that are computed side by side

// Views on some particles, all of one system.
struct Lanes {
    int count = 0;
    float *x = nullptr, *y = nullptr, *z = nullptr;
    float *vx = nullptr, *vy = nullptr, *vz = nullptr;
    const float *age = nullptr, *life = nullptr, *size = nullptr;
    const float* h = nullptr;  // s, of each: who is born within a step has less of it
};

// What is the same for all particles of a system in a step.
class Flight {
public:
    Flight(const Model& model, const ParticleSystem& system, const ParticleWork& work,
           const StepMotion& motion);

    void advance(const Lanes& lanes) const;

private:
    struct Scratch;
    void findDrag(const Lanes& lanes, Scratch& s) const;
    void findAttraction(const Lanes& lanes, Scratch& s) const;
    void findTarget(const Lanes& lanes, Scratch& s) const;
    template <bool isQuadratic>
    static void move(const Lanes& lanes, const Scratch& s);

    const ParticleSystem& system_;
    const ParticleWork& work_;
    float gravity_[3];
    float viscous_ = 0, quadratic_ = 0;  // of k₁ and k₂, but for the size
    float inverseMass_ = 0;              // of one that has the size 1, or of all
    float targetPlace_[3] = {}, targetVelocity_[3] = {};
};

}  // namespace sinew::particle
