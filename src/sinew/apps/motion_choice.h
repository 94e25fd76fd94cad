// A motion of another file, put onto a character before anything else is done with that.
#pragma once

#include <string>

#include "sinew/io/character_file.h"
#include "sinew/io/motion_onto.h"

namespace sinew {

// Adds the motion as the last clip and says on stderr which bones lead which. Gives the clip's name.
Result<std::string> addMotion(CharacterFile& file, const MotionChoice& choice);

}  // namespace sinew
