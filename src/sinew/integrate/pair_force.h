// What a joint's springs, limits, dampers and motor do to its two bodies, with exact derivatives, for the
// implicit steps in body coordinates.
//
// Source: Hernandez et al. 2011, appendix A, whose derivative of the rotation vector loses the component
// along the axis; math/rotation.h has the right one. With τ the torque on the child in child axes, E its
// stiffness against relative turns δ_c − X δ_p (X: parent axes → child axes):
//     −∂τ_c = E (δ_c − X δ_p)        −∂τ_p = −Xᵀ (E + τ~) (δ_c − X δ_p)        τ_p = −Xᵀ τ
// Not symmetric. Forces and unknowns per body: linear in world axes, angular in body axes.
#pragma once

#include "sinew/force/laws.h"
#include "sinew/model/rows.h"
#include "sinew/state/state.h"

namespace sinew {

struct PairForce {
    Vec6 child, parent;
    PairMatrix stiffness, damping;  // minus the derivatives by places and by velocities
};

// With the joint's generalised force Q in `forces`, those at this state. `armatureDamping`: an armature A
// resists a change of the joint's velocity u over a step h by −(A/h)(u' − u), which is a damper of A/h
// toward u; its force is in Q. False if there is no force.
bool jointPairForce(const Model& model, const State& state, int link, const Forces& forces,
                    double armatureDamping, PairForce& force);
// The same with Q and a tangent of the joint's laws given, and with the force whose directions turn with
// the bodies apart from the one that acts.
bool jointPairForce(const Model& model, const State& state, int link, const double* Q,
                    const double* turning, const JointTangent& tangent, PairForce& force);

inline Place parentPlace(const Model& model, const State& state, int link)
{
    const int parent = model.joints[link].parent;
    return parent < 0 ? Place{} : placeOf(state.bodies[parent]);
}

}  // namespace sinew
