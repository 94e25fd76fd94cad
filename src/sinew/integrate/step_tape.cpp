#include "sinew/integrate/step_tape.h"

#include <algorithm>

#include "sinew/integrate/step_work.h"

namespace sinew {
namespace {

void copyMotion(const State& from, State& to)
{
    to.time = from.time;
    to.q = from.q;
    to.u = from.u;
    to.bodies = from.bodies;
    to.memory = from.memory;
    to.quiet = from.quiet;
}

// Whether velocities are others than those that a part before ended with.
bool jumped(const State& before, const State& after)
{
    const auto same = [](const BodyState& a, const BodyState& b) {
        return a.velocity == b.velocity && a.angularVelocity == b.angularVelocity;
    };
    return !std::equal(before.bodies.begin(), before.bodies.end(), after.bodies.begin(), same);
}

void addContacts(const ConstraintWork& work, double h, StepPart& part)
{
    part.contacts = work.contacts;
    part.taped.resize(part.contacts.size());
    const bool areSolved =
        work.impulses.size() == work.blocks.size() && work.targets.size() >= part.contacts.size();
    for (std::size_t c = 0; c < part.contacts.size(); ++c) {
        TapedContact& taped = part.taped[c];
        if (!areSolved || c >= work.blocks.size()) continue;
        taped.friction = work.blocks[c].friction;
        taped.compliance = work.blocks[c].compliance;
        taped.target = work.targets[c];
        taped.isFollowed = work.followed[c].isFollowed;
        taped.followed = work.followed[c];
    }
    for (std::size_t t = 0; t < work.turning.size() && areSolved; ++t) {
        const ConstraintWork::Turning& turning = work.turning[t];
        const std::size_t block = part.contacts.size() + t;
        const Contact& contact = part.contacts[turning.contact];
        Vec3 impulse = Vec3::Zero();  // of the contact: body coordinates may have found that nothing bears
        if (turning.spins)
            impulse[0] = h * contact.turning[0] / turning.length;
        else
            impulse.head<2>() = h * contact.turning.tail<2>() / turning.length;
        part.turning.push_back(
            {turning.contact, turning.spins, turning.length, turning.bound, impulse, work.motion[block]});
    }
    part.loopImpulses = work.loopImpulses;
}

}  // namespace

void StepTape::begin(std::shared_ptr<const Model> model, double time)
{
    TapedStep& step = steps.emplace_back();
    step.model = std::move(model);
    step.time = time;
}

void StepTape::drop()
{
    if (!steps.empty()) steps.pop_back();
}

void StepTape::finish(const State& end)
{
    if (steps.empty() || steps.back().parts.empty()) return;
    TapedStep& step = steps.back();
    for (std::size_t p = 1; p < step.parts.size(); ++p)
        step.jumps |= jumped(step.parts[p - 1].end, step.parts[p].start);
    step.jumps |= jumped(step.parts.back().end, end);
    if (steps.size() < 2 || steps[steps.size() - 2].parts.empty()) return;
    step.jumps |= jumped(steps[steps.size() - 2].parts.back().end, step.parts.front().start);
}

void StepTape::add(const Model& model, ForceFunction forces, double h, const State& start, StepWork& work)
{
    if (steps.empty()) return;
    std::vector<StepPart>& parts = steps.back().parts;
    while (!parts.empty() && !(parts.back().start.time < start.time)) parts.pop_back();
    StepPart& part = parts.emplace_back();
    part.h = h;
    part.step = work.constraints.step;
    part.parts = work.implicit.parts;
    copyMotion(start, part.start);
    part.start.previous = start.previous;
    copyMotion(work.implicit.trial, part.end);
    part.spins = work.implicit.spins;
    addContacts(work.constraints, h, part);
    part.forces.span = {h, &part.start.bodies};
    forces(model, part.end, part.forces);
    part.forces.span = {};
}

}  // namespace sinew
