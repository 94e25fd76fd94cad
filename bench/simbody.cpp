// Simbody: joint coordinates and integrators with error control, at their default accuracy. Springs are one
// custom force that pushes along the mobilities.
#include "harness.h"
#include "simbody_chain.h"

namespace sinew::bench {
namespace {

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
        for (int row = 0; row < 3; ++row) {
            link.anchorParent[row] = joint.anchorParent[row];
            link.anchorChild[row] = joint.anchorChild[row];
            for (int column = 0; column < 3; ++column) {
                link.inertia[3 * row + column] = model.bodies[i].inertia(row, column);
                link.R_PC_rest[3 * row + column] = joint.R_PC_rest(row, column);
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
            b.position = Vec3(pose.position);
            b.orientation =
                Quat(pose.orientation[0], pose.orientation[1], pose.orientation[2], pose.orientation[3]);
            b.velocity = Vec3(pose.velocity);
            b.angularVelocity = b.orientation.conjugate() * Vec3(pose.angularVelocity);
        }
    }
    long iterations() const override { return chain_.stepsTaken(); }

private:
    double h_;
    long done_ = 0;
    SimbodyChain chain_;
    std::vector<SimbodyPose> poses_;
};

Variant variant(const char* name, SimbodyMethod method, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [method](const ChainCase& chain, double h) {
        return std::make_unique<SimbodyEngine>(chain, h, method);
    };
    made.errorControlled = made.inStability = method != SimbodyMethod::fixedEuler;
    made.inCost = !made.errorControlled;
    if (made.errorControlled) made.steps = {1.0 / 60};  // how often it is looked at
    return made;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    return runEngine(
        argc, argv,
        {"simbody",
         SIMBODY_VERSION,
         {variant("Simbody RK-Merson", SimbodyMethod::merson, "explicit, error control at accuracy 1e-3"),
          variant("Simbody CPodes", SimbodyMethod::bdf, "BDF with Newton, error control at accuracy 1e-3"),
          variant("Simbody semi-explicit Euler", SimbodyMethod::fixedEuler,
                  "fixed step, for the cost alone")}});
}
