// File formats, as one table: what can be read from a format and written to it. A format is a folder of io
// with one FileFormat in it, and a line in formats.cpp. Whoever handles files of several formats
// (loadScene, readCharacter, `sinew info`, `sinew convert`) asks the table, so a new format is known to all
// of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sinew/io/imported.h"
#include "sinew/state/trajectory.h"

namespace sinew {

struct CharacterFile;  // io/character_file.h

struct WriteOptions {
    double rate = 0;                  // frames a second, where they are even; 0: the format's own choice
    bool skeleton = false;            // bodies as bones of a skeleton, where the format has both
    bool everyFrame = false;          // keys that are straight between others stay
    std::optional<double> unit = {};  // m: of lengths; where not given, as they are
    std::string particles = {};       // the file of particles that belongs to the motion; empty: none
    std::string meshes = {};          // likewise of spring meshes
};

struct FileFormat {
    using Outcome = std::optional<Diagnostic>;  // nothing, or what is wrong

    const char* name;                                    // for messages: "a robot (URDF)"
    std::span<const std::string_view> endings;           // small letters, with the dot; the usual one first
    bool (*isMeant)(const std::string& path) = nullptr;  // of those that share an ending; null: always

    bool saysUnit = false;                         // its files tell how long their unit is
    bool hasParticles = false, hasMeshes = false;  // writeMotion writes them too
    bool isRobot = false, isModel = false;         // which ImportOptions it takes

    // What it gives and takes; null: it does not.
    Result<Imported> (*readScene)(const std::string& path, const ImportOptions& options) = nullptr;
    Result<CharacterFile> (*readCharacter)(const std::string& path) = nullptr;
    Outcome (*writeMotion)(const std::string& path, const Description& scene, const Trajectory& motion,
                           const WriteOptions& options) = nullptr;
    // `clip`: of the rig; −1: at rest.
    Outcome (*writeCharacter)(const std::string& path, const CharacterFile& character, int clip,
                              const WriteOptions& options) = nullptr;
};

// In the order in which messages list them.
std::span<const FileFormat* const> fileFormats();
bool isFolder(const std::string& path);
// By its ending, and of files that share one by what stands in them. Null: unknown, or a folder.
const FileFormat* formatOf(const std::string& path);
// For messages: "a scene", "the folder of a run", "of an unknown kind".
const char* fileKindName(const std::string& path);
// ".glb, .gltf and .bvh": all endings of the formats of which this is true, or the usual ones alone.
enum class Endings { all, usual };
std::string endingsOf(bool (*isOne)(const FileFormat&), Endings which, std::string_view lastWord);

// Those that others name.
extern const FileFormat sceneFormat, gltfFormat, bvhFormat, usdFormat, csvFormat, trajectoryFormat,
    pointsFormat, springMeshFormat, urdfFormat, mjcfFormat, meshFormat;

}  // namespace sinew
