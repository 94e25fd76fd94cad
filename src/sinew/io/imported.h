// What a reader of somebody else's format brings: a scene, and what it met on the way and could not bring.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/model/description.h"

namespace sinew {

struct Imported {
    Description scene;
    std::string text = {};  // of our own format, as it stands in the file
    // One line each, with the place: what was left out or changed, so that nothing is dropped in silence.
    std::vector<Diagnostic> notes;
};

}  // namespace sinew
