// The plan of a bake: which bones are bodies, what holds them, what they follow.
#include "sinew/character/bake.h"

#include <algorithm>
#include <cmath>

#include "sinew/character/planner.h"
#include "sinew/simulation/live.h"

namespace sinew {
namespace {

constexpr double usualStep = 1.0 / 120;
constexpr int warmUpCycles = 8;
// Dynamic bones one behind the other: what turns at each adds up at the end, and steps get ever shorter.
constexpr int longestChain = 1000;

std::string someNames(const Rig& rig)
{
    std::vector<std::string> names;
    for (const Bone& bone : rig.bones)
        if (bone.joint) names.push_back(bone.name);
    return listedNames(names, shownNames);
}

}  // namespace

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

    chooseNeeded();
    return {};
}

// Bones that get a body: what is below a dynamic one, what carries it, and what it could get to.
void Planner::chooseNeeded()
{
    const int count = static_cast<int>(rig.bones.size());
    std::vector<bool> needed(count, false);
    for (int b = 0; b < count; ++b) {
        if (!bodies[b].present) continue;
        needed[b] = needed[b] || below[b] || options.collide == BakeCollision::all;
        if (below[b] && anchor[b] >= 0) needed[anchor[b]] = true;
    }
    if (options.collide == BakeCollision::body) {
        // A few poses of the clip tell who comes near whom.
        constexpr int looks = 16;
        const std::vector<DynamicChain> all = chains();
        for (int b = 0; b < count; ++b) {
            if (!bodies[b].present || needed[b]) continue;
            for (int look = 0; look < looks && !needed[b]; ++look) {
                const auto& pose = frames[frames.size() * static_cast<std::size_t>(look) / looks];
                const Vec3 middle = placed(pose[b]) * bodies[b].middle();
                const double size = 0.5 * bodies[b].length() + bodies[b].radius;
                for (const DynamicChain& chain : all)
                    needed[b] = needed[b] || (middle - placed(pose[chain.root]).position).norm() <
                                                 1.1 * chain.length + size;
            }
        }
    }
    for (int b = 0; b < count; ++b)
        if (needed[b]) order.push_back(b);
}

std::vector<DynamicChain> Planner::chains() const
{
    const int count = static_cast<int>(rig.bones.size());
    std::vector<DynamicChain> all;
    std::vector<int> chainOf(count, -1);
    std::vector<double> reach(count, 0);
    std::vector<bool> carries(count, false);
    for (int b = 0; b < count; ++b) {
        const int parent = rig.bones[b].parent;
        if (parent >= 0) chainOf[b] = chainOf[parent];
        if (!below[b] || !bodies[b].present) continue;
        if (chainOf[b] < 0) {
            chainOf[b] = static_cast<int>(all.size());
            DynamicChain& chain = all.emplace_back();
            chain.root = b;
            chain.family = familyOfBone(rig.bones[b].name);
        } else if (anchor[b] >= 0 && below[anchor[b]]) {
            const double way = (placed(bind[b]).position - placed(bind[anchor[b]]).position).norm();
            reach[b] = reach[anchor[b]] + way;
            carries[anchor[b]] = carries[anchor[b]] || plan.isDynamic[b];
        }
        DynamicChain& chain = all[static_cast<std::size_t>(chainOf[b])];
        if (plan.isDynamic[b]) chain.bones.push_back(b);
        const double end = std::max(bodies[b].from.norm(), bodies[b].to.norm()) + bodies[b].radius;
        chain.length = std::max(chain.length, reach[b] + end);
    }
    for (DynamicChain& chain : all)
        for (const int b : chain.bones)
            if (!carries[b]) chain.tips.push_back(b);
    return all;
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

// All that springs depend on.
std::optional<Diagnostic> Planner::prepare()
{
    if (auto fault = chooseClip()) return fault;
    if (auto fault = chooseTimes()) return fault;
    plan.unit = options.body.unit;
    if (!options.flesh.bones.empty()) {
        if (Diagnostic fault = fleshFault(options.flesh); !fault.message.empty()) return fault;
        if (options.dynamic.empty()) return followClip();
    }
    figureSize = options.body.unit * rigExtent(rig).maxCoeff();
    if (auto fault = chooseBones()) return fault;
    if (auto fault = checkSeam()) return fault;
    if (auto fault = checkChains()) return fault;
    if (auto fault = checkNext()) return fault;
    if (auto fault = addWeights()) return fault;
    if (options.ground) standOnGround();
    placeAtRest();
    thinOut();
    weighLimbs();
    chooseSprings();
    return {};
}

std::optional<Diagnostic> Planner::build()
{
    if (options.dynamic.empty()) return {};  // flesh alone
    Description& scene = plan.scene;
    scene.name = plan.name;
    scene.gravity = Vec3(0, -options.gravity, 0);
    bool limp = true;
    for (const int b : order)
        if (plan.isDynamic[b]) limp &= plan.springs[b].frequency == 0;
    const double hold = options.hold.value_or(limp ? 0 : 1);
    for (const int b : order) {
        addBody(b);
        if (!below[b])
            addPath(b);
        else if (!plan.isFloating[b])
            addJoint(b);
        else
            addRoot(b);
        if (plan.isDynamic[b]) addPauses(b);
        addWind(b);
    }
    scene.gravityCompensation = hold;
    addLinks();
    addDrag();
    if (auto fault = addHits()) return fault;
    if (auto fault = addContact()) return fault;
    scene.run.fps = plan.fps;
    scene.run.step = 1 / (plan.fps * plan.stepsPerFrame);
    scene.run.duration = (plan.frames - 1) / plan.fps;
    return {};
}

Result<BakePlan> planBake(const Rig& rig, const BakeOptions& asked)
{
    Result<BakeOptions> options = withPresets(rig, asked);
    if (!options) return options.error();
    BakePlan plan;
    Planner planner(rig, options.value(), plan);
    if (std::optional<Diagnostic> fault = planner.prepare()) return *fault;
    const bool isOpen = std::any_of(plan.springs.begin(), plan.springs.end(),
                                    [](const BakeSpring& spring) { return spring.isFound; });
    if (isOpen) {
        Result<std::vector<BakeSpring>> springs = tunedSprings(rig, options.value(), plan);
        if (!springs) return springs.error();
        plan.springs = springs.value();
    }
    if (std::optional<Diagnostic> fault = planner.build()) return *fault;
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
