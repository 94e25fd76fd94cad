// Characters in pages: glTF and BVH files made ready for one, and the page of a character without a run.
#pragma once

#include <string>

#include "sinew/apps/page.h"
#include "sinew/base/result.h"

namespace sinew {

// Whether a file's name says that it is a character: .glb, .gltf or .bvh.
bool isCharacterName(const std::string& path);

// The GLB bytes of a file, as a page carries them, or what is wrong with the file.
Result<std::string> readCharacterForPage(const std::string& path);

// Writes the page that plays the clips of a character.
Result<Page> writeCharacterPage(const std::string& path, const PageCharacter& character);

// The same for a file, into DIR/index.html, which is made. A page there that is none of ours stays, and is
// an error.
Result<Page> writeCharacterPage(const std::string& directory, const std::string& file,
                                const std::string& clip);

}  // namespace sinew
