#include "sinew/apps/out_of_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "sinew/apps/exit_code.h"

namespace sinew {

namespace {

// Nothing here may ask for memory.
[[noreturn]] void endNow()
{
    constexpr std::string_view line = "sinew: out of memory\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(exitBadInput);
}

// What Eigen throws in code that has exceptions ends here if it crosses the core on its way to main().
void endOnBadAlloc()
{
    try {
        if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        endNow();
    } catch (...) {
    }
    std::abort();
}

}  // namespace

void endWhenOutOfMemory()
{
    std::set_new_handler(endNow);
    std::set_terminate(endOnBadAlloc);
}

}  // namespace sinew
