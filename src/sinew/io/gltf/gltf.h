// glTF 2.0 as its JSON has it, as far as skeletons, skins and animations go: text → syntax. Every index has
// been checked, nodes form trees, buffers are loaded; what they mean for a character is decided elsewhere
// (character.h). Materials, textures, cameras and the like are not looked at.
//
// Khronos, glTF 2.0 specification (ISO/IEC 12113). Indices of -1 mean: there is none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/gltf/glb.h"
#include "sinew/io/gltf/meshopt.h"
#include "sinew/rig/rig.h"

namespace sinew {

namespace gltf {

struct Buffer {
    std::uint64_t length = 0;
    std::string uri;    // empty: the BIN chunk, or nothing at all
    std::string file;   // where the URI names a file: its path below the folder of the glTF file
    std::string bytes;  // empty where the BIN chunk holds them
    bool inChunk = false;
};

struct BufferView {
    int buffer = -1;
    std::uint64_t offset = 0, length = 0, stride = 0;  // stride 0: elements lie close together
    std::optional<MeshoptView> compressed = {};        // by meshopt
    std::string unpacked = {};                         // what came of that
};

// As the file has them.
enum class Component : int { int8 = 5120, uint8, int16, uint16, uint32 = 5125, float32 };
enum class Shape { scalar, vec2, vec3, vec4, mat2, mat3, mat4 };

struct Sparse {
    std::uint64_t count = 0;
    int indicesView = -1, valuesView = -1;
    std::uint64_t indicesOffset = 0, valuesOffset = 0;
    Component indicesComponent = Component::uint32;
};

struct Accessor {
    int view = -1;  // -1: zeros, except for what `sparse` says
    std::uint64_t offset = 0, count = 0;
    Component component = Component::float32;
    Shape shape = Shape::scalar;
    bool normalized = false;
    std::optional<Sparse> sparse;
};

struct Node {
    std::string name;
    int parent = -1;
    std::vector<int> children;
    int mesh = -1, skin = -1;
    std::vector<double> weights;  // of morph targets; empty: the mesh's
    bool hasMatrix = false;
    Mat4 matrix = Mat4::Identity();  // if hasMatrix
    BoneTransform transform;         // otherwise
};

// Accessors of the attributes that place vertices.
struct Primitive {
    int position = -1;
    std::vector<int> joints, weights;  // JOINTS_0, JOINTS_1, …
    int indices = -1;
    int mode = 4;             // triangles
    std::size_t targets = 0;  // morph targets
    bool compressed = false;  // by Draco
};

struct Skin {
    std::vector<int> joints;  // nodes
    int inverseBindMatrices = -1;
};

struct Animation {
    enum class Path {
        translation,
        rotation,
        scale,
        weights,
        other
    };  // weights: of morph targets; other: extensions
    struct Channel {
        int sampler = -1, node = -1;
        Path path = Path::other;
    };
    struct Sampler {
        int input = -1, output = -1;
        Track::Between between = Track::Between::linear;
    };
    std::string name;
    std::vector<Channel> channels;
    std::vector<Sampler> samplers;
};

struct Document {
    std::vector<Buffer> buffers;
    std::vector<BufferView> views;
    std::vector<Accessor> accessors;
    std::vector<Node> nodes;
    std::vector<int> roots;  // of the default scene
    std::vector<std::vector<Primitive>> meshes;
    std::vector<std::string> meshNames;
    std::vector<std::vector<double>> meshWeights;  // of morph targets; empty: zeros
    std::vector<Skin> skins;
    std::vector<Animation> animations;
    std::vector<std::string> images;    // URIs that are not data: themselves
    std::vector<std::string> required;  // extensions
};

}  // namespace gltf

struct GltfFile {
    std::string name;  // as it was opened
    bool isGlb = false;
    Glb container;  // of a .gltf: only the JSON text
    gltf::Document document;

    std::string_view bytes(const gltf::Buffer& buffer) const;
};

inline constexpr std::size_t maxGltfSize = std::size_t{1}
                                           << 30;  // of the file, and of all that it refers to

// Gives the bytes of a file that stands beside this one or below. It has to refuse paths that lead
// elsewhere and files larger than the limit.
using ReadBeside = std::function<Result<std::string>(const std::string& relative, std::size_t limit)>;

// GLB or JSON, told by the first bytes. `fileName` is for messages.
Result<GltfFile> parseGltf(std::string_view bytes, const std::string& fileName,
                           const ReadBeside& readBeside);

// A file with those beside it.
Result<GltfFile> readGltf(const std::string& path);

}  // namespace sinew
