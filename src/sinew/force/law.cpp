#include "sinew/force/law.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "sinew/base/assert.h"
#include "sinew/force/laws/types.h"

namespace sinew {
namespace {

constexpr const ForceLawInfo* ownLaws[] = {
    // in joints
    &springLaw,
    &motorLaw,
    &damperLaw,
    &dryFrictionLaw,
    &torqueFunctionLaw,
    &controllerLaw,
    &servoLaw,
    // on the scene as a whole
    &gravityLaw,
    &loadLaw,
    &obstacleLaw,
    &penaltyLaw,
    &targetLaw,
    &gravityCompensationLaw,
    &mediumLaw,
    &attractorLaw,
    // between bodies
    &pairSpringLaw,
    &wishLaw,
};

using Table = std::array<const ForceLawInfo*, mostForceLaws>;
constexpr Table startTable()
{
    Table all{};
    std::copy(std::begin(ownLaws), std::end(ownLaws), all.begin());
    return all;
}
// It stands before any code runs.
constinit Table lawTable = startTable();
constinit std::size_t lawCount = std::size(ownLaws);

// Those in joints, which are asked for every joint in every evaluation.
constexpr std::size_t ownJointLaws = 7;
constinit Table jointTable = startTable();
constinit std::size_t jointLawCount = ownJointLaws;
constinit bool actInAnyJoint = false;

}  // namespace

std::span<const ForceLawInfo* const> forceLaws()
{
    return {lawTable.data(), lawCount};
}

std::span<const ForceLawInfo* const> jointLaws()
{
    return {jointTable.data(), jointLawCount};
}

bool lawsActInAnyJoint()
{
    return actInAnyJoint;
}

const ForceLawInfo* findForceLaw(std::string_view name)
{
    for (const ForceLawInfo* law : forceLaws())
        if (name == law->name) return law;
    return nullptr;
}

void registerForceLaw(const ForceLawInfo& law)
{
    SINEW_ASSERT(lawCount < mostForceLaws && !findForceLaw(law.name));
    SINEW_ASSERT(law.kind == ForceKind::body || law.kind == ForceKind::drive);
    const bool inJoints = law.addJointForce != nullptr, asWhole = law.addForces != nullptr;
    SINEW_ASSERT(law.isIn && inJoints != asWhole && inJoints == (law.isInJoint != nullptr));
    SINEW_ASSERT((law.addTangents != nullptr) == (law.mostTangents != nullptr));
    lawTable[lawCount++] = &law;
    if (!inJoints) return;
    jointTable[jointLawCount++] = &law;
    actInAnyJoint |= !law.isOfJoints;
}

}  // namespace sinew
