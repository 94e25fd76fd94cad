// What a bake came to: how far tips are from their animation, how deep bones are in each other.
#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/character/bake.h"
#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/distance.h"
#include "sinew/rig/timeline.h"

namespace sinew {
namespace {

// The deepest that a dynamic body is in an animated one, at one frame.
double deepestAt(const BakePlan& plan, const Frame& frame, const std::set<std::pair<int, int>>& passed,
                 DistanceWork& work)
{
    double deepest = 0;
    const auto& bodies = plan.scene.bodies;
    const auto placedAt = [&](std::size_t b) { return frame.bodies[b] * bodies[b].shapes[0].pose; };
    std::vector<BoundingBox> boxes;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        boxes.push_back(boundingBox(bodies[b].shapes[0].shape, placedAt(b)));
    for (std::size_t a = 0; a < bodies.size(); ++a) {
        if (bodies[a].layer == "animated" || !bodies[a].collides) continue;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (bodies[b].layer != "animated" || !bodies[b].collides) continue;
            if (!overlaps(boxes[a], boxes[b]) || passed.count({static_cast<int>(a), static_cast<int>(b)}))
                continue;
            const double apart = distance(bodies[a].shapes[0].shape, placedAt(a), bodies[b].shapes[0].shape,
                                          placedAt(b), work)
                                     .distance;
            deepest = std::max(deepest, -apart);
        }
    }
    return deepest;
}

double skinBelow(const Rig& rig, const BakePlan& plan, const Frame& frame, double ground)
{
    const auto bind = worldFrames(rig, restPose(rig));
    double below = 0;
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        if (!plan.isDynamic[b]) continue;
        for (const Vec3& point : rig.bones[b].flesh) {
            const Vec3 place = frame.bodies[plan.bodyOfBone[b]] * Vec3(plan.unit * bind[b].scale * point);
            below = std::max(below, ground - place.y());
        }
    }
    return below;
}

}  // namespace

BakeMeasure measureBake(const Rig& rig, const BakePlan& plan, const Trajectory& frames, int first)
{
    constexpr int mostLooks = 400;
    BakeMeasure measure;
    measure.tipMeans.assign(rig.bones.size(), -1);
    const int count = static_cast<int>(frames.size());
    if (count == 0) return measure;
    std::vector<bool> carries(rig.bones.size(), false);
    for (std::size_t b = rig.bones.size(); b-- > 0;)
        if (const int parent = rig.bones[b].parent; parent >= 0)
            carries[parent] = carries[parent] || carries[b] || plan.isDynamic[b];

    std::set<std::pair<int, int>> passed;
    const auto indexOf = [&](const std::string& name) {
        for (std::size_t b = 0; b < plan.scene.bodies.size(); ++b)
            if (plan.scene.bodies[b].name == name) return static_cast<int>(b);
        return -1;
    };
    const auto pass = [&](const std::string& a, const std::string& b) {
        const int first = indexOf(a), second = indexOf(b);
        passed.insert({first, second});
        passed.insert({second, first});
    };
    for (const JointDescription& joint : plan.scene.joints) pass(joint.first, joint.second);
    if (plan.scene.contact)
        for (const auto& pair : plan.scene.contact->ignore) pass(pair[0], pair[1]);

    if (first < 0) first = static_cast<int>(std::lround(plan.warmUp * plan.source.duration() * plan.fps));
    const int stride = std::max(1, (count - first) / mostLooks);
    int looks = 0;
    DistanceWork work;
    double sum = 0;
    int tips = 0;
    for (int k = first; k < count; k += stride, ++looks) {
        const double time = sourceTime(plan.source.duration(), plan.repeat, plan.from + k / plan.fps);
        const auto animated = worldFrames(rig, localPose(rig, plan.source, time));
        for (std::size_t b = 0; b < rig.bones.size(); ++b) {
            if (!plan.isDynamic[b]) continue;
            const Quat& now = frames[k].bodies[plan.bodyOfBone[b]].orientation;
            if (k > 0)
                measure.fastest = std::max(
                    measure.fastest,
                    plan.fps * now.angularDistance(frames[k - 1].bodies[plan.bodyOfBone[b]].orientation));
            if (carries[b]) continue;
            const double off = now.angularDistance(animated[b].pose.orientation);
            measure.tipMeans[b] = std::max(0.0, measure.tipMeans[b]) + off;
            measure.tipMost = std::max(measure.tipMost, off);
        }
        if (plan.scene.contact)
            measure.deepest = std::max(measure.deepest, deepestAt(plan, frames[k], passed, work));
    }
    for (const ObstacleDescription& ground : plan.scene.obstacles)
        measure.skinBelow = skinBelow(rig, plan, frames.back(), ground.position.y());
    for (double& mean : measure.tipMeans)
        if (mean >= 0) mean /= looks, sum += mean, ++tips;
    measure.tipMean = tips > 0 ? sum / tips : 0;
    return measure;
}

}  // namespace sinew
