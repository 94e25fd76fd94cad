#include "sinew/rig/resample.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double mostFps = 1e5;
constexpr double mostPoses = 2e7;  // 1.3 GB

}  // namespace

Frame frameAt(const Trajectory& motion, double time)
{
    SINEW_ASSERT(!motion.empty());
    const auto later = std::upper_bound(motion.begin(), motion.end(), time,
                                        [](double t, const Frame& frame) { return t < frame.time; });
    if (later == motion.begin()) return motion.front();
    const Frame& before = *(later - 1);
    if (later == motion.end() || time - before.time <= frameSlack) return before;
    const Frame& after = *later;
    if (after.time - time <= frameSlack) return after;

    const double s = (time - before.time) / (after.time - before.time);
    Frame between;
    between.time = time;
    between.bodies.resize(before.bodies.size());
    for (std::size_t b = 0; b < before.bodies.size(); ++b) {
        const Pose &from = before.bodies[b], &to = after.bodies[b];
        between.bodies[b] = {(1 - s) * from.position + s * to.position,
                             from.orientation.slerp(s, to.orientation).normalized()};
    }
    return between;
}

Result<Trajectory> resampled(const Trajectory& motion, double fps)
{
    if (!(fps > 0 && fps <= mostFps)) return settingFault("fps", "must be more than 0 and at most 100000");
    SINEW_ASSERT(!motion.empty());
    const double start = motion.front().time, length = motion.back().time - start;
    const double count = std::floor((length + frameSlack) * fps) + 1;
    if (count * static_cast<double>(motion.front().bodies.size()) > mostPoses)
        return settingFault("fps", "gives more than 20 million poses; take fewer frames a second");

    Trajectory frames;
    frames.reserve(static_cast<std::size_t>(count));
    for (double k = 0; k < count; ++k) {
        const double time = start + k / fps;
        frames.push_back(frameAt(motion, time));
        frames.back().time = time;
    }
    return frames;
}

double evenRate(const Trajectory& motion)
{
    if (motion.size() < 2) return 0;
    const double start = motion.front().time;
    double rate = static_cast<double>(motion.size() - 1) / (motion.back().time - start);
    // The last time is a sum of steps as the others are: a whole number is meant where one is near.
    const double whole = std::round(rate);
    if (std::abs(rate - whole) <= rate * frameSlack) rate = whole;
    for (std::size_t k = 0; k < motion.size(); ++k)
        if (std::abs(motion[k].time - start - static_cast<double>(k) / rate) > frameSlack) return 0;
    return rate;
}

}  // namespace sinew
