// ODE: bodies and constraints, solved directly (dWorldStep) or by iteration (dWorldQuickStep).
#include "harness.h"
#include "ode_model.h"

namespace sinew::bench {
namespace {

class OdeChain : public ChainEngine {
public:
    OdeChain(const ChainCase& chain, double h, bool quick) : ode_(chain.model, h), h_(h), quick_(quick) {}

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) {
            ode_.setMotorAngles();
            const int went = quick_ ? dWorldQuickStep(ode_.world, h_) : dWorldStep(ode_.world, h_);
            if (!went) return false;
        }
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override { ode_.read(bodies); }

private:
    OdeModel ode_;
    double h_;
    bool quick_;
};

Variant variant(const char* name, bool quick, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [quick](const ChainCase& chain, double h) {
        return std::make_unique<OdeChain>(chain, h, quick);
    };
    return made;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    return runEngine(argc, argv,
                     {"ode",
                      ODE_VERSION,
                      {variant("ODE direct", false, "dWorldStep; springs are soft angular motors"),
                       variant("ODE QuickStep", true, "20 iterations; springs are soft angular motors")}});
}
