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
void findContacts(MeshStep& step, const MeshState& before);
// The planes at an iterate; and the normal forces there, for friction, where asked for.
void placeContacts(MeshStep& step, const VecX& x, bool looksAtFriction);

// What the vertices are held to after the step: anchors follow those that slide.
void keepAnchors(const MeshStep& step, const VecX& x, MeshState& state);

// On the vertex, and minus its derivative by the place of it.
Vec3 contactForce(const MeshStep& step, const MeshContact& contact, const Vec3& at);
Mat3 contactStiffness(const MeshStep& step, const MeshContact& contact, const Vec3& at);

}  // namespace sinew
