// ODE with contact: four points to a pair at most, a friction pyramid bounded by the normal force, ERP and
// CFM as they come, nothing put to sleep.
#include <cmath>

#include "contact_case.h"
#include "ode_model.h"

namespace sinew::bench {
namespace {

class OdeContact : public ContactEngine {
public:
    // iterations = 0: the direct solver
    OdeContact(const ContactCase& scene, int iterations)
        : scene_(scene), iterations_(iterations), ode_(scene.model, scene.step)
    {
        dRandSetSeed(0);  // QuickStep shuffles its rows
        if (iterations > 0) dWorldSetQuickStepNumIterations(ode_.world, iterations);
        space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY);
        touching_ = dJointGroupCreate(0);
        dCreatePlane(space_, 0, 1, 0, 0);
        for (int i = 0; i < scene.model.size(); ++i) {
            const dGeomID geometry = made(shapeOf(scene, i));
            dGeomSetBody(geometry, ode_.bodies[i]);
            dGeomSetData(geometry, const_cast<Collider*>(&scene.model.colliders[i]));
            if (std::holds_alternative<Capsule>(shapeOf(scene, i))) {
                const dQuaternion upright = {std::sqrt(0.5), -std::sqrt(0.5), 0, 0};  // z becomes y
                dGeomSetOffsetQuaternion(geometry, upright);
            }
        }
    }
    ~OdeContact() override
    {
        dJointGroupDestroy(touching_);
        dSpaceDestroy(space_);
    }

    bool step() override
    {
        dJointGroupEmpty(touching_);
        count_ = 0;
        dSpaceCollide(space_, this, &OdeContact::near);
        ode_.setMotorAngles();
        return iterations_ > 0 ? dWorldQuickStep(ode_.world, scene_.step)
                               : dWorldStep(ode_.world, scene_.step);
    }
    void read(LargeVector<BodyState>& bodies) override { ode_.read(bodies); }
    int contacts() const override { return count_; }

private:
    dGeomID made(const Shape& shape) const
    {
        if (const Box* box = std::get_if<Box>(&shape))
            return dCreateBox(space_, box->size.x(), box->size.y(), box->size.z());
        const Capsule& capsule = std::get<Capsule>(shape);
        return dCreateCapsule(space_, capsule.radius, capsule.length);
    }

    static void near(void* data, dGeomID a, dGeomID b) { static_cast<OdeContact*>(data)->touch(a, b); }
    void touch(dGeomID a, dGeomID b)
    {
        const auto* one = static_cast<const Collider*>(dGeomGetData(a));
        const auto* two = static_cast<const Collider*>(dGeomGetData(b));
        const Model& model = scene_.model;
        if (one && two && !model.mayCollide(one->body, two->body)) return;
        constexpr int most = 4;
        dContact found[most];
        const int count = dCollide(a, b, most, &found[0].geom, sizeof(dContact));
        for (int i = 0; i < count; ++i) {
            found[i].surface.mode = dContactApprox1;
            found[i].surface.mu = scene_.friction;
            const dJointID joint = dJointCreateContact(ode_.world, touching_, &found[i]);
            dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
        }
        count_ += count;
    }

    const ContactCase& scene_;
    int iterations_;
    OdeModel ode_;
    dSpaceID space_ = nullptr;
    dJointGroupID touching_ = nullptr;
    int count_ = 0;
};

ContactVariant variant(const char* name, const char* about, int iterations)
{
    ContactVariant made;
    made.name = name;
    made.about = about;
    // The direct solver takes time with the cube of the rows of an island.
    made.knows = [iterations](const ContactCase& scene) { return iterations > 0 || scene.isFigure; };
    made.make = [iterations](const ContactCase& scene) {
        return std::make_unique<OdeContact>(scene, iterations);
    };
    return made;
}

}  // namespace

std::vector<ContactVariant> odeContactVariants()
{
    return {
        variant("ODE QuickStep", "20 iterations, its default; springs are soft angular motors", 20),
        variant("ODE QuickStep, 100", "100 iterations", 100),
        variant("ODE direct", "dWorldStep; springs are soft angular motors", 0),
    };
}

}  // namespace sinew::bench
