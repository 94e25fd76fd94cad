// Clips made longer: standing still at their end, or begun anew.
#pragma once

#include <algorithm>
#include <cmath>

#include "sinew/rig/rig.h"

namespace sinew {

// Where in a clip of that duration a time lies, when the clip stands still at its end or repeats.
inline double sourceTime(double duration, bool repeat, double time)
{
    if (!repeat || duration <= 0) return std::min(time, duration);
    const double phase = std::fmod(time, duration);
    return phase < 0 ? phase + duration : phase;
}

// The keys of a track on [0, duration] when its clip, of length `whole`, repeats or is cut short.
Track unrolled(const Track& track, double whole, bool repeat, double duration);

}  // namespace sinew
