// Sinew itself, through the same interface as the others.
#include <cstdio>
#include <cstdlib>

#include "harness.h"
#include "sinew/simulation/simulation.h"

namespace sinew::bench {
namespace {

class SinewChain : public ChainEngine {
public:
    SinewChain(const ChainCase& chain, const char* integrator, double h)
        : simulation_(created(chain, integrator, h))
    {
    }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) {
            const StepReport report = simulation_.step();
            iterations_ += report.statistics.newtonIterations;
            halvings_ += report.statistics.halvings;
            if (!report.ok) return false;
        }
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override { bodies = simulation_.state.bodies; }
    long iterations() const override { return iterations_; }
    long halvings() const override { return halvings_; }

private:
    static Simulation created(const ChainCase& chain, const char* integrator, double h)
    {
        Settings settings;
        settings.integrator = integrator;
        settings.step = h;
        Result<Simulation> made = Simulation::create(chain.description, settings);
        if (!made) {
            std::fprintf(stderr, "%s\n", made.error().text().c_str());
            std::abort();
        }
        return std::move(made.value());
    }

    Simulation simulation_;
    long iterations_ = 0;
    long halvings_ = 0;
};

Variant variant(const char* name, const char* integrator, std::vector<double> steps, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [integrator](const ChainCase& chain, double h) {
        return std::make_unique<SinewChain>(chain, integrator, h);
    };
    made.steps = std::move(steps);
    return made;
}

}  // namespace
}  // namespace sinew::bench

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    Engine engine;
    engine.name = "sinew";
    engine.version = SINEW_VERSION;
    engine.hasHand = true;
    engine.variants = {
        variant("Sinew implicit", "implicit", {1.0 / 30, 1.0 / 60, 1.0 / 240, 1.0 / 960},
                "the default: BDF2 in joint coordinates"),
        variant("Sinew implicit_euler", "implicit_euler", {1.0 / 60},
                "backward Euler in joint coordinates"),
        variant("Sinew conservative", "conservative", {1.0 / 60, 1.0 / 240}, "the energy-momentum step"),
        variant("Sinew semi_implicit_euler", "semi_implicit_euler", {}, "featherstone, as others step"),
    };
    for (Variant& v : engine.variants)
        if (!v.steps.empty()) v.costStep = 1.0 / 60;
    engine.variants[1].inCost = false;  // costs what `implicit` does
    engine.variants[3].inHand = false;  // light bones on such springs need steps far below a millisecond
    return runEngine(argc, argv, engine);
}
