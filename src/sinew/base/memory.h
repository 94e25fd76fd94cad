// How much memory there is, and what happens when there is no more.
#pragma once

#include <string>

namespace sinew {

// Bytes that this process may have in all: the machine's memory, or less where the process or its control
// group is limited. Asked for once.
double memoryAtHand();
// "1.8 GB".
std::string bytesText(double bytes);

// For allocations that failed outside operator new: what std::set_new_handler was told to call, then abort.
// The core throws nothing.
[[noreturn]] void outOfMemory();

}  // namespace sinew
