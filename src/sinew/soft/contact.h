// Vertices of spring meshes against the shapes of bodies, obstacles and terrain.
//
// A vertex that would end inside is held by a plane: a spring as stiff as the vertex's own springs and
// inertia, so that it is about as deep as the others are stretched, with friction by Coulomb's law,
// smoothed over a way that is small against the mesh (soft/potential.cpp). Which plane: the surface's where
// the vertex is, if it moved little; else the one where its way, seen from the body, first enters, so that
// nothing goes through what is thin.
#pragma once

#include "sinew/soft/potential.h"

namespace sinew {

// Who may touch within the step.
void findContacts(MeshStep& step);
// The planes and normal forces at an iterate.
void placeContacts(MeshStep& step, const VecX& x);

// On the vertex, and minus its derivative by the place of it.
Vec3 contactForce(const MeshStep& step, const MeshContact& contact, const Vec3& at);
Mat3 contactStiffness(const MeshStep& step, const MeshContact& contact, const Vec3& at);

}  // namespace sinew
