// Rolling and spinning friction of the contacts of an implicit step: blocks beside theirs (constraints.h).
#include <algorithm>
#include <cmath>

#include "sinew/integrate/constraints.h"

namespace sinew {
namespace {

// The part of the frame of a contact about which bodies turn in a block, in its first rows.
Mat3 turningFrame(const Contact& contact, bool spins)
{
    const Mat3 frame = contactFrame(contact.normal);
    Mat3 part = Mat3::Zero();
    if (spins)
        part.row(0) = frame.row(0);
    else
        part.topRows<2>() = frame.bottomRows<2>();
    return part;
}

double gyration(const Model& model, int body)
{
    if (body < 0 || !(model.bodies[body].mass > 0)) return 0;
    return std::sqrt(0.5 * model.bodies[body].inertia.trace() / model.bodies[body].mass);
}

}  // namespace

void StepConstraints::addTurning(std::size_t c)
{
    const Contact& contact = work_.contacts[c];
    if (!(contact.rollingFriction > 0 || contact.spinningFriction > 0)) return;
    double length = 0;
    for (const int body : {contact.bodyA, contact.bodyB}) {
        const double own = gyration(model_, body);
        if (own > 0 && !(length > 0 && length < own)) length = own;
    }
    for (const bool spins : {true, false}) {
        const double coefficient = spins ? contact.spinningFriction : contact.rollingFriction;
        if (!(coefficient > 0)) continue;
        const double own = length > 0 ? length : coefficient;
        work_.turning.push_back({c, spins, own, coefficient / own});
        ConstraintBlock block;
        block.kind = ConstraintBlock::Kind::bounded;
        block.rows = spins ? 1 : 2;
        if (spins)
            block.impulse[0] = h_ * contact.turning[0] / own;
        else
            block.impulse.head<2>() = h_ * contact.turning.tail<2>() / own;
        work_.blocks.push_back(block);
    }
}

void StepConstraints::setTurning(const State& state, std::size_t t)
{
    const ConstraintWork::Turning& turning = work_.turning[t];
    const Contact& contact = work_.contacts[turning.contact];
    const std::size_t b = work_.contacts.size() + t;
    const Mat3 part = turning.length * turningFrame(contact, turning.spins);
    Vec3 d = Vec3::Zero();
    for (int side = 0; side < 2; ++side) {
        BodyRows& rows = work_.rows[2 * b + static_cast<std::size_t>(side)];
        rows = BodyRows();
        rows.body = side == 0 ? contact.bodyA : contact.bodyB;
        if (rows.body < 0) continue;
        rows.turn = side == 0 ? Mat3(-part) : part;
        d += h_ * rows.turn * state.bodies[rows.body].angularVelocityWorld();
    }
    work_.motion[b] = d;
}

bool StepConstraints::setRadii()
{
    constexpr double same = 1e-10;
    bool matters = false;
    for (std::size_t t = 0; t < work_.turning.size(); ++t) {
        const ConstraintWork::Turning& turning = work_.turning[t];
        ConstraintBlock& block = work_.blocks[work_.contacts.size() + t];
        const double radius = turning.bound * std::max(0.0, work_.blocks[turning.contact].impulse[0]);
        const double used = block.impulse.norm();
        const bool wasBound = used >= (1 - same) * block.radius;
        matters |=
            (wasBound && std::abs(radius - block.radius) > same * radius) || used > (1 + same) * radius;
        block.radius = radius;
    }
    return matters;
}

// The torques into the contacts.
void StepConstraints::finishTurning()
{
    for (std::size_t t = 0; t < work_.turning.size(); ++t) {
        const ConstraintWork::Turning& turning = work_.turning[t];
        const Vec3 torque = turning.length / h_ * work_.impulses[work_.contacts.size() + t];
        if (turning.spins)
            work_.contacts[turning.contact].turning[0] = torque[0];
        else
            work_.contacts[turning.contact].turning.tail<2>() = torque.head<2>();
    }
}

}  // namespace sinew
