// MJCF, the format of MuJoCo: a file → a scene. What is read, what is not and how joints map: docs/mjcf.md.
//
// The scene's world is turned so that y is up (MuJoCo's is z): (x, y, z) becomes (x, z, -y). Bodies keep
// their frames.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/io/imported.h"
#include "sinew/io/xml/xml.h"

namespace sinew {

inline constexpr int maxMjcfBodies = 100'000;  // links between joints counted
inline constexpr int maxMjcfIncludes = 100;

// Gives the text of a file that another includes. The path is relative, below the folder of the main file.
using IncludeFunction = std::function<Result<std::string>(const std::string& path)>;

struct MjcfOptions {
    std::string keyframe = {};  // the <key> to start from, by name or number; empty: as bodies stand
    std::vector<std::string> meshPaths = {};  // folders in which meshes are looked for too
};

// Reads the file and those that it includes.
Result<Imported> readMjcf(const std::string& path, const MjcfOptions& options = {});
// The same from memory.
Result<Imported> parseMjcf(std::string_view text, const std::string& fileName,
                           const IncludeFunction& include, const MjcfOptions& options = {});

namespace mjcf {

// Text → one tree, with what it includes put in its place.
Result<xml::Element> parse(std::string_view text, const std::string& fileName,
                           const IncludeFunction& include);
// Tree → scene. Meshes and attached models are read by `open`, as what is included.
Result<Imported> convert(xml::Element root, const IncludeFunction& open, const MjcfOptions& options = {});

}  // namespace mjcf
}  // namespace sinew
