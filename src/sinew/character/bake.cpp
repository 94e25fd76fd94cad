// The plan of a bake: which bones are bodies, what holds them, what they follow.
#include "sinew/character/bake.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "sinew/base/pattern.h"
#include "sinew/base/text.h"
#include "sinew/character/joint_range.h"
#include "sinew/collision/box_tree.h"
#include "sinew/geometry/distance.h"
#include "sinew/math/rotation.h"
#include "sinew/rig/timeline.h"
#include "sinew/rig/turns.h"
#include "sinew/simulation/live.h"

namespace sinew {
namespace {

constexpr double airDensity = 1.2;       // kg/m³
constexpr double dragCoefficient = 1.0;  // of a cylinder across the wind, nearly
constexpr double gustFrequency = 0.7;    // Hz
constexpr double limitFrequency = 30;    // Hz: how hard the ends of a joint's range are
constexpr double limpFrequency = 1;      // Hz: what the damping of limp bones refers to
constexpr double usualStep = 1.0 / 120;
constexpr int warmUpCycles = 8;
constexpr std::size_t mostOverlaps = 1'000'000, mostNear = 4'000'000;  // pairs of bones
// Dynamic bones one behind the other: what turns at each adds up at the end, and steps get ever shorter.
constexpr int longestChain = 1000;

bool matchesAny(const std::vector<std::string>& patterns, const std::string& name)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matchesPattern(pattern, name); });
}

// How many names a message lists.
constexpr std::size_t shownNames = 8;

std::string someNames(const Rig& rig)
{
    std::vector<std::string> names;
    for (const Bone& bone : rig.bones)
        if (bone.joint) names.push_back(bone.name);
    return listedNames(names, shownNames);
}

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
    std::vector<WorldFrame> bind;                    // the bind pose
    std::vector<int> order;                          // bones with bodies in the scene
    std::vector<Limb> limbs;                         // per bone, what hangs from it and itself
    std::unordered_set<std::string> taken{"world"};  // names of bodies

    Planner(const Rig& theRig, const BakeOptions& theOptions, BakePlan& thePlan)
        : rig(theRig), options(theOptions), plan(thePlan)
    {
    }
    std::optional<Diagnostic> run();

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
    double inertiaBeyond(int bone) const;
    Shape shape(int bone) const;
    Pose shapePose(int bone) const;
    Pose placedShape(int bone) const
    {
        const Pose& pose = world[bone].pose;
        return Pose{options.body.unit * pose.position, pose.orientation} * shapePose(bone);
    }
};

std::optional<Diagnostic> Planner::chooseClip()
{
    if (!options.clip.empty()) {
        for (const Clip& clip : rig.clips)
            if (clip.name == options.clip) plan.source = clip;
        if (plan.source.name != options.clip) {
            std::vector<std::string> known;
            for (const Clip& clip : rig.clips) known.push_back(clip.name);
            return settingFault("clip",
                                "there is no clip " + quotedName(options.clip) +
                                    (known.empty() ? "; the file has none"
                                                   : "; there are " + listedNames(known, shownNames)));
        }
    } else if (!rig.clips.empty()) {
        plan.source = rig.clips.front();
    }
    plan.name = !options.name.empty()      ? options.name
                : plan.source.name.empty() ? "physics"
                                           : plan.source.name + " physics";
    return {};
}

std::optional<Diagnostic> Planner::chooseTimes()
{
    const double whole = plan.source.duration();
    plan.duration = options.duration.value_or(whole > 0 ? whole : 5);
    plan.from = options.from;
    plan.fps = options.fps;
    plan.repeat = options.repeat || options.seamless;
    if (!(options.fps > 0 && options.fps <= 1000))
        return settingFault("fps", "must be above 0 and at most 1000 frames per second");
    if (!(plan.duration > 0 && plan.duration <= 3600))
        return settingFault("duration", "must be above 0 and at most 3600 s");
    if (!(options.from >= 0 && options.from < plan.duration))
        return settingFault("from",
                            "must lie within the clip, from 0 to " + std::to_string(plan.duration) + " s");
    if (options.step && !(*options.step > 0)) return settingFault("step", "must be positive");
    if (options.seamless) {
        if (options.from != 0 || options.duration)
            return settingFault("seamless", "takes the whole clip; leave the start and the duration out");
        if (!(whole > 0)) return settingFault("seamless", "needs a clip that lasts");
        // A whole number of frames in a cycle, so that the last one is the first one.
        plan.fps = std::ceil(whole * options.fps - 1e-9) / whole;
        plan.warmUp = warmUpCycles;
    }
    const double simulated = plan.duration - plan.from + plan.warmUp * whole;
    plan.frames = 1 + static_cast<int>(std::ceil(simulated * plan.fps - 1e-3));
    plan.stepsPerFrame =
        std::max(1, static_cast<int>(std::ceil(1 / (plan.fps * options.step.value_or(usualStep)) - 1e-9)));
    if (static_cast<double>(plan.frames) * static_cast<double>(rig.bones.size()) > 2e7)
        return settingFault("duration", "makes more than twenty million key frames");
    // Two more than are kept: curves through keys bend toward the next one.
    for (int k = 0; k < plan.frames + 2; ++k) frames.push_back(animatedAt(plan.from + k / plan.fps));
    const double half = 0.5 / plan.fps, earlier = std::max(0.0, plan.from - half), later = plan.from + half;
    before = animatedAt(earlier);
    after = animatedAt(later);
    span = later - earlier;
    bind = worldFrames(rig, restPose(rig));
    return {};
}

std::optional<Diagnostic> Planner::chooseBones()
{
    const int count = static_cast<int>(rig.bones.size());
    start = localPose(rig, plan.source, clipTime(plan.from));
    world = frames.front();
    bodies = embody(rig, start, options.body);
    plan.isDynamic.assign(count, false);
    plan.isFloating.assign(count, false);
    plan.bodyOfBone.assign(count, -1);
    below.assign(count, false);
    anchor.assign(count, -1);
    bool any = false;
    std::vector<std::string> without;
    for (int b = 0; b < count; ++b) {
        const Bone& bone = rig.bones[b];
        if (bone.parent >= 0) anchor[b] = bodies[bone.parent].present ? bone.parent : anchor[bone.parent];
        const bool wanted = bone.joint && matchesAny(options.dynamic, bone.name) &&
                            !matchesAny(options.animated, bone.name);
        if (wanted && !bodies[b].present) without.push_back(bone.name);
        plan.isDynamic[b] = wanted && bodies[b].present;
        below[b] = plan.isDynamic[b] || (bone.parent >= 0 && below[bone.parent]);
        plan.isFloating[b] = plan.isDynamic[b] && anchor[b] < 0;
        any |= plan.isDynamic[b];
    }
    const std::string bare = listedNames(without, shownNames);
    if (!bare.empty()) plan.notes.push_back("without extent, they move with their parents: " + bare);
    if (!any && !bare.empty())
        return settingFault("dynamic", "what matches has no extent, neither skin nor length: " + bare);
    if (!any) return settingFault("dynamic", "no bone matches; bones are " + someNames(rig));
    if (auto fault = checkScales()) return fault;

    std::vector<bool> needed(count, false);
    for (int b = 0; b < count; ++b) {
        if (!bodies[b].present) continue;
        needed[b] = needed[b] || below[b] || options.collide;
        if (below[b] && anchor[b] >= 0) needed[anchor[b]] = true;
    }
    for (int b = 0; b < count; ++b)
        if (needed[b]) order.push_back(b);
    return {};
}

// What hangs from an unevenly scaled bone is sheared as it turns, which no body can follow. The bone's own
// shape does no harm, nor do bones that carry none of the dynamic ones.
std::optional<Diagnostic> Planner::checkScales() const
{
    std::vector<bool> carries(rig.bones.size(), false);
    for (std::size_t b = rig.bones.size(); b-- > 0;) {
        if (carries[b] && !isEvenlyScaled(start[b]))
            return Diagnostic{"bone " + quotedName(rig.bones[b].name) +
                              " is scaled differently along its axes, or mirrored; apply the scale in the "
                              "modelling program first"};
        const int parent = rig.bones[b].parent;
        if (parent >= 0 && (carries[b] || plan.isDynamic[b]))
            carries[static_cast<std::size_t>(parent)] = true;
    }
    return {};
}

// All bones as they are animated: only flesh is to be simulated.
std::optional<Diagnostic> Planner::followClip()
{
    const std::size_t count = rig.bones.size();
    plan.isDynamic.assign(count, false);
    plan.isFloating.assign(count, false);
    plan.bodyOfBone.assign(count, -1);
    below.assign(count, false);
    for (std::size_t b = 0; b < count; ++b) order.push_back(static_cast<int>(b));
    return checkSeam();
}

// Dynamic bones stand in their bind pose on what carries them, so that limits are counted from it; where
// they start is a coordinate of their joints.
void Planner::placeAtRest()
{
    rest.resize(rig.bones.size());
    for (const int b : order) {
        const Pose now{options.body.unit * world[b].pose.position, world[b].pose.orientation};
        if (!below[b] || plan.isFloating[b]) {
            rest[b] = now;
            continue;
        }
        const int a = anchor[b];
        const Vec3 offset = options.body.unit * (world[a].pose.inverse() * world[b].pose.position);
        rest[b] = {rest[a] * offset, (rest[a].orientation * relative(b, bind)).normalized()};
    }
}

Shape Planner::shape(int bone) const
{
    const BoneBody& body = bodies[bone];
    // Nearly a sphere is one: no direction can be had from so short an axis.
    if (body.length() < 1e-3 * body.radius) return Sphere{body.radius};
    return Capsule{body.radius, body.length()};
}

Pose Planner::shapePose(int bone) const
{
    const BoneBody& body = bodies[bone];
    Pose pose{body.middle(), Quat::Identity()};
    if (std::holds_alternative<Capsule>(shape(bone)))
        pose.orientation = rotationBetween(Vec3::UnitY(), body.to - body.from).normalized();
    return pose;
}

void Planner::addBody(int bone)
{
    Description& scene = plan.scene;
    BodyDescription body;
    body.name = rig.bones[bone].name;
    for (char& c : body.name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
    while (!taken.insert(body.name).second) body.name += '_';
    body.pose = rest[bone];
    body.mass = bodies[bone].mass;
    body.shapes.push_back({shape(bone), shapePose(bone), {}, {}});
    body.layer = below[bone] ? "dynamic" : "animated";
    body.collides = below[bone] || options.collide;
    for (const BoneRule& rule : options.body.rules)
        if (rule.collides && matchesPattern(rule.pattern, rig.bones[bone].name))
            body.collides = *rule.collides;
    plan.bodyOfBone[bone] = static_cast<int>(scene.bodies.size());
    if (plan.isFloating[bone]) {
        // As the animation moves at that moment.
        const Pose &a = before[bone].pose, &b = after[bone].pose;
        const Vec3 spin = logRotation((b.orientation * a.orientation.conjugate()).normalized()) / span;
        const Vec3 velocity = options.body.unit * (b.position - a.position) / span;
        body.angularVelocity = spin;
        body.velocity = velocity + spin.cross(rest[bone].orientation * bodies[bone].middle());
    }
    scene.bodies.push_back(std::move(body));
}

// A bone that follows the animation: its body's path.
void Planner::addPath(int bone)
{
    PrescribedDescription path;
    path.body = name(bone);
    path.point = rest[bone].position;
    bool moves = false;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const Pose& pose = frames[k][bone].pose;
        const Pose& first = frames[0][bone].pose;
        moves |= pose.position != first.position || pose.orientation.coeffs() != first.orientation.coeffs();
        path.path.push_back(
            {static_cast<double>(k) / plan.fps, options.body.unit * pose.position, pose.orientation});
    }
    if (!moves) path.path.resize(1);
    plan.scene.prescribed.push_back(std::move(path));
}

// From the ends of the limbs inwards.
void Planner::weighLimbs()
{
    limbs.assign(rig.bones.size(), {});
    for (const int b : order) {
        const BoneBody& body = bodies[b];
        const double l = body.length(), r = body.radius;
        limbs[b] = {body.mass, rest[b] * body.middle(), body.mass * (l * l / 12 + 0.4 * r * r)};
    }
    for (int b = static_cast<int>(limbs.size()) - 1; b >= 0; --b)
        if (anchor[b] >= 0) limbs[anchor[b]].add(limbs[b]);
}

// J of the bone with all that hangs from it about its joint, at rest: the trace's half, which is the mean
// of the moments about two axes for what is long and thin.
double Planner::inertiaBeyond(int bone) const
{
    const Limb& limb = limbs[bone];
    return limb.inertia + limb.mass * (limb.center - rest[bone].position).squaredNorm();
}

void Planner::addJoint(int bone)
{
    JointDescription joint;
    joint.type = JointType::spherical;
    joint.name = name(bone);
    joint.first = name(anchor[bone]);
    joint.second = name(bone);
    joint.position = rest[bone].position;

    const Quat atRest = relative(bone, bind);
    std::vector<Quat> rotations;
    for (const auto& frame : frames) rotations.push_back(atRest.conjugate() * relative(bone, frame));
    const std::vector<Vec3> turns = turnsWithoutJumps(rotations);
    if (!plan.isDynamic[bone]) {
        PrescribedDescription path;
        path.joint = joint.name;
        path.motion = turnSignals(turns, plan.fps);
        plan.scene.prescribed.push_back(std::move(path));
        plan.scene.joints.push_back(std::move(joint));
        return;
    }

    // As the animation has it at that moment.
    const Vec3 spin =
        logRotation((relative(bone, before).conjugate() * relative(bone, after)).normalized()) / span;
    joint.coordinate = {turns[0][0], turns[0][1], turns[0][2]};
    joint.velocity = {spin[0], spin[1], spin[2]};

    const JointRange range = jointRange(rig.bones[bone].name, bodies[bone], turns, options.body.rules);
    joint.axis = rest[bone].orientation * range.axis;
    joint.swingLimit = range.swing;
    joint.lower = {range.lower};
    joint.upper = {range.upper};

    const double inertia = inertiaBeyond(bone);
    const double frequency = 2 * pi * ruled(bone, &BoneRule::stiffness, options.stiffness);
    const double ratio = ruled(bone, &BoneRule::damping, options.damping);
    const double hard = 2 * pi * std::max(limitFrequency, 3 * frequency / (2 * pi));
    joint.limitStiffness = hard * hard * inertia;
    if (frequency > 0) {
        ControllerDescription spring;
        spring.joint = joint.name;
        spring.stiffness = frequency * frequency * inertia;
        spring.damping = 2 * ratio * frequency * inertia;
        spring.target = turnSignals(turns, plan.fps);
        plan.scene.controllers.push_back(std::move(spring));
    } else {
        joint.damping = 2 * ratio * (2 * pi * limpFrequency) * inertia;
    }
    plan.scene.joints.push_back(std::move(joint));
}

void Planner::addWind(int bone)
{
    const double speed = options.wind.norm();
    if (speed == 0 || !plan.isDynamic[bone]) return;
    const BoneBody& body = bodies[bone];
    const double area = 2 * body.radius * (body.length() + 1.5 * body.radius);
    ForceDescription force;
    force.body = name(bone);
    force.force = 0.5 * airDensity * dragCoefficient * area * speed * options.wind;
    if (options.gusts > 0) {
        Signal signal;
        signal.parts.push_back(ConstantSignal{1});
        signal.parts.push_back(NoiseSignal{options.gusts, gustFrequency, static_cast<std::uint32_t>(bone)});
        force.signal = std::move(signal);
    }
    plan.scene.forces.push_back(std::move(force));
}

// Bones that overlap from the start, one of them dynamic. One bone's neighbours at a time, so that a heap
// of bones in one place takes no more memory than there are bones.
std::optional<Diagnostic> Planner::findOverlaps(ContactDescription& contact) const
{
    BoxTree tree(0);
    for (const int b : order) tree.insert(boundingBox(shape(b), placedShape(b)));
    std::vector<int> found;
    std::size_t near = 0, overlaps = 0;
    DistanceWork work;
    for (int i = 0; i < tree.size(); ++i) {
        const int a = order[i];
        if (!below[a]) continue;
        tree.query(tree.box(i), found);
        for (const int j : found) {
            const int b = order[j];
            if (j == i || (below[b] && j < i)) continue;
            const bool overlap =
                distance(shape(a), placedShape(a), shape(b), placedShape(b), work).distance <= 0;
            if (overlap) contact.ignore.push_back({name(std::min(a, b)), name(std::max(a, b))});
            overlaps += overlap;
            if (overlaps > mostOverlaps || ++near > mostNear)
                return Diagnostic{"more than " + std::to_string(mostOverlaps) +
                                  " pairs of bones overlap at the start, or " + std::to_string(mostNear) +
                                  " nearly; simulate fewer of them"};
        }
    }
    return {};
}

// The bodies and the ground meet; what overlaps from the start is let through, as it is part of the
// drawing.
std::optional<Diagnostic> Planner::addContact()
{
    if (!options.collide && !options.ground) return {};
    Description& scene = plan.scene;
    ContactDescription contact;
    contact.friction = options.friction;
    const auto pass = [&](const char* one, const char* other) {
        const auto there = [&](const char* layer) {
            return (options.ground && layer == std::string("ground")) ||
                   std::any_of(scene.bodies.begin(), scene.bodies.end(),
                               [&](const BodyDescription& body) { return body.layer == layer; });
        };
        if (there(one) && there(other)) contact.ignore.push_back({one, other});
    };
    pass("animated", "animated");
    pass("animated", "ground");
    if (!options.collide) pass("dynamic", "dynamic");
    double lowest = INFINITY;
    for (const int b : order) {
        if (!below[b]) continue;
        const Pose pose = placedShape(b);
        const Vec3 half = pose.orientation * Vec3(0, 0.5 * bodies[b].length(), 0);
        lowest = std::min(lowest, pose.position.y() - std::abs(half.y()) - bodies[b].radius);
    }
    if (options.collide)
        if (auto fault = findOverlaps(contact)) return fault;
    if (options.ground) {
        ObstacleDescription ground;
        ground.name = "ground";
        ground.layer = "ground";
        double height = options.body.unit * *options.ground;
        if (lowest < height) {
            plan.notes.push_back("the ground is lowered by " +
                                 std::to_string((height - lowest) / options.body.unit) +
                                 " of the file's units: a dynamic bone begins below it");
            height = lowest;
        }
        ground.position = Vec3(0, height, 0);
        scene.obstacles.push_back(std::move(ground));
    }
    scene.contact = std::move(contact);
    return {};
}

// A loop can be closed only where the animation that carries the dynamic bones is closed.
std::optional<Diagnostic> Planner::checkSeam() const
{
    if (!options.seamless) return {};
    constexpr double mostTurn = 0.2, mostShift = 0.05;  // rad; part of the whole
    const auto last = worldFrames(rig, localPose(rig, plan.source, plan.source.duration()));
    const auto first = worldFrames(rig, localPose(rig, plan.source, 0));
    const double extent = rigExtent(rig).maxCoeff();
    for (const int b : order) {
        if (below[b]) continue;
        const double turn = last[b].pose.orientation.angularDistance(first[b].pose.orientation);
        const double shift = (last[b].pose.position - first[b].pose.position).norm();
        if (turn > mostTurn || shift > mostShift * extent)
            return settingFault("seamless", "the clip " + quotedName(plan.source.name) +
                                                " does not end as it begins: " +
                                                quotedName(rig.bones[b].name) + " is elsewhere");
    }
    return {};
}

std::optional<Diagnostic> Planner::checkChains() const
{
    std::vector<int> length(rig.bones.size(), 0);
    for (const int b : order) {
        length[b] = (anchor[b] >= 0 ? length[anchor[b]] : 0) + plan.isDynamic[b];
        if (length[b] > longestChain)
            return settingFault("dynamic", "bone " + quotedName(rig.bones[b].name) + " is number " +
                                               std::to_string(length[b]) +
                                               " of a chain of dynamic bones; at most " +
                                               std::to_string(longestChain) + " can");
    }
    return {};
}

std::optional<Diagnostic> Planner::run()
{
    if (auto fault = chooseClip()) return fault;
    if (auto fault = chooseTimes()) return fault;
    plan.unit = options.body.unit;
    if (!options.flesh.bones.empty()) {
        if (Diagnostic fault = fleshFault(options.flesh); !fault.message.empty()) return fault;
        if (options.dynamic.empty()) return followClip();
    }
    if (auto fault = chooseBones()) return fault;
    if (auto fault = checkSeam()) return fault;
    if (auto fault = checkChains()) return fault;
    Description& scene = plan.scene;
    scene.name = plan.name;
    scene.gravity = Vec3(0, -options.gravity, 0);
    placeAtRest();
    weighLimbs();
    bool limp = true;
    for (const int b : order) {
        addBody(b);
        if (!below[b])
            addPath(b);
        else if (!plan.isFloating[b])
            addJoint(b);
        addWind(b);
        if (plan.isDynamic[b]) limp &= ruled(b, &BoneRule::stiffness, options.stiffness) == 0;
    }
    scene.gravityCompensation = options.hold.value_or(limp ? 0 : 1);
    if (auto fault = addContact()) return fault;
    scene.run.fps = plan.fps;
    scene.run.step = 1 / (plan.fps * plan.stepsPerFrame);
    scene.run.duration = (plan.frames - 1) / plan.fps;
    return {};
}

}  // namespace

Result<BakePlan> planBake(const Rig& rig, const BakeOptions& options)
{
    BakePlan plan;
    Planner planner(rig, options, plan);
    if (std::optional<Diagnostic> fault = planner.run()) return *fault;
    return plan;
}

Result<Trajectory> simulatePlan(const BakePlan& plan)
{
    // As `sinew run` and the page have it, to the same bits: time is counted, not summed.
    Result<LiveSimulation> made = LiveSimulation::create(plan.scene, {});
    if (!made) return made.error();
    LiveSimulation& live = made.value();
    const auto record = [&] { return recordFrame(live.simulation().model(), live.simulation().state); };
    Trajectory frames;
    frames.push_back(record());
    for (int k = 1; k < plan.frames; ++k) {
        for (int s = 0; s < plan.stepsPerFrame; ++s) {
            const StepReport report = live.step();
            if (!report.ok) return Diagnostic{report.message};
        }
        frames.push_back(record());
    }
    return frames;
}

}  // namespace sinew
