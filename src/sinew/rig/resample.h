// A recorded motion at another frame rate: places straight between frames, orientations evenly turned.
#pragma once

#include "sinew/base/result.h"
#include "sinew/state/trajectory.h"

namespace sinew {

// Where all bodies are at a time; before the first frame and after the last they stand still. A frame that
// lies within `frameSlack` of the time is taken as it is. Motions have at least one frame.
inline constexpr double frameSlack = 1e-6;  // s: the times of frames are sums of steps
Frame frameAt(const Trajectory& motion, double time);

// Frames at the motion's start and every 1/fps s from there on, as long as it goes. A motion that has
// frames just there keeps their bits, and only their times are rounded to the grid.
Result<Trajectory> resampled(const Trajectory& motion, double fps);

// The rate of a motion whose frames are evenly spaced, all within `frameSlack`; zero for others, and for
// one frame alone.
double evenRate(const Trajectory& motion);

}  // namespace sinew
