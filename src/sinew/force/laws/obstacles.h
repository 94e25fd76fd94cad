// Obstacles push back what gets into them:  F = (k d + c ḋ) n  for each ball or corner of a body at depth
// d > 0, and never a pull.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// A ball or corner of a body inside an obstacle: a spring and a damper, k · depth + c · approach, never a
// pull. At the end of an implicit step the approach is what has come to the depth in it: what came from
// outside is damped from the touch on, and turns and curves, which make velocities at the end other than
// the way, do not count. So the force begins with nothing at the touch and rises the steeper the deeper,
// and Newton's method has an end to find, however fast something light comes on.
struct Touch {
    double depth = 0;     // > 0
    double distance = 0;  // sphere: between the centres
    Vec3 normal = Vec3::Zero();
    Vec3 arm =
        Vec3::Zero();  // body's centre of mass → the ball's centre, about which the force has no torque
    double force = 0;  // along the normal
    double stiffness = 0, damping = 0;  // how it grows with depth and approach
};
// `start`: the body as it was at the start of the step, null at a moment.
bool findTouch(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body,
               const BodyState* start, double step, Touch& touch);

// function(point, obstacle, touch)
template <class Function>
void forEachTouch(const Model& model, const State& state, const StepSpan& span, Function&& function)
{
    Touch touch;
    for (const ContactPoint& point : model.contactPoints)
        for (const Obstacle& obstacle : model.obstacles)
            if (findTouch(obstacle, point, state.bodies[point.body],
                          span.start ? &(*span.start)[point.body] : nullptr, span.length, touch))
                function(point, obstacle, touch);
}

}  // namespace sinew
