// What a scene says that has no effect: not wrong, but hardly meant.
#pragma once

#include "sinew/apps/files.h"

namespace sinew {

// At most one line on stderr, with the first such key. Nothing of formats of others, which have their own.
void printSceneNotes(const SceneFile& scene, const Model& model);

}  // namespace sinew
