// The plan of a bake: what acts on its bodies beside their joints, and how much of it is seen.
#include <algorithm>
#include <cmath>

#include "sinew/character/planner.h"
#include "sinew/math/rotation.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"
#include "sinew/rig/turns.h"

namespace sinew {
namespace {

constexpr double airDensity = 1.2;       // kg/m³
constexpr double dragCoefficient = 1.0;  // of a cylinder across the wind, nearly
constexpr double gustFrequency = 0.7;    // Hz
constexpr double rootFrequency = 4;      // Hz: of a root that is drawn along though its bones are limp
constexpr double linkFrequency = 6;      // Hz, at least

double acrossWind(const BoneBody& body)
{
    return 2 * body.radius * (body.length() + 1.5 * body.radius);
}

}  // namespace

void Planner::addWind(int bone)
{
    const double speed = options.wind.norm();
    if (speed == 0 || !plan.isDynamic[bone]) return;
    ForceDescription force;
    force.body = name(bone);
    force.force = 0.5 * airDensity * dragCoefficient * acrossWind(bodies[bone]) * speed * options.wind;
    if (options.gusts > 0) {
        Signal signal;
        signal.parts.push_back(ConstantSignal{1});
        signal.parts.push_back(NoiseSignal{options.gusts, gustFrequency, static_cast<std::uint32_t>(bone)});
        force.signal = std::move(signal);
    }
    plan.scene.forces.push_back(std::move(force));
}

// Still air, against the speed of each bone; the same medium for all, of which each feels its own part.
void Planner::addDrag()
{
    bool any = false;
    for (const int b : order) {
        DragDescription& drag = plan.scene.bodies[plan.bodyOfBone[b]].drag;
        drag.area = acrossWind(bodies[b]);
        drag.coefficient =
            plan.isDynamic[b] ? dragCoefficient * ruled(b, &BoneRule::drag, options.drag) : 0;
        any = any || *drag.coefficient > 0;
    }
    if (any) {
        plan.scene.medium.density = airDensity;
        return;
    }
    for (const int b : order) plan.scene.bodies[plan.bodyOfBone[b]].drag = {};
}

// A root that floats: drawn along its path, and borne, or let go.
void Planner::addRoot(int bone)
{
    const double own = plan.springs[bone].frequency;
    const bool isTracked =
        options.root == BakeRoot::tracked || (options.root == BakeRoot::automatic && own > 0);
    if (!isTracked) {
        if (own > 0 && !options.ground)
            plan.notes.push_back("nothing holds the root " + quotedName(rig.bones[bone].name) +
                                 ": it falls, as there is no ground");
        return;
    }
    const double frequency = 2 * pi * (own > 0 ? own : rootFrequency);
    const double ratio = own > 0 ? std::max(plan.springs[bone].ratio, 0.5) : 1;
    const double mass = limbs[bone].mass, inertia = inertiaBeyond(bone);
    TargetDescription target;
    target.body = name(bone);
    target.point = rest[bone].position;
    target.stiffness = frequency * frequency * mass;
    target.damping = 2 * ratio * frequency * mass;
    target.turnStiffness = frequency * frequency * inertia;
    target.turnDamping = 2 * ratio * frequency * inertia;
    target.smooth = true;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        Pose pose = placed(frames[k][bone]);
        target.path.push_back({static_cast<double>(k) / plan.fps, pose.position, pose.orientation});
    }
    plan.scene.targets.push_back(std::move(target));
    SupportDescription support;
    support.bodies = {name(bone)};
    support.share = options.hold.value_or(1);
    if (support.share > 0) plan.scene.supports.push_back(std::move(support));
}

bool Planner::isLinked(int bone) const
{
    bool linked = matchesAny(options.links, rig.bones[bone].name);
    for (const BoneRule& rule : options.body.rules)
        if (rule.link && matchesPattern(rule.pattern, rig.bones[bone].name)) linked = *rule.link;
    return linked;
}

// Chains side by side, end to end of bones of the same number. Neighbours are those between which there is
// no third one, nearer to both (Toussaint's relative neighbours): rows come out as rows, rings as rings.
void Planner::addLinks()
{
    std::vector<DynamicChain> linked;
    for (DynamicChain& chain : chains())
        if (chain.root >= 0 && !plan.isFloating[chain.root] && isLinked(chain.root))
            linked.push_back(std::move(chain));
    const auto end = [&](int b) { return rest[b] * bodies[b].to; };
    const auto apart = [&](const DynamicChain& a, const DynamicChain& b) {
        return (rest[a.root].position - rest[b.root].position).norm() +
               (end(a.tips.front()) - end(b.tips.front())).norm();
    };
    const std::size_t count = linked.size();
    int ties = 0;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = i + 1; j < count; ++j) {
            const DynamicChain &a = linked[i], &b = linked[j];
            if (a.family != b.family) continue;
            const double way = apart(a, b);
            bool isNear = true;
            for (std::size_t k = 0; k < count && isNear; ++k)
                isNear = k == i || k == j || std::max(apart(a, linked[k]), apart(b, linked[k])) >= way;
            if (!isNear) continue;
            for (std::size_t n = 0; n < std::min(a.bones.size(), b.bones.size()); ++n, ++ties) {
                const int p = a.bones[n], q = b.bones[n];
                const auto massAtEnd = [&](int c) {
                    return inertiaBeyond(c) / std::max(1e-12, bodies[c].to.squaredNorm());
                };
                const double mp = massAtEnd(p), mq = massAtEnd(q), mass = mp * mq / (mp + mq);
                const double frequency =
                    2 * pi *
                    std::max({linkFrequency, 3 * plan.springs[p].frequency, 3 * plan.springs[q].frequency});
                SpringDescription tie;
                tie.name = "link " + std::to_string(ties + 1);
                tie.first = {name(p), SpringPoint{end(p)}, {}, -1};
                tie.second = {name(q), SpringPoint{end(q)}, {}, -1};
                tie.stiffness = frequency * frequency * mass;
                tie.damping = 0.6 * frequency * mass;
                if ((end(p) - end(q)).norm() > 0) plan.scene.springs.push_back(std::move(tie));
            }
        }
    if (!options.links.empty() && plan.scene.springs.empty())
        plan.notes.push_back(
            "nothing is linked: no two chains of dynamic bones match that hang side by side");
}

std::optional<Diagnostic> Planner::addHits()
{
    for (const BakeHit& hit : options.hits) {
        const int b = rig.find(hit.bone);
        if (b < 0) return settingFault("hit", "there is no bone " + quotedName(hit.bone));
        if (!plan.isDynamic[b])
            return settingFault("hit", "the bone " + quotedName(hit.bone) + " is not dynamic");
        if (options.seamless) return settingFault("hit", "does not go with a loop");
        if (!(hit.time >= plan.from && hit.time <= plan.duration))
            return settingFault("hit", "must come while there is physics, from " +
                                           std::to_string(plan.from) + " to " +
                                           std::to_string(plan.duration) + " s");
        // Ramps of whole steps: what they leave out of one they have in another.
        const double step = 1 / (plan.fps * plan.stepsPerFrame);
        PulseSignal pulse;
        pulse.ramp = 2 * step;
        pulse.length = 6 * step;
        pulse.start = std::round((hit.time - plan.from) / step) * step;
        pulse.height = 1;
        ForceDescription force;
        force.body = name(b);
        force.force = hit.impulse / (4 * step);
        force.signal = Signal(SignalPart(pulse));
        plan.scene.forces.push_back(std::move(force));
    }
    return {};
}

// Where nothing of a bone is seen before it is seen again, it goes with its animation, so that it sets off
// from there the second time as it did the first.
void Planner::addPauses(int bone)
{
    if (plan.weights.empty()) return;
    const auto seen = [&](int k) { return plan.weights[k][bone] > 0; };
    for (int k = 0; k < plan.frames;) {
        int end = k;
        while (end < plan.frames && !seen(end)) ++end;
        if (end == k) {
            ++k;
            continue;
        }
        if (k > 0 && end < plan.frames) {
            PrescribedDescription pause;
            pause.from = k / plan.fps;
            pause.until = (end - 1) / plan.fps;
            pause.blend = std::min(0.25, 0.5 * (*pause.until - pause.from));
            if (plan.isFloating[bone]) {
                pause.body = name(bone);
                pause.point = rest[bone].position;
                for (std::size_t f = 0; f < frames.size(); ++f) {
                    const Pose pose = placed(frames[f][bone]);
                    pause.path.push_back(
                        {static_cast<double>(f) / plan.fps, pose.position, pose.orientation});
                }
            } else {
                pause.joint = name(bone);
                pause.motion = turnSignals(turnsOf(bone), plan.fps);
            }
            if (pause.blend > 0) plan.scene.prescribed.push_back(std::move(pause));
        }
        k = end;
    }
}

// How much of each bone's simulation is seen at each frame that is kept.
std::optional<Diagnostic> Planner::addWeights()
{
    const int count = static_cast<int>(rig.bones.size());
    bool any = !options.weights.empty();
    for (const BoneRule& rule : options.body.rules) any = any || rule.weight;
    if (!any) return {};
    for (const BakeWeight& curve : options.weights) {
        bool matches = false;
        for (int b = 0; b < count; ++b)
            matches = matches || (plan.isDynamic[b] && matchesPattern(curve.pattern, rig.bones[b].name));
        if (!matches) return settingFault("weight", "no dynamic bone matches " + quotedName(curve.pattern));
        if (curve.keys.empty()) return settingFault("weight", "has no keys");
        for (std::size_t k = 0; k < curve.keys.size(); ++k) {
            if (!(curve.keys[k].weight >= 0 && curve.keys[k].weight <= 1))
                return settingFault("weight", "must be from 0 to 1");
            if (k > 0 && !(curve.keys[k].time > curve.keys[k - 1].time))
                return settingFault("weight", "has keys whose times do not rise");
        }
        if (options.seamless) return settingFault("weight", "does not go with a loop");
    }
    const auto at = [](const BakeWeight& curve, double time) {
        const auto& keys = curve.keys;
        if (time <= keys.front().time) return keys.front().weight;
        for (std::size_t k = 1; k < keys.size(); ++k)
            if (time < keys[k].time) {
                const double s = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
                return keys[k - 1].weight + rampAt(s).value * (keys[k].weight - keys[k - 1].weight);
            }
        return keys.back().weight;
    };
    for (int k = 0; k < plan.frames; ++k) {
        const double time = plan.from + k / plan.fps;
        auto& row = plan.weights.emplace_back(static_cast<std::size_t>(count), 1.0);
        for (int b = 0; b < count; ++b) {
            row[b] = ruled(b, &BoneRule::weight, 1);
            for (const BakeWeight& curve : options.weights)
                if (matchesPattern(curve.pattern, rig.bones[b].name)) row[b] = at(curve, time);
        }
    }
    return {};
}

std::optional<Diagnostic> Planner::checkNext()
{
    if (!options.next) return {};
    const BakeNext& next = *options.next;
    std::vector<std::string> known;
    bool there = false;
    for (const Clip& clip : rig.clips) {
        known.push_back(clip.name);
        there = there || clip.name == next.clip;
    }
    if (!there)
        return settingFault("then", "there is no clip " + quotedName(next.clip) +
                                        (known.empty() ? "; the file has none"
                                                       : "; there are " + listedNames(known, shownNames)));
    if (options.seamless) return settingFault("then", "does not go with a loop");
    if (!(next.time > plan.from && next.time < plan.duration))
        return settingFault("then", "must begin while there is physics, between " +
                                        std::to_string(plan.from) + " and " +
                                        std::to_string(plan.duration) + " s");
    if (!(next.blend > 0)) return settingFault("then", "must take some time to blend");
    plan.next = next;
    return {};
}

}  // namespace sinew
