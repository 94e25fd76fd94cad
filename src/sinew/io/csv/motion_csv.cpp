#include "sinew/io/csv/motion_csv.h"

#include "sinew/io/csv/csv.h"

namespace sinew {

namespace {

std::string header(const std::vector<std::string>& names)
{
    std::string text = "time";
    for (const std::string& name : names) {
        text += ',';
        text += csvField(name);
    }
    return text + '\n';
}

void appendRow(double time, const std::vector<double>& numbers, std::string& text)
{
    appendNumber(text, time);
    for (double number : numbers) {
        text += ',';
        appendNumber(text, number);
    }
    text += '\n';
}

}  // namespace

std::string trajectoryHeader(const Model& model)
{
    return header(poseNames(model));
}

std::string velocitiesHeader(const Model& model)
{
    return header(velocityNames(model));
}

std::string seriesHeader(const Model& model)
{
    return header(seriesNames(model));
}

void appendTrajectoryRow(double time, const Model& model, const State& state, std::string& text)
{
    std::vector<double> row;
    appendPoses(model, state, row);
    appendRow(time, row, text);
}

void appendVelocitiesRow(double time, const Model& model, const State& state, std::string& text)
{
    std::vector<double> row;
    appendVelocities(model, state, row);
    appendRow(time, row, text);
}

void appendSeriesRow(double time, const Model& model, const State& state, const Forces& forces,
                     const Accelerations& accelerations, std::string& text)
{
    std::vector<double> row;
    appendSeries(model, state, forces, accelerations, row);
    appendRow(time, row, text);
}

}  // namespace sinew
