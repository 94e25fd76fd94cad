// Proposes torque functions from a recorded run, in the manner of Armstrong & Green 1985, section 5: see
// which angles look natural, and put the free play there. Where something brought the joint back in the
// run, a spring of the same strength does (apps/torque_fit.h): run again with the same spikes and supports,
// the figure moves as it did.
//
// The zone of free play is what the joint went through, but for the outermost parts of the samples; with a
// spring, all of it. The slopes beyond hold the weight of all beyond the joint, stretched out, within a
// given angle of the zone.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/text.h"
#include "sinew/apps/torque_fit.h"
#include "sinew/integrate/integrators.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/csv/table_reader.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/measure/series.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Of the samples, on either side: what a joint reached only once in a while is not its natural range.
constexpr double outermost = 0.02;

using Part = TorqueDescription::Part;

// One angle of a joint, as it went.
struct Samples {
    int joint = 0;  // in the description
    Part part = Part::freedom;
    int freedom = 0;
    Vec3 axis = Vec3::Zero();  // of a ball joint's twist, in the axes of its second body
    JointRecord record;
};

bool hasAngles(const Joint& joint)
{
    return joint.isArticulated() && joint.turns() > 0 && (!joint.isBall() || joint.hasTwist);
}

Vec3 twistAxis(const Description& description, const JointDescription& joint)
{
    const auto second =
        std::find_if(description.bodies.begin(), description.bodies.end(),
                     [&](const BodyDescription& body) { return body.name == joint.second; });
    const Quat back =
        second == description.bodies.end() ? Quat::Identity() : second->pose.orientation.conjugate();
    return (back * *joint.axis).normalized();
}

std::vector<Samples> anglesOf(const Description& description, const Model& model)
{
    std::vector<Samples> all;
    for (std::size_t j = 0; j < model.linkOfJoint.size(); ++j) {
        if (model.linkOfJoint[j] < 0) continue;
        const Joint& joint = model.joints[model.linkOfJoint[j]];
        if (!hasAngles(joint)) continue;
        const int index = static_cast<int>(j);
        if (joint.isBall()) {
            const Vec3 axis = twistAxis(description, description.joints[j]);
            all.push_back({index, Part::swing, 0, axis, {}});
            all.push_back({index, Part::twist, 0, axis, {}});
        } else {
            for (int f = joint.slides(); f < joint.freedoms(); ++f)
                all.push_back({index, Part::freedom, f, Vec3::Zero(), {}});
        }
    }
    return all;
}

// Adds one row of the series, whose columns of a joint begin with its coordinates and the forces along
// them.
void addRow(const Model& model, const std::vector<std::size_t>& column, const std::vector<double>& row,
            std::vector<Samples>& all)
{
    for (Samples& samples : all) {
        const int link = model.linkOfJoint[samples.joint];
        const Joint& joint = model.joints[link];
        const double* coordinate = row.data() + column[link];
        const double* force = coordinate + joint.freedoms();
        samples.record.time.push_back(row[0]);
        if (joint.isBall()) {
            samples.record.place.emplace_back(coordinate[0], coordinate[1], coordinate[2]);
            samples.record.torque.emplace_back(force[0], force[1], force[2]);
        } else {
            samples.record.place.emplace_back(coordinate[samples.freedom], 0, 0);
            samples.record.torque.emplace_back(force[samples.freedom], 0, 0);
        }
    }
}

Result<std::vector<Samples>> readAngles(const Description& description, const Model& model,
                                        const std::string& path)
{
    const std::vector<std::string> names = seriesNames(model);
    std::vector<std::size_t> column(model.joints.size());  // of each joint, after the time
    for (int link : model.jointOrder) {
        const std::string start = model.joints[link].name + '.';
        std::size_t first = 0;
        while (first < names.size() && !names[first].starts_with(start)) ++first;
        column[link] = 1 + first;
    }
    Result<TableReader> table = TableReader::open(path, seriesHeader(model));
    if (!table) return table.error();
    std::vector<Samples> all = anglesOf(description, model);
    std::vector<double> row(1 + names.size());
    std::size_t rows = 0;
    while (table.value().readRow(row)) {
        ++rows;
        if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); }))
            return fileError(path, fmt::format("row {} has a number that is not finite", rows));
        addRow(model, column, row, all);
    }
    if (!table.value().fault().empty()) return Diagnostic{table.value().fault()};
    if (rows < 10) return fileError(path, fmt::format("has {} frames; ten are needed at the least", rows));
    return all;
}

// The torque of gravity at a joint with all beyond it stretched out.
double loadBeyond(const Model& model, int link)
{
    std::vector<double> reach(model.bodies.size(), -1);  // from the joint along the bones
    double load = 0;
    for (int i = link; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        if (i == link)
            reach[i] = 0;
        else if (joint.parent >= 0 && reach[joint.parent] >= 0)
            reach[i] =
                reach[joint.parent] + (joint.anchorParent - model.joints[joint.parent].anchorChild).norm();
        if (reach[i] >= 0)
            load += model.bodies[i].mass * model.gravity.norm() * (reach[i] + joint.anchorChild.norm());
    }
    return load;
}

// The steepest slope about an axis of the world at rest that the steps of the scene bear: any, where they
// are implicit. Explicit ones bear ω h of 2 at the most, for what turns as a whole with nothing to hold it.
double steepest(const Description& description, const Model& model, int link, const Vec3& axis)
{
    constexpr double part = 0.1;  // (ω h)²: thin links are light beside what holds them
    const Integrator* integrator = findIntegrator(description.run.integrator);
    if (!integrator || integrator->bringsEquations) return HUGE_VAL;
    const double h = description.run.step.value_or(0.001);
    double inertia = 0;
    std::vector<char> isBeyond(model.bodies.size(), 0);
    for (int i = link; i < model.size(); ++i) {
        const int parent = model.joints[i].parent;
        isBeyond[i] = i == link || (parent >= 0 && isBeyond[parent]);
        if (!isBeyond[i]) continue;
        const Vec3 own = model.bodies[i].rest.orientation.conjugate() * axis;
        inertia += own.dot(model.bodies[i].inertia * own);
    }
    return part * inertia / (h * h);
}

// Whether the recorded torque of a joint is that of torque functions and dampers alone, which the fitted
// ones take the place of.
bool isOfFunctions(const Description& description, const Model& model, int link)
{
    const Joint& joint = model.joints[link];
    const auto drives = [&](const auto& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& one) { return one.joint == joint.name; });
    };
    return joint.stiffness == 0 && joint.twistStiffness == 0 && !drives(description.motors) &&
           !drives(description.controllers) && joint.coulomb == 0;
}

std::vector<Signal> signalsOf(const Vec3& v, int count)
{
    std::vector<Signal> out;
    for (int i = 0; i < count; ++i) out.emplace_back(v[i]);
    return out;
}

struct Angles {
    Vec3 middle = Vec3::Zero();
    double from = 0, to = 0;  // seen from the middle
};

// Of a swing: the middle of all tilts, and how far from it the joint came, which is a cone around it.
Angles swings(const Samples& samples, double left)
{
    std::vector<Vec3> tilts;
    for (const Vec3& place : samples.record.place)
        tilts.push_back(place - samples.axis.dot(place) * samples.axis);
    Angles out;
    for (int k = 0; k < 3; ++k) {
        std::vector<double> numbers;
        for (const Vec3& tilt : tilts) numbers.push_back(tilt[k]);
        out.middle[k] = 0.5 * (quantile(numbers, left) + quantile(numbers, 1 - left));
    }
    const Quat center = expRotation(out.middle);
    std::vector<double> angles;
    for (const Vec3& place : samples.record.place)
        angles.push_back(swingTwist(center.conjugate() * expRotation(place), samples.axis).swing);
    out.to = quantile(angles, 1 - left);
    return out;
}

Angles turns(const Samples& samples, double left)
{
    std::vector<double> angles;
    for (const Vec3& place : samples.record.place)
        angles.push_back(samples.part == Part::twist ? swingTwist(expRotation(place), samples.axis).twist
                                                     : place[0]);
    return {Vec3::Zero(), quantile(angles, left), quantile(angles, 1 - left)};
}

// A function with the zone [from, to] and a slope to both sides.
TorqueDescription zone(const Samples& samples, const std::string& joint, double from, double to,
                       double slope)
{
    TorqueDescription torque;
    torque.joint = joint;
    torque.part = samples.part;
    torque.freedom = samples.freedom;
    torque.free = {from, to};
    torque.slope = {samples.part == Part::swing ? 0 : slope, slope};
    return torque;
}

// The functions of one angle; and how the table tells them.
std::string addFunctions(const Samples& samples, const std::string& joint, bool mayHaveSpring, double slope,
                         int freedoms, double ownDamping, Description& description)
{
    const bool isSwing = samples.part == Part::swing;
    const auto spring = mayHaveSpring && samples.part != Part::twist
                            ? fitSpring(samples.record, samples.axis)
                            : std::nullopt;
    const double left = spring ? 0 : outermost;
    const Angles angles = isSwing ? swings(samples, left) : turns(samples, left);
    TorqueDescription play = zone(samples, joint, angles.from, angles.to, slope);
    if (isSwing) play.center = signalsOf(angles.middle, 3);
    if (spring) {
        TorqueDescription back = zone(samples, joint, 0, 0, spring->stiffness);
        Vec3 center = spring->center;
        if (!isSwing) {
            center = Vec3::Zero();
            center[samples.freedom] = spring->center[0];
        }
        back.center = signalsOf(center, freedoms);
        description.torques.push_back(std::move(back));
        if (spring->damping > ownDamping) {
            TorqueDescription damper = zone(samples, joint, isSwing ? 0 : -pi, pi, 0);
            damper.freeDamping = spring->damping - ownDamping;
            description.torques.push_back(std::move(damper));
        }
    }
    description.torques.push_back(play);
    const std::string angle = isSwing                       ? "swing"
                              : samples.part == Part::twist ? "twist"
                                                            : fmt::format("{}", samples.freedom);
    return fmt::format("{:24} {:8} {:9.2f} {:9.2f} {:12.4g} {:>12}\n", shownName(joint), angle,
                       angles.from * 180 / pi, angles.to * 180 / pi, slope,
                       spring ? fmt::format("{:.4g}", spring->stiffness) : "-");
}

}  // namespace

int fitTorques(const FitTorquesOptions& options)
{
    if (!(options.give >= 1e-3 && options.give <= 360))
        return fail(fmt::format("--give: must be from 0.001 to 360 degrees, not {}", options.give));
    const RunFiles files(options.run);
    if (!std::filesystem::is_directory(options.run))
        return fail(fmt::format("{}: is not the folder of a run", printable(options.run)));
    if (const auto fault = settleRun(options.run)) return fail(*fault);
    Result<SceneFile> scene = openScene(files.scene);
    if (!scene) return fail(scene.error());
    Description& description = scene.value().description;
    Result<Model> compiled = compile(description);
    if (!compiled) return fail(inScene(compiled.error(), files.scene));
    const Model& model = compiled.value();
    Result<std::vector<Samples>> angles = readAngles(description, model, files.series);
    if (!angles) return fail(angles.error());
    if (angles.value().empty())
        return fail(fmt::format("{}: has no hinge, universal joint or ball joint with an axis to fit",
                                printable(files.scene)));

    description.torques.clear();
    std::string table = fmt::format("{:24} {:8} {:>9} {:>9} {:>12} {:>12}\n", "joint", "angle", "from",
                                    "to", "slope N.m/rad", "spring");
    for (const Samples& samples : angles.value()) {
        const JointDescription& joint = description.joints[samples.joint];
        const int link = model.linkOfJoint[samples.joint];
        double slope = loadBeyond(model, link) / (options.give * pi / 180);
        if (samples.part == Part::twist)
            slope = std::min(slope, steepest(description, model, link, joint.axis->normalized()));
        table += addFunctions(samples, joint.name, isOfFunctions(description, model, link), slope,
                              model.joints[link].freedoms(), joint.damping, description);
    }
    if (Result<Model> fitted = compile(description); !fitted) return fail(fitted.error());
    if (const std::string fault = writeWhole(options.output, writeScene(description)); !fault.empty())
        return fail(fault);
    fmt::print("{}", table);
    fmt::print(
        "degrees, swings from the middle of their range; {} holds the scene with these torque functions\n",
        printable(options.output));
    return exitDone;
}

}  // namespace sinew
