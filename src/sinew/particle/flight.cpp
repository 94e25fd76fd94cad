#include "sinew/particle/flight.h"

#include <cmath>

#include "sinew/field/medium.h"

namespace sinew::particle {

namespace {

// No rate needs to be higher: nothing is left of a velocity in the shortest step, and squares stay finite.
float bounded(float rate)
{
    constexpr float highest = 1e15f;  // 1/s, 1/m
    return rate < highest ? rate : highest;
}

}  // namespace

// Rows of numbers, one a lane.
struct Flight::Scratch {
    float k1[mostLanes], k2[mostLanes];                 // drag, 1/s and 1/m
    float ax[mostLanes], ay[mostLanes], az[mostLanes];  // what does not hang on the velocity
    float wx[mostLanes], wy[mostLanes], wz[mostLanes];  // wind
    float pull[mostLanes];                              // toward the target's velocity, 1/s
};

Flight::Flight(const Model& model, const ParticleSystem& system, const ParticleWork& work,
               const StepMotion& motion)
    : system_(system), work_(work)
{
    for (int i = 0; i < 3; ++i) gravity_[i] = static_cast<float>(system.gravity * model.gravity[i]);
    const double mass = system.massOf(1);  // of all, or of one that has the size 1
    viscous_ = static_cast<float>(6 * pi * model.medium.viscosity / mass);
    quadratic_ = static_cast<float>(0.5 * model.medium.density * system.dragCoefficient * pi / mass);
    inverseMass_ = static_cast<float>(1 / mass);
    if (!system.target) return;
    const ParticleTarget& target = *system.target;
    Vec3 place, velocity;
    if (target.body >= 0) {
        const BodyState& body = (*motion.start)[target.body];
        const Vec3 arm = body.orientation * target.point;
        place = body.position + arm;
        velocity = ((*motion.end)[target.body].position +
                    (*motion.end)[target.body].orientation * target.point - place) /
                   motion.h;
    } else {
        place = target.path.at(motion.time).position;
        velocity = (target.path.at(motion.time + motion.h).position - place) / motion.h;
    }
    for (int i = 0; i < 3; ++i) {
        targetPlace_[i] = static_cast<float>(place[i]);
        targetVelocity_[i] = static_cast<float>(velocity[i]);
    }
}

void Flight::findDrag(const Lanes& lanes, Scratch& s) const
{
    const int n = lanes.count;
    if (system_.mass) {
        for (int i = 0; i < n; ++i) {
            s.k1[i] = bounded(viscous_ * lanes.size[i]);
            s.k2[i] = bounded(quadratic_ * lanes.size[i] * lanes.size[i]);
        }
    } else {
        for (int i = 0; i < n; ++i) {
            s.k2[i] = bounded(quadratic_ / lanes.size[i]);
            s.k1[i] = bounded(viscous_ / (lanes.size[i] * lanes.size[i]));
        }
    }
    if (system_.dragOverLife.isOne) return;
    for (int i = 0; i < n; ++i) {
        const float factor = system_.dragOverLife.at(lanes.age[i] / lanes.life[i]);
        s.k1[i] *= factor;
        s.k2[i] *= factor;
    }
}

void Flight::findAttraction(const Lanes& lanes, Scratch& s) const
{
    for (const ParticleWork::Attractor& from : work_.attractors) {
        const float byForce = from.byMass ? 0 : inverseMass_;
        for (int i = 0; i < lanes.count; ++i) {
            const float dx = from.x - lanes.x[i], dy = from.y - lanes.y[i], dz = from.z - lanes.z[i];
            float factor = attractionFactor(from.strength, from.exponent, dx * dx + dy * dy + dz * dz,
                                            from.squaredSoftening);
            const float size = lanes.size[i];
            if (!from.byMass) factor *= system_.mass ? byForce : byForce / (size * size * size);
            s.ax[i] += factor * dx;
            s.ay[i] += factor * dy;
            s.az[i] += factor * dz;
        }
    }
}

void Flight::findTarget(const Lanes& lanes, Scratch& s) const
{
    const float stiffness = static_cast<float>(system_.target->stiffness) * inverseMass_;
    const float damping = static_cast<float>(system_.target->damping) * inverseMass_;
    for (int i = 0; i < lanes.count; ++i) {
        const float size = lanes.size[i], share = system_.mass ? 1 : 1 / (size * size * size);
        const float spring = bounded(stiffness * share);
        const float pull = bounded(damping * share) + spring * lanes.h[i];
        s.pull[i] = pull;
        s.ax[i] += spring * (targetPlace_[0] - lanes.x[i]) + pull * targetVelocity_[0];
        s.ay[i] += spring * (targetPlace_[1] - lanes.y[i]) + pull * targetVelocity_[1];
        s.az[i] += spring * (targetPlace_[2] - lanes.z[i]) + pull * targetVelocity_[2];
    }
}

// The step itself, several lanes at a time: the rows do not overlap.
template <bool isQuadratic>
void Flight::move(const Lanes& lanes, const Scratch& s)
{
    float* __restrict x = lanes.x, * __restrict y = lanes.y, * __restrict z = lanes.z;
    float* __restrict vx = lanes.vx, * __restrict vy = lanes.vy, * __restrict vz = lanes.vz;
    const float* __restrict spans = lanes.h;
    const int n = lanes.count;
    for (int i = 0; i < n; ++i) {
        const float h = spans[i], pull = s.pull[i];
        const float ux = s.wx[i] - vx[i], uy = s.wy[i] - vy[i], uz = s.wz[i] - vz[i];
        const float bx = s.ax[i] - pull * vx[i], by = s.ay[i] - pull * vy[i], bz = s.az[i] - pull * vz[i];
        float drag = s.k1[i];
        if constexpr (isQuadratic) {
            // The speed in the middle of the step.
            const float now = drag + s.k2[i] * std::sqrt(ux * ux + uy * uy + uz * uz);
            const float half = 0.5f * h, zh = half * (now + pull);
            const float go = half * (1 + 0.5f * zh) / (1 + zh + 0.5f * zh * zh);
            const float mx = ux - go * (bx + now * ux), my = uy - go * (by + now * uy),
                        mz = uz - go * (bz + now * uz);
            drag += s.k2[i] * std::sqrt(mx * mx + my * my + mz * mz);
        }
        const float zz = h * (drag + pull);
        const float D = h / (1 + zz + 0.5f * zz * zz);
        const float toV = (1 + 0.5f * zz) * D, toX = 0.5f * h * (1 + zz) * D;
        const float Sx = bx + drag * ux, Sy = by + drag * uy, Sz = bz + drag * uz;
        x[i] += h * vx[i] + toX * Sx;
        y[i] += h * vy[i] + toX * Sy;
        z[i] += h * vz[i] + toX * Sz;
        vx[i] += toV * Sx;
        vy[i] += toV * Sy;
        vz[i] += toV * Sz;
    }
}

void Flight::advance(const Lanes& lanes) const
{
    const int n = lanes.count;
    Scratch s;
    findDrag(lanes, s);
    work_.air.velocities(n, lanes.x, lanes.y, lanes.z, s.wx, s.wy, s.wz);
    for (int i = 0; i < n; ++i) {
        s.ax[i] = gravity_[0];
        s.ay[i] = gravity_[1];
        s.az[i] = gravity_[2];
    }
    findAttraction(lanes, s);
    if (system_.target)
        findTarget(lanes, s);
    else
        for (int i = 0; i < n; ++i) s.pull[i] = 0;

    if (quadratic_ > 0)
        move<true>(lanes, s);
    else
        move<false>(lanes, s);
}

}  // namespace sinew::particle
