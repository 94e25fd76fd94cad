// A floor under what a file has none for.
#pragma once

#include "sinew/io/imported.h"

namespace sinew {

// A plane at this height, which all bodies touch. Of the figures that float, those that reach below it at
// the start are lifted until they stand on it, and a note tells so; what hangs from the world stays where
// it is.
void putOnGround(double height, Imported& file);

}  // namespace sinew
