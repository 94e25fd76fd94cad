// Proposes torque functions from a recorded run, in the manner of Armstrong & Green 1985, section 5: let
// the figure move without them, see which angles look natural, and put the free play there.
//
// The zone of free play is what the joint went through, but for the outermost parts of the samples. The
// slopes hold the weight of all beyond the joint, stretched out, within a given angle of the zone.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/csv/table_reader.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/scene.h"
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
    std::vector<double> angles;

    double quantile(double share)
    {
        const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(angles.size() - 1) + 0.5);
        std::nth_element(angles.begin(), angles.begin() + at, angles.end());
        return angles[static_cast<std::size_t>(at)];
    }
};

bool hasAngles(const Joint& joint)
{
    return joint.isArticulated() && joint.turns() > 0 && (!joint.isBall() || joint.hasTwist);
}

std::vector<Samples> anglesOf(const Model& model)
{
    std::vector<Samples> all;
    for (std::size_t j = 0; j < model.jointOrder.size(); ++j) {
        const Joint& joint = model.joints[model.jointOrder[j]];
        if (!hasAngles(joint)) continue;
        const int index = static_cast<int>(j);
        if (joint.isBall()) {
            all.push_back({index, Part::swing, 0, {}});
            all.push_back({index, Part::twist, 0, {}});
        } else {
            for (int f = joint.slides(); f < joint.freedoms(); ++f)
                all.push_back({index, Part::freedom, f, {}});
        }
    }
    return all;
}

// Adds one row of the series, whose columns of a joint begin with its coordinates.
void addRow(const Model& model, const std::vector<std::size_t>& column, const std::vector<double>& row,
            std::vector<Samples>& all)
{
    for (Samples& samples : all) {
        const Joint& joint = model.joints[model.jointOrder[samples.joint]];
        const double* coordinate = row.data() + column[samples.joint];
        if (!joint.isBall()) {
            samples.angles.push_back(coordinate[samples.freedom]);
            continue;
        }
        const double still[3] = {};
        double q[4], u[3];
        setDescribed(joint, coordinate, still, q, u);
        const SwingTwist angles = swingTwist(rotationIn(q), joint.axis);
        samples.angles.push_back(samples.part == Part::swing ? angles.swing : angles.twist);
    }
}

Result<std::vector<Samples>> readAngles(const Model& model, const std::string& path)
{
    const std::vector<std::string> names = seriesNames(model);
    std::vector<std::size_t> column;  // of each joint, after the time
    for (int link : model.jointOrder) {
        const std::string start = model.joints[link].name + '.';
        std::size_t first = 0;
        while (first < names.size() && !names[first].starts_with(start)) ++first;
        column.push_back(1 + first);
    }
    Result<TableReader> table = TableReader::open(path, seriesHeader(model));
    if (!table) return table.error();
    std::vector<Samples> all = anglesOf(model);
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
    Result<std::vector<Samples>> angles = readAngles(model, files.series);
    if (!angles) return fail(angles.error());
    if (angles.value().empty())
        return fail(fmt::format("{}: has no hinge, universal joint or ball joint with an axis to fit",
                                printable(files.scene)));

    description.torques.clear();
    std::string table =
        fmt::format("{:24} {:8} {:>9} {:>9} {:>12}\n", "joint", "angle", "from", "to", "slope N.m/rad");
    for (Samples& samples : angles.value()) {
        const std::string& name = description.joints[samples.joint].name;
        const double slope = loadBeyond(model, model.jointOrder[samples.joint]) / (options.give * pi / 180);
        TorqueDescription torque;
        torque.joint = name;
        torque.part = samples.part;
        torque.freedom = samples.freedom;
        const bool swing = samples.part == Part::swing;
        torque.free = {swing ? 0 : samples.quantile(outermost), samples.quantile(1 - outermost)};
        torque.slope = {swing ? 0 : slope, slope};
        const std::string angle = swing                         ? "swing"
                                  : samples.part == Part::twist ? "twist"
                                                                : fmt::format("{}", samples.freedom);
        table += fmt::format("{:24} {:8} {:9.2f} {:9.2f} {:12.4g}\n", shownName(name), angle,
                             (*torque.free)[0] * 180 / pi, (*torque.free)[1] * 180 / pi, slope);
        description.torques.push_back(std::move(torque));
    }
    if (Result<Model> fitted = compile(description); !fitted) return fail(fitted.error());
    if (const std::string fault = writeWhole(options.output, writeScene(description)); !fault.empty())
        return fail(fault);
    fmt::print("{}", table);
    fmt::print("degrees; {} holds the scene with these torque functions\n", printable(options.output));
    return exitDone;
}

}  // namespace sinew
