#include "sinew/simulation/energy_balance.h"

#include <algorithm>

#include "sinew/force/law.h"
#include "sinew/force/laws.h"
#include "sinew/force/laws/dry_friction.h"
#include "sinew/force/laws/obstacles.h"
#include "sinew/force/laws/pair_springs.h"
#include "sinew/force/laws/springs.h"
#include "sinew/integrate/step_work.h"
#include "sinew/measure/energy.h"
#include "sinew/model/fields.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/soft/groups.h"
#include "sinew/soft/mesh_work.h"
#include "sinew/state/mesh_state.h"

namespace sinew {

namespace {

IntegratorId idOf(const Integrator& integrator)
{
    return static_cast<IntegratorId>(&integrator - integrators().data());
}

// In springs of obstacles.
double obstacleEnergy(const Model& model, const State& state)
{
    double sum = 0;
    forEachTouch(model, state, {}, [&](const ContactPoint&, const Obstacle&, const Touch& touch) {
        sum += 0.5 * touch.stiffness * touch.depth * touch.depth;
    });
    return sum;
}

// Attractors that stay as they are: their work is in the potential energy.
bool isWeight(const ForceLawInfo& law, const Model& model)
{
    return std::string_view(law.name) == "attraction" && law.isIn(model) && law.isPassive(model);
}

// What draws bodies by a potential or holds them back, beside all else: springs between bodies, attractors,
// and a medium at rest.
void findSurroundings(const Model& model, const State& state, Forces& scratch, LargeVector<Force>& weights,
                      LargeVector<Force>& dampers)
{
    if (!model.springs.empty()) addSpringForces(model, state, weights, dampers);
    for (const ForceLawInfo* law : forceLaws()) {
        const bool isMedium =
            std::string_view(law->name) == "medium" && law->isIn(model) && law->isPassive(model);
        if (!isMedium && !isWeight(*law, model)) continue;
        scratch.setZero(model);
        law->addForces(model, state, scratch);
        for (std::size_t i = 0; i < weights.size(); ++i)
            (isMedium ? dampers : weights)[i] += scratch.body[i];
    }
}

// In springs that drive: controllers, torque functions, targets, and what else acts on bodies but
// obstacles.
double drivingEnergy(const Model& model, const State& state)
{
    Energy ofBodies;
    for (const ForceLawInfo* law : forceLaws())
        if (law->kind == ForceKind::body && law->addEnergies && law->isIn(model) && !isWeight(*law, model))
            law->addEnergies(model, state, [&](int) -> Energy& { return ofBodies; });
    double sum = ofBodies.total() - obstacleEnergy(model, state);
    for (int i = 0; i < model.size(); ++i) sum += driveEnergy(model, state, i);
    return sum;
}

// That springs of joints lost or got because they were switched.
double switchedEnergy(const Model& model, const State& before, const State& state)
{
    double sum = 0;
    for (int i = 0; i < model.size() && !model.switches.empty(); ++i) {
        const bool was = model.isActive(i, before.time), is = model.isActive(i, state.time);
        if (was == is) continue;
        const double* q = state.q.data() + model.joints[i].q;
        sum += jointElasticEnergy(model.joints[i], q, is) - jointElasticEnergy(model.joints[i], q, was);
    }
    return sum;
}

void blend(double a, const VecX& x, double b, VecX& y)
{
    y = a * x + b * y;
}
void blend(double a, const LargeVector<Force>& x, double b, LargeVector<Force>& y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = {a * x[i].force + b * y[i].force, a * x[i].torque + b * y[i].torque};
}
// y = a x + b y
void blend(double a, const CountedForces& x, double b, CountedForces& y)
{
    blend(a, x.dampers, b, y.dampers);
    blend(a, x.friction, b, y.friction);
    blend(a, x.drives, b, y.drives);
    blend(a, x.contact, b, y.contact);
    blend(a, x.driveOfBody, b, y.driveOfBody);
    blend(a, x.damperOfBody, b, y.damperOfBody);
}

double work(const LargeVector<Force>& impulses, const State& from, const State& to)
{
    double sum = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) {
        const BodyState &a = from.bodies[i], &b = to.bodies[i];
        sum += impulses[i].force.dot(0.5 * (a.velocity + b.velocity)) +
               impulses[i].torque.dot(0.5 * (a.angularVelocityWorld() + b.angularVelocityWorld()));
    }
    return sum;
}

// Of spring meshes, which are stepped by implicit Euler beside the bodies.
void addMeshWork(const Model& model, const State& from, const State& to, double h, EnergyBalance& balance)
{
    const MeshSurroundings around{&model, &from.bodies, &to.bodies, to.time};
    MeshState before, after;
    for (const TiedMeshes& group : model.meshGroups) {
        const MeshWork work =
            meshWork(solvedMesh(model, group), solvedState(model, group, from.meshes, before),
                     solvedState(model, group, to.meshes, after), around, h);
        balance.dampers += work.dampers;
        balance.contact += work.contact;
        balance.drives += work.forces;
        // Air at rest only takes.
        if (model.fields.empty())
            balance.dampers -= work.flow;
        else
            balance.drives += work.flow;
    }
}

}  // namespace

void CountedForces::setZero(const Model& model)
{
    for (VecX* each : {&dampers, &friction, &drives}) each->setZero(model.freedomCount);
    for (LargeVector<Force>* each : {&contact, &driveOfBody, &damperOfBody}) {
        each->resize(model.bodies.size());
        std::fill(each->begin(), each->end(), Force{Vec3::Zero(), Vec3::Zero()});
    }
}

void EnergyMeter::start(const Simulation& simulation)
{
    balance = {};
    balance.start = balance.end = energy(simulation.model(), simulation.state).total();
    impulses.setZero(simulation.model());
}

// Of the scene and from outside.
void EnergyMeter::findAllForces(const Simulation& simulation, const State& state)
{
    simulation.forces(simulation.model(), state, forces_);
    if (simulation.inputs().empty()) return;
    Inputs inputs = simulation.inputs();
    addInputs(&inputs, simulation.model(), state, forces_);
}

// At the end of an implicit step obstacles look at the way that it made.
void EnergyMeter::findForces(const Simulation& simulation, const State& state, bool endsStep,
                             CountedForces& counted)
{
    const Model& model = simulation.model();
    forces_.span = {};
    if (endsStep && simulation.integrator->bringsEquations)
        forces_.span = {simulation.h, &simulation.before.bodies};
    findAllForces(simulation, state);
    counted.setZero(model);
    forEachTouch(model, state, forces_.span,
                 [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
                     const Vec3 f = touch.force * touch.normal;
                     counted.contact[point.body] += {f, touch.arm.cross(f)};
                 });
    weights_.assign(model.bodies.size(), Force{Vec3::Zero(), Vec3::Zero()});
    findSurroundings(model, state, own_, weights_, counted.damperOfBody);
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        const int k = joint.freedoms();
        const auto u = state.u.segment(joint.u, k);
        counted.dampers.segment(joint.u, k) = -joint.damping * u;
        if (joint.coulomb > 0) {
            Vec3 speeds = Vec3::Zero();
            for (int j = 0; j < k; ++j) speeds[j] = u[j];
            counted.friction.segment(joint.u, k) = -joint.coulomb / drySpeed(model, joint, speeds) * u;
        }
        double spring[6] = {};
        jointSpringForce(joint, state.q.data() + joint.q, model.isActive(i, state.time), spring);
        for (int j = 0; j < k; ++j) {
            const int at = joint.u + j;
            counted.drives[at] = forces_.joint[at] - counted.dampers[at] - counted.friction[at] - spring[j];
        }
        const Force &all = forces_.body[i], &touch = counted.contact[i];
        const Force &weight = weights_[i], &damper = counted.damperOfBody[i];
        counted.driveOfBody[i] = {
            all.force - model.bodies[i].mass * model.gravity - touch.force - weight.force - damper.force,
            all.torque - touch.torque - weight.torque - damper.torque};
    }
}

// A skeleton whose part is 2/3 looks back at the step before; those that jump, slide or begin are backward
// Euler.
void EnergyMeter::lookBack(const Simulation& simulation)
{
    const Model& model = simulation.model();
    const std::vector<double>& parts = simulation.work->implicit.parts;
    const bool begins = simulation.before.previous.empty() || parts.size() != model.skeletons.size();
    for (int i = 0; i < model.size(); ++i) {
        const double part = begins ? 1 : parts[model.skeletonOf[i]], own = part * simulation.h;
        const Joint& joint = model.joints[i];
        const auto blendJoint = [&](const VecX& x, VecX& y) {
            for (int k = joint.u; k < joint.u + joint.freedoms(); ++k)
                y[k] = own * x[k] + (1 - part) * y[k];
        };
        const auto blendBody = [&](const LargeVector<Force>& x, LargeVector<Force>& y) {
            y[i] = x[i] * own + y[i] * (1 - part);
        };
        blendJoint(after_.dampers, impulses.dampers);
        blendJoint(after_.friction, impulses.friction);
        blendJoint(after_.drives, impulses.drives);
        blendBody(after_.contact, impulses.contact);
        blendBody(after_.driveOfBody, impulses.driveOfBody);
        blendBody(after_.damperOfBody, impulses.damperOfBody);
    }
}

void EnergyMeter::findImpulses(const Simulation& simulation)
{
    const double h = simulation.h;
    const State &from = simulation.before, &to = simulation.state;
    switch (idOf(*simulation.integrator)) {
        case IntegratorId::semiImplicitEuler:
        case IntegratorId::explicitEuler:
        case IntegratorId::heunSlides:
        case IntegratorId::bands:
            findForces(simulation, from, false, impulses);
            blend(0, impulses, h, impulses);
            break;
        case IntegratorId::rk4:
        case IntegratorId::midpoint:
        case IntegratorId::heun:
        case IntegratorId::velocityVerlet:
        case IntegratorId::positionVerlet:
        case IntegratorId::leapfrog:
        case IntegratorId::dormandPrince:
        case IntegratorId::conservative:
            findForces(simulation, from, false, before_);
            findForces(simulation, to, true, impulses);
            blend(0.5 * h, before_, 0.5 * h, impulses);
            break;
        case IntegratorId::implicitEuler:
        case IntegratorId::semiImplicitSlides:
        case IntegratorId::hernandez:
            findForces(simulation, to, true, impulses);
            blend(0, impulses, h, impulses);
            break;
        case IntegratorId::implicit:
        case IntegratorId::implicitBdf2:
            findForces(simulation, to, true, after_);
            lookBack(simulation);
            break;
    }
}

// Of what keeps prescribed joints on their curves.
double EnergyMeter::drivingPower(const Simulation& simulation, const State& state)
{
    const Model& model = simulation.model();
    forces_.span = {};
    findAllForces(simulation, state);
    addConstraintForces(model, state, simulation.h, forces_);
    accelerations_.resize(model);
    methodOf(Settings::defaultSolver).accelerate(model, state, forces_, work_, accelerations_);
    return accelerations_.drive.dot(state.u);
}

void EnergyMeter::addWork(const Model& model, const State& from, const State& to)
{
    const VecX mean = 0.5 * (from.u + to.u);
    balance.dampers -= impulses.dampers.dot(mean) + work(impulses.damperOfBody, from, to);
    balance.friction -= impulses.friction.dot(mean);
    balance.contact -=
        work(impulses.contact, from, to) + obstacleEnergy(model, to) - obstacleEnergy(model, from);
    balance.drives += impulses.drives.dot(mean) + work(impulses.driveOfBody, from, to) +
                      drivingEnergy(model, to) - drivingEnergy(model, from) +
                      switchedEnergy(model, from, to);
}

void EnergyMeter::add(const Simulation& simulation, const StepReport& report)
{
    const Model& model = simulation.model();
    const State &from = simulation.before, &to = simulation.state;
    SINEW_ASSERT(simulation.measuresEnergy && from.bodies.size() == model.bodies.size() &&
                 impulses.contact.size() == model.bodies.size());  // start() was called, and a step made
    balance.hands += energy(model, from).total() - balance.end - simulation.settingEnergy;
    balance.drives += simulation.settingEnergy;
    balance.end = energy(model, to).total();
    findImpulses(simulation);
    addWork(model, from, to);
    balance.contact -= report.statistics.contactEnergy;
    addMeshWork(model, from, to, simulation.h, balance);
    if (!model.prescribed.empty())
        balance.drives +=
            0.5 * simulation.h * (drivingPower(simulation, from) + drivingPower(simulation, to));
}

}  // namespace sinew
