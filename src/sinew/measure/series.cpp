#include "sinew/measure/series.h"

#include "sinew/measure/energy.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/trajectory.h"

namespace sinew {

namespace {

// What the numbers of one joint are called, those that slide and those that turn: numbered where there are
// several.
void appendFreedomNames(const Joint& joint, const char* slide, const char* turn,
                        std::vector<std::string>& names)
{
    const auto add = [&](const char* part, int count) {
        for (int i = 0; i < count; ++i)
            names.push_back(joint.name + '.' + part + (count > 1 ? std::to_string(i) : ""));
    };
    add(slide, joint.slides());
    add(turn, joint.turns());
}

// The generalised force in the description's terms (on the second body), which is how the angles beside
// it are told. motorForce() goes the other way and is a rotation or an exchange: its transpose leads back.
Vec6 describedForce(const Model& model, const State& state, int link, const double* Q)
{
    const int k = model.joints[link].freedoms();
    Vec6 result = Vec6::Zero();
    for (int column = 0; column < k; ++column) {
        Vec6 unit = Vec6::Zero(), image = Vec6::Zero();
        unit[column] = 1;
        motorForce(model, state, link, unit.data(), image.data());
        for (int i = 0; i < k; ++i) result[column] += image[i] * Q[i];
    }
    return result;
}

// A free joint's drive is told of its body.
bool hasDrive(const Joint& joint)
{
    return joint.prescribed >= 0 && !joint.isFree();
}

void append(std::vector<double>& row, const Vec3& numbers)
{
    row.insert(row.end(), numbers.begin(), numbers.end());
}

}  // namespace

std::vector<std::string> poseNames(const Model& model)
{
    std::vector<std::string> names;
    for (int body : model.bodyOrder)
        for (const char* part : {"px", "py", "pz", "qx", "qy", "qz", "qw"})
            names.push_back(model.bodies[body].name + '.' + part);
    return names;
}

std::vector<std::string> velocityNames(const Model& model)
{
    std::vector<std::string> names;
    for (int body : model.bodyOrder)
        for (const char* part : {"vx", "vy", "vz", "wx", "wy", "wz"})
            names.push_back(model.bodies[body].name + '.' + part);
    return names;
}

std::vector<std::string> seriesNames(const Model& model)
{
    std::vector<std::string> names{"kinetic", "potential", "elastic", "total", "px",  "py",
                                   "pz",      "lx",        "ly",      "lz",    "gap", "misalignment"};
    for (int link : model.jointOrder) {
        const Joint& joint = model.joints[link];
        const auto add = [&](const char* part) { names.push_back(joint.name + '.' + part); };
        appendFreedomNames(joint, "offset", "angle", names);
        appendFreedomNames(joint, "force", "torque", names);
        for (const char* part : {"fx", "fy", "fz", "tx", "ty", "tz"}) add(part);
        if (!hasDrive(joint)) continue;
        const int k = joint.freedoms();
        for (int i = 0; i < k; ++i) add(k == 1 ? "drive" : ("drive" + std::to_string(i)).c_str());
    }
    for (const Prescription& given : model.prescribed) {
        if (!model.joints[given.joint].isFree()) continue;
        for (const char* part : {"drive_fx", "drive_fy", "drive_fz", "drive_tx", "drive_ty", "drive_tz"})
            names.push_back(model.bodies[given.joint].name + '.' + part);
    }
    return names;
}

void appendPoses(const Model& model, const State& state, std::vector<double>& row)
{
    for (int body : model.bodyOrder) {
        const Pose pose = describedPose(model, state, body);
        append(row, pose.position);
        for (double part : pose.orientation.coeffs()) row.push_back(part);  // stored x, y, z, w
    }
}

void appendVelocities(const Model& model, const State& state, std::vector<double>& row)
{
    for (int body : model.bodyOrder) {
        const BodyState& b = state.bodies[body];
        const Vec3 turning = b.angularVelocityWorld();
        append(row, b.velocity - turning.cross(b.orientation * model.bodies[body].center));
        append(row, turning);
    }
}

void appendMeasures(const Model& model, const State& state, std::vector<double>& row)
{
    const Energy e = energy(model, state);
    const Momentum p = momentum(model, state);
    const JointError error = largestJointError(model, state);
    row.insert(row.end(), {e.kinetic, e.potential, e.elastic, e.total()});
    append(row, p.linear);
    append(row, p.angular);
    row.insert(row.end(), {error.gap, error.misalignment});
}

void appendSeries(const Model& model, const State& state, const Forces& forces,
                  const Accelerations& accelerations, std::vector<double>& row)
{
    appendMeasures(model, state, row);
    for (int link : model.jointOrder) {
        const Joint& joint = model.joints[link];
        Vec6 coordinate = Vec6::Zero();
        describedCoordinate(model, state, link, coordinate.data());
        const Vec6 force = describedForce(model, state, link, forces.joint.data() + joint.u);
        row.insert(row.end(), coordinate.begin(), coordinate.begin() + joint.freedoms());
        row.insert(row.end(), force.begin(), force.begin() + joint.freedoms());
        append(row, accelerations.load[link].force);
        append(row, accelerations.load[link].torque);
        if (!hasDrive(joint)) continue;
        const Vec6 drive = describedForce(model, state, link, accelerations.drive.data() + joint.u);
        row.insert(row.end(), drive.begin(), drive.begin() + joint.freedoms());
    }
    for (const Prescription& given : model.prescribed) {
        const Joint& joint = model.joints[given.joint];
        if (!joint.isFree()) continue;
        append(row, accelerations.drive.segment<3>(joint.u));
        append(row,
               state.bodies[given.joint].orientation * Vec3(accelerations.drive.segment<3>(joint.u + 3)));
    }
}

}  // namespace sinew
