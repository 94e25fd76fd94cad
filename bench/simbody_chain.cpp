#include "simbody_chain.h"

#include <Simbody.h>

namespace sinew::bench {
namespace {

using namespace SimTK;

Vec3 vector(const double* v)
{
    return {v[0], v[1], v[2]};
}
void store(const Vec3& v, double* result)
{
    for (int k = 0; k < 3; ++k) result[k] = v[k];
}

// Springs as one force that pushes along the mobilities.
class Springs : public Force::Custom::Implementation {
public:
    Springs(const std::vector<SimbodyLink>& links, const std::vector<MobilizedBody>& mobods)
        : links_(links), mobods_(mobods)
    {
    }

    // u of a ball is the relative angular velocity in the parent's frame F, where the rotation vector has
    // the same components as in the child's.
    void calcForce(const State& state, Vector_<SpatialVec>&, Vector_<Vec3>&,
                   Vector& mobilityForces) const override
    {
        for (std::size_t i = 0; i < mobods_.size(); ++i) {
            const MobilizedBody& mobod = mobods_[i];
            const Vec3 phi = rotationVector(mobod, state);
            for (int k = 0; k < 3; ++k)
                mobod.applyOneMobilityForce(
                    state, k, -links_[i].stiffness * phi[k] - links_[i].damping * mobod.getOneU(state, k),
                    mobilityForces);
        }
    }
    Real calcPotentialEnergy(const State& state) const override
    {
        Real sum = 0;
        for (std::size_t i = 0; i < mobods_.size(); ++i)
            sum += 0.5 * links_[i].stiffness * rotationVector(mobods_[i], state).normSqr();
        return sum;
    }

private:
    static Vec3 rotationVector(const MobilizedBody& mobod, const State& state)
    {
        const Vec4 turn = mobod.getMobilizerTransform(state).R().convertRotationToAngleAxis();
        return turn[0] * Vec3(turn[1], turn[2], turn[3]);
    }

    const std::vector<SimbodyLink>& links_;
    const std::vector<MobilizedBody>& mobods_;
};

MobilizedBody addLink(const SimbodyLink& link, MobilizedBody parent)
{
    const double* I = link.inertia;
    const Body::Rigid body(MassProperties(link.mass, Vec3(0), Inertia(I[0], I[4], I[8], I[1], I[2], I[5])));
    if (link.isHinge) {
        const Rotation axes(Mat33(link.axes));
        return MobilizedBody::Pin(
            parent, Transform(Rotation(Mat33(link.R_PC_rest)) * axes, vector(link.anchorParent)), body,
            Transform(axes, vector(link.anchorChild)));
    }
    return MobilizedBody::Ball(parent,
                               Transform(Rotation(Mat33(link.R_PC_rest)), vector(link.anchorParent)), body,
                               Transform(vector(link.anchorChild)));
}

}  // namespace

struct SimbodyChain::Parts {
    std::vector<SimbodyLink> links;
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> mobods;
    std::unique_ptr<Integrator> integrator;
    std::unique_ptr<TimeStepper> stepper;
};

SimbodyChain::SimbodyChain(const std::vector<SimbodyLink>& links, const double gravity[3], double h,
                           SimbodyMethod method)
    : parts_(std::make_unique<Parts>())
{
    Parts& p = *parts_;
    p.links = links;
    Force::Gravity(p.forces, p.matter, vector(gravity));
    bool hasSprings = false;
    for (const SimbodyLink& link : links) {
        MobilizedBody parent = p.matter.Ground();
        if (link.parent >= 0) parent = p.mobods[static_cast<std::size_t>(link.parent)];
        p.mobods.push_back(addLink(link, parent));
        hasSprings = hasSprings || link.stiffness > 0;
    }
    if (hasSprings) Force::Custom(p.forces, new Springs(p.links, p.mobods));
    const State start = p.system.realizeTopology();
    if (method == SimbodyMethod::merson)
        p.integrator = std::make_unique<RungeKuttaMersonIntegrator>(p.system);
    else if (method == SimbodyMethod::bdf)
        p.integrator = std::make_unique<CPodesIntegrator>(p.system);
    else
        p.integrator = std::make_unique<SemiExplicitEulerIntegrator>(p.system, h);
    p.stepper = std::make_unique<TimeStepper>(p.system, *p.integrator);
    p.stepper->initialize(start);
}

SimbodyChain::~SimbodyChain() = default;

void SimbodyChain::stepTo(double time)
{
    parts_->stepper->stepTo(time);
}

void SimbodyChain::read(std::vector<SimbodyPose>& poses) const
{
    const State& state = parts_->stepper->getState();
    parts_->system.realize(state, Stage::Velocity);
    poses.resize(parts_->mobods.size());
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const MobilizedBody& mobod = parts_->mobods[i];
        const Quaternion q = mobod.getBodyRotation(state).convertRotationToQuaternion();
        for (int k = 0; k < 4; ++k) poses[i].orientation[k] = q[k];
        store(mobod.getBodyOriginLocation(state), poses[i].position);
        store(mobod.getBodyOriginVelocity(state), poses[i].velocity);
        store(mobod.getBodyAngularVelocity(state), poses[i].angularVelocity);
    }
}

long SimbodyChain::stepsTaken() const
{
    return parts_->integrator->getNumStepsTaken();
}

}  // namespace sinew::bench
