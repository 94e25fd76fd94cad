// Inside of planBake(): what it goes by, in the order in which it is found out. In bake.cpp what is chosen,
// in bake_bodies.cpp bodies and joints, in bake_forces.cpp what acts on them, in bake_contact.cpp what they
// touch, in tune.cpp how stiff they are.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "sinew/base/pattern.h"
#include "sinew/base/text.h"
#include "sinew/character/bake.h"
#include "sinew/character/joint_range.h"
#include "sinew/rig/timeline.h"

namespace sinew {

inline bool matchesAny(const std::vector<std::string>& patterns, const std::string& name)
{
    for (const std::string& pattern : patterns)
        if (matchesPattern(pattern, name)) return true;
    return false;
}

// How many names a message lists.
inline constexpr std::size_t shownNames = 8;

// Dynamic bones that hang from one place, and what they are like: left and right ears and the columns of a
// skirt are one family, since their names differ in digits and sides alone.
struct DynamicChain {
    int root = -1;
    std::vector<int> bones;  // parents first, the root too
    std::vector<int> tips;   // of these
    std::string family;
    double length = 0;  // m: from the root's joint to the farthest end
};

// Bones as one: their mass, its centre, and half the trace of the inertia about that.
struct Limb {
    double mass = 0;
    Vec3 center = Vec3::Zero();
    double inertia = 0;

    void add(const Limb& other)
    {
        if (!(other.mass > 0)) return;
        const double sum = mass + other.mass;
        inertia += other.inertia + mass * other.mass / sum * (other.center - center).squaredNorm();
        center += other.mass / sum * (other.center - center);
        mass = sum;
    }
};

struct Planner {
    const Rig& rig;
    const BakeOptions& options;
    BakePlan& plan;

    // Per bone; empty: as given, and where nothing is, as is estimated.
    std::vector<BakeSpring> springs;
    // Per bone; of those that touch nothing but the ground, so that the skin itself stays above it.
    std::vector<std::optional<ConvexMesh>> hulls;
    std::vector<BoneBody> bodies;      // per bone
    std::vector<bool> below;           // has a dynamic bone above it, or is one
    std::vector<int> anchor;           // the nearest bone above with a body, or -1
    std::vector<BoneTransform> start;  // local, at `from`
    std::vector<WorldFrame> world;     // at `from`
    std::vector<Pose> rest;            // of bodies, m
    std::vector<std::vector<WorldFrame>>
        frames;  // of the animation, at every frame of the simulation, and two more
    // Of the animation a moment before and after `from`, for velocities, and the time between them.
    std::vector<WorldFrame> before, after;
    double span = 0;
    double figureSize = 0;                           // m
    std::vector<WorldFrame> bind;                    // the bind pose
    std::vector<int> order;                          // bones with bodies in the scene
    std::vector<Limb> limbs;                         // per bone, what hangs from it and itself
    std::unordered_set<std::string> taken{"world"};  // names of bodies

    Planner(const Rig& theRig, const BakeOptions& theOptions, BakePlan& thePlan)
        : rig(theRig), options(theOptions), plan(thePlan)
    {
    }
    std::optional<Diagnostic> prepare();
    std::optional<Diagnostic> build();
    std::vector<DynamicChain> chains() const;
    // Hz: as the chain would swing by its weight alone.
    double slowest(const DynamicChain& chain) const;
    double lagOf(const DynamicChain& chain) const;

private:
    std::optional<Diagnostic> chooseClip();
    std::optional<Diagnostic> chooseTimes();
    std::optional<Diagnostic> chooseBones();
    std::optional<Diagnostic> followClip();
    void placeAtRest();
    void weighLimbs();
    void addBody(int bone);
    void addPath(int bone);
    void addJoint(int bone);
    void addWind(int bone);
    void addPauses(int bone);
    std::vector<Vec3> turnsOf(int bone) const;
    void addDrag();
    void addRoot(int bone);
    void addLinks();
    std::optional<Diagnostic> addHits();
    std::optional<Diagnostic> addWeights();
    std::optional<Diagnostic> checkNext();
    void chooseNeeded();
    void chooseSprings();
    BakeSpring estimated(const DynamicChain& chain) const;
    void thinOut();
    void standOnGround();
    void wrapSkin();
    std::optional<Diagnostic> checkScales() const;
    std::optional<Diagnostic> checkSeam() const;
    std::optional<Diagnostic> checkChains() const;
    std::optional<Diagnostic> findOverlaps(ContactDescription& contact) const;
    std::optional<Diagnostic> addContact();

    Quat relative(int bone, const std::vector<WorldFrame>& at) const
    {
        return at[anchor[bone]].pose.orientation.conjugate() * at[bone].pose.orientation;
    }
    double clipTime(double time) const { return sourceTime(plan.source.duration(), plan.repeat, time); }
    std::vector<WorldFrame> animatedAt(double time) const
    {
        return worldFrames(rig, localPose(rig, plan.source, clipTime(time)));
    }
    const std::string& name(int bone) const { return plan.scene.bodies[plan.bodyOfBone[bone]].name; }
    double ruled(int bone, std::optional<double> BoneRule::*what, double otherwise) const
    {
        return ruledValue(options.body.rules, rig.bones[bone].name, what).value_or(otherwise);
    }
    bool isLinked(int bone) const;
    double inertiaBeyond(int bone) const;
    double pendulum(int bone) const;
    int floatingRoot(int bone) const;
    double sluggishness(int bone) const;
    Shape shape(int bone) const;
    Pose shapePose(int bone) const;
    Pose placed(const WorldFrame& frame) const
    {
        return {options.body.unit * frame.pose.position, frame.pose.orientation};
    }
    Pose placedShape(int bone) const { return placed(world[bone]) * shapePose(bone); }
};

// A bone's name without digits and sides: what is alike has it in common.
std::string familyOfBone(const std::string& name);

// Presets as rules and patterns.
Result<BakeOptions> withPresets(const Rig& rig, const BakeOptions& asked);

// Better springs than those that a prepared plan has, by trials.
Result<std::vector<BakeSpring>> tunedSprings(const Rig& rig, const BakeOptions& options,
                                             const BakePlan& prepared);

}  // namespace sinew
