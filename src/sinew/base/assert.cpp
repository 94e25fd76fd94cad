#include "sinew/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sinew {
namespace {

void printFailure(const char* expression, const char* file, int line)
{
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
}

AssertHook currentHook = printFailure;

}  // namespace

AssertHook setAssertHook(AssertHook hook)
{
    const AssertHook before = currentHook;
    currentHook = hook ? hook : printFailure;
    return before;
}

void assertFailed(const char* expression, const char* file, int line)
{
    currentHook(expression, file, line);
    std::abort();
}

}  // namespace sinew
