// A programmer's mistake stops the program with a line that says where. Untrusted input never
// reaches an assertion: it is turned into a Diagnostic (see base/result.h).
#pragma once

namespace sinew {

// Called with the failed expression and its place. The default prints one line and aborts.
using AssertHook = void (*)(const char* expression, const char* file, int line);

// Installs a hook and returns the one before it. A hook may log, raise a debugger or throw; if it
// returns, the program aborts all the same. An exception passes through the core, which is compiled
// without them: nothing on its way is destroyed. What the mistake was made with is not to be used any more,
// and the memory of the call is lost; the program goes on. So an interpreter survives its scripts.
AssertHook setAssertHook(AssertHook hook);

[[noreturn]] void assertFailed(const char* expression, const char* file, int line);

}  // namespace sinew

// Always on: the checks are few and outside inner loops.
#define SINEW_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::sinew::assertFailed(#condition, __FILE__, __LINE__))
