#include "sinew/state/contacts.h"

#include <algorithm>

namespace sinew {
namespace {

Vec3 anchorPlace(int body, const Vec3& point, const State& state)
{
    return body < 0 ? point : state.bodies[body].position + state.bodies[body].orientation * point;
}

}  // namespace

double contactGap(const Contact& contact, const State& state)
{
    const Vec3 a = anchorPlace(contact.bodyA, contact.pointA, state);
    const Vec3 b = anchorPlace(contact.bodyB, contact.pointB, state);
    return contact.normal.dot(b - a) - contact.roundA - contact.roundB;
}

Vec3 contactPlace(const Contact& contact, const State& state)
{
    const Vec3 a = anchorPlace(contact.bodyA, contact.pointA, state) + contact.roundA * contact.normal;
    const Vec3 b = anchorPlace(contact.bodyB, contact.pointB, state) - contact.roundB * contact.normal;
    return 0.5 * (a + b);
}

Vec3 contactForce(const Contact& contact, double h)
{
    return contactFrame(contact.normal).transpose() * (contact.impulse + contact.blow) / h;
}

ContactReading readContact(const Contact& contact, const State& state, double h)
{
    ContactReading reading{contact.colliderA, contact.colliderB,        contactPlace(contact, state),
                           contact.normal,    contactForce(contact, h), contactGap(contact, state)};
    if (contact.bodyB >= 0) return reading;
    std::swap(reading.first, reading.second);
    reading.normal = -reading.normal;
    reading.force = -reading.force;
    return reading;
}

int contactCount(const State& state)
{
    return static_cast<int>(std::count_if(state.contacts.begin(), state.contacts.end(), bearsForce));
}

}  // namespace sinew
