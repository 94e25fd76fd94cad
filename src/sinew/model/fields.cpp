#include "sinew/model/fields.h"

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

constexpr int wavesOfGusts = 12;
// Of field::wave, the mean of its square; a sine has ½.
constexpr double meanSquareOfWave = 0.5043655603655604;

Vec3 randomDirection(Random& random)
{
    const double z = random.uniform(-1, 1), angle = random.uniform(-pi, pi);
    const double across = std::sqrt(1 - z * z);
    return {across * cosine(angle), across * sine(angle), z};
}

}  // namespace

void makeGustWaves(FieldDescription& gusts)
{
    gusts.waves.clear();
    Random random((static_cast<std::uint64_t>(gusts.seed) << 20) ^ 0x67757374);
    const double amplitude = gusts.speed / std::sqrt(wavesOfGusts * meanSquareOfWave);
    for (int i = 0; i < wavesOfGusts; ++i) {
        GustWave w;
        // From half to twice the size, evenly in number, so that no two repeat each other soon.
        const double length = gusts.size * (0.6 + 1.2 * (i + random.unit()) / wavesOfGusts);
        const Vec3 k = randomDirection(random);
        Vec3 across = k.cross(randomDirection(random));
        while (!(across.norm() > 0.1)) across = k.cross(randomDirection(random));
        w.wave = k / length;
        w.amplitude = amplitude / across.norm() * across;
        w.phase = random.unit();
        const double rate = random.uniform(0.5, 1.5) * (random.unit() < 0.5 ? -1 : 1);
        w.frequency = gusts.duration > 0 ? rate / gusts.duration : 0;
        gusts.waves.push_back(w);
    }
}

}  // namespace sinew
