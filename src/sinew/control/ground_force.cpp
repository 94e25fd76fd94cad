#include "sinew/control/ground_force.h"

#include <algorithm>
#include <cmath>

#include "sinew/state/jacobian.h"

namespace sinew {

CenterOfMass centerOfMass(const Model& model, const Balance& balance, const State& state)
{
    const Skeleton& skeleton = model.skeletons[balance.skeleton];
    CenterOfMass center;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        center.place += model.bodies[i].mass * state.bodies[i].position;
        center.velocity += model.bodies[i].mass * state.bodies[i].velocity;
    }
    center.place /= balance.mass;
    center.velocity /= balance.mass;
    return center;
}

double pendulumRate(const Balance& balance, double height)
{
    // A figure that lies has no pendulum to speak of.
    return std::sqrt(balance.gravity / std::max(height, 0.2 * balance.center[2]));
}

namespace {

// (4)
Vec3 forceThrough(const Balance& balance, const Vec3& center, const Vec3& pressure, const Heading& heading)
{
    const Vec3 arm = heading.in(center - pressure);
    const double z = std::max(arm[2], 0.2 * balance.center[2]), weight = balance.mass * balance.gravity;
    return heading.out({weight * arm[0] / z, weight * arm[1] / z, weight});
}

// The point of a sole that is nearest to a place.
Vec3 onSole(const Balance& balance, const BalanceLeg& leg, const Sole& sole, const Vec3& place)
{
    const Vec3 way = place - sole.middle;
    const double along = balance.sole * leg.halfLength, across = balance.sole * leg.halfWidth;
    return sole.middle + std::clamp(way.dot(sole.forward), -along, along) * sole.forward +
           std::clamp(way.dot(sole.sideways), -across, across) * sole.sideways;
}

}  // namespace

GroundForce standingForce(const Balance& balance, const State& state, const Heading& heading,
                          const CenterOfMass& center, const std::array<bool, 2>& bears, const Vec3& middle,
                          const Vec3& wanted)
{
    const int which = bears[0] && bears[1] ? -1 : bears[0] ? 0 : 1;
    const Vec3 c = heading.in(center.place - middle), v = heading.in(center.velocity);
    const Vec3 error = c - heading.in(wanted - middle);
    const double weight = balance.mass * balance.gravity, z = std::max(c[2], 0.2 * balance.center[2]);
    Vec2 p;
    for (int k = 0; k < 2; ++k) {
        const double F = -balance.stiffness * error[k] - balance.damping * v[k];  // (1)
        p[k] = c[k] - F / weight * z;                                             // (2)
    }
    p = SupportPolygon(balance, state, heading, middle, balance.sole, which).nearest(p);  // (3)

    GroundForce ground;
    ground.pressure = middle + heading.out({p[0], p[1], 0});
    const Vec3 F = forceThrough(balance, center.place, ground.pressure, heading);
    const std::size_t count = balance.legs.size();
    std::array<Sole, 2> soles;
    for (std::size_t i = 0; i < count; ++i) soles[i] = soleOf(balance.legs[i], state);
    double second = bears[0] ? 0 : 1;  // its share
    if (count == 2 && which < 0) {
        Vec3 way = soles[1].middle - soles[0].middle;
        way -= way.dot(heading.up) * heading.up;
        const double length = way.squaredNorm();
        second =
            length > 0 ? std::clamp((ground.pressure - soles[0].middle).dot(way) / length, 0., 1.) : 0.5;
    }
    Vec3 between = Vec3::Zero();
    for (std::size_t i = 0; i < count; ++i) between += (i == 0 ? 1 - second : second) * soles[i].middle;
    for (std::size_t i = 0; i < count; ++i) {
        ground.force[i] = (i == 0 ? 1 - second : second) * F;
        ground.point[i] =
            onSole(balance, balance.legs[i], soles[i], soles[i].middle + (ground.pressure - between));
    }
    return ground;
}

GroundForce bearingForce(const Balance& balance, const State& state, const Heading& heading,
                         const CenterOfMass& center, int leg, const Vec3& pressure)
{
    GroundForce ground;
    const Sole sole = soleOf(balance.legs[leg], state);
    ground.pressure = ground.point[leg] = onSole(balance, balance.legs[leg], sole, pressure);
    ground.force[leg] = forceThrough(balance, center.place, ground.pressure, heading);
    return ground;
}

void staticTorques(const Model& model, const Balance& balance, const State& state,
                   const GroundForce& ground, BalanceWork& work)
{
    work.forces.resize(model.bodies.size());
    work.torques.resize(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        const bool isOwn = model.skeletonOf[i] == balance.skeleton;
        work.forces[i] = {isOwn ? Vec3(model.bodies[i].mass * model.gravity) : Vec3(Vec3::Zero()),
                          Vec3::Zero()};
    }
    for (std::size_t i = 0; i < balance.legs.size(); ++i) {
        const int foot = balance.legs[i].foot;
        work.forces[foot].force += ground.force[i];
        work.forces[foot].torque += (ground.point[i] - state.bodies[foot].position).cross(ground.force[i]);
    }
    jointForcesOf(model, state, work.forces, work.torques);
    work.torques = -work.torques;
}

}  // namespace sinew
