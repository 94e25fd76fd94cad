// Physics baked into a clip: some bones of a character become dynamic, the others follow their animation,
// and what the simulation makes of it is a new clip for the same character.
//
//     rig, clip, options → planBake() → scene (any run of it is a preview) → frames → bakedClip() → clip
//
// The scene is an ordinary Description: its bodies have the frames of their bones, in metres, and its time
// 0 is the moment from which on the bones are dynamic. Bones that follow the animation are bodies that
// float and have a path (prescribed); below a dynamic bone they are joints that move as the clip has them.
// Dynamic bones hang from ball joints, with a spring and damper toward the animated pose and limits by
// their names.
//
// Springs are told by frequency and damping ratio, not by N·m/rad: a bone with all that hangs from it, as
// one stiff piece of inertia J about its joint, swings at f when k = (2π f)² J, and d = 2 ζ (2π f) J damps
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/character/embody.h"
#include "sinew/character/flesh.h"
#include "sinew/model/description.h"
#include "sinew/state/trajectory.h"

namespace sinew {

struct BakeOptions {
    std::vector<std::string> dynamic;   // patterns of bones
    std::vector<std::string> animated;  // patterns of bones that stay so though `dynamic` has them
    std::string clip;                   // the source; empty: the first, or none where the file has none
    std::string name;                   // of the new clip; empty: the source's with " physics"
    double from = 0;                    // s: until then all is as in the source
    std::optional<double> duration;     // s, of the new clip; the source's where not given
    bool repeat = false;                // the source begins anew when it ends; otherwise it stands still
    bool seamless = false;              // the new clip ends as it begins
    double fps = 60;                    // keys of the new clip
    std::optional<double> step;         // s; where not given about 1/120, a whole number of them in a frame

    double stiffness = 1.5;      // Hz; 0: limp
    double damping = 0.25;       // ratio; of limp bones as if they swung at 1 Hz
    double gravity = 9.81;       // m/s², downward
    std::optional<double> hold;  // part of their weight that the bones carry by themselves; 1, limp ones 0
    Vec3 wind = Vec3::Zero();    // m/s
    double gusts = 0.5;          // how much the wind changes, as a part of its force
    bool collide = false;        // dynamic bones with the others
    std::optional<double> ground;  // height, in the unit of the file
    double friction = 0.6;

    EmbodyOptions body;  // with the unit, and rules for single bones
    FleshOptions flesh;  // soft parts of the skin (character/flesh.h); with these `dynamic` may be empty
};

struct BakePlan {
    Description scene;
    std::vector<int> bodyOfBone;   // in scene.bodies, or -1
    std::vector<bool> isDynamic;   // per bone
    std::vector<bool> isFloating;  // dynamic, with no body above it
    Clip source;
    std::string name;
    double from = 0, duration = 0, fps = 0, unit = 1;
    bool repeat = false;
    int warmUp = 0;  // cycles of the source before the one that is kept; seamless only
    int stepsPerFrame = 1;
    int frames = 0;                  // of the simulation, the first one included
    std::vector<std::string> notes;  // what the animator should know
};

// An error names the option, if it is one that is wrong (Diagnostic::setting). A plan for flesh alone has
// no bodies: there is nothing to simulate before bakedClip(), which takes no frames then.
Result<BakePlan> planBake(const Rig& rig, const BakeOptions& options);

struct BakedClip {
    Clip clip;  // tracks that are new
    // Tracks of the source that stand in the new clip as they are.
    std::vector<int> kept;
    double seam = 0;  // seamless: how far the last frame was from the first before it was closed, rad
};

// The clip out of the frames of the scene, at 0, 1/fps, 2/fps, … s.
BakedClip bakedClip(const Rig& rig, const BakePlan& plan, const Trajectory& frames);

// Simulates the plan's scene. An error says when and why it diverged.
Result<Trajectory> simulatePlan(const BakePlan& plan);

}  // namespace sinew
