#include "sinew/force/drives.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/state/joint_drives.h"
#include "sinew/state/triggers.h"

namespace sinew {
namespace {

constexpr double slipSpeed = 1e-3;  // rad/s, or lengths of the figure a second: ε of dry friction
// How far beyond free play its damping fades out, in parts of the zone.
constexpr double freeFade = 0.1;

using Part = TorqueDescription::Part;

// A joint at a state, and where what drives it adds up.
struct Adding {
    const Joint& joint;
    const double* q;
    const double* u;
    double time;
    double* Q;              // or null
    JointTangent* tangent;  // or null

    int freedoms() const { return joint.freedoms(); }
    bool isBall() const { return joint.isBall(); }
    Vec3 velocity() const
    {
        Vec3 v = Vec3::Zero();
        for (int i = 0; i < freedoms(); ++i) v[i] = u[i];
        return v;
    }
    void add(const Vec3& force, const Mat3& stiffness, const Mat3& damping) const
    {
        for (int i = 0; Q && i < freedoms(); ++i) Q[i] += force[i];
        if (!tangent) return;
        tangent->stiffness += stiffness;
        tangent->damping += damping;
    }
};

// How much of the damping in free play acts at x: all inside, fading just outside.
double inFreePlay(const TorqueFunction& function, double x)
{
    const double fade = freeFade * (function.freeUpper - function.freeLower);
    const double beyond = std::max({function.freeLower - x, x - function.freeUpper, 0.});
    return fade > 0 ? std::max(1 - beyond / fade, 0.) : 0;
}

// ---- torque functions -----------------------------------------------------------------------------

void addFunction(const TorqueFunction& function, bool active, const Adding& to)
{
    Vec3 force = Vec3::Zero();
    Mat3 stiffness = Mat3::Zero(), damping = Mat3::Zero();
    if (to.isBall()) {
        const FromCenter from = fromCenter(to.joint, function, to.q, to.time);
        const bool swings = function.part == Part::swing;
        const double x = swings ? from.angles.swing : from.angles.twist;
        const double first = -function.curve.torque(x), second = -function.curve.slope(x);
        const SwingTwistSlope slope =
            swings ? SwingTwistSlope{first, second, 0, 0} : SwingTwistSlope{0, 0, first, second};
        if (active) {
            force = -swingTwistGradient(from.rotation, from.axis, slope);
            if (to.tangent) stiffness = swingTwistHessian(from.rotation, from.axis, slope);
        }
        const Mat3 along = from.axis * from.axis.transpose();
        damping = function.freeDamping * inFreePlay(function, x) *
                  (swings ? Mat3(Mat3::Identity() - along) : along);
    } else {
        const int i = function.freedom;
        const double x = angleFromCenter(to.joint, function, to.q, to.time);
        if (active) {
            force[i] = function.curve.torque(x);
            stiffness(i, i) = -function.curve.slope(x);
        }
        damping(i, i) = function.freeDamping * inFreePlay(function, x);
    }
    to.add(force - damping * to.velocity(), stiffness, damping);
}

// ---- controllers ----------------------------------------------------------------------------------

void addController(const Controller& controller, const Adding& to)
{
    SpringForce drive = unlimitedForce(controller, to.joint, to.q, to.u, to.time);
    drive.limit(controller.limit);
    to.add(drive.force, drive.stiffness, drive.damping);
}

// ---- dry friction ---------------------------------------------------------------------------------

void addDryFriction(const Model& model, const Adding& to)
{
    const Vec3 u = to.velocity();
    const double speed = drySpeed(model, to.joint, u);
    const double c = to.joint.coulomb / speed;
    to.add(-c * u, Mat3::Zero(), c * (Mat3::Identity() - u * u.transpose() / (speed * speed)));
}

void addAll(const Model& model, bool active, const Adding& to)
{
    if (to.joint.coulomb > 0) addDryFriction(model, to);
    if (to.joint.drives < 0) return;
    const JointDrives& drives = model.drives[to.joint.drives];
    for (const TorqueFunction& function : drives.functions) addFunction(function, active, to);
    if (!active) return;
    for (const Controller& controller : drives.controllers) addController(controller, to);
}

Adding at(const Model& model, const State& state, int link, double* Q, JointTangent* tangent)
{
    const Joint& joint = model.joints[link];
    return {joint, state.q.data() + joint.q, state.u.data() + joint.u, state.time, Q, tangent};
}

}  // namespace

void addDriveForce(const Model& model, const State& state, int link, bool active, double* Q)
{
    addAll(model, active, at(model, state, link, Q, nullptr));
}

void addDriveTangent(const Model& model, const State& state, int link, bool active, JointTangent& tangent)
{
    addAll(model, active, at(model, state, link, nullptr, &tangent));
}

SpringForce unlimitedForce(const Controller& controller, const Joint& joint, const double* q,
                           const double* u, double time)
{
    const double weight = weightAt(controller.weight, time);
    const double k = weight * controller.stiffness, d = weight * controller.damping;
    const TrackingError error = trackingError(controller, joint, q, u, time);
    return {-k * error.position - d * error.velocity, k * error.positionSlope + d * error.velocitySlope,
            d * Mat3::Identity()};
}

double drySpeed(const Model& model, const Joint& joint, const Vec3& u)
{
    const double slow = slipSpeed * model.freedomUnits[joint.u];
    return std::sqrt(u.squaredNorm() + slow * slow);
}

Vec6 motorTorque(const Model& model, const State& state, int link)
{
    const Joint& joint = model.joints[link];
    Vec6 torque = joint.motor;
    if (joint.drives < 0) return torque;
    for (const Motor& motor : model.drives[joint.drives].motors) {
        const TriggerState trigger = triggerState(model, state, motor.trigger);
        if (!trigger.on) continue;
        for (std::size_t i = 0; i < motor.torque.size(); ++i)
            torque[static_cast<int>(i)] += motor.torque[i].at(state.time - trigger.since).value;
    }
    return torque;
}

bool isPassive(const JointDrives& drives)
{
    const auto stands = [](const Signal& signal) { return signal.isConstant(); };
    const auto stand = [&](const std::vector<Signal>& signals) {
        return std::all_of(signals.begin(), signals.end(), stands);
    };
    if (!drives.motors.empty()) return false;
    for (const TorqueFunction& function : drives.functions)
        if (!stand(function.center)) return false;
    for (const Controller& controller : drives.controllers)
        if (!stand(controller.target) || controller.weight || std::isfinite(controller.limit)) return false;
    return true;
}

}  // namespace sinew
