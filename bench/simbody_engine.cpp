// Simbody behind the interface of all (simbody_chain.h says why there are two files).
#include "simbody_chain.h"
#include "sinew/math/rotation.h"
#include "step_engines.h"

namespace sinew::bench {
namespace {

Vec3 vectorOf(const double (&v)[3])
{
    return {v[0], v[1], v[2]};
}

std::vector<SimbodyLink> linksOf(const Model& model)
{
    std::vector<SimbodyLink> links;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        SimbodyLink link;
        link.parent = joint.parent;
        link.mass = model.bodies[i].mass;
        link.stiffness = joint.stiffness;
        link.damping = joint.damping;
        link.isHinge = !joint.isBall();
        const Mat3 turned =
            rotationBetween(Vec3::UnitZ(), link.isHinge ? joint.axis : Vec3::UnitZ()).toRotationMatrix();
        for (int row = 0; row < 3; ++row) {
            link.anchorParent[row] = joint.anchorParent[row];
            link.anchorChild[row] = joint.anchorChild[row];
            for (int column = 0; column < 3; ++column) {
                link.inertia[3 * row + column] = model.bodies[i].inertia(row, column);
                link.R_PC_rest[3 * row + column] = joint.R_PC_rest(row, column);
                link.axes[3 * row + column] = turned(row, column);
            }
        }
        links.push_back(link);
    }
    return links;
}

class SimbodyEngine : public ChainEngine {
public:
    SimbodyEngine(const ChainCase& chain, double h, SimbodyMethod method)
        : h_(h), chain_(linksOf(chain.model), chain.model.gravity.data(), h, method)
    {
    }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) chain_.stepTo(h_ * static_cast<double>(++done_));
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override
    {
        chain_.read(poses_);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const SimbodyPose& pose = poses_[i];
            BodyState& b = bodies[i];
            b.position = vectorOf(pose.position);
            b.orientation =
                Quat(pose.orientation[0], pose.orientation[1], pose.orientation[2], pose.orientation[3]);
            b.velocity = vectorOf(pose.velocity);
            b.angularVelocity = b.orientation.conjugate() * vectorOf(pose.angularVelocity);
        }
    }
    long iterations() const override { return chain_.stepsTaken(); }

private:
    double h_;
    long done_ = 0;
    SimbodyChain chain_;
    std::vector<SimbodyPose> poses_;
};

}  // namespace

std::unique_ptr<ChainEngine> makeSimbodyChain(const ChainCase& chain, double h, SimbodyMethod method)
{
    return std::make_unique<SimbodyEngine>(chain, h, method);
}

}  // namespace sinew::bench
