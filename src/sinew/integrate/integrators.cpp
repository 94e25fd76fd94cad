#include "sinew/integrate/integrators.h"

#include <type_traits>

#include "sinew/base/text.h"
#include "sinew/dynamics/loops.h"
#include "sinew/integrate/bands.h"
#include "sinew/integrate/conservative.h"
#include "sinew/integrate/coordinates.h"
#include "sinew/integrate/hernandez.h"
#include "sinew/integrate/implicit.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

// Each step moves all joints alike; then those whose motion is given are put where that has them, at the
// end and at every inner stage.
void evaluate(const Model& model, const Method& method, ForceFunction forces, const State& state,
              StepWork& work)
{
    forces(model, state, work.forces);
    work.accelerations.resize(model);
    work.accelerations.wanted = method.coordinates == Coordinates::body ? Accelerations::Wanted::bodies
                                                                        : Accelerations::Wanted::joints;
    method.accelerate(model, state, work.forces, work.work, work.accelerations);
}

// Joint coordinates are put back onto closed loops at the end of a step and at every inner stage: a step
// for the motion that follows the nearest closed pose is as good as one for the motion itself, on which the
// two agree. Body coordinates drift off their loops as they do off their joints.
template <class Coordinates>
void settle(const Model& model, State& state, StepWork& work)
{
    followPrescribed(model, state);
    if (std::is_same_v<Coordinates, BodyCoordinates> || model.loops.empty()) return;
    if (!closeLoops(model, state, work.work.loops)) work.statistics.failed = true;
}

// x' = x ⊕ h v, v' = v + h a: the plain one, unstable for anything that swings.
template <class Coordinates>
void explicitEuler(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                   StepWork& work)
{
    VecX &v = work.start, &a = work.acceleration[0];
    v.resize(Coordinates::size(model));
    a.resize(v.size());
    evaluate(model, method, forces, state, work);
    Coordinates::readVelocity(model, state, v);
    Coordinates::readAcceleration(model, state, work.accelerations, a);
    work.delta = h * v;
    v += h * a;
    Coordinates::move(model, state, work.delta, v, h, state);
    state.time += h;
    settle<Coordinates>(model, state, work);
}

// v' = v + h a, x' = x ⊕ h v'. In body coordinates this is the step of Hakenberg's paper:
//     v := v + a h,  p := p + v h,  ω := ω + ω̇ h,  R := R exp(h Ω).
template <class Coordinates>
void semiImplicitEuler(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work)
{
    VecX &v = work.start, &a = work.acceleration[0];
    v.resize(Coordinates::size(model));
    a.resize(v.size());
    evaluate(model, method, forces, state, work);
    Coordinates::readVelocity(model, state, v);
    Coordinates::readAcceleration(model, state, work.accelerations, a);
    v += h * a;
    work.delta = h * v;
    Coordinates::move(model, state, work.delta, v, h, state);
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
    VecX &v0 = work.start, &delta = work.delta;
    v0.resize(Coordinates::size(model));
    delta.setZero(v0.size());
    Coordinates::readVelocity(model, state, v0);
    work.stage = state;
    for (int s = 0; s < 4; ++s) {
        VecX &rate = work.rate[s], &a = work.acceleration[s];
        rate.resize(v0.size());
        a.resize(v0.size());
        if (s > 0) {
            delta = h * node[s] * work.rate[s - 1];
            work.trialCorrection = v0 + h * node[s] * work.acceleration[s - 1];
            Coordinates::move(model, state, delta, work.trialCorrection, h * node[s], work.stage);
            work.stage.time = state.time + h * node[s];
            settle<Coordinates>(model, work.stage, work);
        }
        evaluate(model, method, forces, work.stage, work);
        Coordinates::readVelocity(model, work.stage, a);  // borrowed until the acceleration is written
        Coordinates::chartRate(model, delta, a, rate);
        Coordinates::readAcceleration(model, work.stage, work.accelerations, a);
    }
    delta.setZero();
    for (int s = 0; s < 4; ++s) {
        delta += h * weight[s] * work.rate[s];
        v0 += h * weight[s] * work.acceleration[s];
    }
    Coordinates::move(model, state, delta, v0, h, state);
    state.time += h;
    settle<Coordinates>(model, state, work);
}

double bytesOfImplicit(const Model& model, Coordinates coordinates)
{
    const auto freedomsBelow = [&](int body) {
        if (body < 0) return 0;
        const Skeleton& skeleton = model.skeletons[model.skeletonOf[body]];
        int count = 0;
        for (int i = 0; i < skeleton.count; ++i) count += model.joints[skeleton.first + i].freedoms();
        return count;
    };
    // The rows of each loop over the freedoms of its figures, three arrays of them (contact/delassus.h);
    // in body coordinates a column of the border for each of its lines (math/bordered_tree.h).
    double rows = 0, overFreedoms = 0;
    for (const LoopJoint& loop : model.loops) {
        rows += loop.rows();
        overFreedoms += 3. * loop.rows() * (freedomsBelow(loop.child) + freedomsBelow(loop.joint.parent));
    }
    if (coordinates == Coordinates::joint) return sizeof(double) * (overFreedoms + 2 * rows * rows);
    const double lines = rows + 12. * static_cast<double>(model.loops.size());
    return sizeof(double) * lines * (12. * model.size() + 3 * lines);
}

constexpr const char* implicitSource = "Hernandez et al. 2011; Tournier et al. 2015";
constexpr Integrator table[] = {
    {.name = "implicit",
     .title = "the default: implicit_bdf2",
     .source = implicitSource,
     .order = 2,
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "semi_implicit_euler",
     .title = "velocity first, then position with it; Hakenberg's own step",
     .source = "Hakenberg, algorithm for animation; Parent",
     .order = 1,
     .inBodyCoordinates = semiImplicitEuler<BodyCoordinates>,
     .inJointCoordinates = semiImplicitEuler<JointCoordinates>},
    {.name = "rk4",
     .title = "classical Runge-Kutta on the rotation group",
     .source = "Parent; Munthe-Kaas 1999",
     .order = 4,
     .inBodyCoordinates = rungeKutta4<BodyCoordinates>,
     .inJointCoordinates = rungeKutta4<JointCoordinates>},
    {.name = "explicit_euler",
     .title = "the plain one, for comparison",
     .source = "Parent",
     .order = 1,
     .inBodyCoordinates = explicitEuler<BodyCoordinates>,
     .inJointCoordinates = explicitEuler<JointCoordinates>},
    {.name = "implicit_euler",
     .title = "backward Euler with geometric stiffness, by Newton",
     .source = implicitSource,
     .order = 1,
     .inBodyCoordinates = implicitEulerStep,
     .inJointCoordinates = implicitEulerStep,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "implicit_bdf2",
     .title = "BDF2 on the same equations",
     .source = implicitSource,
     .order = 2,
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    // Its joint forces are of its own making, of energies and in the middle of the step.
    {.name = "conservative",
     .title = "keeps energy and both momenta to rounding",
     .source = "Hakenberg's theorem by Simo & Wong 1991, Betsch & Steinmann 2001",
     .order = 2,
     .inBodyCoordinates = conservativeStep,
     .inJointCoordinates = nullptr,
     .bringsEquations = true,
     .takes = {.body = false, .drive = false},
     .knowsArmature = false,
     .bytes = bytesOfImplicit},
    {.name = "hernandez",
     .title = "linearly implicit Euler with implicit joint constraints, as published",
     .source = "Hernandez et al. 2011",
     .order = 1,
     .inBodyCoordinates = hernandezStep,
     .inJointCoordinates = nullptr,
     .bringsEquations = true,
     .knowsPrescribed = false,
     .holdsLoops = false},
    {.name = "bands",
     .title = "what varies slowly is computed every few steps only",
     .source = "Armstrong & Green 1985 (15)-(38)",
     .order = 1,
     .inBodyCoordinates = nullptr,
     .inJointCoordinates = bandsStep,
     .onlyWith = "armstrong_green",
     .hasSlowBand = true,
     .holdsLoops = false},
};

}  // namespace

std::span<const Integrator> integrators()
{
    return table;
}

const Integrator* findIntegrator(std::string_view name)
{
    for (const Integrator& integrator : table)
        if (name == integrator.name) return &integrator;
    return nullptr;
}

std::string unsupportedLaw(const Integrator& integrator, const Model& model)
{
    for (const ForceKind kind : {ForceKind::body, ForceKind::drive}) {
        if (integrator.takes.has(kind)) continue;
        for (const ForceLawInfo* law : forceLaws())
            if (law->kind == kind && !law->isInJoint && law->isIn(model)) return law->noun;
        for (const Joint& joint : model.joints)
            for (const ForceLawInfo* law : forceLaws())
                if (law->kind == kind && law->isInJoint && law->isInJoint(model, joint))
                    return law->noun + (" of joint " + quotedName(joint.name));
    }
    return {};
}

}  // namespace sinew
