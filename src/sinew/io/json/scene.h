// Scene files (docs/scene.md) ↔ Description.
//
// Reading checks the form alone: keys, types, lengths. Whether the scene makes sense as mechanics is
// for compile() to say. Errors of syntax carry line and column, errors of form a JSON pointer.
#pragma once

#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/model/description.h"
#include "sinew/model/wish.h"

namespace sinew {

inline constexpr int sceneVersion = 1;

Result<Description> readScene(const std::string& path);
// Puts the meshes that name a file into the scene, from files beside it (io/referenced_file.h). Says
// whether there were any.
Result<bool> readMeshFiles(Description& scene, const std::string& path, std::vector<Diagnostic>* notes);

// `fileName` is for messages only. `notes`: what is read, but should be written in another way.
Result<Description> parseScene(std::string_view text, const std::string& fileName,
                               std::vector<Diagnostic>* notes = nullptr);

// One wish of a scene (model/wish.h) by itself, as JSON. `where` is for messages only.
Result<WishDescription> parseWish(std::string_view text, const std::string& where);

// Reads back to the same description, bit for bit. Defaults are left out.
std::string writeScene(const Description& description);

// A diagnostic of compile() or initialState(), which know no files, with the file it is about.
Diagnostic inFile(Diagnostic diagnostic, const std::string& fileName);

}  // namespace sinew
