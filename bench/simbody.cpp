// Simbody: joint coordinates and integrators with error control, at their default accuracy. Springs are one
// custom force that pushes along the mobilities.
#include <Simbody.h>

#include "harness.h"

namespace sinew::bench {
namespace {

Vec3 fromSimbody(const SimTK::Vec3& v)
{
    return {v[0], v[1], v[2]};
}
SimTK::Vec3 toSimbody(const Vec3& v)
{
    return {v.x(), v.y(), v.z()};
}
SimTK::Rotation toSimbody(const Mat3& m)
{
    return SimTK::Rotation(
        SimTK::Mat33(m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)));
}

using Mobods = std::vector<SimTK::MobilizedBody>;

class Springs : public SimTK::Force::Custom::Implementation {
public:
    Springs(const Model& model, const Mobods& mobods) : model_(model), mobods_(mobods) {}

    // u of a ball is the relative angular velocity in the parent's frame F, where the rotation vector has
    // the same components as in the child's.
    void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>&,
                   SimTK::Vector_<SimTK::Vec3>&, SimTK::Vector& mobilityForces) const override
    {
        for (std::size_t i = 0; i < mobods_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const SimTK::MobilizedBody& mobod = mobods_[i];
            const SimTK::Vec3 phi = rotationVector(mobod, state);
            for (int k = 0; k < 3; ++k)
                mobod.applyOneMobilityForce(
                    state, k, -joint.stiffness * phi[k] - joint.damping * mobod.getOneU(state, k),
                    mobilityForces);
        }
    }
    SimTK::Real calcPotentialEnergy(const SimTK::State& state) const override
    {
        double sum = 0;
        for (std::size_t i = 0; i < mobods_.size(); ++i)
            sum += 0.5 * model_.joints[i].stiffness * rotationVector(mobods_[i], state).normSqr();
        return sum;
    }

private:
    static SimTK::Vec3 rotationVector(const SimTK::MobilizedBody& mobod, const SimTK::State& state)
    {
        const SimTK::Vec4 turn = mobod.getMobilizerTransform(state).R().convertRotationToAngleAxis();
        return turn[0] * SimTK::Vec3(turn[1], turn[2], turn[3]);
    }

    const Model& model_;
    const Mobods& mobods_;
};

enum class Method { merson, bdf, fixedEuler };

class SimbodyChain : public ChainEngine {
public:
    SimbodyChain(const ChainCase& chain, double h, Method method)
        : model_(chain.model), h_(h), matter_(system_), forces_(system_)
    {
        SimTK::Force::Gravity(forces_, matter_, toSimbody(model_.gravity));
        mobods_.reserve(model_.bodies.size());
        bool hasSprings = false;
        for (int i = 0; i < model_.size(); ++i) {
            addLink(model_.bodies[i], model_.joints[i]);
            hasSprings = hasSprings || model_.joints[i].stiffness > 0;
        }
        if (hasSprings) SimTK::Force::Custom(forces_, new Springs(model_, mobods_));
        const SimTK::State start = system_.realizeTopology();
        switch (method) {
            case Method::merson:
                integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
                break;
            case Method::bdf:
                integrator_ = std::make_unique<SimTK::CPodesIntegrator>(system_);
                break;
            case Method::fixedEuler:
                integrator_ = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system_, h);
                break;
        }
        stepper_ = std::make_unique<SimTK::TimeStepper>(system_, *integrator_);
        stepper_->initialize(start);
    }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) stepper_->stepTo(h_ * static_cast<double>(++done_));
        return true;
    }

    void read(LargeVector<BodyState>& bodies) override
    {
        const SimTK::State& state = stepper_->getState();
        system_.realize(state, SimTK::Stage::Velocity);
        for (int i = 0; i < model_.size(); ++i) {
            BodyState& b = bodies[i];
            b.position = fromSimbody(mobods_[i].getBodyOriginLocation(state));
            const SimTK::Quaternion q = mobods_[i].getBodyRotation(state).convertRotationToQuaternion();
            b.orientation = Quat(q[0], q[1], q[2], q[3]);
            b.velocity = fromSimbody(mobods_[i].getBodyOriginVelocity(state));
            b.angularVelocity =
                b.orientation.conjugate() * fromSimbody(mobods_[i].getBodyAngularVelocity(state));
        }
    }
    long iterations() const override { return integrator_->getNumStepsTaken(); }

private:
    void addLink(const Body& link, const Joint& joint)
    {
        const Mat3& I = link.inertia;
        const SimTK::Body::Rigid body(
            SimTK::MassProperties(link.mass, SimTK::Vec3(0),
                                  SimTK::Inertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2))));
        SimTK::MobilizedBody parent =
            joint.parent < 0 ? SimTK::MobilizedBody(matter_.Ground()) : mobods_[joint.parent];
        mobods_.push_back(SimTK::MobilizedBody::Ball(
            parent, SimTK::Transform(toSimbody(joint.R_PC_rest), toSimbody(joint.anchorParent)), body,
            SimTK::Transform(toSimbody(joint.anchorChild))));
    }

    const Model& model_;
    double h_;
    long done_ = 0;
    SimTK::MultibodySystem system_;
    SimTK::SimbodyMatterSubsystem matter_;
    SimTK::GeneralForceSubsystem forces_;
    Mobods mobods_;
    std::unique_ptr<SimTK::Integrator> integrator_;
    std::unique_ptr<SimTK::TimeStepper> stepper_;
};

Variant variant(const char* name, Method method, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [method](const ChainCase& chain, double h) {
        return std::make_unique<SimbodyChain>(chain, h, method);
    };
    made.errorControlled = made.inStability = method != Method::fixedEuler;
    made.inCost = !made.errorControlled;
    if (made.errorControlled) made.steps = {1.0 / 60};  // how often it is looked at
    return made;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    return runEngine(
        argc, argv,
        {"simbody",
         std::to_string(major) + "." + std::to_string(minor),
         {variant("Simbody RK-Merson", Method::merson, "explicit, error control at accuracy 1e-3"),
          variant("Simbody CPodes", Method::bdf, "BDF with Newton, error control at accuracy 1e-3"),
          variant("Simbody semi-explicit Euler", Method::fixedEuler, "fixed step, for the cost alone")}});
}
