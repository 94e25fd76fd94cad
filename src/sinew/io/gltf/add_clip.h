// The same file with one clip more.
//
// The new keys go to the end of the BIN chunk (of a .gltf: into a buffer of their own, as a data: URI), and
// what speaks of them is put into the JSON text where its lists end. Every other byte stays: meshes,
// materials, skins, clips, the order and the layout of the text. There are two exceptions. The byteLength
// of the buffer in the BIN chunk grows; and a node that is placed by a matrix and that the clip moves gets
// translation, rotation and scale instead, since glTF allows nothing else there. With morph targets, meshes
// that get some have their lists of targets and weights made longer, and so have the clips that move
// weights which they had: glTF wants a number for every target there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/gltf/character.h"

namespace sinew {

// Shapes that vertices can be moved toward, and how much of each the new clip has over time. Targets and
// weights that meshes have already stay, and come first.
struct MorphAddition {
    // The vertices of a primitive that move; others of its mesh get targets that move nothing.
    struct Part {
        int mesh = 0, primitive = 0;
        std::vector<int> vertices;  // rising
        std::vector<int> rows;      // of each: which of a shape's ways is its own
    };
    std::vector<Part> parts;
    std::vector<std::vector<Vec3>> shapes;     // per target: ways, in the space of the mesh
    std::vector<double> times;                 // s
    std::vector<std::vector<double>> weights;  // per time and target
    // Weights that the mesh had move as in this clip of the file (-1: they stay), at these times of it.
    int source = -1;
    std::vector<double> sourceTimes;
};

struct ClipAddition {
    // New keys, by bones of the character's rig. They are written in single precision: rotations as unit
    // quaternions whose signs do not jump.
    Clip clip;

    // Channels of clips in the file that the new one shares with them, as they are: not a key is copied.
    // Channels that the rig does not know, such as morph targets', can be taken too.
    struct Taken {
        int animation = 0, channel = 0;
    };
    std::vector<Taken> taken;

    std::optional<MorphAddition> morphs;
};

// Gives the bytes of the new file: GLB or JSON, as the original is. A clip of the same name is an error, or
// is replaced; the keys of the old one then stay in the file without use.
Result<std::string> addClip(const GltfFile& file, const GltfCharacter& character,
                            const ClipAddition& addition, bool replace = false);

// What went along with a file: the names of those copied, and notes on those that were not.
struct GltfWritten {
    std::vector<std::string> copied;
    std::vector<Diagnostic> notes;
};

// Writes such bytes to a path: whole or not at all. If that is in another folder, what the original refers
// to is copied along to the same relative paths, before it: buffers by the name of *.bin and pictures that
// are pictures. Since the file chooses names and bytes, nothing else goes along, no hidden name, nothing
// out of the folder of `path`, and nothing over a file with other content. A buffer that cannot be copied,
// or a path that is a file of the original, is an error; a picture is a note.
Result<GltfWritten> writeGltf(const GltfFile& original, const std::string& bytes, const std::string& path);

// Whether the path is that of the file itself or of one that it refers to.
bool isFileOf(const GltfFile& original, const std::string& path);

}  // namespace sinew
