// DART: joint coordinates, semi-implicit Euler, with the springs and dampers of its joints taken
// implicitly.
// Debian's dart/dart.hpp asks for a header that its package leaves out.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "harness.h"

namespace sinew::bench {
namespace {

namespace dd = dart::dynamics;

class DartChain : public ChainEngine {
public:
    DartChain(const ChainCase& chain, double h)
        : model_(chain.model),
          world_(dart::simulation::World::create()),
          skeleton_(dd::Skeleton::create("chain"))
    {
        for (int i = 0; i < model_.size(); ++i) addLink(model_.bodies[i], model_.joints[i]);
        world_->setGravity(model_.gravity);
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
            b.position = pose.translation();
            b.orientation = Quat(Mat3(pose.linear())).normalized();
            b.velocity = node->getCOMLinearVelocity();
            b.angularVelocity = b.orientation.conjugate() * node->getAngularVelocity();
        }
    }

private:
    void addLink(const Body& link, const Joint& joint)
    {
        dd::BodyNode* parent = joint.parent < 0 ? nullptr : nodes_[joint.parent];
        dd::BallJoint::Properties ball;
        ball.mName = joint.name;
        ball.mT_ParentBodyToJoint.translation() = joint.anchorParent;
        ball.mT_ParentBodyToJoint.linear() = joint.R_PC_rest;
        ball.mT_ChildBodyToJoint.translation() = joint.anchorChild;
        for (int k = 0; k < 3; ++k) {
            ball.mSpringStiffnesses[k] = joint.stiffness;
            ball.mDampingCoefficients[k] = joint.damping;
        }
        const Mat3& I = link.inertia;
        dd::BodyNode::Properties properties;
        properties.mName = link.name;
        properties.mInertia = dd::Inertia(link.mass, Vec3::Zero(), I);
        nodes_.push_back(
            skeleton_->createJointAndBodyNodePair<dd::BallJoint>(parent, ball, properties).second);
    }

    const Model& model_;
    dart::simulation::WorldPtr world_;
    dd::SkeletonPtr skeleton_;
    std::vector<dd::BodyNode*> nodes_;
};

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    Variant variant;
    variant.name = "DART";
    variant.about = "BallJoint with its own spring stiffness and damping coefficients, taken implicitly";
    variant.make = [](const ChainCase& chain, double h) { return std::make_unique<DartChain>(chain, h); };
    return runEngine(argc, argv, {"dart", DART_VERSION, {variant}});
}
