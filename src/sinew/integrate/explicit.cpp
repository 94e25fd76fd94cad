#include "sinew/integrate/explicit.h"

#include "sinew/force/laws.h"
#include "sinew/integrate/evaluate.h"

namespace sinew {
namespace {

// x' = x ⊕ h v, v' = v + h a: the plain one, unstable for anything that swings.
template <class Coordinates>
void explicitEuler(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                   StepWork& work)
{
    VecX &v = work.stages.start, &a = work.stages.acceleration[0];
    v.resize(Coordinates::size(model));
    a.resize(v.size());
    evaluate(model, method, forces, state, work);
    Coordinates::readVelocity(model, state, v);
    Coordinates::readAcceleration(model, state, work.accelerations, a);
    work.stages.delta = h * v;
    v += h * a;
    Coordinates::move(model, state, work.stages.delta, v, h, state);
    state.time += h;
    settle<Coordinates>(model, state, work);
}

// v' = v + h a, x' = x ⊕ h v'. In body coordinates this is the step of Hakenberg's paper:
//     v := v + a h,  p := p + v h,  ω := ω + ω̇ h,  R := R exp(h Ω).
template <class Coordinates>
void semiImplicitEuler(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work)
{
    if (method.advance && settlesNothing<Coordinates>(model)) {
        const bool isWeight = forces.is(sceneForces) && isWeightAlone(model);
        if (!isWeight) forces(model, state, work.forces);
        method.advance(model, isWeight ? nullptr : &work.forces, h, state, work.work);
        ++work.statistics.evaluations;
        state.time += h;
        return;
    }
    evaluate(model, method, forces, state, work);
    if constexpr (std::is_same_v<Coordinates, JointCoordinates>) {
        JointCoordinates::kickAndMove(model, work.accelerations, h, work.stages.delta, state);
    } else {
        VecX &v = work.stages.start, &a = work.stages.acceleration[0];
        v.resize(Coordinates::size(model));
        a.resize(v.size());
        Coordinates::readVelocity(model, state, v);
        Coordinates::readAcceleration(model, state, work.accelerations, a);
        v += h * a;
        work.stages.delta = h * v;
        Coordinates::move(model, state, work.stages.delta, v, h, state);
    }
    state.time += h;
    settle<Coordinates>(model, state, work);
}

// The classical fourth-order Runge-Kutta method, in the exponential chart around the start of the step
// (Munthe-Kaas 1999), so that rotations keep its order.
template <class Coordinates>
void rungeKutta4(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                 StepWork& work)
{
    constexpr double node[4] = {0, 0.5, 0.5, 1};
    constexpr double weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    VecX &v0 = work.stages.start, &delta = work.stages.delta;
    v0.resize(Coordinates::size(model));
    delta.setZero(v0.size());
    Coordinates::readVelocity(model, state, v0);
    work.stages.stage = state;
    for (int s = 0; s < 4; ++s) {
        VecX &rate = work.stages.rate[s], &a = work.stages.acceleration[s];
        rate.resize(v0.size());
        a.resize(v0.size());
        if (s > 0) {
            delta = h * node[s] * work.stages.rate[s - 1];
            work.stages.velocity = v0 + h * node[s] * work.stages.acceleration[s - 1];
            Coordinates::move(model, state, delta, work.stages.velocity, h * node[s], work.stages.stage);
            work.stages.stage.time = state.time + h * node[s];
            settle<Coordinates>(model, work.stages.stage, work);
        }
        evaluate(model, method, forces, work.stages.stage, work);
        Coordinates::readVelocity(model, work.stages.stage,
                                  a);  // borrowed until the acceleration is written
        Coordinates::chartRate(model, delta, a, rate);
        Coordinates::readAcceleration(model, work.stages.stage, work.accelerations, a);
    }
    delta.setZero();
    for (int s = 0; s < 4; ++s) {
        delta += h * weight[s] * work.stages.rate[s];
        v0 += h * weight[s] * work.stages.acceleration[s];
    }
    Coordinates::move(model, state, delta, v0, h, state);
    state.time += h;
    settle<Coordinates>(model, state, work);
}

}  // namespace

void explicitEulerInBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                           State& state, StepWork& work)
{
    explicitEuler<BodyCoordinates>(model, method, forces, h, state, work);
}

void explicitEulerInJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                           State& state, StepWork& work)
{
    explicitEuler<JointCoordinates>(model, method, forces, h, state, work);
}

void semiImplicitEulerInBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                               State& state, StepWork& work)
{
    semiImplicitEuler<BodyCoordinates>(model, method, forces, h, state, work);
}

void semiImplicitEulerInJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                               State& state, StepWork& work)
{
    semiImplicitEuler<JointCoordinates>(model, method, forces, h, state, work);
}

void rungeKutta4InBodies(const Model& model, const Method& method, ForceFunction forces, double h,
                         State& state, StepWork& work)
{
    rungeKutta4<BodyCoordinates>(model, method, forces, h, state, work);
}

void rungeKutta4InJoints(const Model& model, const Method& method, ForceFunction forces, double h,
                         State& state, StepWork& work)
{
    rungeKutta4<JointCoordinates>(model, method, forces, h, state, work);
}

}  // namespace sinew
