// The SSE2 instructions by vector extensions of the compiler, which turns them into WebAssembly's own. With
// them Eigen takes the same paths and adds in the same order as on x86-64: the motion has the same bits.
#pragma once

#define SIMDE_NO_NATIVE  // its own WebAssembly types are all one type, and Eigen tells them apart
#define SIMDE_ENABLE_NATIVE_ALIASES
extern "C++" {  // Eigen includes this as C
#include <simde/x86/sse2.h>
}
