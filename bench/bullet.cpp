// Bullet's btMultiBody, through the interface of all.
#include <LinearMath/btScalar.h>

#include "step_engines.h"

int main(int argc, char** argv)
{
    using namespace sinew::bench;
    const int version = btGetVersion();
    Variant multibody;
    multibody.name = "Bullet multibody";
    multibody.about = "btMultiBody in double precision; springs are applied joint torques";
    multibody.make = makeBulletChain;
    return runEngine(
        argc, argv,
        {"bullet", std::to_string(version / 100) + "." + std::to_string(version % 100), {multibody}});
}
