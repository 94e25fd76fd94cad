#include "sinew/rig/timeline.h"

namespace sinew {

Track unrolled(const Track& track, double whole, bool repeat, double duration)
{
    Track longer;
    longer.bone = track.bone;
    longer.quantity = track.quantity;
    const auto value = [&](double time) { return valueAt(track, sourceTime(whole, repeat, time)); };
    if (track.between == Track::Between::cubic) {
        // Tangents would have to be cut too; keys this close need none.
        constexpr double rate = 60;
        const int last = static_cast<int>(std::ceil(duration * rate - 1e-9));
        for (int k = 0; k <= last; ++k) {
            longer.times.push_back(std::min(k / rate, duration));
            longer.values.push_back(value(longer.times.back()));
        }
        return longer;
    }
    longer.between = track.between;
    const int cycles = repeat && whole > 0 ? static_cast<int>(std::ceil(duration / whole)) : 1;
    for (int cycle = 0; cycle < cycles; ++cycle)
        for (std::size_t k = 0; k < track.times.size(); ++k) {
            const double time = cycle * whole + track.times[k];
            // The end of one cycle is the beginning of the next.
            if (!longer.times.empty() && time <= longer.times.back()) continue;
            if (time > duration) break;
            longer.times.push_back(time);
            longer.values.push_back(track.values[k]);
        }
    if (longer.times.empty() || longer.times.back() < duration) {
        longer.times.push_back(duration);
        longer.values.push_back(value(duration));
    }
    return longer;
}

}  // namespace sinew
