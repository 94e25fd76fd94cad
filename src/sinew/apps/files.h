// Scenes as files of the command.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/load_scene.h"
#include "sinew/io/whole_file.h"

namespace sinew {

// loadScene(), with its notes on stderr.
Result<SceneFile> openScene(const std::string& path, const ImportOptions& options = {});

// Puts the scene's name into an error about its content; errors about the command line stay as they are.
Diagnostic inScene(Diagnostic error, const std::string& path);

// Notes as lines on stderr, at most some; how many are left out is said.
void printNotes(const std::vector<Diagnostic>& notes, const std::string& path);

}  // namespace sinew
