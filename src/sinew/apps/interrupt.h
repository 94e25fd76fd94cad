// Ctrl-C, polite kills and terminals that close, noticed between two steps and within long ones.
#pragma once

#include <sys/types.h>

#include <string>

namespace sinew {

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary files before they end the program, and a
// file that grows beyond a limit (SIGXFSZ) is a write that fails.
void handleSignals();

// From now on the first of those three only raises a flag, to be noticed between two steps; a second one
// ends the program at once.
void catchInterrupts();
bool interrupted();

// What such an end takes along, besides files: a group of processes, and a folder with all that is in it.
void endWithGroup(pid_t leader, bool still);
void endWithFolder(const std::string& path);  // empty: none any more

}  // namespace sinew
