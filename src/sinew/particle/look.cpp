#include "sinew/particle/look.h"

#include <cmath>

namespace sinew {
namespace {

std::uint32_t scaledByte(std::uint32_t color, int shift, float factor)
{
    const float value = static_cast<float>(color >> shift & 0xff) * factor + 0.5f;
    return static_cast<std::uint32_t>(value < 0 ? 0 : value > 255 ? 255 : value) << shift;
}

void lookOverLife(const ParticleSystem& system, const ParticleState& state, ParticleLook& look)
{
    const bool isColored = !system.colorOverLife[0].isOne, fades = !system.opacityOverLife.isOne;
    for (std::size_t i = 0; i < look.sizes.size(); ++i) {
        const float part = state.age[i] / state.life[i];
        look.sizes[i] =
            system.sizeOverLife.isOne ? state.size[i] : state.size[i] * system.sizeOverLife.at(part);
        std::uint32_t color = state.color[i];
        if (isColored)
            color = scaledByte(color, 0, system.colorOverLife[0].at(part)) |
                    scaledByte(color, 8, system.colorOverLife[1].at(part)) |
                    scaledByte(color, 16, system.colorOverLife[2].at(part)) | (color & 0xff000000u);
        if (fades) color = (color & 0xffffffu) | scaledByte(color, 24, system.opacityOverLife.at(part));
        look.colors[i] = color;
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
