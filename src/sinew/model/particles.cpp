#include "sinew/model/particles.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(EmitterDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(ParticleTargetDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(ParticlesDescription)
SINEW_DEFINE_SPECIAL_MEMBERS(ParticleSurface)
SINEW_DEFINE_SPECIAL_MEMBERS(Emitter)
SINEW_DEFINE_SPECIAL_MEMBERS(ParticleSystem)

double ParticleSystem::massOf(double radius) const
{
    constexpr double ball = 4.1887902047863905;  // 4π/3
    return mass ? *mass : density * ball * radius * radius * radius;
}

}  // namespace sinew
