#include "sinew/io/csv/motion_csv.h"

#include <Eigen/LU>
#include <vector>

#include "sinew/io/csv/csv.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"
#include "sinew/state/trajectory.h"

namespace sinew {

namespace {

// What the numbers of one joint are called: along its freedoms, motion and force.
struct FreedomNames {
    std::vector<const char*> coordinates, forces;
};

FreedomNames freedomNames(JointType type)
{
    switch (type) {
        case JointType::hinge:
            return {{"angle"}, {"torque"}};
        case JointType::slide:
            return {{"offset"}, {"force"}};
        case JointType::universal:
            return {{"angle0", "angle1"}, {"torque0", "torque1"}};
        case JointType::spherical:
            return {{"angle0", "angle1", "angle2"}, {"torque0", "torque1", "torque2"}};
        case JointType::free:
            return {{"offset0", "offset1", "offset2", "angle0", "angle1", "angle2"},
                    {"force0", "force1", "force2", "torque0", "torque1", "torque2"}};
        case JointType::weld:
            break;
    }
    return {};
}

std::string headerLine(const std::vector<std::string>& columns)
{
    std::string text;
    for (const std::string& column : columns) text += (text.empty() ? "" : ",") + csvField(column);
    return text + '\n';
}

void appendNext(std::string& text, double number)
{
    text += ',';
    appendNumber(text, number);
}

void appendNext(std::string& text, const Vec3& numbers)
{
    for (double number : numbers) appendNext(text, number);
}

// The generalised force in the description's terms (on the second body), which is how the angles beside
// it are told. motorForce() goes the other way and is linear, so its matrix is found column by column.
Vec6 describedForce(const Model& model, const State& state, int link, const double* Q)
{
    const int k = model.joints[link].freedoms();
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6> map(k, k);
    for (int column = 0; column < k; ++column) {
        Vec6 unit = Vec6::Zero(), image = Vec6::Zero();
        unit[column] = 1;
        motorForce(model, state, link, unit.data(), image.data());
        map.col(column) = image.head(k);
    }
    Vec6 result = Vec6::Zero();
    if (k > 0) result.head(k) = map.partialPivLu().solve(Eigen::Map<const VecX>(Q, k));
    return result;
}

}  // namespace

std::vector<std::string> trajectoryColumns(const Model& model)
{
    std::vector<std::string> columns{"time"};
    for (int body : model.bodyOrder) {
        for (const char* part : {"px", "py", "pz", "qx", "qy", "qz", "qw"})
            columns.push_back(model.bodies[body].name + '.' + part);
    }
    return columns;
}

std::string trajectoryHeader(const Model& model)
{
    return headerLine(trajectoryColumns(model));
}

void appendTrajectoryRow(const Model& model, const State& state, std::string& text)
{
    const Frame frame = recordFrame(model, state);
    appendNumber(text, frame.time);
    for (const Pose& pose : frame.bodies) {
        appendNext(text, pose.position);
        for (double part : pose.orientation.coeffs()) appendNext(text, part);  // stored x, y, z, w
    }
    text += '\n';
}

std::vector<std::string> seriesColumns(const Model& model)
{
    std::vector<std::string> columns{"time", "kinetic", "potential",   "elastic", "total",
                                     "px",   "py",      "pz",          "lx",      "ly",
                                     "lz",   "gap",     "misalignment"};
    for (int link : model.jointOrder) {
        const Joint& joint = model.joints[link];
        const FreedomNames names = freedomNames(joint.type);
        const auto add = [&](const char* part) { columns.push_back(joint.name + '.' + part); };
        for (const char* part : names.coordinates) add(part);
        for (const char* part : names.forces) add(part);
        for (const char* part : {"fx", "fy", "fz", "tx", "ty", "tz"}) add(part);
    }
    return columns;
}

std::string seriesHeader(const Model& model)
{
    return headerLine(seriesColumns(model));
}

void appendSeriesRow(const Model& model, const State& state, const Forces& forces,
                     const Accelerations& accelerations, std::string& text)
{
    const Energy e = energy(model, state);
    const Momentum p = momentum(model, state);
    const JointError error = largestJointError(model, state);
    appendNumber(text, state.time);
    for (double number : {e.kinetic, e.potential, e.elastic, e.total()}) appendNext(text, number);
    appendNext(text, p.linear);
    appendNext(text, p.angular);
    appendNext(text, error.gap);
    appendNext(text, error.misalignment);
    for (int link : model.jointOrder) {
        const Joint& joint = model.joints[link];
        Vec6 coordinate = Vec6::Zero();
        describedCoordinate(model, state, link, coordinate.data());
        const Vec6 force = describedForce(model, state, link, forces.joint.data() + joint.u);
        for (int i = 0; i < joint.freedoms(); ++i) appendNext(text, coordinate[i]);
        for (int i = 0; i < joint.freedoms(); ++i) appendNext(text, force[i]);
        appendNext(text, accelerations.load[link].force);
        appendNext(text, accelerations.load[link].torque);
    }
    text += '\n';
}

}  // namespace sinew
