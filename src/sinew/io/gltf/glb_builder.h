// Puts a glTF file together from nothing: bytes go to the end of a few views, and the JSON tells where they
// are. What the nodes mean is the caller's business.
//
// The keys of animations are by far the most of the bytes, so they are written into the file's buffer at
// once; all other views are small, wait, and follow them at the end.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/gltf/glb.h"
#include "sinew/io/json/json.h"
#include "sinew/rig/rig.h"
#include "sinew/rig/surface.h"

namespace sinew {

json::Value numberList(const std::vector<int>& numbers);

class GlbBuilder {
public:
    // Bytes that keys will take at most: that much address space is laid by, memory only as it is used.
    explicit GlbBuilder(std::size_t mostKeyBytes);

    // Each adds one and gives its number.
    int addNode(json::Value node);
    int addMesh(json::Value mesh);
    int addMaterial(const std::string& name, const Vec3& color, bool bothSides);
    int addSkin(json::Value skin);

    // A primitive with positions, normals and indices, as yet without a material. For a skin, the bone that
    // each point follows.
    json::Value addSurface(const Surface& surface, const std::vector<int>* bones = nullptr);
    // Adds a morph target to a list of them: how far positions and normals are from those of the surface.
    void addMorph(const Surface& surface, const Surface& moved, json::Value& targets);
    // Adds a channel that shows target k alone at times[k + 1], and none of them at times[0]. Between two
    // times they blend, so that points go straight.
    void addMorphTimes(const std::vector<double>& times, int node);
    int addInverseBind(const std::vector<Pose>& restInWorld);
    // Adds a channel to the animation. Tracks with the times of the one before, or of the
    // longest so far, share them.
    void addTrack(const Track& track, int node);

    // `roots` are the nodes of the scene; the builder is empty afterwards.
    Glb finish(const std::string& sceneName, const std::string& clipName, const std::vector<int>& roots);

private:
    enum View { keys, matrices, vertices, joints, weights, shortIndices, longIndices, viewCount };

    std::string& bytesOf(View view) { return view == keys ? glb_.binary : waiting_[view]; }
    int addAccessor(View view, std::size_t offset, int componentType, std::size_t count, const char* type,
                    json::Value extra = json::Value::object());
    int addTimes(const std::vector<double>& times);
    void addChannel(json::Value sampler, int node, const char* path);
    json::Value views();

    Glb glb_;
    std::array<std::string, viewCount> waiting_;
    std::array<int, viewCount> viewNumber_;  // in the order of first use; −1: not used
    int usedViews_ = 0;
    json::Value nodes_ = json::Value::array(), meshes_ = json::Value::array(),
                materials_ = json::Value::array(), skins_ = json::Value::array(),
                accessors_ = json::Value::array(), samplers_ = json::Value::array(),
                channels_ = json::Value::array();
    struct Times {
        std::vector<double> times;
        int accessor = -1;
    };
    Times lastTimes_, mostTimes_;
};

}  // namespace sinew
