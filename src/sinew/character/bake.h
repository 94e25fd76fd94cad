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
// it. Where they are not given they are found (tune.cpp): so that the tips of a chain lag by `lag` on
// average, above the frequencies at which the clip shakes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/character/embody.h"
#include "sinew/character/flesh.h"
#include "sinew/model/description.h"
#include "sinew/state/trajectory.h"

namespace sinew {

// How much of the simulation is seen, from 0 (the animation) to 1, and of which bones. Between keys it goes
// over smoothly; before the first and after the last it stands still.
struct BakeWeight {
    struct Key {
        double time = 0, weight = 1;
    };
    std::string pattern = "*";
    std::vector<Key> keys;  // at least one, times rising
};

// A blow: an impulse through the middle of a bone, spread over a twentieth of a second.
struct BakeHit {
    std::string bone;
    double time = 0;
    Vec3 impulse = Vec3::Zero();  // N·s, world
};

// Another clip after a while, where the character has got to by then: its root is moved along the ground
// and turned about the vertical to where it is, and the simulation gives way to it.
struct BakeNext {
    std::string clip;
    double time = 0;   // s: when it begins
    double blend = 1;  // s: from then on
};

enum class BakeCollision { none, body, all };  // of dynamic bones: with the animated ones, with each other
// What has no animated bone above it: springs draw it along its path, or nothing does. Automatic: free if
// it is limp.
enum class BakeRoot { automatic, tracked, free };

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

    // What a part of a character usually is like: names of bakePresets(), or "PATTERN:NAME". They say which
    // bones are dynamic where `dynamic` does not, and how; rules of `body` win.
    std::vector<std::string> presets;
    std::optional<double> stiffness;  // Hz; 0: limp; found where not given
    std::optional<double> damping;    // ratio; of limp bones as if they swung as pendulums do
    std::optional<double> lag;        // rad: how far tips stay behind, where the stiffness is found
    double gravity = 9.81;            // m/s², downward
    std::optional<double> hold;  // part of their weight that the bones carry by themselves; 1, limp ones 0
    Vec3 wind = Vec3::Zero();    // m/s
    double gusts = 0.5;          // how much the wind changes, as a part of its force
    double drag = 0;             // of still air on dynamic bones: 1 is that of cylinders in air
    BakeCollision collide = BakeCollision::body;
    BakeRoot root = BakeRoot::automatic;
    std::vector<std::string> links;  // patterns: chains that are tied to those beside them
    std::vector<BakeWeight> weights;
    std::vector<BakeHit> hits;
    std::optional<BakeNext> next;
    std::optional<double> ground;  // height, in the unit of the file
    double friction = 0.6;

    EmbodyOptions body;  // with the unit, and rules for single bones
    FleshOptions flesh;  // soft parts of the skin (character/flesh.h); with these `dynamic` may be empty
};

// The spring that holds a bone.
struct BakeSpring {
    double frequency = 0, ratio = 0;             // Hz; part of critical
    bool isFound = false, isRatioFound = false;  // not given
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
    int frames = 0;                            // of the simulation, the first one included
    std::vector<BakeSpring> springs;           // per bone
    std::vector<std::vector<double>> weights;  // per kept frame and bone; empty: all are 1
    std::optional<BakeNext> next;
    double lift = 0;  // m: by so much a floating character starts higher than its clip has it
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

// Of a simulated plan, over the frames that are kept. Tips are dynamic bones that carry no other one.
struct BakeMeasure {
    double tipMean = 0, tipMost = 0;  // rad: from the animation
    double deepest = 0;            // m: dynamic bones in animated ones, of pairs that the scene keeps apart
    double skinBelow = 0;          // m: skin of dynamic bones below the ground, at the end
    std::vector<double> tipMeans;  // rad, per bone; −1 for those that are no tips
    double fastest = 0;            // rad/s: how fast any dynamic bone turns
};
// `first`: frames before it do not count; −1: those that are not kept.
BakeMeasure measureBake(const Rig& rig, const BakePlan& plan, const Trajectory& frames, int first = -1);

// The names that `presets` takes.
std::vector<std::string_view> bakePresets();

// Simulates the plan's scene. An error says when and why it diverged.
Result<Trajectory> simulatePlan(const BakePlan& plan);

}  // namespace sinew
