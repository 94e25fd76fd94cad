// Soft parts of a skin: points that follow some bones are drawn to where the clip's skinning has them, as
// masses on springs, and swing about it.
//
//     skin, patterns of bones → fleshRegion() → simulateFlesh(clip) → fleshShapes() → morph targets
//
// The spring mesh (soft/). Points that share a place and their bones are one vertex, so that seams of the
// texture do not tear. Each vertex has a spring and a damper to its skinned place, k = m (2π f)² and
// c = 2 ζ (2π f) m; sides of triangles are springs as stiff as that, whose rest lengths are those of the
// skinned triangles. So the skinned shape is at rest whatever the pose is, and only accelerations of the
// clip move the flesh against it. Points beside the flesh are held in their skinned places; toward them the
// flesh is firmer, by the way along the surface, so that there is no crease.
//
// Implicit Euler's step damps an oscillation by a ratio of about ω h/2 by itself; that much is left out of
// the damper.
//
// A morph target moves points before the skinning. With M = Σ wⱼ Bⱼ Iⱼ of a point, its displacement there
// is M⁻¹ (x − x_skinned), by M's linear part.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"
#include "sinew/rig/skin.h"

namespace sinew {

struct BakePlan;

struct FleshOptions {
    std::vector<std::string> bones;  // patterns: points that follow these most are soft; empty: none
    double stiffness = 3;            // Hz: how fast it swings about its place
    double damping = 0.2;            // ratio; 1 is critical
    double weight = 0;               // part of gravity that it feels; the rest is in its shape already
    int targets = 16;                // morph targets at most
    double error = 1e-3;             // of the flesh's size: where fewer targets are enough
};

// Which points are soft, and how they hang together.
struct FleshRegion {
    struct Vertex {
        int point = 0;        // one of the skin's that stand here
        bool isSoft = false;  // otherwise it is held in its skinned place
        double give = 1;      // how far it yields: the stiffness is that of the options by this
    };
    std::vector<Vertex> vertices;           // those that are soft first
    std::vector<std::array<int, 2>> edges;  // of vertices, each once; one of them is soft at least
    int softCount = 0;
    std::vector<int> points;    // of the skin, all that are soft, rising…
    std::vector<int> vertexOf;  // …and the vertex of each
    std::vector<std::string> bones;
};
// An error names the setting `flesh`.
Result<FleshRegion> fleshRegion(const Rig& rig, const SkinSurface& skin,
                                const std::vector<std::string>& patterns);

struct FleshMotion {
    std::vector<double> times;               // s, of the new clip
    std::vector<std::vector<Vec3>> offsets;  // per time and soft vertex: its way in bind space
    double size = 0;  // of the flesh as it stands in the first frame: the diagonal of its box, rig's unit
    double largest = 0;  // the farthest that a vertex was from its place, in the rig's unit
    double stretch = 1;  // by which the skinning lengthens ways of bind space, at most
    double seam = 0;     // of a loop: what was left of it before it was closed, in the rig's unit
    int steps = 0;
    double step = 0;  // s
    std::vector<std::string> notes;
};
// `clip` is the new one as a whole: bones that physics moves, and the others.
Result<FleshMotion> simulateFlesh(const Rig& rig, const SkinSurface& skin, const FleshRegion& region,
                                  const Clip& clip, const BakePlan& plan, const FleshOptions& options,
                                  double gravity);

// The same motion as a few shapes with weights from −1 to 1 that change in time: the best of a given number
// by the sum of squares (principal components, by subspace iteration).
struct FleshShapes {
    std::vector<std::vector<Vec3>> shapes;     // per target and soft vertex; single precision
    std::vector<std::vector<double>> weights;  // per time and target; single precision
    double error = 0;  // bound of how far any vertex is off at the times, in the rig's unit
};
// As few as come within `error`, which is in the rig's unit, and at most so many.
FleshShapes fleshShapes(const FleshMotion& motion, int most, double error);

// What is wrong with the numbers among the options; an empty message: nothing.
Diagnostic fleshFault(const FleshOptions& options);

}  // namespace sinew
