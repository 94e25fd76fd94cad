// Simbody: joint coordinates and integrators with error control, at their default accuracy. Springs are one
// custom force that pushes along the mobilities.
#include "harness.h"
#include "simbody_chain.h"
#include "step_engines.h"

namespace sinew::bench {
namespace {

Variant variant(const char* name, SimbodyMethod method, const char* about)
{
    Variant made;
    made.name = name;
    made.about = about;
    made.make = [method](const ChainCase& chain, double h) { return makeSimbodyChain(chain, h, method); };
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
