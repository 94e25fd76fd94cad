// A state of one scene as a state of the same scene said differently, and back.
#pragma once

#include "invariance/transform.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/mesh_state.h"

namespace sinew::invariance {

// Takes away what has no counterpart: numbers of contact features (impulses are then carried over by place,
// on both sides alike) and what the slow band of `bands` keeps.
void normalise(State& state);

// `from` is normalised. Bodies are matched by name, joints too; impulses go over as wrenches. Those of a
// joint that closes a loop here and not there begin at zero.
State mapState(const Simulation& from, const State& state, const Similarity& by, const Simulation& to);

// Contacts of a state of `from` as `to` has them, in its order.
std::vector<Contact> mapContacts(const Simulation& from, const std::vector<Contact>& contacts,
                                 const Similarity& by, const Simulation& to);

// Bodies of a state of `to`, as `from` has them.
LargeVector<BodyState> mapBack(const Simulation& to, const State& state, const Similarity& by,
                               const Simulation& from);

// Spring meshes likewise: the places and velocities of their vertices.
std::vector<MeshState> mapMeshesBack(const State& state, const Similarity& by);

// Whether both have the same tree: parents, and who closes the loops.
bool sameTree(const Model& a, const Model& b);

}  // namespace sinew::invariance
