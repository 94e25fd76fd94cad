// The rows of the table of force laws, one file each. Not a public header.
#pragma once

#include "sinew/force/law.h"

namespace sinew {

extern const ForceLawInfo springLaw, motorLaw, damperLaw, dryFrictionLaw, torqueFunctionLaw, controllerLaw,
    gravityLaw, loadLaw, obstacleLaw, penaltyLaw, targetLaw, gravityCompensationLaw, mediumLaw,
    attractorLaw, pairSpringLaw, wishLaw, servoLaw;

namespace laws {

// Of laws that take energy at most.
inline bool always(const Model&)
{
    return true;
}

}  // namespace laws
}  // namespace sinew
