// A compiled model in ODE: a body for each of its bodies, a ball joint for each of its ball joints. Springs
// are angular motors whose stops are soft: ODE's manual gives ERP and CFM for a spring and damper, which
// makes them implicit.
#pragma once

#include <ode/ode.h>

#include <vector>

#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew::bench {

class OdeModel {
public:
    OdeModel(const Model& model, double h);
    ~OdeModel();
    OdeModel(const OdeModel&) = delete;
    OdeModel& operator=(const OdeModel&) = delete;

    // To be called before each step: user motors do not measure their angles.
    void setMotorAngles();
    void read(LargeVector<BodyState>& states) const;

    dWorldID world = nullptr;
    std::vector<dBodyID> bodies;

private:
    void addLink(const Body& link, const Joint& joint);
    void addMotor(int link, dBodyID parent, const Joint& joint);
    Quat orientation(int body) const;

    struct Motor {
        int link = 0;
        dJointID id = nullptr;
    };
    const Model& model_;
    double h_;
    std::vector<Motor> motors_;
};

}  // namespace sinew::bench
