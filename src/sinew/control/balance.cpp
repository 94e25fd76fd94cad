#include "sinew/control/balance.h"

#include <algorithm>

#include "sinew/base/indirect_members.h"
#include "sinew/control/aims.h"
#include "sinew/math/rotation.h"

namespace sinew {

template class Indirect<BalanceWork>;

namespace {

// The way of a foot in a step is planned anew all the time: how much of the rate of what is wanted counts.
constexpr double led = 0.64;

void remember(double* memory, const Vec3& place, const Quat& turn)
{
    for (int k = 0; k < 3; ++k) memory[Balance::lifted + k] = place[k];
    const double q[4] = {turn.x(), turn.y(), turn.z(), turn.w()};
    std::copy(q, q + 4, memory + Balance::turned);
}

void begin(Balance::Mode mode, double time, double* memory)
{
    memory[Balance::mode] = mode;
    memory[Balance::since] = memory[Balance::firm] = time;
}

// From where it is, the body is led back over its feet.
void beginStanding(const BalanceView& view, double* memory)
{
    const Pose place = view.standingPlace();
    const BodyState& body = view.state.bodies[view.balance.body];
    remember(memory, body.position - place.position,
             (body.orientation * place.orientation.conjugate()).normalized());
    begin(Balance::standing, view.state.time, memory);
}

// From where others have brought the figure.
void takeOver(const Model& model, const Balance& balance, double h, State& state, double* memory)
{
    begin(Balance::standing, state.time, memory);
    for (const Balance::Strength& strength : balance.joints) {
        const Joint& joint = model.joints[strength.joint];
        std::copy_n(state.q.data() + joint.q, joint.coordinates(), state.memory.data() + strength.slot);
    }
    memory[Balance::heading] = headingOfFeet(balance, state).angleFrom(balance);
    beginStanding(BalanceView(model, balance, state, h), memory);
}

void beginStepping(const BalanceView& view, double* memory)
{
    const int swing = view.nextSwing();
    const BodyState& foot = view.state.bodies[view.balance.legs[swing].foot];
    memory[Balance::swing] = swing;
    remember(memory, foot.position, foot.orientation);
    begin(Balance::stepping, view.state.time, memory);
}

// Which mode the step is in. Says whether that changed.
bool changeMode(const BalanceView& view, double* memory)
{
    const Balance& balance = view.balance;
    const double time = view.state.time, slack = 1e-6 * view.h;
    const double before = memory[Balance::since], stateBefore = memory[Balance::state];
    const int mode = static_cast<int>(memory[Balance::mode]);
    const bool walks = time >= balance.from - slack && time < balance.until - slack;
    const auto touches = [&](int leg) {
        return footTouches(view.model, balance, balance.legs[leg], view.state, view.h);
    };
    if (mode == Balance::standing && walks) {
        memory[Balance::state] = balance.start;
        begin(Balance::walking, time, memory);
        return true;
    }
    if (mode == Balance::standing && balance.step) {
        const int down = touches(0) + touches(1);
        if (down != 1) memory[Balance::firm] = time;
        // A foot that has lost the ground is put down where it helps.
        constexpr double loose = 0.1;  // s
        if (down > 0 && (view.outside() > 0 || (down == 2 && view.fallsAside()) ||
                         time - memory[Balance::firm] > loose)) {
            beginStepping(view, memory);
            return true;
        }
    }
    if (mode == Balance::stepping) {
        const int swing = static_cast<int>(memory[Balance::swing]);
        const double way = (time - memory[Balance::since]) / balance.step->time;
        // A foot that drags over the ground as it is lifted has not come down.
        if (way < 0.5 || (way < 2 && !touches(swing))) return false;
        memory[Balance::steps] += 1;
        beginStanding(view, memory);
        return true;
    }
    if (mode == Balance::walking) {
        if (!walks) {
            beginStanding(view, memory);
            return true;
        }
        const Balance::State& now = balance.states[static_cast<std::size_t>(memory[Balance::state])];
        const double since = time - memory[Balance::since];
        const bool over = now.touch ? since > slack && touches(1 - now.stance) : since >= now.time - slack;
        if (!over) return false;
        if (balance.states[static_cast<std::size_t>(now.next)].stance != now.stance)
            memory[Balance::steps] += 1;
        memory[Balance::state] = now.next;
        memory[Balance::since] = time;
    }
    return memory[Balance::since] != before || memory[Balance::state] != stateBefore;
}

// What the joints shall do, into their servos. Targets that did not jump move evenly through the step.
void write(const BalanceView& view, bool jumped, const BalanceWork& work, State& state)
{
    for (const Balance::Strength& strength : view.balance.joints) {
        const Joint& joint = view.model.joints[strength.joint];
        const int n = joint.freedoms();
        double* q = state.memory.data() + strength.slot;
        double* u = q + joint.coordinates();
        const double* wanted = work.q.data() + joint.q;
        const double* rate = work.u.data() + joint.u;
        const bool isGiven = std::any_of(rate, rate + n, [](double x) { return x != 0; });
        Vec3 velocity = Vec3::Zero();
        if (isGiven) {
            for (int i = 0; i < n; ++i) velocity[i] = rate[i];
        } else if (!jumped && joint.isBall()) {
            velocity = logRotation(rotationIn(q).conjugate() * rotationIn(wanted)) / view.h;
        } else if (!jumped) {
            for (int i = 0; i < n; ++i) velocity[i] = (wanted[i] - q[i]) / view.h;
        }
        if (!isGiven && static_cast<int>(view.memory[Balance::mode]) == Balance::stepping) velocity *= led;
        std::copy(wanted, wanted + joint.coordinates(), q);
        for (int i = 0; i < n; ++i) {
            u[i] = velocity[i];
            u[n + i] = work.torques[joint.u + i];
        }
        u[2 * n] = work.stiffness[strength.joint];
        u[2 * n + 1] = work.damping[strength.joint];
    }
}

// Of all that the joints give.
void weigh(const Model& model, const Balance& balance, double weight, State& state)
{
    for (const Balance::Strength& strength : balance.joints) {
        const Joint& joint = model.joints[strength.joint];
        const int n = joint.freedoms();
        double* u = state.memory.data() + strength.slot + joint.coordinates();
        for (int i = 0; i < n + 2; ++i) u[n + i] *= weight;
    }
}

}  // namespace

void updateBalances(const Model& model, double h, State& state, BalanceWork& work)
{
    for (const Balance& balance : model.balances) {
        double* memory = state.memory.data() + balance.memory;
        bool jumped = false;
        const double weight = balance.weight ? balance.weight->at(state.time).value : 1;
        if (!(weight > 0)) {  // others have the figure
            weigh(model, balance, 0, state);
            memory[Balance::asleep] = 1;
            continue;
        }
        if (memory[Balance::asleep] != 0) {
            memory[Balance::asleep] = 0;
            takeOver(model, balance, h, state, memory);
            jumped = true;
        }
        if (memory[Balance::turned] == 0 && memory[Balance::turned + 3] == 0) {
            remember(memory, Vec3::Zero(), Quat::Identity());
            begin(Balance::standing, state.time, memory);
            jumped = true;
        }
        jumped |= changeMode(BalanceView(model, balance, state, h), memory);
        const BalanceView view(model, balance, state, h);
        memory[Balance::heading] = view.heading.angleFrom(balance);
        // Aims begin with what was wanted before.
        work.q = state.q;
        work.u.setZero(model.freedomCount);
        work.stiffness.resize(model.size());
        work.damping.resize(model.size());
        work.stiffness.setConstant(1);
        work.damping.setConstant(1);
        for (const Balance::Strength& strength : balance.joints) {
            const Joint& joint = model.joints[strength.joint];
            const double* q = state.memory.data() + strength.slot;
            std::copy(q, q + joint.coordinates(), work.q.data() + joint.q);
        }
        switch (static_cast<int>(memory[Balance::mode])) {
            case Balance::stepping:
                aimStepping(view, work);
                break;
            case Balance::walking:
                aimWalking(view, work);
                break;
            default:
                aimStanding(view, work);
        }
        write(view, jumped, work, state);
        if (balance.weight) weigh(model, balance, weight, state);
    }
}

}  // namespace sinew
