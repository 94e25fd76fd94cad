// The frames of a simulated scene as key frames of bones.
#include <algorithm>
#include <cmath>

#include "sinew/character/bake.h"
#include "sinew/math/rotation.h"
#include "sinew/rig/timeline.h"

namespace sinew {
namespace {

using Quantity = Track::Quantity;

struct Writer {
    const Rig& rig;
    const BakePlan& plan;
    const Trajectory& frames;
    BakedClip& out;
    const Clip* next = nullptr;  // that follows
    Pose placement = {};         // of its root
    int root = -1;               // which floats

    void run();

private:
    void addTracks(int bone, const std::vector<std::vector<BoneTransform>>& poses);
    void holdAt(int bone, Quantity quantity, const BoneTransform& at);
    Track begun(int bone, Quantity quantity) const;
    void placeNext();
    bool moves(int bone) const;
    std::vector<BoneTransform> simulated(int frame, const std::vector<BoneTransform>& animated) const;
    std::vector<BoneTransform> pose(int frame) const;
    void blendIn(std::vector<BoneTransform>& local, double time) const;
    void close(std::vector<std::vector<BoneTransform>>& poses);
    const Track* source(int bone, Quantity quantity) const;
};

// Part of the way from one to the other; at its ends these themselves.
BoneTransform between(const BoneTransform& a, const BoneTransform& b, double part)
{
    if (part <= 0) return a;
    if (part >= 1) return b;
    return {a.translation + part * (b.translation - a.translation), a.rotation.slerp(part, b.rotation),
            a.scale + part * (b.scale - a.scale)};
}

const Track* Writer::source(int bone, Quantity quantity) const
{
    for (const Track& track : plan.source.tracks)
        if (track.bone == bone && track.quantity == quantity) return &track;
    return nullptr;
}

// In one of the two clips.
bool Writer::moves(int bone) const
{
    for (const Clip* clip : {&plan.source, next})
        for (const Track& track : clip->tracks)
            if (track.bone == bone) return true;
    return false;
}

// What the source has before the physics begins.
Track Writer::begun(int bone, Quantity quantity) const
{
    Track track;
    track.bone = bone;
    track.quantity = quantity;
    const Track* before = source(bone, quantity);
    if (!before || plan.from == 0) return track;
    const Track keys = unrolled(*before, plan.source.duration(), plan.repeat, plan.from);
    // Between held keys it would move, and the last key lies where physics begins.
    constexpr double justBefore = 1e-4;  // s
    for (std::size_t k = 0; k < keys.times.size(); ++k) {
        if (keys.times[k] >= plan.from) break;
        if (keys.between == Track::Between::step && k > 0 &&
            keys.times[k] - justBefore > keys.times[k - 1]) {
            track.times.push_back(keys.times[k] - justBefore);
            track.values.push_back(keys.values[k - 1]);
        }
        track.times.push_back(keys.times[k]);
        track.values.push_back(keys.values[k]);
    }
    return track;
}

// Local transforms of all bones at a frame: dynamic ones as simulated, the rest as animated.
std::vector<BoneTransform> Writer::simulated(int frame, const std::vector<BoneTransform>& animated) const
{
    // Who is lifted at the start rises to there, so that the clip does not jump.
    constexpr double rise = 0.3;  // s
    const double sunk = plan.lift * (1 - rampAt(frame / plan.fps / rise).value);
    std::vector<BoneTransform> local = animated;
    std::vector<WorldFrame> world(rig.bones.size());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        const int parent = rig.bones[b].parent;
        const WorldFrame above = parent < 0 ? WorldFrame{} : world[parent];
        if (plan.isDynamic[b]) {
            const Pose& body = frames[frame].bodies[plan.bodyOfBone[b]];
            local[b].rotation = (above.pose.orientation.conjugate() * body.orientation).normalized();
            if (plan.isFloating[b])
                local[b].translation = above.pose.inverse() *
                                       Vec3((body.position - Vec3(0, sunk, 0)) / plan.unit) / above.scale;
        }
        world[b].pose = {above * local[b].translation,
                         (above.pose.orientation * local[b].rotation).normalized()};
        world[b].scale = above.scale * local[b].scale.cwiseAbs().maxCoeff();
    }
    return local;
}

// Local transforms as they are seen: by weight between the two, and the clip that follows over both.
std::vector<BoneTransform> Writer::pose(int frame) const
{
    const double time = plan.from + frame / plan.fps;
    const std::vector<BoneTransform> animated =
        localPose(rig, plan.source, sourceTime(plan.source.duration(), plan.repeat, time));
    std::vector<BoneTransform> local = simulated(frame, animated);
    if (!plan.weights.empty())
        for (std::size_t b = 0; b < local.size(); ++b)
            if (plan.isDynamic[b]) local[b] = between(animated[b], local[b], plan.weights[frame][b]);
    if (next) blendIn(local, time);
    return local;
}

// Where the clip that follows stands: its root above where the floating one has got to, turned about the
// vertical as that is.
void Writer::placeNext()
{
    for (const Clip& clip : rig.clips)
        if (clip.name == plan.next->clip) next = &clip;
    for (std::size_t b = 0; b < rig.bones.size() && root < 0; ++b)
        if (plan.isFloating[b]) root = static_cast<int>(b);
    if (root < 0 || !next) return;
    const int frame = std::clamp(static_cast<int>(std::lround((plan.next->time - plan.from) * plan.fps)), 0,
                                 static_cast<int>(frames.size()) - 1);
    const Pose& body = frames[frame].bodies[plan.bodyOfBone[root]];
    const Pose begin = worldFrames(rig, localPose(rig, *next, 0))[root].pose;
    const double yaw =
        twistAngle((body.orientation * begin.orientation.conjugate()).normalized(), Vec3::UnitY());
    placement.orientation = Quat(AngleAxis(yaw, Vec3::UnitY()));
    placement.position = body.position / plan.unit - placement.orientation * begin.position;
    placement.position.y() = 0;
}

void Writer::blendIn(std::vector<BoneTransform>& local, double time) const
{
    const double part = rampAt((time - plan.next->time) / plan.next->blend).value;
    if (part <= 0) return;
    std::vector<BoneTransform> there =
        localPose(rig, *next, sourceTime(next->duration(), plan.repeat, time - plan.next->time));
    if (root >= 0) {
        const std::vector<WorldFrame> world = worldFrames(rig, there);
        const int parent = rig.bones[root].parent;
        const WorldFrame above = parent < 0 ? WorldFrame{} : world[parent];
        const Pose placed = placement * world[root].pose;
        there[root].rotation = (above.pose.orientation.conjugate() * placed.orientation).normalized();
        there[root].translation = above.pose.inverse() * placed.position / above.scale;
    }
    for (std::size_t b = 0; b < local.size(); ++b) local[b] = between(local[b], there[b], part);
}

// What is left between the last frame of a cycle and its first is spread over the cycle.
void Writer::close(std::vector<std::vector<BoneTransform>>& poses)
{
    const std::size_t last = poses.size() - 1;
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        if (!plan.isDynamic[b]) continue;
        const BoneTransform first = poses[0][b], end = poses[last][b];
        const Vec3 turn = logRotation((end.rotation.conjugate() * first.rotation).normalized());
        const Vec3 shift = first.translation - end.translation;
        out.seam = std::max(out.seam, turn.norm());
        for (std::size_t k = 1; k <= last; ++k) {
            const double part = static_cast<double>(k) / static_cast<double>(last);
            BoneTransform& here = poses[k][b];
            here.rotation = (here.rotation * expRotation(part * turn)).normalized();
            if (plan.isFloating[b]) here.translation += part * shift;
        }
        poses[last][b] = first;
    }
}

void Writer::holdAt(int bone, Quantity quantity, const BoneTransform& at)
{
    if (!source(bone, quantity)) return;
    Track track = begun(bone, quantity);
    track.times.push_back(plan.from);
    const Vec3& held = quantity == Quantity::scale ? at.scale : at.translation;
    track.values.emplace_back(held.x(), held.y(), held.z(), 0);
    out.clip.tracks.push_back(std::move(track));
}

void Writer::addTracks(int bone, const std::vector<std::vector<BoneTransform>>& poses)
{
    Track turn = begun(bone, Quantity::rotation), shift = begun(bone, Quantity::translation);
    for (std::size_t k = 0; k < poses.size(); ++k) {
        const double time = plan.from + static_cast<double>(k) / plan.fps;
        const BoneTransform& here = poses[k][bone];
        Vec4 rotation = here.rotation.coeffs();
        // Readers interpolate numbers: of the two quaternions the one nearer to the last.
        if (!turn.values.empty() && rotation.dot(turn.values.back()) < 0) rotation = -rotation;
        turn.times.push_back(time);
        turn.values.push_back(rotation);
        shift.times.push_back(time);
        shift.values.emplace_back(here.translation.x(), here.translation.y(), here.translation.z(), 0);
    }
    out.clip.tracks.push_back(std::move(turn));
    // What is seen of the animation, or follows, has shifts of its own.
    const bool isMixed = next || (!plan.weights.empty() && source(bone, Quantity::translation));
    if (plan.isFloating[bone] || isMixed)
        out.clip.tracks.push_back(std::move(shift));
    else
        holdAt(bone, Quantity::translation, poses[0][bone]);
    holdAt(bone, Quantity::scale, poses[0][bone]);
}

void Writer::run()
{
    const double whole = plan.source.duration();
    const int first = static_cast<int>(std::lround(plan.warmUp * whole * plan.fps));
    if (plan.next) placeNext();
    std::vector<std::vector<BoneTransform>> poses;
    for (int k = first; k < static_cast<int>(frames.size()); ++k) poses.push_back(pose(k));
    if (plan.warmUp > 0 && !poses.empty()) close(poses);

    out.clip.name = plan.name;
    const bool asLong =
        plan.warmUp > 0 || plan.duration == whole || (plan.duration > whole && !plan.repeat);
    for (std::size_t t = 0; t < plan.source.tracks.size(); ++t) {
        const Track& track = plan.source.tracks[t];
        if (plan.isDynamic[track.bone] || next) continue;
        if (asLong)
            out.kept.push_back(static_cast<int>(t));
        else
            out.clip.tracks.push_back(unrolled(track, whole, plan.repeat, plan.duration));
    }
    for (int b = 0; b < static_cast<int>(rig.bones.size()); ++b)
        if (plan.isDynamic[b] || (next && moves(b))) addTracks(b, poses);
}

}  // namespace

BakedClip bakedClip(const Rig& rig, const BakePlan& plan, const Trajectory& frames)
{
    BakedClip out;
    Writer{.rig = rig, .plan = plan, .frames = frames, .out = out}.run();
    return out;
}

}  // namespace sinew
