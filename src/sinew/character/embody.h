// Bones to bodies: what a bare skeleton weighs and how thick it is. A capsule is laid into the skin around
// each bone, or along the bone where there is no skin; masses come from a density or from a table of body
// segments; names of bones tell how far joints bend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/figure/segments.h"
#include "sinew/rig/rig.h"

namespace sinew {

// What is said of the bones whose names match a pattern. Later rules win.
struct BoneRule {
    enum class Bends { freely, asHinge };  // a cone about the bone; about one axis, the one its clip has
    std::string pattern;
    std::optional<double> stiffness;  // Hz, see bake.h
    std::optional<double> damping;    // part of critical
    std::optional<double> density;    // kg/m³
    std::optional<double> mass;       // kg, each
    std::optional<double> radius;     // m
    std::optional<double> swing;      // rad: half-angle of the cone
    std::optional<double> twist;      // rad, either way
    std::optional<Bends> bends;
    std::optional<bool> collides;
    std::optional<double> lag;     // rad, see bake.h
    std::optional<double> weight;  // how much of the simulation is seen, 0 to 1
    std::optional<double> drag;    // 1 is that of a cylinder in air
    std::optional<bool> link;      // to the chains beside it
};

// The box around the character in its rest pose, in its own unit; y is its height.
Vec3 rigExtent(const Rig& rig);

// How many metres the unit of the file is, guessed from the height of the character.
struct UnitGuess {
    double metres = 1;
    std::string name;  // "m", "cm", …; for people
    bool sure = true;  // false: no usual unit makes the character as high as animals and people are
};
UnitGuess guessUnit(double height);

// What one bone is as a body. In the bone's own frame, SI.
struct BoneBody {
    bool present = false;                         // a bone without extent has no body
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // the centres of the capsule's caps
    double radius = 0;
    double mass = 0;

    Vec3 middle() const { return 0.5 * (from + to); }
    double length() const { return (to - from).norm(); }
};

struct EmbodyOptions {
    double unit = 1;             // m
    double density = 1000;       // kg/m³
    std::optional<double> mass;  // kg, of the whole character
    // With it and a mass, bones that have the names of body segments get the mass the table has for those.
    const SegmentTable* table = nullptr;
    std::vector<BoneRule> rules;
};

// One per bone; of bones that are joints only. Lengths as in `pose`, transforms of bones in their parents'
// frames.
std::vector<BoneBody> embody(const Rig& rig, const std::vector<BoneTransform>& pose,
                             const EmbodyOptions& options);

// The body segment that a bone's name means: LeftUpLeg a thigh, mixamorig:RightForeArm a forearm, ….
std::optional<Segment> segmentOfBone(const std::string& name);

// How far a joint bends, by the name of the bone that it carries.
struct JointHabit {
    BoneRule::Bends bends = BoneRule::Bends::freely;
    double swing = 1.0, twist = 0.6;  // rad
};
JointHabit habitOfBone(const std::string& name);

}  // namespace sinew
