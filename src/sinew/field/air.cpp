#include "sinew/field/air.h"

namespace sinew {
namespace {

// A wave of gusts in the world at a time, its phase within half a turn.
struct WorldWave {
    Vec3 amplitude, wave;
    double phase;
};
WorldWave worldWave(const FieldDescription& gusts, const GustWave& own, double factor, double time)
{
    Vec3 amplitude = own.amplitude, wave = own.wave;
    if (gusts.mirrored) {
        amplitude.x() = -amplitude.x();
        wave.x() = -wave.x();
    }
    WorldWave out{factor * (gusts.orientation * amplitude), gusts.orientation * wave, 0};
    const double carried = out.wave.dot(gusts.velocity);
    // Whole turns first: the phase stays exact however long the run.
    double phase = (own.frequency - carried) * time;
    phase -= std::floor(phase);
    phase += own.phase - out.wave.dot(gusts.position);
    out.phase = phase - field::nearestWhole(phase);
    return out;
}

double factorOf(const FieldDescription& field, double time)
{
    return field.signal ? field.signal->at(time).value : 1;
}

}  // namespace

template <class S>
void Air<S>::prepare(std::span<const FieldDescription> fields, double time)
{
    wind_ = {};
    hasWind_ = false;
    waves_.clear();
    vortices_.clear();
    Vec3 wind = Vec3::Zero();
    for (const FieldDescription& field : fields) {
        if (!field.moves()) continue;
        const double factor = factorOf(field, time);
        if (field.type == FieldDescription::Type::wind) {
            wind += factor * field.velocity;
            hasWind_ = true;
        } else if (field.type == FieldDescription::Type::gusts) {
            for (const GustWave& own : field.waves) {
                const WorldWave w = worldWave(field, own, factor, time);
                waves_.push_back({S(w.amplitude.x()), S(w.amplitude.y()), S(w.amplitude.z()), S(w.wave.x()),
                                  S(w.wave.y()), S(w.wave.z()), S(w.phase)});
            }
        } else {
            vortices_.push_back({S(field.position.x()), S(field.position.y()), S(field.position.z()),
                                 S(field.axis.x()), S(field.axis.y()), S(field.axis.z()),
                                 S(2 * factor * field.speed * field.radius),
                                 S(field.radius * field.radius)});
        }
    }
    wind_ = {S(wind.x()), S(wind.y()), S(wind.z())};
}

template class Air<float>;
template class Air<double>;

Vec3 airVelocity(std::span<const FieldDescription> fields, double time, const Vec3& point, Mat3* gradient)
{
    Vec3 u = Vec3::Zero();
    if (gradient) gradient->setZero();
    for (const FieldDescription& field : fields) {
        if (!field.moves()) continue;
        const double factor = factorOf(field, time);
        if (factor == 0) continue;
        if (field.type == FieldDescription::Type::wind) {
            u += factor * field.velocity;
        } else if (field.type == FieldDescription::Type::gusts) {
            for (const GustWave& own : field.waves) {
                const WorldWave w = worldWave(field, own, factor, time);
                double value, slope;
                field::wave(w.wave.dot(point) + w.phase, value, slope);
                u += value * w.amplitude;
                if (gradient) *gradient += slope * (w.amplitude * w.wave.transpose());
            }
        } else {
            const Vec3 offset = point - field.position;
            const Vec3 d = offset - field.axis.dot(offset) * field.axis;
            const double below = field.radius * field.radius + d.squaredNorm();
            const double g = 2 * factor * field.speed * field.radius / below;
            const Vec3 around = field.axis.cross(d);
            u += g * around;
            if (gradient) *gradient += g * tilde(field.axis) - (2 * g / below) * (around * d.transpose());
        }
    }
    return u;
}

bool hasAir(std::span<const FieldDescription> fields)
{
    return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.moves(); });
}

bool hasAttractors(std::span<const FieldDescription> fields)
{
    return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return !field.moves(); });
}

}  // namespace sinew
