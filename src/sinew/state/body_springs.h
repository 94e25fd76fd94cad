// Where bodies touch obstacles, and how far they are from their targets: what the forces and the energy of
// both are made of.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// A ball or corner of a body inside an obstacle: a spring and a damper, k · depth + c · approach, never a
// pull. At the end of an implicit step, which began `span` seconds ago, the approach is no more than what
// made the depth, depth / span: what came from outside was damped inside only. So the force of the step
// begins with nothing at the touch, and rises the steeper the deeper: Newton's method has an end to find,
// however fast something light comes on.
struct Touch {
    double depth = 0;     // > 0
    double distance = 0;  // sphere: between the centres
    Vec3 normal = Vec3::Zero();
    Vec3 arm =
        Vec3::Zero();  // body's centre of mass → the ball's centre, about which the force has no torque
    double force = 0;  // along the normal
    double stiffness = 0, damping = 0;  // how it grows with depth and approach
};
bool findTouch(const Obstacle& obstacle, const ContactPoint& point, const BodyState& body, double span,
               Touch& touch);

// function(point, obstacle, touch). A span of zero is that of a moment.
template <class Function>
void forEachTouch(const Model& model, const State& state, double span, Function&& function)
{
    Touch touch;
    for (const ContactPoint& point : model.contactPoints)
        for (const Obstacle& obstacle : model.obstacles)
            if (findTouch(obstacle, point, state.bodies[point.body], span, touch))
                function(point, obstacle, touch);
}

// Where a target is, and how it moves, with the guides at that time.
PathPoint targetAt(const Target& target, const Guides& guides, double time);

// How far a body is from its target, and how fast that changes; world axes.
struct TargetStretch {
    Vec3 arm;  // centre of mass → the point that is drawn
    Vec3 offset, offsetRate;
    Vec3 turn, turnRate;  // rotation vector from the target's orientation
    double weight = 1;
};
// With the guides at the state's time.
TargetStretch targetStretch(const Target& target, const State& state, const Guides& guides);

// The energy in obstacles and targets.
double bodyElasticEnergy(const Model& model, const State& state);

}  // namespace sinew
