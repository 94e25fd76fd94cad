// Bullet's btMultiBody: joint coordinates, semi-implicit Euler. It has no joint springs; users apply
// torques.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include "bullet_convert.h"
#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"
#include "step_engines.h"

namespace sinew::bench {
namespace {

class BulletChain : public ChainEngine {
public:
    BulletChain(const ChainCase& chain, double h)
        : model_(chain.model),
          h_(h),
          principal_(principalAxes(model_)),
          roots_(model_.joints[0].isFree() ? 1 : 0),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
          body_(model_.size() - roots_, roots_ ? model_.bodies[0].mass : 0, momentsOf(0), !roots_, false)
    {
        world_.setGravity(toBullet(model_.gravity));
        body_.setBaseWorldTransform(btTransform::getIdentity());
        if (roots_)
            body_.setBaseWorldTransform(toBullet(
                Pose{model_.bodies[0].rest.position, model_.bodies[0].rest.orientation * principal_[0]}));
        for (int i = roots_; i < model_.size(); ++i) addLink(i);
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
            const int link = i - roots_;
            const btTransform pose =
                link < 0 ? body_.getBaseWorldTransform() : body_.getLink(link).m_cachedWorldTransform;
            BodyState& b = bodies[i];
            const Quat own = fromBullet(pose.getRotation()).normalized();
            b.position = fromBullet(pose.getOrigin());
            b.orientation = own * principal_[i].conjugate();
            b.velocity = own * fromBullet(velocity_[link + 1]);
            b.angularVelocity = principal_[i] * fromBullet(omega_[link + 1]);
        }
    }

private:
    // Bullet's inertias are along the axes of its links: those are the principal ones.
    static std::vector<Quat> principalAxes(const Model& model)
    {
        std::vector<Quat> axes;
        for (const Body& body : model.bodies) {
            const Mat3& I = body.inertia;
            const bool isDiagonal = I == Mat3(I.diagonal().asDiagonal());
            Mat3 V = isDiagonal ? Mat3(Mat3::Identity()) : SymmetricEigen3(I).eigenvectors();
            if (V.determinant() < 0) V.col(0) = -V.col(0);
            axes.push_back(Quat(V).normalized());
        }
        return axes;
    }
    btVector3 momentsOf(int i) const
    {
        const Mat3 V = principal_[i].toRotationMatrix();
        return toBullet(Vec3(Mat3(V.transpose() * model_.bodies[i].inertia * V).diagonal()));
    }
    void addLink(int i)
    {
        const Joint& joint = model_.joints[i];
        const Quat back = principal_[i].conjugate();
        const Quat parents = joint.parent < 0 ? Quat::Identity() : principal_[joint.parent];
        const btQuaternion turn = toBullet(Quat(back * Quat(joint.R_PC_rest).conjugate() * parents));
        const btVector3 before = toBullet(Vec3(parents.conjugate() * joint.anchorParent));
        const btVector3 after = toBullet(Vec3(back * Vec3(-joint.anchorChild)));
        const double mass = model_.bodies[i].mass;
        const int link = i - roots_, parent = joint.parent - roots_;
        if (joint.isBall())
            body_.setupSpherical(link, mass, momentsOf(i), parent, turn, before, after, true);
        else
            body_.setupRevolute(link, mass, momentsOf(i), parent, turn, toBullet(Vec3(back * joint.axis)),
                                before, after, true);
        hasSprings_ = hasSprings_ || joint.stiffness > 0 || joint.damping > 0;
    }
    void applySprings()
    {
        for (int i = roots_; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const int link = i - roots_;
            const btScalar* q = body_.getJointPosMultiDof(link);
            const btScalar* u = body_.getJointVelMultiDof(link);
            if (!joint.isBall()) {
                body_.addJointTorque(link, -joint.stiffness * q[0] - joint.damping * u[0]);
                continue;
            }
            const Vec3 phi = logRotation(Quat(q[3], q[0], q[1], q[2]));
            for (int k = 0; k < 3; ++k)
                body_.addJointTorqueMultiDof(link, k, -joint.stiffness * phi[k] - joint.damping * u[k]);
        }
    }

    const Model& model_;
    double h_;
    bool hasSprings_ = false;
    std::vector<Quat> principal_;
    int roots_;  // 1: the base is a body, and links are numbered from the next one
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

std::unique_ptr<ChainEngine> makeBulletChain(const ChainCase& chain, double h)
{
    return std::make_unique<BulletChain>(chain, h);
}

}  // namespace sinew::bench
