// The end when there is no more memory: one line and the exit code of bad input, wherever that happens.
#pragma once

namespace sinew {

// From now on. The core is compiled without exceptions, so nothing could be caught there.
void endWhenOutOfMemory();

}  // namespace sinew
