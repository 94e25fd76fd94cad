// What each mode of a figure that balances wants of its joints, in BalanceWork: coordinates, velocities,
// torques, and which part of their springs and dampers acts.
#pragma once

#include "sinew/control/ground_force.h"

namespace sinew {

// What is known as a step begins.
struct BalanceView {
    const Model& model;
    const Balance& balance;
    const State& state;
    double h;
    const double* memory;  // of the balance
    Heading heading;
    CenterOfMass center;
    std::array<bool, 2> bears = {false, false};  // the feet that stand
    double ground;                               // the height of their soles, along up
    Vec3 middle;                                 // of the places of both soles, at that height
    Vec3 capture;                                // ξ, likewise
    double rate;                                 // ω

    BalanceView(const Model& itsModel, const Balance& itsBalance, const State& itsState, double step);

    // A body as it will be at the end of the step if nothing pushes it.
    BodyState ahead(int body) const;
    // The orientation of the body when it looks along the heading, leaning forward by an angle.
    Quat upright(const Heading& looking, double lean = 0) const;
    // A place at the height of the ground.
    Vec3 onGround(const Vec3& place) const { return place + (ground - place.dot(balance.up)) * balance.up; }
    // Where the body belongs over its feet.
    Pose standingPlace() const;
    // A foot flat on the ground that looks along the heading.
    Quat flat(const BalanceLeg& leg) const
    {
        return heading.turnFrom(balance) * model.bodies[leg.foot].rest.orientation;
    }
    // From the other sole to that of a leg at rest: forward, sideways, up.
    Vec3 apartAtRest(int leg) const;
    // Where the foot in the air is to be put down, the middle of its sole.
    Vec3 foothold(int swing) const;
    // How far the capture point is outside the soles.
    double outside() const;
    int nextSwing() const;
    // Both feet bear, and in a moment the capture point will be beside them: as soon as a push shows.
    bool fallsAside() const;
};

// Both feet on the ground: the body over them.
void aimStanding(const BalanceView& view, BalanceWork& work);
// One foot on its way to where the figure falls.
void aimStepping(const BalanceView& view, BalanceWork& work);
// A state of the gait (K. Yin, K. Loken and M. van de Panne, SIMBICON: simple biped locomotion control, ACM
// Transactions on Graphics 26(3), 2007): a pose; body and swing hip in world axes; and the swing hip turned
// by
//
//     θ = θ_0 + c_d d + c_v v,
//
// d the way from the bearing ankle to the centre of mass, v its velocity, each forward and sideways.
void aimWalking(const BalanceView& view, BalanceWork& work);

}  // namespace sinew
