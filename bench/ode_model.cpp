#include "ode_model.h"

#include <mutex>

#include "sinew/math/rotation.h"

namespace sinew::bench {
namespace {

Vec3 vector(const dReal* v)
{
    return {v[0], v[1], v[2]};
}

}  // namespace

OdeModel::OdeModel(const Model& model, double h) : model_(model), h_(h)
{
    static std::once_flag once;
    std::call_once(once, [] { dInitODE2(0); });
    world = dWorldCreate();
    const Vec3& g = model.gravity;
    dWorldSetGravity(world, g.x(), g.y(), g.z());
    for (int i = 0; i < model.size(); ++i) addLink(model.bodies[i], model.joints[i]);
}

OdeModel::~OdeModel()
{
    dWorldDestroy(world);
}

void OdeModel::read(LargeVector<BodyState>& states) const
{
    for (int i = 0; i < model_.size(); ++i) {
        BodyState& b = states[i];
        b.position = vector(dBodyGetPosition(bodies[i]));
        b.orientation = orientation(i);
        b.velocity = vector(dBodyGetLinearVel(bodies[i]));
        b.angularVelocity = b.orientation.conjugate() * vector(dBodyGetAngularVel(bodies[i]));
    }
}

Quat OdeModel::orientation(int body) const
{
    if (body < 0) return Quat::Identity();
    const dReal* q = dBodyGetQuaternion(bodies[body]);
    return {q[0], q[1], q[2], q[3]};
}

void OdeModel::addLink(const Body& link, const Joint& joint)
{
    const dBodyID body = dBodyCreate(world);
    dMass mass;
    const Mat3& I = link.inertia;
    dMassSetParameters(&mass, link.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    dBodySetMass(body, &mass);
    const Vec3& p = link.rest.position;
    const Quat& r = link.rest.orientation;
    dBodySetPosition(body, p.x(), p.y(), p.z());
    const dQuaternion q = {r.w(), r.x(), r.y(), r.z()};
    dBodySetQuaternion(body, q);
    bodies.push_back(body);
    if (joint.type == JointType::free) return;

    const dBodyID parent = joint.parent < 0 ? nullptr : bodies[joint.parent];
    const dJointID ball = dJointCreateBall(world, nullptr);
    dJointAttach(ball, body, parent);
    const Vec3 anchor = link.rest * joint.anchorChild;
    dJointSetBallAnchor(ball, anchor.x(), anchor.y(), anchor.z());
    if (joint.stiffness > 0) addMotor(static_cast<int>(bodies.size()) - 1, parent, joint);
}

// Three soft stops at angle zero, along the child's axes. The angles are the rotation vector's components.
void OdeModel::addMotor(int link, dBodyID parent, const Joint& joint)
{
    const dJointID motor = dJointCreateAMotor(world, nullptr);
    dJointAttach(motor, bodies[link], parent);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, 3);
    const double soft = h_ * joint.stiffness + joint.damping;
    constexpr int group[3] = {0, dParamGroup2, dParamGroup3};
    for (int k = 0; k < 3; ++k) {
        const Vec3 axis = model_.bodies[link].rest.orientation * Vec3::Unit(k);
        dJointSetAMotorAxis(motor, k, 1, axis.x(), axis.y(), axis.z());
        dJointSetAMotorParam(motor, group[k] + dParamLoStop, 0);
        dJointSetAMotorParam(motor, group[k] + dParamHiStop, 0);
        dJointSetAMotorParam(motor, group[k] + dParamStopERP, h_ * joint.stiffness / soft);
        dJointSetAMotorParam(motor, group[k] + dParamStopCFM, 1 / soft);
    }
    motors_.push_back({link, motor});
}

void OdeModel::setMotorAngles()
{
    for (const Motor& motor : motors_) {
        const Joint& joint = model_.joints[motor.link];
        const Quat R_PC = orientation(joint.parent).conjugate() * orientation(motor.link);
        const Vec3 phi = logRotation(Quat(joint.R_PC_rest).conjugate() * R_PC);
        for (int k = 0; k < 3; ++k) dJointSetAMotorAngle(motor.id, k, phi[k]);
    }
}

}  // namespace sinew::bench
