#include "sinew/state/particle_state.h"

namespace sinew {

void ParticleState::setRoom(int count, std::size_t trailNumbers)
{
    const auto room = static_cast<std::size_t>(count);
    for (LargeVector<float>* each : {&x, &y, &z, &vx, &vy, &vz, &age, &life, &size}) each->resize(room);
    for (LargeVector<std::uint32_t>* each : {&color, &id}) each->resize(room);
    trail.resize(room * trailNumbers);
}

}  // namespace sinew
