#include "sinew/rig/rig.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

Quat asQuaternion(const Vec4& v)
{
    return Quat(v[3], v[0], v[1], v[2]);
}

}  // namespace

bool isEvenlyScaled(const BoneTransform& bone)
{
    // Files keep scales in single precision, as products of many or taken out of matrices.
    constexpr double tolerance = 1e-4;
    const double most = bone.scale.maxCoeff(), least = bone.scale.minCoeff();
    return least > 0 && most - least <= tolerance * most;
}

double Clip::duration() const
{
    double last = 0;
    for (const Track& track : tracks)
        if (!track.times.empty()) last = std::max(last, track.times.back());
    return last;
}

int Rig::find(const std::string& name) const
{
    for (std::size_t b = 0; b < bones.size(); ++b)
        if (bones[b].name == name) return static_cast<int>(b);
    return -1;
}

std::vector<BoneTransform> restPose(const Rig& rig)
{
    std::vector<BoneTransform> local;
    local.reserve(rig.bones.size());
    for (const Bone& bone : rig.bones) local.push_back(bone.rest);
    return local;
}

Vec4 valueAt(const Track& track, double time)
{
    const bool cubic = track.between == Track::Between::cubic;
    const int stride = cubic ? 3 : 1;
    const auto value = [&](std::size_t key) { return track.values[key * stride + (cubic ? 1 : 0)]; };
    const auto& times = track.times;
    const std::size_t after =
        static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
    if (after == 0) return value(0);
    if (after == times.size()) return value(after - 1);
    const std::size_t before = after - 1;
    if (track.between == Track::Between::step) return value(before);

    const double span = times[after] - times[before];
    const double s = (time - times[before]) / span;
    if (cubic) {
        const Vec4 out = track.values[before * 3 + 2] * span, in = track.values[after * 3] * span;
        const double s2 = s * s, s3 = s2 * s;
        return (2 * s3 - 3 * s2 + 1) * value(before) + (s3 - 2 * s2 + s) * out +
               (3 * s2 - 2 * s3) * value(after) + (s3 - s2) * in;
    }
    if (track.quantity == Track::Quantity::rotation)
        return asQuaternion(value(before)).slerp(s, asQuaternion(value(after))).coeffs();
    return (1 - s) * value(before) + s * value(after);
}

std::vector<BoneTransform> localPose(const Rig& rig, const Clip& clip, double time)
{
    std::vector<BoneTransform> local = restPose(rig);
    for (const Track& track : clip.tracks) {
        if (track.times.empty()) continue;
        const Vec4 value = valueAt(track, time);
        BoneTransform& transform = local[static_cast<std::size_t>(track.bone)];
        switch (track.quantity) {
            case Track::Quantity::translation:
                transform.translation = value.head<3>();
                break;
            case Track::Quantity::rotation:
                transform.rotation = asQuaternion(value).normalized();
                break;
            case Track::Quantity::scale:
                transform.scale = value.head<3>();
                break;
        }
    }
    return local;
}

std::vector<WorldFrame> worldFrames(const Rig& rig, const std::vector<BoneTransform>& local)
{
    std::vector<WorldFrame> world(rig.bones.size());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        const BoneTransform& here = local[b];
        const int parent = rig.bones[b].parent;
        const WorldFrame above = parent < 0 ? WorldFrame{} : world[static_cast<std::size_t>(parent)];
        world[b].pose = {above * here.translation, (above.pose.orientation * here.rotation).normalized()};
        world[b].scale = above.scale * here.scale.cwiseAbs().maxCoeff();
    }
    return world;
}

int unevenlyScaled(const Rig&, const std::vector<BoneTransform>& local)
{
    // Bones come after their parents, so that the first one found is the one to blame.
    for (std::size_t b = 0; b < local.size(); ++b)
        if (!isEvenlyScaled(local[b])) return static_cast<int>(b);
    return -1;
}

}  // namespace sinew
