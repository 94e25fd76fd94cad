// DART, through the interface of all.
#include <dart/config.hpp>

#include "step_engines.h"

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    Variant variant;
    variant.name = "DART";
    variant.about = "BallJoint with its own spring stiffness and damping coefficients, taken implicitly";
    variant.make = makeDartChain;
    return runEngine(argc, argv, {"dart", DART_VERSION, {variant}});
}
