// What springs of the scene do at vertices of spring meshes: to a point, to another vertex, or along a
// curve or surface that they slide on; and soft pins, which are such springs of length 0.
//
// A tie acts on a way w, from its one end to the other, or on the distance L from what it slides on:
//     E = ½ a [(L − L*)² − (m − L*)²],      a = k + c/h,   L* = (k rest + (c/h) L₀)/a the length without
// tension, as far as it acts: beyond m, which for one that only pulls is the longer of L* and its rest
// length, and for one that only pushes the shorter. With length 0 there is no line:
//     E = ½ k |w|² + ½ (c/h) |w − w₀|²
// and across a curve with tangent t₀ at the start of the step, p the vertex in the axes of the curve,
//     E = ½ k |p − nearest|² + ½ (c/h) |(1 − t₀ t₀ᵀ)(p − p₀)|²
#pragma once

#include "sinew/math/spatial.h"
#include "sinew/model/spring_mesh.h"

namespace sinew {

// With `way` from the one end to the other, now and at the start of the step: energy, force on the first
// end, and a positive part of the second derivative. h = 0: without its damper.
double pinEnergy(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h);
Vec3 pinPull(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h);
Mat3 pinBlock(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h);
// What its damper takes in the step.
double pinDissipation(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h);

// A vertex, and the pose of what it slides on.
struct GlidePlace {
    Pose pose;
    Vec3 vertex = Vec3::Zero();
};
double glideEnergy(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h);
// The gradient at the vertex: minus the force on it.
Vec3 glidePull(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h);
Mat3 glideBlock(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h);
double glideDissipation(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h);

// For explicit steps, with the velocity of the way or of the vertex: force on the first end, or minus that
// on the vertex.
Vec3 pinPullAt(const MeshTieLaw& pin, const Vec3& way, const Vec3& speed);
Vec3 glidePullAt(const MeshGlide& glide, const Vec3& vertex, const Vec3& velocity);

}  // namespace sinew
