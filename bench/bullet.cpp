// Bullet's btMultiBody: joint coordinates, semi-implicit Euler. It has no joint springs; users apply
// torques.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include "bullet_convert.h"
#include "harness.h"
#include "sinew/math/rotation.h"

namespace sinew::bench {
namespace {

class BulletChain : public ChainEngine {
public:
    BulletChain(const ChainCase& chain, double h)
        : model_(chain.model),
          h_(h),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
          body_(model_.size(), 0, btVector3(0, 0, 0), true, false)
    {
        world_.setGravity(toBullet(model_.gravity));
        body_.setBaseWorldTransform(btTransform::getIdentity());
        for (int i = 0; i < model_.size(); ++i) {
            const Body& link = model_.bodies[i];
            const Joint& joint = model_.joints[i];
            const Quat R_CP = Quat(joint.R_PC_rest).conjugate();
            body_.setupSpherical(i, link.mass, toBullet(link.inertia.diagonal()), joint.parent,
                                 toBullet(R_CP), toBullet(joint.anchorParent),
                                 toBullet(Vec3(-joint.anchorChild)), true);
            hasSprings_ = hasSprings_ || joint.stiffness > 0 || joint.damping > 0;
        }
        body_.finalizeMultiDof();
        // What would change the physics: damping and a speed limit are on by default.
        body_.setLinearDamping(0);
        body_.setAngularDamping(0);
        body_.setMaxCoordinateVelocity(1e10);
        body_.setCanSleep(false);
        world_.addMultiBody(&body_);
    }
    ~BulletChain() override { world_.removeMultiBody(&body_); }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) {
            if (hasSprings_) applySprings();
            world_.stepSimulation(h_, 0);
        }
        return true;
    }

    void read(LargeVector<BodyState>& bodies) override
    {
        body_.forwardKinematics(rotations_, origins_);
        omega_.resize(model_.size() + 1);
        velocity_.resize(model_.size() + 1);
        body_.compTreeLinkVelocities(omega_.data(), velocity_.data());
        for (int i = 0; i < model_.size(); ++i) {
            const btTransform& pose = body_.getLink(i).m_cachedWorldTransform;
            BodyState& b = bodies[i];
            b.position = fromBullet(pose.getOrigin());
            b.orientation = fromBullet(pose.getRotation()).normalized();
            b.velocity = b.orientation * fromBullet(velocity_[i + 1]);
            b.angularVelocity = fromBullet(omega_[i + 1]);
        }
    }

private:
    void applySprings()
    {
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const btScalar* q = body_.getJointPosMultiDof(i);
            const btScalar* u = body_.getJointVelMultiDof(i);
            const Vec3 phi = logRotation(Quat(q[3], q[0], q[1], q[2]));
            for (int k = 0; k < 3; ++k)
                body_.addJointTorqueMultiDof(i, k, -joint.stiffness * phi[k] - joint.damping * u[k]);
        }
    }

    const Model& model_;
    double h_;
    bool hasSprings_ = false;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btMultiBodyConstraintSolver solver_;
    btMultiBodyDynamicsWorld world_;
    btMultiBody body_;
    btAlignedObjectArray<btQuaternion> rotations_;
    btAlignedObjectArray<btVector3> origins_;
    std::vector<btVector3> omega_, velocity_;
};

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    const int version = btGetVersion();
    Variant multibody;
    multibody.name = "Bullet multibody";
    multibody.about = "btMultiBody in double precision; springs are applied joint torques";
    multibody.make = [](const ChainCase& chain, double h) {
        return std::make_unique<BulletChain>(chain, h);
    };
    return runEngine(
        argc, argv,
        {"bullet", std::to_string(version / 100) + "." + std::to_string(version % 100), {multibody}});
}
