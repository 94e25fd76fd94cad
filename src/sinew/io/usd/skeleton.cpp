#include "sinew/io/usd/skeleton.h"

namespace sinew {
namespace {

// Columns act on points here; USD writes the transpose, since its points are rows.
Mat4 matrixOf(const BoneTransform& t)
{
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>() = t.rotation.normalized().toRotationMatrix() * t.scale.asDiagonal();
    m.topRightCorner<3, 1>() = t.translation;
    return m;
}

std::string matrixText(const Mat4& m)
{
    std::string text = "( ";
    for (int column = 0; column < 4; ++column) {
        text += column > 0 ? ", (" : "(";
        for (int row = 0; row < 4; ++row) text += (row > 0 ? ", " : "") + UsdText::number(m(row, column));
        text += ")";
    }
    return text + " )";
}

// Joints are named by their paths: hips/spine/chest.
std::vector<std::string> jointPaths(const Rig& rig)
{
    std::vector<std::string> names;
    for (const Bone& bone : rig.bones) names.push_back(bone.name);
    names = usdNames(names);
    for (std::size_t b = 0; b < names.size(); ++b)
        if (const int parent = rig.bones[b].parent; parent >= 0)
            names[b] = names[static_cast<std::size_t>(parent)] + "/" + names[b];
    return names;
}

bool moves(const Clip& clip, Track::Quantity quantity)
{
    for (const Track& track : clip.tracks)
        if (track.quantity == quantity && !track.times.empty()) return true;
    return false;
}

}  // namespace

std::optional<Diagnostic> tooDeepForUsd(const Rig& rig)
{
    constexpr std::size_t most = std::size_t{64} << 20;
    std::vector<std::size_t> lengths;
    std::size_t sum = 0;
    for (const Bone& bone : rig.bones) {
        lengths.push_back(bone.name.size() + 1 +
                          (bone.parent < 0 ? 0 : lengths[static_cast<std::size_t>(bone.parent)]));
        sum += lengths.back();
    }
    if (sum <= most) return {};
    return Diagnostic{"bones are nested so deeply that their paths, by which USD names them, have " +
                      std::to_string(sum >> 20) + " MiB; at most 64 are written"};
}

void writeSkeleton(UsdText& text, const std::string& path, const Rig& rig, const Clip& clip,
                   const std::vector<double>& times, const std::vector<double>& codes)
{
    const std::size_t count = rig.bones.size();
    const std::vector<std::string> paths = jointPaths(rig);
    const std::string joints = "uniform token[] joints = " + UsdText::list(count, [&](std::size_t b) {
                                   return UsdText::quoted(paths[b]);
                               });
    std::vector<Mat4> rest, bind;
    for (const Bone& bone : rig.bones) {
        rest.push_back(matrixOf(bone.rest));
        bind.push_back(bone.parent < 0 ? rest.back()
                                       : Mat4(bind[static_cast<std::size_t>(bone.parent)] * rest.back()));
    }

    text.open("Skeleton", "Skeleton", {"prepend apiSchemas = [\"SkelBindingAPI\"]"});
    text.line("uniform matrix4d[] bindTransforms = " +
              UsdText::list(count, [&](std::size_t b) { return matrixText(bind[b]); }));
    text.line(joints);
    text.line("uniform matrix4d[] restTransforms = " +
              UsdText::list(count, [&](std::size_t b) { return matrixText(rest[b]); }));
    text.line("rel skel:animationSource = <" + path + "/Skeleton/Animation>");

    // All joints have a place, a turn and a size at every code, so one pose after the other is sampled.
    const std::vector<BoneTransform> still = restPose(rig);
    const auto write = [&](const std::string& name, Track::Quantity quantity, auto valueOf) {
        const auto of = [&](const std::vector<BoneTransform>& pose) {
            return UsdText::list(count, [&](std::size_t b) { return valueOf(pose[b]); });
        };
        if (!times.empty() && moves(clip, quantity))
            text.samples(name, codes, [&](std::size_t k) { return of(localPose(rig, clip, times[k])); });
        else
            text.line(name + " = " + of(still));
    };
    text.open("SkelAnimation", "Animation");
    text.line(joints);
    write("quatf[] rotations", Track::Quantity::rotation,
          [](const BoneTransform& t) { return UsdText::singles(t.rotation); });
    write("half3[] scales", Track::Quantity::scale,
          [](const BoneTransform& t) { return UsdText::singles(t.scale); });
    write("float3[] translations", Track::Quantity::translation,
          [](const BoneTransform& t) { return UsdText::singles(t.translation); });
    text.close();
    text.close();
}

}  // namespace sinew
