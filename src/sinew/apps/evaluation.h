// A scene at its start, ready for any method to be asked about it.
#pragma once

#include <string>

#include "sinew/apps/files.h"
#include "sinew/dynamics/methods.h"

namespace sinew {

struct Evaluation {
    SceneFile scene;
    Model model;
    State state;
    Forces forces;
};

// Reads and compiles; how the scene wishes to be run does not matter here.
Result<Evaluation> loadEvaluation(const std::string& path);

// The names of all methods, for messages.
std::vector<std::string_view> methodNames();

}  // namespace sinew
