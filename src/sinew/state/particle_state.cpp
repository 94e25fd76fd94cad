#include "sinew/state/particle_state.h"

namespace sinew {

void ParticleState::setRoom(int count, std::size_t trailNumbers)
{
    const auto size = static_cast<std::size_t>(count);
    for (LargeVector<float>* each : {&x, &y, &z, &vx, &vy, &vz, &age, &life, &this->size})
        each->resize(size);
    for (LargeVector<std::uint32_t>* each : {&color, &id}) each->resize(size);
    trail.resize(size * trailNumbers);
}

}  // namespace sinew
