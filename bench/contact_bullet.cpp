// Bullet with contact, in double precision, nothing put to sleep: boxes as rigid bodies under sequential
// impulses, the figure as a btMultiBody. Its joints have no springs; users apply torques, or motors that
// are rows of the solver and lead each joint back by a part of its error in every step.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodySphericalJointMotor.h>
#include <btBulletDynamicsCommon.h>

#include "bullet_convert.h"
#include "contact_case.h"
#include "sinew/math/rotation.h"

namespace sinew::bench {
namespace {

std::unique_ptr<btCollisionShape> made(const Shape& shape)
{
    if (const Box* box = std::get_if<Box>(&shape))
        return std::make_unique<btBoxShape>(toBullet(Vec3(box->size / 2)));
    const Capsule& capsule = std::get<Capsule>(shape);
    return std::make_unique<btCapsuleShape>(capsule.radius, capsule.length);
}

// Of a pair Bullet takes the product.
void setFriction(btCollisionObject& object, double friction)
{
    object.setFriction(std::sqrt(friction));
}

constexpr int ground = -1;
// The ground is the top of a large block, as in Bullet's own examples: its plane shape finds fewer points.
constexpr double groundSize = 50;  // m, half of an edge

// Who may touch whom is the model's to say.
struct Filter : btOverlapFilterCallback {
    explicit Filter(const Model& scene) : model(scene) {}
    bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override
    {
        const int one = static_cast<btCollisionObject*>(a->m_clientObject)->getUserIndex();
        const int two = static_cast<btCollisionObject*>(b->m_clientObject)->getUserIndex();
        return one == ground || two == ground || model.mayCollide(one, two);
    }
    const Model& model;
};

// What the two kinds of worlds have in common.
class BulletContact : public ContactEngine {
public:
    int contacts() const override
    {
        int count = 0;
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
            count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
        return count;
    }

protected:
    explicit BulletContact(const ContactCase& scene)
        : scene_(scene),
          dispatcher_(&configuration_),
          block_(btVector3(groundSize, groundSize, groundSize)),
          filter_(scene.model)
    {
        ground_.setCollisionShape(&block_);
        ground_.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, -groundSize, 0)));
        ground_.setUserIndex(ground);
        setFriction(ground_, scene.friction);
        for (int i = 0; i < scene.model.size(); ++i) shapes_.push_back(made(shapeOf(scene, i)));
    }
    void start(btDiscreteDynamicsWorld& world, int iterations)
    {
        world.setGravity(toBullet(scene_.model.gravity));
        world.getSolverInfo().m_numIterations = iterations;
        world.addCollisionObject(&ground_, btBroadphaseProxy::StaticFilter);
        if (!scene_.model.silentPairs.empty())
            broadphase_.getOverlappingPairCache()->setOverlapFilterCallback(&filter_);
    }

    const ContactCase& scene_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btBoxShape block_;
    btCollisionObject ground_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    Filter filter_;
};

class BulletBoxes : public BulletContact {
public:
    BulletBoxes(const ContactCase& scene, int iterations)
        : BulletContact(scene), world_(&dispatcher_, &broadphase_, &solver_, &configuration_)
    {
        start(world_, iterations);
        for (int i = 0; i < scene.model.size(); ++i) {
            const Body& source = scene.model.bodies[i];
            btRigidBody::btRigidBodyConstructionInfo info(source.mass, nullptr, shapes_[i].get(),
                                                          toBullet(Vec3(source.inertia.diagonal())));
            info.m_startWorldTransform = toBullet(source.rest);
            bodies_.push_back(std::make_unique<btRigidBody>(info));
            bodies_[i]->setUserIndex(i);
            bodies_[i]->setActivationState(DISABLE_DEACTIVATION);
            setFriction(*bodies_[i], scene.friction);
            world_.addRigidBody(bodies_[i].get());
        }
    }
    ~BulletBoxes() override
    {
        for (const auto& body : bodies_) world_.removeRigidBody(body.get());
        world_.removeCollisionObject(&ground_);
    }

    bool step() override
    {
        world_.stepSimulation(scene_.step, 0);
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override
    {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            const btTransform& pose = bodies_[i]->getWorldTransform();
            BodyState& b = bodies[i];
            b.position = fromBullet(pose.getOrigin());
            b.orientation = fromBullet(pose.getRotation()).normalized();
            b.velocity = fromBullet(bodies_[i]->getLinearVelocity());
            b.angularVelocity = b.orientation.conjugate() * fromBullet(bodies_[i]->getAngularVelocity());
        }
    }

private:
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

struct FigureOptions {
    int iterations = 10;
    bool motors = true;  // otherwise the scene's springs as torques
    int substeps = 1;
};

// Body 0 of the model is the base, body i its link i − 1.
class BulletFigure : public BulletContact {
public:
    BulletFigure(const ContactCase& scene, const FigureOptions& options)
        : BulletContact(scene),
          options_(options),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
          figure_(scene.model.size() - 1, scene.model.bodies[0].mass,
                  toBullet(Vec3(scene.model.bodies[0].inertia.diagonal())), false, false)
    {
        start(world_, options.iterations);
        const Model& model = scene.model;
        figure_.setBaseWorldTransform(toBullet(model.bodies[0].rest));
        for (int i = 1; i < model.size(); ++i) {
            const Body& bone = model.bodies[i];
            const Joint& joint = model.joints[i];
            figure_.setupSpherical(i - 1, bone.mass, toBullet(Vec3(bone.inertia.diagonal())),
                                   joint.parent - 1, toBullet(Quat(joint.R_PC_rest).conjugate()),
                                   toBullet(joint.anchorParent), toBullet(Vec3(-joint.anchorChild)), true);
        }
        figure_.finalizeMultiDof();
        // What would change the physics: damping and a speed limit are on by default.
        figure_.setLinearDamping(0);
        figure_.setAngularDamping(0);
        figure_.setMaxCoordinateVelocity(1e10);
        figure_.setCanSleep(false);
        figure_.setHasSelfCollision(true);
        world_.addMultiBody(&figure_);
        for (int i = 0; i < model.size(); ++i) addCollider(i);
        for (int i = 1; i < model.size() && options.motors; ++i) addMotor(i - 1);
    }
    ~BulletFigure() override
    {
        for (const auto& motor : motors_) world_.removeMultiBodyConstraint(motor.get());
        for (const auto& collider : colliders_) world_.removeCollisionObject(collider.get());
        world_.removeMultiBody(&figure_);
        world_.removeCollisionObject(&ground_);
    }

    bool step() override
    {
        for (int i = 0; i < options_.substeps; ++i) {
            if (!options_.motors) applySprings();
            world_.stepSimulation(scene_.step / options_.substeps, 0);
        }
        return true;
    }

    void read(LargeVector<BodyState>& bodies) override
    {
        const int count = scene_.model.size();
        figure_.forwardKinematics(rotations_, origins_);
        omega_.resize(count);
        velocity_.resize(count);
        figure_.compTreeLinkVelocities(omega_.data(), velocity_.data());
        for (int i = 0; i < count; ++i) {
            const btTransform pose =
                i == 0 ? figure_.getBaseWorldTransform() : figure_.getLink(i - 1).m_cachedWorldTransform;
            BodyState& b = bodies[i];
            b.position = fromBullet(pose.getOrigin());
            b.orientation = fromBullet(pose.getRotation()).normalized();
            b.velocity = b.orientation * fromBullet(velocity_[i]);
            b.angularVelocity = fromBullet(omega_[i]);
        }
    }

private:
    void addCollider(int body)
    {
        auto collider = std::make_unique<btMultiBodyLinkCollider>(&figure_, body - 1);
        collider->setCollisionShape(shapes_[body].get());
        collider->setWorldTransform(toBullet(scene_.model.bodies[body].rest));
        collider->setUserIndex(body);
        collider->setActivationState(DISABLE_DEACTIVATION);
        setFriction(*collider, scene_.friction);
        world_.addCollisionObject(collider.get());
        if (body == 0)
            figure_.setBaseCollider(collider.get());
        else
            figure_.getLink(body - 1).m_collider = collider.get();
        colliders_.push_back(std::move(collider));
    }
    void addMotor(int link)
    {
        constexpr double mostImpulse = 100;  // N·m·s: never reached while it stands
        constexpr double part = 0.2;         // of the error in a step, as ERP elsewhere
        auto motor = std::make_unique<btMultiBodySphericalJointMotor>(&figure_, link, mostImpulse);
        motor->setPositionTarget(btQuaternion::getIdentity(), part);
        motor->setVelocityTarget(btVector3(0, 0, 0), 1);
        motor->finalizeMultiDof();
        world_.addMultiBodyConstraint(motor.get());
        motors_.push_back(std::move(motor));
    }
    void applySprings()
    {
        for (int i = 1; i < scene_.model.size(); ++i) {
            const Joint& joint = scene_.model.joints[i];
            const btScalar* q = figure_.getJointPosMultiDof(i - 1);
            const btScalar* u = figure_.getJointVelMultiDof(i - 1);
            const Vec3 phi = logRotation(Quat(q[3], q[0], q[1], q[2]));
            for (int k = 0; k < 3; ++k)
                figure_.addJointTorqueMultiDof(i - 1, k, -joint.stiffness * phi[k] - joint.damping * u[k]);
        }
    }

    FigureOptions options_;
    btMultiBodyConstraintSolver solver_;
    btMultiBodyDynamicsWorld world_;
    btMultiBody figure_;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
    std::vector<std::unique_ptr<btMultiBodySphericalJointMotor>> motors_;
    btAlignedObjectArray<btQuaternion> rotations_;
    btAlignedObjectArray<btVector3> origins_;
    std::vector<btVector3> omega_, velocity_;
};

ContactVariant boxes(const char* name, const char* about, int iterations)
{
    ContactVariant made;
    made.name = name;
    made.about = about;
    made.knows = [](const ContactCase& scene) { return !scene.isFigure; };
    made.make = [iterations](const ContactCase& scene) {
        return std::make_unique<BulletBoxes>(scene, iterations);
    };
    return made;
}
ContactVariant figure(const char* name, const char* about, const FigureOptions& options)
{
    ContactVariant made;
    made.name = name;
    made.about = about;
    made.knows = [](const ContactCase& scene) { return scene.isFigure; };
    made.make = [options](const ContactCase& scene) {
        return std::make_unique<BulletFigure>(scene, options);
    };
    return made;
}

}  // namespace

std::vector<ContactVariant> bulletContactVariants()
{
    return {
        boxes("Bullet", "sequential impulses, 10 iterations, its default", 10),
        boxes("Bullet, 50", "50 iterations", 50),
        figure("Bullet multibody, motors",
               "10 iterations; motors in the solver take a fifth of each joint's error in a step", {}),
        figure("Bullet multibody, motors, 500", "the same with 500 iterations", {500, true, 1}),
        figure("Bullet multibody, motors, 1/480 s", "10 iterations, eight steps to each one of the table",
               {10, true, 8}),
        figure("Bullet multibody, torques", "10 iterations; springs are applied joint torques",
               {10, false, 1}),
    };
}

}  // namespace sinew::bench
