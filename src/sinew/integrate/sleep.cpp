#include "sinew/integrate/sleep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/force/law.h"

namespace sinew {
namespace {

constexpr double asleep = -1;
constexpr double timeToRest = 0.5;  // s

// Slower than this is rest, m/s: a fall by 5e-5 of the smallest body.
double slowSpeed(const Model& model)
{
    return 0.01 * std::sqrt(model.gravity.norm() * model.contactLength);
}

double speedOf(const Model& model, const State& state, int skeleton)
{
    const double arm = model.contactLength;  // turns count as speeds at this distance
    double speed = 0;
    const Skeleton& s = model.skeletons[skeleton];
    for (int i = s.first; i < s.first + s.count; ++i)
        speed =
            std::max(speed, state.bodies[i].velocity.norm() + arm * state.bodies[i].angularVelocity.norm());
    return speed;
}

void markDriven(const Model& model, std::vector<char>& driven)
{
    driven.assign(model.skeletons.size(), 0);
    const auto mark = [&](int body) { driven[static_cast<std::size_t>(model.skeletonOf[body])] = 1; };
    for (const ForceLawInfo* law : forceLaws())
        if (law->markDriven && law->isIn(model)) law->markDriven(model, mark);
    for (const Prescription& prescription : model.prescribed) mark(prescription.joint);
    for (const JointSwitch& joint : model.switches) mark(joint.joint);
    for (const JointSetting& setting : model.settings) mark(setting.joint);
    // A loop may join two skeletons, of which one must not sleep alone.
    for (const LoopJoint& loop : model.loops)
        if (loop.joint.parent >= 0 && model.skeletonOf[loop.joint.parent] != model.skeletonOf[loop.child]) {
            mark(loop.joint.parent);
            mark(loop.child);
        }
    for (const Coupling& coupling : model.couplings)
        if (model.skeletonOf[coupling.follower] != model.skeletonOf[coupling.leader]) {
            mark(coupling.follower);
            mark(coupling.leader);
        }
}

int find(std::vector<int>& set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

// function(skeleton, skeleton) for each contact between two of them.
template <class Function>
void eachPair(const Model& model, const std::vector<Contact>& contacts, Function&& function)
{
    for (const Contact& contact : contacts) {
        if (contact.bodyA < 0 || contact.bodyB < 0) continue;
        const int a = model.skeletonOf[contact.bodyA], b = model.skeletonOf[contact.bodyB];
        if (a != b) function(a, b, contact);
    }
}

}  // namespace

void wakeTouched(const Model& model, const std::vector<Contact>& contacts, State& state)
{
    if (state.quiet.empty()) return;
    const double touch = 5e-3 * model.contactLength;  // nearer than this a mover wakes
    // Wakes sleepers beside those awake of whom it is true that they wake others; true if there were any.
    const auto wakeBeside = [&](auto wakes) {
        bool any = false;
        eachPair(model, contacts, [&](int a, int b, const Contact& contact) {
            if (isAsleep(state, a) == isAsleep(state, b) || contact.gap > touch) return;
            const int sleeper = isAsleep(state, a) ? a : b;
            if (!wakes(sleeper == a ? b : a)) return;
            state.quiet[static_cast<std::size_t>(sleeper)] = 0;
            any = true;
        });
        return any;
    };
    const auto moves = [&](int other) { return speedOf(model, state, other) >= 2 * slowSpeed(model); };
    // Not those that were awake and quiet before.
    const auto isWoken = [&](int other) { return state.quiet[static_cast<std::size_t>(other)] == 0; };
    for (bool any = wakeBeside(moves); any;) any = wakeBeside(isWoken);
}

void fallAsleep(const Model& model, double h, State& state, SleepWork& work)
{
    if (!model.contact || !model.contact->sleeping) return;
    const int count = static_cast<int>(model.skeletons.size());
    state.quiet.resize(model.skeletons.size(), 0);
    auto& [driven, island, least] = work;
    markDriven(model, driven);
    island.resize(model.skeletons.size());
    std::iota(island.begin(), island.end(), 0);
    for (int s = 0; s < count; ++s) {
        double& quiet = state.quiet[static_cast<std::size_t>(s)];
        if (quiet < 0) continue;
        quiet = driven[s] || speedOf(model, state, s) > slowSpeed(model) ? 0 : quiet + h;
    }
    eachPair(model, state.contacts, [&](int a, int b, const Contact& contact) {
        if (contact.impulse[0] > 0) island[find(island, a)] = find(island, b);
    });
    // An island is as quiet as the least quiet of its members; those asleep have been for long.
    least.assign(model.skeletons.size(), timeToRest);
    for (int s = 0; s < count; ++s) {
        const double quiet = state.quiet[static_cast<std::size_t>(s)];
        double& of = least[static_cast<std::size_t>(find(island, s))];
        if (quiet >= 0) of = std::min(of, quiet);
    }
    for (int s = 0; s < count; ++s) {
        double& quiet = state.quiet[static_cast<std::size_t>(s)];
        if (quiet < 0 || least[static_cast<std::size_t>(find(island, s))] < timeToRest) continue;
        quiet = asleep;
        const Skeleton& skeleton = model.skeletons[s];
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            state.bodies[i].velocity.setZero();
            state.bodies[i].angularVelocity.setZero();
            state.u.segment(model.joints[i].u, model.joints[i].freedoms()).setZero();
        }
    }
}

}  // namespace sinew
