// Where a contact is at other poses than those it was found at.
//
// What is curved touches with another place of its surface as soon as it turns. An implicit step holds
// bodies apart where they touch at its *end*; a place that lags behind by what is rolled over in a step
// lets the normal force drive the roll: of a rolling ball it would multiply the energy by 1 + h g/(1.4 R) a
// second, h the step. So each iterate of the step asks anew where the two surfaces are nearest.
//
// A side of a contact is one of
//     face       a plane that moves with its body, and has the normal
//     ball       a centre and a radius
//     line       a straight edge with a radius: the core of a capsule, a cylinder's side, the edge of a box
//     ellipsoid
//     rim        the circle around a cylinder's lid
// With s(m) the point of a side that lies farthest in the direction m, and P = ∂s/∂m its radii of curvature
// (symmetric, P m = 0), the normal from A to B is that of the face, or the one with
//     s_B(−n) − s_A(n) = g n
// which Newton's method finds from where it was: T (P_A + P_B + g) T δn = T (s_B − s_A), T = 1 − n nᵀ, with
// the gap g of either sign. The gap's gradient is the rows at these two points, since it is stationary in
// n.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// One side of a contact, in the axes of its body, from its centre of mass.
struct ContactSide {
    enum class Kind { other, face, ball, line, ellipsoid, rim } kind = Kind::other;
    Vec3 center = Vec3::Zero();    // of a face any point of it
    Mat3 axes = Mat3::Identity();  // of an ellipsoid; the first is the normal of a face, A to B, the way
                                   // along a line, the axis of a rim, whose second is where it touched
    Vec3 radii = Vec3::Zero();     // of ball, line and rim the first
    double leastAcross = 0;        // of a rim: lids that lie flatter touch where they touched
};

struct FollowedContact {
    ContactSide sides[2];  // of A and B
    bool isFollowed = false;
};

// How a contact that was found at these poses can be followed over the next h seconds: those of which a
// side is an ellipsoid or a rim and no side is `other`.
FollowedContact followContact(const Model& model, const Contact& contact,
                              const LargeVector<BodyState>& bodies, double h);

// Radii of curvature of both sides where they touch, world axes; zero for faces.
struct ContactCurvature {
    Mat3 radii[2] = {Mat3::Zero(), Mat3::Zero()};
};

// Sets normal, anchors and radii of the contact to where it is at these poses. False where there is no such
// place near the last one: then the contact is as it was.
bool moveContact(const FollowedContact& followed, const LargeVector<BodyState>& bodies, Contact& contact,
                 ContactCurvature& curvature);

// An edge of terrain, world; a corner where both ends are one.
struct Ridge {
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};

// The distance of what is curved is known to rounding, and its direction therefore to the root of that
// alone: Newton's method on the two surfaces finds the rest. `ridge` is what was touched of terrain, if
// anything; `extent` the size of the pair. Another place than the one that was found is none of its
// business: then the contact stays as it was.
void polishContact(const Model& model, const Pose& poseA, const Pose& poseB, const Ridge* ridge,
                   double extent, Contact& contact);

// Of a body, or of the world (−1).
inline Pose poseIn(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Pose{} : Pose{bodies[body].position, bodies[body].orientation};
}

// How far B's surface slips along A's between two poses that are a time h apart, world axes, as what is in
// touch at the second has moved: a turn under what rolls counts, a motion of both together does not. With Δ
// the way of the centre of mass, θ the turn and ρ the arm at the second pose, all seen from the other body,
//     slip = Δ + ½ θ × Δ + θ × ρ
// The other is the one whose face has the normal, or the world; of two bodies without, the mean of both
// views, which differ in second order: the order of bodies must not tell.
// It is the velocity field of one rigid motion, so any number of places of a body can stick at once, those
// that came down on the way as well. (Their displacements could not: they differ by ½ θ² times distances.)
// The middle term makes what tips over a place that stays stay to third order in θ; of what rolls on a
// plane it points along the normal.
Vec3 slipBetween(const Contact& contact, double h, const LargeVector<BodyState>& from,
                 const LargeVector<BodyState>& to);

}  // namespace sinew
