#include "sinew/apps/summary.h"

#include <fmt/core.h>

#include <cmath>

#include "sinew/apps/conserved.h"
#include "sinew/apps/text.h"
#include "sinew/base/hash.h"
#include "sinew/base/text.h"
#include "sinew/io/json/json.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/particle/measure.h"
#include "sinew/state/particle_state.h"

namespace sinew {
namespace {

const ParticleState& particleState(const Simulation& simulation, std::size_t system)
{
    static const ParticleState none;  // before the first step
    return system < simulation.state.particles.size() ? simulation.state.particles[system] : none;
}

json::Value particlesOf(const Simulation& simulation)
{
    const Model& model = simulation.model();
    json::Value all = json::Value::array();
    for (std::size_t i = 0; i < model.particles.size(); ++i) {
        const ParticleSystem& system = model.particles[i];
        const ParticleState& state = particleState(simulation, i);
        const Energy energy = particleEnergy(model, system, state);
        json::Value item = json::Value::object();
        item.add("name", system.name);
        item.add("alive", state.alive);
        item.add("born", state.born);
        item.add("died", state.died);
        item.add("turned_away", state.turnedAway);
        item.add("kinetic", energy.kinetic);
        item.add("potential", energy.potential);
        all.add(std::move(item));
    }
    return all;
}

}  // namespace

std::string summaryJson(const RunJob& job, const RunOutcome& outcome)
{
    const Simulation& simulation = job.simulation();
    const Model& model = simulation.model();
    const Measures& m = job.record.measures;
    json::Value summary = json::Value::object();
    summary.add("scene", model.name);
    summary.add("solver", simulation.method->name);
    summary.add("integrator", simulation.integrator->name);
    summary.add("coordinates", coordinatesName(*simulation.method));
    summary.add("bodies", model.describedSize());
    summary.add("joints", model.declaredJointCount());
    summary.add("dof", model.freedomCount);
    summary.add("steps", job.record.steps);
    summary.add("step", simulation.h);
    if (simulation.integrator->hasSlowBand) {
        summary.add("slow_band", simulation.slowBand());
        summary.add("spread", simulation.spread());
    }
    if (simulation.integrator->adapts) summary.add("tolerance", simulation.tolerance());
    summary.add("duration", job.record.duration);
    summary.add("fps", job.record.fps);
    summary.add("time", job.live.elapsed());
    summary.add("wall_seconds", m.wallSeconds);
    summary.add("cpu_seconds", m.cpuSeconds);
    summary.add("energy_start", m.energyStart);
    summary.add("energy_end", m.energyEnd);
    summary.add("energy_max", m.energyMax);
    summary.add("energy_min", m.energyMin);
    summary.add("energy_drift", m.energyDrift());
    const EnergyBalance& balance = job.record.balance;
    summary.add("energy_dissipated_dampers", balance.dampers);
    summary.add("energy_dissipated_friction", balance.friction);
    summary.add("energy_dissipated_contact", balance.contact);
    summary.add("energy_put_in_drives", balance.drives);
    summary.add("energy_put_in_hands", balance.hands);
    summary.add("energy_unaccounted", balance.unaccounted());
    summary.add("linear_momentum_drift", m.linearDrift());
    summary.add("angular_momentum_drift", m.angularDrift());
    summary.add("joint_gap_max", m.gapMax);
    summary.add("joint_gap_end", m.gapEnd);
    const double steps = static_cast<double>(job.record.steps);
    summary.add("evaluations_mean", steps > 0 ? m.evaluations / steps : 0);
    summary.add("parts_rejected", m.partsRejected);
    summary.add("newton_iterations_mean", steps > 0 ? m.newtonIterations / steps : 0);
    summary.add("steps_halved", m.stepsHalved);
    summary.add("steps_unconverged", m.stepsUnconverged);
    summary.add("penetration_max", m.penetrationMax);
    summary.add("contacts_mean", steps > 0 ? m.contacts / steps : 0);
    summary.add("contact_caps", m.contactCaps);
    if (!model.meshes.empty()) {
        summary.add("mesh_iterations_mean", steps > 0 ? m.meshIterations / steps : 0);
        summary.add("mesh_turns_mean", steps > 0 ? m.meshTurns / steps : 0);
        summary.add("mesh_caps", m.meshCaps);
        summary.add("mesh_residual", m.meshResidual);
    }
    if (!model.particles.empty()) summary.add("particles", particlesOf(simulation));
    for (const json::Member& remark : job.remarks) summary.add(remark.key, remark.value);
    summary.add("state_hash", hashText(stateHash(simulation.state)));
    if (outcome.interrupted) summary.add("interrupted", true);
    if (outcome.diverged) {
        json::Value diverged = json::Value::object();
        if (!outcome.diverged->body.empty()) diverged.add("body", outcome.diverged->body);
        diverged.add("time", outcome.diverged->time);
        diverged.add("message", outcome.diverged->message);
        summary.add("diverged", diverged);
    }
    return json::write(summary);
}

namespace {

// Where the energy went, in a scene that does not conserve it.
void addBalance(const RunJob& job, Table& table)
{
    const EnergyBalance& b = job.record.balance;
    const std::string drives = energyDrives(job.simulation().model());
    const double rounding = 1e-12 * job.record.measures.energyScale;
    struct Row {
        const char* name;
        double value;
        std::string remark;
    };
    for (const Row& row : {Row{"dissipated by dampers", b.dampers, "J, in joints"},
                           Row{"dissipated by friction", b.friction, "J, dry, in joints"},
                           Row{"dissipated by contact", b.contact, "J"},
                           Row{"put in by drives", b.drives, drives.empty() ? "J" : "J, by " + drives},
                           Row{"put in by hand", b.hands, "J"}})
        if (std::abs(row.value) > rounding)
            table.row({row.name, fmt::format("{:.3g}", row.value), row.remark});
    table.row({"unaccounted for", fmt::format("{:.3g}", b.unaccounted()), "J, numerical"});
}

}  // namespace

std::string summaryTable(const RunJob& job)
{
    const Simulation& simulation = job.simulation();
    const Model& model = simulation.model();
    const Measures& m = job.record.measures;
    using Align = Table::Align;
    Table table({{"", Align::left}, {"", Align::right}, {"", Align::left}});
    table.row({"steps", fmt::format("{}", job.record.steps), fmt::format("of {:g} s", simulation.h)});
    table.row({"simulated time", fmt::format("{:.6g}", job.live.elapsed()), "s"});
    table.row({"wall time", fmt::format("{:.4g}", m.wallSeconds), "s, stepping alone"});
    const double speed = m.wallSeconds > 0 ? job.live.elapsed() / m.wallSeconds : 0;
    table.row({"times real time", fmt::format("{:.4g}", speed), ""});
    const std::string changes =
        job.keepsInteraction ? "interaction" : energyChanges(model);  // then it is no error
    table.row({changes.empty() ? "energy drift" : "energy change", fmt::format("{:.2e}", m.energyDrift()),
               "of kinetic + |potential|" + (changes.empty() ? "" : "; there is " + changes)});
    if (!changes.empty()) addBalance(job, table);
    if (conservesMomentum(model) && !job.keepsInteraction) {
        table.row({"linear momentum drift", fmt::format("{:.2e}", m.linearDrift()), "of Σ |m v|"});
        table.row({"angular momentum drift", fmt::format("{:.2e}", m.angularDrift()), "of Σ |L|"});
    }
    table.row({"largest joint gap", fmt::format("{:.2e}", m.gapMax), "m"});
    const double steps = static_cast<double>(job.record.steps);
    if (model.contact) {
        table.row({"deepest penetration", fmt::format("{:.2e}", m.penetrationMax), "m"});
        table.row({"contacts", fmt::format("{:.2f}", steps > 0 ? m.contacts / steps : 0), "a step"});
    }
    if (m.contactCaps > 0)
        table.row({"contact solves cut off", fmt::format("{:g}", m.contactCaps), "at the most sweeps"});
    if (simulation.integrator->adapts) {
        table.row({"evaluations", fmt::format("{:.1f}", steps > 0 ? m.evaluations / steps : 0), "a step"});
        table.row({"parts rejected", fmt::format("{:g}", m.partsRejected), "of steps"});
    }
    if (!model.meshes.empty()) {
        table.row(
            {"mesh iterations", fmt::format("{:.2f}", steps > 0 ? m.meshIterations / steps : 0), "a step"});
        if (model.size() > 0)
            table.row({"turns of mesh and body", fmt::format("{:.2f}", steps > 0 ? m.meshTurns / steps : 0),
                       "a step"});
        if (m.meshCaps > 0)
            table.row({"mesh solves cut off", fmt::format("{:g}", m.meshCaps), "at their bound"});
    }
    if (m.newtonIterations > 0) {
        const double mean = m.newtonIterations / steps;
        table.row({"Newton iterations", fmt::format("{:.2f}", mean), "a step"});
        table.row({"steps halved", fmt::format("{:g}", m.stepsHalved), ""});
        if (m.stepsUnconverged > 0)
            table.row({"steps not converged", fmt::format("{:g}", m.stepsUnconverged), "taken anyway"});
    }

    for (std::size_t i = 0; i < model.particles.size(); ++i) {
        const ParticleState& state = particleState(simulation, i);
        std::string remark = fmt::format("live; {} were born, {} died", state.born, state.died);
        if (state.turnedAway > 0) remark += fmt::format(", {} found no room", state.turnedAway);
        table.row(
            {"particles " + quotedName(model.particles[i].name), fmt::format("{}", state.alive), remark});
    }

    const std::string name = model.name.empty() ? job.record.scenePath : model.name;
    return fmt::format("{}: {}, {}, {} by {} and {}\n{}", shownName(name),
                       counted(model.describedSize(), "body", "bodies"),
                       counted(model.declaredJointCount(), "joint", "joints"),
                       counted(model.freedomCount, "degree of freedom", "degrees of freedom"),
                       simulation.method->name, simulation.integrator->name, table.text());
}

}  // namespace sinew
