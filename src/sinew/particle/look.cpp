#include "sinew/particle/look.h"

#include <cmath>

namespace sinew {
namespace {

// The four bytes of a colour, each times its factor.
std::uint32_t tinted(std::uint32_t color, const std::array<float, 4>& from, const std::array<float, 4>& to,
                     float part)
{
    std::uint32_t out = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const float byte = static_cast<float>(static_cast<std::int32_t>(color >> (8 * k) & 0xff));
        const float value = byte * (from[k] + part * (to[k] - from[k])) + 0.5f;
        out |= static_cast<std::uint32_t>(static_cast<std::int32_t>(value < 255 ? value : 255)) << (8 * k);
    }
    return out;
}

void lookOverLife(const ParticleSystem& system, const ParticleState& state, ParticleLook& look)
{
    const bool grows = !system.sizeOverLife.isOne;
    const auto& table = system.colorOverLife;
    for (std::size_t i = 0; i < look.sizes.size(); ++i) {
        const LifeTable::Place at(state.age[i] / state.life[i]);
        const std::array<float, LifeTable::places + 1>& sizes = system.sizeOverLife.values;
        look.sizes[i] =
            grows ? state.size[i] * (sizes[at.index] + at.part * (sizes[at.index + 1] - sizes[at.index]))
                  : state.size[i];
        look.colors[i] = system.changesColor
                             ? tinted(state.color[i], table[at.index], table[at.index + 1], at.part)
                             : state.color[i];
    }
}

}  // namespace

void lookAt(const ParticleSystem& system, const ParticleState& state, bool velocities, ParticleLook& look,
            double ago)
{
    const auto count = static_cast<std::size_t>(state.alive);
    const float back = static_cast<float>(ago);
    look.places.resize(3 * count);
    look.sizes.resize(count);
    look.colors.resize(count);
    look.ids.assign(state.id.begin(), state.id.begin() + state.alive);
    look.velocities.resize(velocities ? 3 * count : 0);
    for (std::size_t i = 0; i < count; ++i) {
        look.places[3 * i] = state.x[i] - back * state.vx[i];
        look.places[3 * i + 1] = state.y[i] - back * state.vy[i];
        look.places[3 * i + 2] = state.z[i] - back * state.vz[i];
    }
    for (std::size_t i = 0; velocities && i < count; ++i) {
        look.velocities[3 * i] = state.vx[i];
        look.velocities[3 * i + 1] = state.vy[i];
        look.velocities[3 * i + 2] = state.vz[i];
    }
    lookOverLife(system, state, look);
}

TrailPoint trailPoint(const ParticleSystem& system, const ParticleState& state, int particle, int back)
{
    const auto places = static_cast<std::uint64_t>(system.trail);
    const std::uint64_t place = (state.trailCount + places - 1 - static_cast<std::uint64_t>(back)) % places;
    const float* at = &state.trail[3 * (static_cast<std::uint64_t>(particle) * places + place)];
    return {at[0], at[1], at[2]};
}

}  // namespace sinew
