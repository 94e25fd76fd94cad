// What has come to rest is not computed until something touches it.
//
// A skeleton that has hardly moved for a while falls asleep, together with all that it touches and only if
// they are as quiet: it stands still, and counts as part of the world for those awake. It wakes, and all
// asleep that touch it, directly or through others, when something that moves comes into touch; and when
// hands or settings change. Who is driven (prescribed, drawn to a target, pushed by a load, moved by motors
// or controllers) never sleeps.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

inline bool isAsleep(const State& state, int skeleton)
{
    return !state.quiet.empty() && state.quiet[static_cast<std::size_t>(skeleton)] < 0;
}
inline bool isBodyAsleep(const Model& model, const State& state, int body)
{
    return isAsleep(state, model.skeletonOf[body]);
}

// Wakes who is touched by something that moves, with contacts as found at the state.
void wakeTouched(const Model& model, const std::vector<Contact>& contacts, State& state);
// Memory of it.
struct SleepWork {
    std::vector<char> driven;
    std::vector<int> island;
    std::vector<double> least;
};
// After a step of length h, with its contacts in the state.
void fallAsleep(const Model& model, double h, State& state, SleepWork& work);

}  // namespace sinew
