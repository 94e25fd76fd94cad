// DART: joint coordinates, semi-implicit Euler, with the springs and dampers of its joints taken
// implicitly.
// Debian's dart/dart.hpp asks for a header that its package leaves out.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "step_engines.h"

namespace sinew::bench {
namespace {

namespace dd = dart::dynamics;

Eigen::Vector3d toDart(const Vec3& v)
{
    return {v.x(), v.y(), v.z()};
}
Eigen::Matrix3d toDart(const Mat3& m)
{
    Eigen::Matrix3d result;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) result(r, c) = m(r, c);
    return result;
}
Vec3 fromDart(const Eigen::Vector3d& v)
{
    return {v.x(), v.y(), v.z()};
}

class DartChain : public ChainEngine {
public:
    DartChain(const ChainCase& chain, double h)
        : model_(chain.model),
          world_(dart::simulation::World::create()),
          skeleton_(dd::Skeleton::create("chain"))
    {
        for (int i = 0; i < model_.size(); ++i) addLink(model_.bodies[i], model_.joints[i]);
        world_->setGravity(toDart(model_.gravity));
        world_->setTimeStep(h);
        world_->addSkeleton(skeleton_);
    }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) world_->step();
        return true;
    }

    void read(LargeVector<BodyState>& bodies) override
    {
        for (int i = 0; i < model_.size(); ++i) {
            const dd::BodyNode* node = nodes_[i];
            const Eigen::Isometry3d& pose = node->getWorldTransform();
            BodyState& b = bodies[i];
            b.position = fromDart(pose.translation());
            const Eigen::Quaterniond turn(pose.linear());
            b.orientation = Quat(turn.w(), turn.x(), turn.y(), turn.z()).normalized();
            b.velocity = fromDart(node->getCOMLinearVelocity());
            b.angularVelocity = b.orientation.conjugate() * fromDart(node->getAngularVelocity());
        }
    }

private:
    template <class Type>
    void add(const Body& link, const Joint& joint, typename Type::Properties made)
    {
        dd::BodyNode* parent = joint.parent < 0 ? nullptr : nodes_[joint.parent];
        made.mName = joint.name;
        made.mT_ParentBodyToJoint.translation() = toDart(joint.anchorParent);
        made.mT_ParentBodyToJoint.linear() = toDart(joint.R_PC_rest);
        made.mT_ChildBodyToJoint.translation() = toDart(joint.anchorChild);
        for (int k = 0; k < joint.freedoms(); ++k) {
            made.mSpringStiffnesses[k] = joint.stiffness;
            made.mDampingCoefficients[k] = joint.damping;
        }
        dd::BodyNode::Properties properties;
        properties.mName = link.name;
        properties.mInertia = dd::Inertia(link.mass, Eigen::Vector3d::Zero(), toDart(link.inertia));
        nodes_.push_back(skeleton_->createJointAndBodyNodePair<Type>(parent, made, properties).second);
    }
    void addLink(const Body& link, const Joint& joint)
    {
        if (joint.isFree()) return add<dd::FreeJoint>(link, joint, {});
        if (joint.isBall()) return add<dd::BallJoint>(link, joint, {});
        dd::RevoluteJoint::Properties hinge;
        hinge.mAxis = toDart(joint.axis);
        add<dd::RevoluteJoint>(link, joint, hinge);
    }

    const Model& model_;
    dart::simulation::WorldPtr world_;
    dd::SkeletonPtr skeleton_;
    std::vector<dd::BodyNode*> nodes_;
};

}  // namespace

std::unique_ptr<ChainEngine> makeDartChain(const ChainCase& chain, double h)
{
    return std::make_unique<DartChain>(chain, h);
}

}  // namespace sinew::bench
