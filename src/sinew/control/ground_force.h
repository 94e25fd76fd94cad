// What the ground shall do to a figure that balances, and the torques of its joints that make it so.
//
// The law of the centre of mass c over a wanted place c* (S.-H. Hyon, J. G. Hale and G. Cheng, Full-body
// compliant human-humanoid interaction, IEEE Transactions on Robotics 23(5), 2007, eqs. 8 and 15; B.
// Stephens and C. Atkeson, Dynamic balance force control for compliant humanoid robots, IROS 2010):
//
//     F = m g up − K (c − c*) − D ċ                      across up                                    (1)
//     p = c − (F_h / F_up) z                             pressure: where F through c meets the ground (2)
//     p ← the nearest point of the soles                 the ground cannot pull                       (3)
//     F_h = (c − p) F_up / z                             what that leaves of it                       (4)
//
// z is the height of c over the soles. F is shared by the feet, so that the pressure of each is inside its
// sole and the mean of both is p. With forces f_i at points r_i and the weights m_j g of all bodies,
//
//     τ = −Σ J_iᵀ f_i − Σ J_jᵀ m_j g                     in the joints                                (5)
//
// are the torques that hold the figure still: in the rows of the root, where nothing can push, (5) is zero
// when forces and weights are in balance, which (4) sees to but for the turn about up. (J. Pratt, C.-M.
// Chew, A. Torres, P. Dilworth and G. Pratt, Virtual model control, International Journal of Robotics
// Research 20(2), 2001, has virtual forces so mapped; gravity compensation through the feet is Hyon's.)
#pragma once

#include <array>

#include "sinew/control/balance.h"
#include "sinew/control/support.h"

namespace sinew {

// Of all bodies of the figure.
struct CenterOfMass {
    Vec3 place = Vec3::Zero(), velocity = Vec3::Zero();
};
CenterOfMass centerOfMass(const Model& model, const Balance& balance, const State& state);

// The instantaneous capture point: where pressure must be for c to come to rest above it, as a linear
// inverted pendulum of this height (J. Pratt, J. Carff, S. Drakunov and A. Goswami, Capture point,
// Humanoids 2006): ξ = c + ċ/ω, ω² = g/z.
double pendulumRate(const Balance& balance, double height);

// What the ground shall do to each foot: a force at a point of the world.
struct GroundForce {
    std::array<Vec3, 2> force = {Vec3(Vec3::Zero()), Vec3(Vec3::Zero())};
    std::array<Vec3, 2> point = {Vec3(Vec3::Zero()), Vec3(Vec3::Zero())};
    Vec3 pressure = Vec3::Zero();  // p
};
// (1) to (4) on both feet.
GroundForce standingForce(const Balance& balance, const State& state, const Heading& heading,
                          const CenterOfMass& center, const std::array<bool, 2>& bears, const Vec3& middle,
                          const Vec3& wanted);
// (4) on one foot, with the pressure at the point of its sole nearest to a place.
GroundForce bearingForce(const Balance& balance, const State& state, const Heading& heading,
                         const CenterOfMass& center, int leg, const Vec3& pressure);

// (5), into work.torques: per freedom, the root's rows included.
void staticTorques(const Model& model, const Balance& balance, const State& state,
                   const GroundForce& ground, BalanceWork& work);

}  // namespace sinew
