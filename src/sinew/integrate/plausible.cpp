#include "sinew/integrate/plausible.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/obstacles.h"
#include "sinew/integrate/step_contacts.h"
#include "sinew/integrate/step_work.h"
#include "sinew/measure/energy.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

// Whether a place bears on another side of an obstacle than it came from: a sphere would throw it out
// there.
bool goesThrough(const Model& model, const LargeVector<BodyState>& from, const LargeVector<BodyState>& to)
{
    constexpr double sameSide = 0.5;  // of normals: within 60 degrees
    Touch start, end;
    for (const Obstacle& obstacle : model.obstacles) {
        if (obstacle.type != ObstacleDescription::Type::sphere) continue;
        for (const ContactPoint& point : model.contactPoints) {
            if (!findTouch(obstacle, point, to[point.body], nullptr, 0, end)) continue;
            findTouch(obstacle, point, from[point.body], nullptr, 0, start);
            if (start.normal.dot(end.normal) < sameSide) return true;
        }
    }
    return false;
}

// Whether something gains energy from obstacles, whose springs and dampers give none: it turns by too much
// in the step, or Newton's method came upon another end than the one that follows. Told only where nothing
// drives figures or hands energy from one to the other.
bool gainsOnObstacles(const Model& model, double h, const State& from, StepWork& work)
{
    // Of what moves and what is in springs: while in touch, and else, where nothing but gross errors count.
    constexpr double mostInTouch = 0.01, most = 0.5;
    if (model.contactPoints.empty() || !isPassive(model) || work.forces.outside.any) return false;
    bool areTied = false;
    eachTiedPair(model, from.time, [&](int a, int b) { areTied |= a != b; });
    if (areTied) return false;
    skeletonEnergies(model, from, work.implicit.energies);
    skeletonEnergies(model, work.implicit.trial, work.implicit.trialEnergies);
    const auto gain = [&](int s) {
        // What Newton's method leaves open, and rounding.
        constexpr double small = 1e-6, rounding = 1e-11;
        const Energy &before = work.implicit.energies[s], &after = work.implicit.trialEnergies[s];
        const Skeleton& skeleton = model.skeletons[s];
        double mass = 0;
        for (int i = 0; i < skeleton.count; ++i) mass += model.bodies[skeleton.first + i].mass;
        const double speed = small * skeleton.length / h;
        const double scale = std::max(before.kinetic, after.kinetic) + before.elastic + after.elastic +
                             mass * (speed * speed + small * model.gravity.norm() * skeleton.length) +
                             rounding * std::abs(after.potential);
        return (after.total() - before.total()) / scale;
    };
    for (int s = 0; s < static_cast<int>(model.skeletons.size()); ++s)
        if (gain(s) > most) return true;
    Touch touch;
    for (const ContactPoint& point : model.contactPoints) {
        if (!(gain(model.skeletonOf[point.body]) > mostInTouch)) continue;
        for (const Obstacle& obstacle : model.obstacles)
            if (findTouch(obstacle, point, work.implicit.trial.bodies[point.body], nullptr, 0, touch))
                return true;
    }
    return false;
}

// Whether what nothing drives has got most of its energy from nothing. What a backward step may gain is the
// work of its forces over the chord instead of the arc, a part of what moves or falls as large as the turn;
// so this is another end of the step than the one that follows, which Newton's method came upon on a long
// way. Contacts that let out what is inside do give energy.
bool gainsFromNothing(const Model& model, const State& from, StepWork& work)
{
    constexpr double most = 0.5;
    if (!work.constraints.contacts.empty() || !model.contactPoints.empty() || !isPassive(model) ||
        work.forces.outside.any)
        return false;
    const Energy before = energy(model, from), after = energy(model, work.implicit.trial);
    double scale = std::max(before.kinetic, after.kinetic) + before.elastic + after.elastic;
    for (const Skeleton& skeleton : model.skeletons)
        for (int i = 0; i < skeleton.count; ++i)
            scale += model.bodies[skeleton.first + i].mass * model.gravity.norm() * skeleton.length;
    return after.total() - before.total() > most * scale;
}

}  // namespace

bool gainsOnCorners(const Model& model, double h, const State& from, const StepWork& work)
{
    constexpr double largeTurn = 0.25;  // rad
    constexpr double most = 0.02;       // of what moves, and of a fall by its own size
    const LargeVector<BodyState>& bodies = work.implicit.trial.bodies;
    const auto turn = [&](int body) { return body < 0 ? 0 : h * bodies[body].angularVelocity.norm(); };
    const auto energyOf = [&](int body) {
        if (body < 0) return 0.;
        const Body& b = model.bodies[body];
        const double speed = bodies[body].velocity.squaredNorm() +
                             std::pow(bodies[body].angularVelocity.norm() * model.contactLength, 2);
        return b.mass * (0.5 * speed + model.gravity.norm() * model.contactLength);
    };
    return std::any_of(
        work.constraints.contacts.begin(), work.constraints.contacts.end(), [&](const Contact& contact) {
            if (!(contact.impulse[0] > 0) || contact.roundA != 0 || contact.roundB != 0 ||
                std::max(turn(contact.bodyA), turn(contact.bodyB)) < largeTurn)
                return false;
            const double out = 0.5 * (contactVelocity(contact, bodies, from.bodies)[0] +
                                      contactVelocity(contact, bodies)[0]) +
                               std::min(contact.gap, 0.) / h;
            return contact.impulse[0] * out > most * (energyOf(contact.bodyA) + energyOf(contact.bodyB));
        });
}

bool isPlausible(const Model& model, double h, const State& from, long before, StepWork& work)
{
    constexpr double largestTurn = 2.5;  // rad
    constexpr int longWay = 6;
    for (std::size_t i = 0; i < work.implicit.spins.size(); ++i)
        if (!((work.implicit.trial.bodies[i].angularVelocity - work.implicit.spins[i].spin).norm() * h <
              largestTurn))
            return false;
    const bool isFar = work.statistics.newtonIterations - before > longWay;
    return !goesThrough(model, from.bodies, work.implicit.trial.bodies) &&
           !gainsOnObstacles(model, h, from, work) && !(isFar && gainsFromNothing(model, from, work));
}

}  // namespace sinew
