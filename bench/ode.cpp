// ODE: bodies and constraints, solved directly (dWorldStep) or by iteration (dWorldQuickStep). Springs are
// angular motors whose stops are soft: ODE's manual gives ERP and CFM for a spring and damper, which makes
// them implicit.
#include <ode/ode.h>

#include <cmath>
#include <mutex>

#include "harness.h"
#include "sinew/math/rotation.h"

namespace sinew::bench {
namespace {

class OdeChain : public ChainEngine {
public:
    OdeChain(const ChainCase& chain, double h, bool quick) : model_(chain.model), h_(h), quick_(quick)
    {
        static std::once_flag once;
        std::call_once(once, [] { dInitODE2(0); });
        world_ = dWorldCreate();
        const Vec3& g = model_.gravity;
        dWorldSetGravity(world_, g.x(), g.y(), g.z());
        for (int i = 0; i < model_.size(); ++i) addLink(model_.bodies[i], model_.joints[i]);
    }
    ~OdeChain() override { dWorldDestroy(world_); }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) {
            if (!motors_.empty()) setMotorAngles();
            const int went = quick_ ? dWorldQuickStep(world_, h_) : dWorldStep(world_, h_);
            if (!went) return false;
        }
        return true;
    }

    void read(LargeVector<BodyState>& bodies) override
    {
        for (int i = 0; i < model_.size(); ++i) {
            BodyState& b = bodies[i];
            b.position = vector(dBodyGetPosition(bodies_[i]));
            b.orientation = orientation(i);
            b.velocity = vector(dBodyGetLinearVel(bodies_[i]));
            b.angularVelocity = b.orientation.conjugate() * vector(dBodyGetAngularVel(bodies_[i]));
        }
    }

private:
    static Vec3 vector(const dReal* v) { return {v[0], v[1], v[2]}; }
    Quat orientation(int body) const
    {
        if (body < 0) return Quat::Identity();
        const dReal* q = dBodyGetQuaternion(bodies_[body]);
        return {q[0], q[1], q[2], q[3]};
    }

    void addLink(const Body& link, const Joint& joint)
    {
        const dBodyID body = dBodyCreate(world_);
        dMass mass;
        const Mat3& I = link.inertia;
        dMassSetParameters(&mass, link.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
        dBodySetMass(body, &mass);
        const Vec3& p = link.rest.position;
        const Quat& r = link.rest.orientation;
        dBodySetPosition(body, p.x(), p.y(), p.z());
        const dQuaternion q = {r.w(), r.x(), r.y(), r.z()};
        dBodySetQuaternion(body, q);
        bodies_.push_back(body);

        const dBodyID parent = joint.parent < 0 ? nullptr : bodies_[joint.parent];
        const dJointID ball = dJointCreateBall(world_, nullptr);
        dJointAttach(ball, body, parent);
        const Vec3 anchor = link.rest * joint.anchorChild;
        dJointSetBallAnchor(ball, anchor.x(), anchor.y(), anchor.z());
        if (joint.stiffness > 0) addMotor(body, parent, joint, r);
    }

    // Three soft stops at angle zero, along the child's axes. The angles are the rotation vector's
    // components.
    void addMotor(dBodyID body, dBodyID parent, const Joint& joint, const Quat& rest)
    {
        const dJointID motor = dJointCreateAMotor(world_, nullptr);
        dJointAttach(motor, body, parent);
        dJointSetAMotorMode(motor, dAMotorUser);
        dJointSetAMotorNumAxes(motor, 3);
        const double soft = h_ * joint.stiffness + joint.damping;
        constexpr int group[3] = {0, dParamGroup2, dParamGroup3};
        for (int k = 0; k < 3; ++k) {
            const Vec3 axis = rest * Vec3::Unit(k);
            dJointSetAMotorAxis(motor, k, 1, axis.x(), axis.y(), axis.z());
            dJointSetAMotorParam(motor, group[k] + dParamLoStop, 0);
            dJointSetAMotorParam(motor, group[k] + dParamHiStop, 0);
            dJointSetAMotorParam(motor, group[k] + dParamStopERP, h_ * joint.stiffness / soft);
            dJointSetAMotorParam(motor, group[k] + dParamStopCFM, 1 / soft);
        }
        motors_.push_back(motor);
    }

    void setMotorAngles()
    {
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const Quat R_PC = orientation(joint.parent).conjugate() * orientation(i);
            const Vec3 phi = logRotation(Quat(joint.R_PC_rest).conjugate() * R_PC);
            for (int k = 0; k < 3; ++k) dJointSetAMotorAngle(motors_[i], k, phi[k]);
        }
    }

    const Model& model_;
    double h_;
    bool quick_;
    dWorldID world_ = nullptr;
    std::vector<dBodyID> bodies_;
    std::vector<dJointID> motors_;
};

Variant variant(const char* name, bool quick, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [quick](const ChainCase& chain, double h) {
        return std::make_unique<OdeChain>(chain, h, quick);
    };
    return made;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    return runEngine(argc, argv,
                     {"ode",
                      ODE_VERSION,
                      {variant("ODE direct", false, "dWorldStep; springs are soft angular motors"),
                       variant("ODE QuickStep", true, "20 iterations; springs are soft angular motors")}});
}
