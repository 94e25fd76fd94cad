// Ctrl-C and polite kills, noticed between two steps and within long ones.
#pragma once

namespace sinew {

// From now on the first SIGINT or SIGTERM only raises a flag; a second one ends the program at once.
void catchInterrupts();
bool interrupted();

}  // namespace sinew
