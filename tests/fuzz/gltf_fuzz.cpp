// glTF and GLB: whatever reads as a character is finite, can be moved, takes a clip more, and that file
// reads again with the clip in it and with the bytes it had. Whatever reads as a mesh has faces of its
// vertices.
#include <cstdint>
#include <cstdlib>

#include "fuzz/expect.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/mesh.h"

using namespace sinew;

namespace {

// Files beside: one, of eight bytes.
Result<std::string> beside(const std::string& relative, std::size_t)
{
    if (relative == "a.bin") return std::string("12345678");
    Diagnostic error;
    error.message = "not there";
    return error;
}

bool isFinite(const Rig& rig, const std::vector<BoneTransform>& local)
{
    for (const WorldFrame& frame : worldFrames(rig, local))
        if (!frame.pose.position.allFinite()) return false;
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<GltfFile> file = parseGltf(textOf(data, size), "f", beside);
    if (!file) {
        if (file.error().message.empty()) std::abort();
        return 0;
    }
    if (const Result<MeshFile> mesh = gltfMesh(file.value(), "0"))
        for (const auto& face : mesh.value().mesh.faces)
            for (const int corner : face)
                if (corner < 0 || corner >= static_cast<int>(mesh.value().mesh.vertices.size()))
                    std::abort();
    const Result<GltfCharacter> character = gltfCharacter(file.value());
    if (!character) {
        if (character.error().message.empty()) std::abort();
        return 0;
    }
    const Rig& rig = character.value().rig;
    if (!isFinite(rig, restPose(rig))) std::abort();
    for (const Clip& clip : rig.clips) localPose(rig, clip, clip.duration() / 2);
    if (rig.bones.empty()) return 0;

    ClipAddition addition;
    addition.clip.name = "new";
    Track& track = addition.clip.tracks.emplace_back();
    track.bone = static_cast<int>(size % rig.bones.size());
    track.times = {0, 1};
    track.values.assign(2, Quat::Identity().coeffs());
    const Result<std::string> bytes = addClip(file.value(), character.value(), addition, true);
    if (!bytes) return 0;
    const Result<GltfFile> again = parseGltf(bytes.value(), "f", beside);
    if (!again) std::abort();
    const Result<GltfCharacter> back = gltfCharacter(again.value());
    if (!back || back.value().rig.find(rig.bones[0].name) != 0) std::abort();
    int found = 0;
    for (const Clip& clip : back.value().rig.clips) found += clip.name == "new" ? 1 : 0;
    if (found != 1 || !again.value().container.binary.starts_with(file.value().container.binary))
        std::abort();
    return 0;
}
